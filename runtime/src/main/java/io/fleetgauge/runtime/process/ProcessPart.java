package io.fleetgauge.runtime.process;

/**
 * A part of a process: how it starts, what it counts of itself, and how it stops. Parts are closed
 * in the reverse order of their starts.
 */
public interface ProcessPart extends AutoCloseable {
  /**
   * Starts it; nothing of it runs before.
   *
   * @throws StartFailure if it cannot run; {@link #close} stops what had been started
   */
  default void start() throws StartFailure {}

  /** Declares its metrics, once it has started. */
  default void declare(Meters meters) {}

  @Override
  void close();
}
