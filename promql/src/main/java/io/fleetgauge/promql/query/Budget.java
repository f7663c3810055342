package io.fleetgauge.promql.query;

/** Counts the samples that a query holds in memory and has read, and stops it at its limits. */
public final class Budget {
  /** Samples of work between two stop checks; they take well below a millisecond. */
  private static final int WORK_BETWEEN_CHECKS = 1 << 16;

  private final long limit;
  private final StopCheck stop;
  private long held;
  private long peak;
  private long looked;
  private long work;

  public Budget(long limit, StopCheck stop) {
    this.limit = limit;
    this.stop = stop;
  }

  /** Counts samples before they are held. */
  public void hold(long samples) throws QueryFailure {
    held += samples;
    peak = Math.max(peak, held);
    if (held > limit) {
      throw QueryFailure.tooManySamples(limit);
    }
    work(samples);
  }

  public void release(long samples) {
    held -= samples;
  }

  /** Counts samples that selectors found, once for each step that uses them. */
  public void lookedAt(long samples) {
    looked += samples;
  }

  /** Counts work in samples; from time to time checks whether to stop. */
  public void work(long samples) throws QueryFailure {
    work += samples + 1;
    if (work >= WORK_BETWEEN_CHECKS) {
      work = 0;
      stopIfAsked();
    }
  }

  public void stopIfAsked() throws QueryFailure {
    var reason = stop.reason();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }

  public Answer.Stats stats() {
    return new Answer.Stats(looked, peak);
  }
}
