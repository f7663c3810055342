package io.fleetgauge.gateway.store;

import java.util.BitSet;

/** Outcomes of the samples of one write. One thread at a time. */
public final class WriteOutcome {
  private long stored;
  private long late;
  private long repeated;
  private long conflicting;
  private long tooOld;
  private long future;
  private long overLimit;
  private String refusal = "";
  private final BitSet leftOut = new BitSet();
  private boolean allLeftOut;

  void stored() {
    stored++;
  }

  void late() {
    stored++;
    late++;
  }

  void repeated() {
    repeated++;
  }

  void conflicting(String why) {
    conflicting++;
    refused(why);
  }

  void tooOld(long count, String why) {
    tooOld += count;
    refused(why);
  }

  void future(long count, String why) {
    future += count;
    refused(why);
  }

  void overLimit(String why) {
    overLimit++;
    refused(why);
  }

  void leaveOut(int position) {
    leftOut.set(position);
  }

  void leaveOutAll() {
    allLeftOut = true;
  }

  /** Returns true if a sample of the last tick was refused and must not be replicated. */
  public boolean leavesOutAny() {
    return allLeftOut || !leftOut.isEmpty();
  }

  /** Returns true if the sample at a position of the last tick was refused. */
  public boolean leavesOut(int position) {
    return allLeftOut || leftOut.get(position);
  }

  /** Begins another tick. */
  public void nextTick() {
    leftOut.clear();
    allLeftOut = false;
  }

  private void refused(String why) {
    if (refusal.isEmpty()) {
      refusal = why;
    }
  }

  /** Samples that are in the store. */
  public long kept() {
    return stored + repeated;
  }

  /** Samples that were not here before. */
  public long added() {
    return stored;
  }

  /** Samples that were refused and will be refused again. */
  public long refused() {
    return conflicting + tooOld + future + overLimit;
  }

  /** Samples refused because their series is new and a limit of series is reached. */
  public long overLimit() {
    return overLimit;
  }

  /** Why the first one was refused; empty if none was. */
  public String refusal() {
    return refusal;
  }

  /** Adds every sample to the counter of its outcome. */
  public void addTo(StoreCounts counts) {
    counts.stored.add(stored);
    counts.late.add(late);
    counts.repeated.add(repeated);
    counts.conflicting.add(conflicting);
    counts.tooOld.add(tooOld);
    counts.future.add(future);
    counts.overLimit.add(overLimit);
  }
}
