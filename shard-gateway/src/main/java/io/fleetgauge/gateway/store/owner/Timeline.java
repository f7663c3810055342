package io.fleetgauge.gateway.store.owner;

import io.fleetgauge.sample.Labels;

/**
 * The owners of a GPU over time: an interval, and the ones before it. Series of a GPU that change
 * owner at the same time share their intervals. Only {@code before} changes, when the past expires.
 */
public final class Timeline {
  /** No marker ended the owner before. */
  public static final long NOT_ENDED = Long.MIN_VALUE;

  public static final long ALWAYS = Long.MIN_VALUE;

  /** From this time on, ms. */
  public final long from;

  public final Labels owner;

  /**
   * When a staleness marker ended the owner before, at {@code from} or later. Such a marker is
   * stored here only.
   */
  public final long endedBefore;

  private volatile Timeline before;

  public Timeline(long from, Labels owner, long endedBefore, Timeline before) {
    this.from = from;
    this.owner = owner;
    this.endedBefore = endedBefore;
    this.before = before;
  }

  public static Timeline first(Labels owner) {
    return new Timeline(ALWAYS, owner, NOT_ENDED, null);
  }

  public Timeline before() {
    return before;
  }

  /** The interval that contains a time. */
  public Timeline at(long time) {
    Timeline interval = this;
    while (interval.from > time && interval.before != null) {
      interval = interval.before;
    }
    return interval;
  }

  /** Returns true if this or an interval before it has an owner. */
  public boolean hasOwner(Labels wanted) {
    for (Timeline interval = this; interval != null; interval = interval.before) {
      if (interval.owner.equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Removes intervals that ended before a time. */
  public void forgetBefore(long time) {
    at(time).before = null;
  }
}
