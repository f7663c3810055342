package io.fleetgauge.probe.sampling;

import io.fleetgauge.runtime.process.ProcessPart;
import java.util.List;

/** A part of a probe, which may read series of the node. */
public interface ProbePart extends ProcessPart {
  /** The readers of its series, once it has started. */
  default List<Reader> readers() {
    return List.of();
  }
}
