package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.series.Catalog;
import io.fleetgauge.gateway.store.series.LastSamples;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * One host as readers see it. The lane's writer publishes; any thread reads and never blocks the
 * writer.
 */
public final class HostView {
  /** The time of the newest sample of a host that has none. */
  public static final long NEVER = Long.MIN_VALUE;

  private static final long DEFAULT_TICK_MILLIS = 15_000;
  private static final long MAX_TICK_MILLIS = 3_600_000;

  private final String host;
  private final Dimensions dimensions;
  private final LastSamples last = new LastSamples();
  private final MissingTimes missing = new MissingTimes();

  // Replaced as one when series are forgotten, so that a reader sees either state whole.
  private volatile Catalog catalog;

  // Written after the samples of its tick, so that a reader of this time may read the samples.
  private volatile long newest = NEVER;
  private volatile long sent = NEVER;
  private volatile long heard = NEVER;

  private volatile long oldest = Long.MAX_VALUE;
  private volatile long tickMillis = DEFAULT_TICK_MILLIS;
  private volatile long completeUpTo = NEVER;

  public HostView(String host, Dimensions dimensions) {
    this.host = host;
    this.dimensions = dimensions;
    this.catalog = Catalog.of(dimensions.names(), List.of());
  }

  // --- for the writer ---

  /** All samples of a tick of this time have been written, ms. */
  public void publishTick(long time) {
    if (time < oldest) {
      oldest = time;
    }
    if (time > sent) {
      if (sent != NEVER) {
        tickMillis = Math.max(1, (7 * tickMillis + Math.min(time - sent, MAX_TICK_MILLIS)) / 8);
        completeUpTo = time + Math.min(tickMillis, time - sent) - 1;
      }
      sent = time;
    }
    newest = Math.max(newest, time);
  }

  /** All samples of this time that were derived from others have been written, ms. */
  public void publishDerived(long time) {
    oldest = Math.min(oldest, time);
    newest = Math.max(newest, time);
  }

  /** A tick of this time has a sample that the host has sent, ms. */
  public void publishHeard(long time) {
    heard = Math.max(heard, time);
  }

  /** The newest sample of the blocks that were read at the start, ms. */
  public void publishNewest(long time) {
    newest = time;
    sent = time;
    heard = time;
  }

  /** No sample is before this time any more, ms. */
  public void publishOldest(long time) {
    oldest = time;
  }

  public void publishCatalog(Catalog newCatalog) {
    catalog = newCatalog;
  }

  public LastSamples last() {
    return last;
  }

  // --- for readers ---

  public String host() {
    return host;
  }

  public Catalog catalog() {
    return catalog;
  }

  public MissingTimes missing() {
    return missing;
  }

  /** Time of the newest sample, ms; {@link #NEVER} if there is none. */
  public long newest() {
    return newest;
  }

  /**
   * Time of the newest sample that was not derived from others, ms; {@link #NEVER} if there is
   * none.
   */
  public long sent() {
    return sent;
  }

  /** Time of the newest sample that the host has sent, ms; of the newest, if it has sent none. */
  public long heard() {
    return heard == NEVER ? newest : heard;
  }

  /** No sample is before this time, ms; {@link Long#MAX_VALUE} if there is none. */
  public long oldest() {
    return oldest;
  }

  /**
   * The time up to which the host's samples are complete, ms: its next tick is not due before.
   * {@link Long#MIN_VALUE} if it has none but derived samples.
   */
  public long completeUpTo() {
    return Math.max(sent, completeUpTo);
  }

  /** Moving average of the time between ticks, ms. */
  public long tickMillis() {
    return tickMillis;
  }

  /** Estimates how many ticks there are after {@code after} and up to {@code to}. */
  public long ticksIn(long after, long to) {
    long from = Math.max(after, oldest);
    long end = Math.min(to, newest);
    if (oldest > newest || from >= end) {
      return from == end ? 1 : 0;
    }
    return (end - from) / tickMillis + 1;
  }

  /** Every series that may match; what its owners say is not decided here. */
  public List<StoredSeries> candidates(List<Matcher> matchers) {
    List<StoredSeries> candidates = new ArrayList<>();
    catalog.find(matchers, candidates::add);
    return candidates;
  }

  /**
   * The number of series that match, with an owner of the time that is selected. Reads no sample.
   */
  public long matching(Selection selection) {
    List<Matcher> matchers = selection.matchers();
    List<StoredSeries> candidates = candidates(matchers);
    if (matchers.stream().noneMatch(matcher -> isDimension(matcher.name()))) {
      return candidates.size();
    }
    long from = after(selection.from());
    long to = Math.min(selection.to(), newest);
    return candidates.stream()
        .filter(series -> !OwnerViews.of(series, matchers, from, to).all().isEmpty())
        .count();
  }

  /** The number of series that match with any of the owners that they ever had. Reads no sample. */
  public long everMatching(List<Matcher> matchers) {
    List<Matcher> ofOwners =
        matchers.stream().filter(matcher -> isDimension(matcher.name())).toList();
    // The series of a GPU share their intervals.
    Map<Timeline, Boolean> known = new IdentityHashMap<>();
    return candidates(matchers).stream()
        .filter(
            series ->
                series.timeline == null
                    || known.computeIfAbsent(series.timeline, all -> hasOwner(all, ofOwners)))
        .count();
  }

  private static boolean hasOwner(Timeline newest, List<Matcher> matchers) {
    for (Timeline interval = newest; interval != null; interval = interval.before()) {
      Labels owner = interval.owner;
      if (matchers.stream().allMatch(matcher -> matcher.matches(owner))) {
        return true;
      }
    }
    return false;
  }

  /** The labels of a series without its owner. Two series with equal ones may share a label set. */
  Labels identityOf(StoredSeries series) {
    boolean owned = series.timeline == null && dimensions.apply(series.identity);
    return owned ? dimensions.identity(series.identity) : series.identity;
  }

  /**
   * The owner of a series that is stored apart from its owners' intervals, because it had two
   * owners at one time; empty for other series.
   */
  Labels separateOwnerOf(StoredSeries series) {
    return series.timeline == null && dimensions.apply(series.identity)
        ? dimensions.owner(series.identity)
        : Labels.EMPTY;
  }

  /** Returns true if a label may differ between the owners of a series. */
  boolean isDimension(String label) {
    return dimensions.names().contains(label);
  }

  /** The first time after a time, ms. */
  static long after(long time) {
    return time == Long.MAX_VALUE ? time : time + 1;
  }
}
