package io.fleetgauge.query;

import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;

/** A part of the process. Parts are closed in the reverse order of their starts. */
interface QueryPart extends AutoCloseable {
  /**
   * Starts it; nothing of it runs before.
   *
   * @throws StartFailure if it cannot run; {@link #close} stops what had been started
   */
  void start() throws StartFailure;

  /** Declares its metrics, once it has started. */
  default void declare(Meters meters) {}

  @Override
  void close();
}
