package io.fleetgauge.promql.exec;

/** Counts what a query holds in memory and what it has looked at, and stops it in time. */
final class Budget {
  /** After so many samples of work the stop sign is looked at; well below a millisecond. */
  private static final int WORK_BETWEEN_LOOKS = 1 << 16;

  private final long limit;
  private final StopSign stop;
  private long held;
  private long peak;
  private long looked;
  private long work;

  Budget(long limit, StopSign stop) {
    this.limit = limit;
    this.stop = stop;
  }

  /** Counts samples before they are held. */
  void hold(long samples) throws QueryFailure {
    held += samples;
    peak = Math.max(peak, held);
    if (held > limit) {
      throw QueryFailure.tooManySamples(limit);
    }
    work(samples);
  }

  void release(long samples) {
    held -= samples;
  }

  /** Counts samples that selectors found, each as often as a step needs it. */
  void lookedAt(long samples) {
    looked += samples;
  }

  /** Counts work in samples; now and then looks at the stop sign. */
  void work(long samples) throws QueryFailure {
    work += samples + 1;
    if (work >= WORK_BETWEEN_LOOKS) {
      work = 0;
      stopIfTold();
    }
  }

  void stopIfTold() throws QueryFailure {
    var reason = stop.reason();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }

  Answer.Stats stats() {
    return new Answer.Stats(looked, peak);
  }
}
