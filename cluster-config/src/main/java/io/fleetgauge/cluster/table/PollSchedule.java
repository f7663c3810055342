package io.fleetgauge.cluster.table;

/**
 * Times at which a member polls the registry although no event says that something has changed:
 * events can be late or lost, and some decisions wait for time to pass. Not for several threads.
 * Times in ms of any steady clock.
 */
public final class PollSchedule {
  /**
   * Interval at which {@link #isDue} is asked, ms; a member polls as often while something changes.
   */
  public static final long TICK_MILLIS = 1_000;

  /** Interval at which it polls when nothing has changed for a while, ms. */
  static final long QUIET_MILLIS = 5_000;

  /** The while, ms; longer than all that a table waits for. */
  static final long QUIET_AFTER_MILLIS = 30_000;

  private long changedAt;
  private long polledAt;

  /** A member that joins: much changes soon. */
  public PollSchedule(long now) {
    changedAt = now;
    polledAt = now;
  }

  /** Notes that something is not as it was before, or could not be read. */
  public void changed(long now) {
    changedAt = now;
  }

  /** Returns true if it is time to poll; the caller then does. */
  public boolean isDue(long now) {
    if (now - changedAt >= QUIET_AFTER_MILLIS && now - polledAt < QUIET_MILLIS) {
      return false;
    }
    polledAt = now;
    return true;
  }
}
