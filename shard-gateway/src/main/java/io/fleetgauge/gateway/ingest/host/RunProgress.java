package io.fleetgauge.gateway.ingest.host;

/**
 * The ticks of one run of a sender that a gateway has: every tick up to a sequence, except those
 * that it names. Ticks that the sender itself dropped count as being here.
 *
 * @param kept the last sequence that is here
 * @param missing sequences up to {@code kept} that were acknowledged to the sender and are not here
 * @param unproven sequences up to {@code kept} that are not here; the sender may have dropped them
 */
public record RunProgress(long kept, Sequences missing, Sequences unproven) {
  public static final RunProgress NOTHING = new RunProgress(0, Sequences.NONE, Sequences.NONE);

  /** Every tick up to a sequence is here. */
  public static RunProgress upTo(long kept) {
    return new RunProgress(kept, Sequences.NONE, Sequences.NONE);
  }

  /**
   * A tick has come.
   *
   * @param acknowledged the last sequence that the sender knows to be acknowledged: those after it
   *     that it skips were dropped; 0 when it does not say
   */
  public RunProgress with(long sequence, long acknowledged) {
    if (sequence <= kept) {
      Sequences one = Sequences.of(sequence, sequence);
      return isWhole() ? this : new RunProgress(kept, missing.minus(one), unproven.minus(one));
    }
    return acknowledged > 0
        ? new RunProgress(
            sequence,
            missing.or(Sequences.of(kept + 1, lastMissing(sequence, acknowledged))),
            unproven)
        : new RunProgress(sequence, missing, unproven.or(Sequences.of(kept + 1, sequence - 1)));
  }

  /** The last acknowledged sequence that a tick with this one shows to be missing; 0 for none. */
  public long lastMissing(long sequence, long acknowledged) {
    long last = Math.min(acknowledged, sequence - 1);
    return last > kept ? last : 0;
  }

  /** All that another gateway had has been fetched. */
  public RunProgress with(RunProgress other) {
    if (isWhole() && other.isWhole()) {
      return other.kept > kept ? other : this;
    }
    Sequences notThere = other.missing.or(other.unproven).or(Sequences.after(other.kept));
    Sequences beyond = Sequences.after(kept);
    Sequences lost =
        missing.and(notThere).or(unproven.and(other.missing)).or(other.missing.and(beyond));
    Sequences unclear = unproven.and(notThere).or(other.unproven.and(beyond)).minus(lost);
    return new RunProgress(Math.max(kept, other.kept), lost, unclear);
  }

  /** Returns true if every tick up to {@link #kept} is here. */
  public boolean isWhole() {
    return missing.isEmpty() && unproven.isEmpty();
  }
}
