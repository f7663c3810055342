package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;

/** One label set of a metric on its way through time, and the value that it has. */
final class Track {
  /** Above it, sums could overflow; no GPU has so much of anything. */
  private static final double MAX_VALUE = 1e13;

  private static final long NEVER = Long.MAX_VALUE;
  private static final Series NOTHING = new Series(Labels.EMPTY, new long[0], new double[0]);

  final Labels labels;
  final Measure.Source source;

  /** Who has this part: series of the same process or container are one part. */
  final String part;

  private final long lookback;
  private Series coming = NOTHING;
  private int next;
  private boolean isHeld;
  private long since;
  private long value;

  // The group that it counts for, while its device has these labels.
  private Group group;
  private Labels groupedBy;

  Track(Labels labels, Measure.Source source, long lookback) {
    this.labels = labels;
    this.source = source;
    this.lookback = lookback;
    this.part = partOf(labels);
  }

  private static String partOf(Labels labels) {
    String pid = labels.value("pid");
    String container = pid.isEmpty() ? labels.value("container_id") : pid;
    return container.isEmpty()
        ? labels.value("namespace") + "/" + labels.value("pod") + "/" + labels.value("container")
        : container;
  }

  void give(Series samples) {
    coming = samples;
    next = 0;
  }

  /** When its value may change next, ms. */
  long next() {
    long sample = next < coming.size() ? coming.times()[next] : NEVER;
    return isHeld ? Math.min(sample, since + lookback) : sample;
  }

  /** Changes of its value at a time. */
  enum Move {
    /** It is as it was, by the same sample or without one. */
    NONE,
    /** Another sample has the same value. */
    SAME,
    CHANGED
  }

  Move moveTo(long time) {
    if (next < coming.size() && coming.times()[next] == time) {
      return take(coming.values()[next++], time);
    }
    if (isHeld && since + lookback <= time) {
      isHeld = false;
      return Move.CHANGED;
    }
    return Move.NONE;
  }

  /** Takes a sample. A staleness marker ends the value, and so does what cannot be one. */
  private Move take(double sample, long time) {
    double scaled = sample * source.metric().scale();
    if (!(scaled >= 0 && scaled <= MAX_VALUE)) {
      boolean was = isHeld;
      isHeld = false;
      return was ? Move.CHANGED : Move.NONE;
    }
    long now = Math.round(scaled);
    Move move = isHeld && now == value ? Move.SAME : Move.CHANGED;
    isHeld = true;
    since = time;
    value = now;
    return move;
  }

  boolean isHeld() {
    return isHeld;
  }

  /** Returns true if nothing will come of it unless it is given samples. */
  boolean isDone() {
    return !isHeld && next >= coming.size();
  }

  /** When its value was sampled, ms. */
  long since() {
    return since;
  }

  long value() {
    return value;
  }

  /**
   * The group that it counts for.
   *
   * @param device labels of its device
   */
  Group group(Labels device, Groups groups) throws QueryFailure {
    if (groupedBy != device) {
      group = groups.of(labels, device);
      groupedBy = device;
    }
    return group;
  }
}
