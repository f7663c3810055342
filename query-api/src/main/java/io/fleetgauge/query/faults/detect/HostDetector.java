package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.function.Consumer;

/** Finds faults of one host and its GPUs. Not for several threads. */
public interface HostDetector {
  /**
   * Looks at the next tick of the host.
   *
   * @param out takes what is wrong at this tick
   */
  void on(HostTick tick, Consumer<Finding> out);

  /**
   * Takes over a fault that had been found, before the first tick.
   *
   * @param since when it began, ms
   */
  default void restore(FaultKind kind, Subject subject, long since) {}
}
