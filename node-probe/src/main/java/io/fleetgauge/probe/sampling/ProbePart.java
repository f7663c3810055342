package io.fleetgauge.probe.sampling;

import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import java.util.List;

/**
 * A part of a probe: what it reads of the node, what it counts of itself, and how it starts and
 * stops. Parts are closed in the reverse order of their starts.
 */
public interface ProbePart extends AutoCloseable {
  /**
   * Starts it; nothing of it runs before.
   *
   * @throws StartFailure if it cannot run; {@link #close} stops what had been started
   */
  default void start() throws StartFailure {}

  /** The readers of its series, once it has started. */
  default List<Reader> readers() {
    return List.of();
  }

  /** Declares its metrics, once it has started. */
  default void declare(Meters meters) {}

  @Override
  void close();
}
