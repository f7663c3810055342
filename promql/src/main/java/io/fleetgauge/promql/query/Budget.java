package io.fleetgauge.promql.query;

/** Counts what a query holds in memory and what it has looked at, and stops it in time. */
public final class Budget {
  /** After so many samples of work the stop sign is looked at; well below a millisecond. */
  private static final int WORK_BETWEEN_LOOKS = 1 << 16;

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

  /** Counts samples that selectors found, each as often as a step needs it. */
  public void lookedAt(long samples) {
    looked += samples;
  }

  /** Counts work in samples; now and then looks at the stop sign. */
  public void work(long samples) throws QueryFailure {
    work += samples + 1;
    if (work >= WORK_BETWEEN_LOOKS) {
      work = 0;
      stopIfTold();
    }
  }

  public void stopIfTold() throws QueryFailure {
    var reason = stop.reason();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }

  public Answer.Stats stats() {
    return new Answer.Stats(looked, peak);
  }
}
