package io.fleetgauge.gateway.store;

import java.util.BitSet;

/** What became of the samples of one write. Not for several threads. */
public final class Outcome {
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

  /** Whether any sample of the last tick must not be handed on, because it was not let in here. */
  public boolean leavesOutAny() {
    return allLeftOut || !leftOut.isEmpty();
  }

  /** Whether a sample of the last tick must not be handed on. */
  public boolean leavesOut(int position) {
    return allLeftOut || leftOut.get(position);
  }

  /** Another tick begins. */
  public void nextTick() {
    leftOut.clear();
    allLeftOut = false;
  }

  private void refused(String why) {
    if (refusal.isEmpty()) {
      refusal = why;
    }
  }

  /** Samples that are in the store now. */
  public long kept() {
    return stored + repeated;
  }

  /** Samples that are not and will not be. */
  public long refused() {
    return conflicting + tooOld + future + overLimit;
  }

  /** Of those refused, how many only because their series is new. */
  public long overLimit() {
    return overLimit;
  }

  /** Why the first one was refused; empty when none was. */
  public String refusal() {
    return refusal;
  }

  /** Counts every sample under what became of it. */
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
