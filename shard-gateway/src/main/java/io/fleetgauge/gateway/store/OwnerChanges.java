package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.LastSamples;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Turns changes of owner into intervals of time. Series of one GPU that change owner at the same
 * time share their intervals. Writer only.
 */
final class OwnerChanges {
  /** Time for which the next sample of a series is looked for at first, ms. */
  private static final long FIRST_WINDOW_MILLIS = 600_000;

  private final SeriesBudget budget;
  private final LastSamples last;
  private final LaneSeries series;
  private final Map<Labels, Labels> owners = new HashMap<>();
  private final Map<Change, Timeline> changes = new HashMap<>();
  private long changesAt = Long.MIN_VALUE;

  /** A change of owner; equal ones give the same interval. */
  private record Change(Timeline before, long from, Labels owner, long ended) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Change that
          && before == that.before
          && from == that.from
          && ended == that.ended
          && owner.equals(that.owner);
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(before) + owner.hashCode();
    }
  }

  OwnerChanges(SeriesBudget budget, LastSamples last, LaneSeries series) {
    this.budget = budget;
    this.last = last;
    this.series = series;
  }

  /** The one object for all owners that are equal to this one. */
  Labels shared(Labels owner) {
    return owners.computeIfAbsent(owner, each -> each);
  }

  void forgetShared() {
    owners.clear();
  }

  /** Returns true if a sample goes to its series without a look at the owners before. */
  static boolean isCurrent(StoredSeries series, Lane.Handle handle, long time) {
    if (handle.isSeparate) {
      return true;
    }
    Timeline now = series.timeline;
    return (now.owner == handle.owner || now.owner.equals(handle.owner)) && time >= now.from;
  }

  /**
   * Decides where a sample goes whose owner is not the current one of its series.
   *
   * @return the series that it goes to; null if nothing is left to do
   */
  StoredSeries place(
      Lane.Source source,
      StoredSeries owned,
      Lane.Handle handle,
      long time,
      double value,
      Histogram histogram,
      WriteOutcome outcome) {
    Timeline now = owned.timeline;
    Timeline then = now.at(time);
    boolean marker = histogram == null && Staleness.isMarker(value);
    if (marker) {
      Timeline before = then.before();
      if (before != null && before.owner.equals(handle.owner) && time >= then.from) {
        // The owner before has ended; the sample of the new owner showed that already.
        if (then.endedBefore == Timeline.NOT_ENDED) {
          Timeline ended = change(time, before, then.from, then.owner, time);
          become(owned, replaced(now, then, ended));
          outcome.stored();
        } else {
          outcome.repeated();
        }
        return null;
      }
    } else if (time > owned.newest()) {
      budget.pass(now.owner, handle.owner);
      become(owned, change(time, now, time, handle.owner, Timeline.NOT_ENDED));
      return owned;
    } else if (time == owned.newest() && time >= now.from && owned.newestIsMarker()) {
      // One owner ended and another began in this tick.
      budget.pass(now.owner, handle.owner);
      become(owned, change(time, now, time, handle.owner, time));
      owned.replaceNewest(value, histogram);
      last.set(owned.place, time, value, histogram);
      outcome.stored();
      return null;
    }
    if (time <= owned.newest()) {
      if (then.owner.equals(handle.owner)) {
        return owned;
      }
      if (!marker) {
        // The owner before may have ended in this tick, too.
        long ended = endsAt(owned, time) ? time : Timeline.NOT_ENDED;
        Timeline with = withLate(owned, then, handle.owner, time, ended);
        if (with != null) {
          become(owned, with);
          if (ended == Timeline.NOT_ENDED) {
            return owned;
          }
          owned.addLate(time, value, histogram);
          outcome.late();
          return null;
        }
      }
    }
    if (marker && !now.hasOwner(handle.owner)) {
      outcome.repeated(); // it ends an owner that has no interval
      return null;
    }
    return series.openSeparate(source, handle, outcome);
  }

  private void become(StoredSeries owned, Timeline timeline) {
    owned.timeline = timeline;
    last.ownerChanged();
  }

  /** Returns true if the sample of a time is a marker. */
  private static boolean endsAt(StoredSeries owned, long time) {
    SampleReader reader = new SampleReader();
    owned.read(time - 1, time, reader);
    return reader.size() > 0
        && Staleness.isMarker(reader.values()[0])
        && (reader.histograms() == null || reader.histograms()[0] == null);
  }

  /**
   * The intervals of a series and one more for the owner of a late sample, up to the next sample.
   * Such samples come where those of the past are copied while new ones arrive.
   *
   * @param then the interval that has the time now
   * @param ended when a marker ended its owner in this tick; otherwise {@link Timeline#NOT_ENDED}
   * @return null if its owner has a sample of that time
   */
  private Timeline withLate(
      StoredSeries owned, Timeline then, Labels owner, long time, long ended) {
    Timeline now = owned.timeline;
    Timeline after = null;
    for (Timeline each = now; each != then; each = each.before()) {
      after = each;
    }
    long next = firstSample(owned, ended == time ? time + 1 : time);
    if (after != null && next >= after.from && after.endedBefore != Timeline.NOT_ENDED) {
      next = after.from - 1; // its owner is known to have ended after that
    }
    if (next == time) {
      return null;
    }
    boolean goesOn = next < (after == null ? Long.MAX_VALUE : after.from);
    if (after != null && !goesOn && after.owner.equals(owner)) {
      return replaced(now, after, change(time, then, time, owner, ended));
    }
    Timeline added = change(time, then, time, owner, ended);
    return replaced(
        now, then, goesOn ? interval(added, next, then.owner, Timeline.NOT_ENDED) : added);
  }

  /** The intervals of a series, one of them in another form. */
  private Timeline replaced(Timeline newest, Timeline old, Timeline by) {
    Deque<Timeline> later = new ArrayDeque<>();
    for (Timeline each = newest; each != old; each = each.before()) {
      later.push(each);
    }
    Timeline now = by;
    for (Timeline each : later) {
      now = interval(now, each.from, each.owner, each.endedBefore);
    }
    return now;
  }

  /**
   * @param time of the tick; the series of a GPU that change in one tick have equal intervals
   */
  private Timeline change(long time, Timeline before, long from, Labels owner, long ended) {
    if (time != changesAt) {
      changes.clear();
      changesAt = time;
    }
    return interval(before, from, owner, ended);
  }

  private Timeline interval(Timeline before, long from, Labels owner, long ended) {
    return changes.computeIfAbsent(
        new Change(before, from, owner, ended), none -> new Timeline(from, owner, ended, before));
  }

  /** Continues the owners of a series with those that a block has of it. */
  void restore(StoredSeries owned, List<Block.Interval> intervals) {
    for (Block.Interval each : intervals) {
      Timeline now = owned.timeline;
      Labels owner = shared(each.owner());
      if (now == null) {
        owned.timeline = interval(null, Timeline.ALWAYS, owner, Timeline.NOT_ENDED);
        budget.pass(Labels.EMPTY, owner);
      } else if (each.from() > now.from && !now.owner.equals(owner)) {
        owned.timeline = interval(now, each.from(), owner, each.endedBefore());
        budget.pass(now.owner, owner);
      } else if (each.from() == now.from && now.endedBefore == Timeline.NOT_ENDED) {
        // The marker of the owner before came after the block before had been written.
        owned.timeline = interval(now.before(), each.from(), owner, each.endedBefore());
      }
    }
  }

  /**
   * Finds out the owners of a series again when one of its blocks was read later than the others.
   *
   * @param intervals of all its blocks, in order of time
   * @param start of that block, ms
   * @param end the time after that block, ms
   */
  void rebuild(StoredSeries owned, List<Block.Interval> intervals, long start, long end) {
    TreeMap<Long, Block.Interval> all = new TreeMap<>();
    intervals.forEach(each -> all.putIfAbsent(each.from(), each));
    Timeline first = owned.timeline;
    for (Timeline each = owned.timeline; each != null; each = each.before()) {
      first = each;
      // The block knows all of its own time.
      if (each.before() != null && (each.from < start || each.from >= end)) {
        all.put(each.from, new Block.Interval(each.from, each.owner, each.endedBefore));
      }
    }
    // Who owned it when it had the next sample after that block stays the owner then.
    long next = firstSample(owned, end);
    Timeline then = owned.timeline;
    while (then != null && then.before() != null && then.from > next) {
      then = then.before();
    }
    if (then != null && next != Long.MAX_VALUE) {
      all.putIfAbsent(next, new Block.Interval(next, then.owner, Timeline.NOT_ENDED));
    }
    Labels before = first == null ? Labels.EMPTY : owned.timeline.owner;
    Timeline rebuilt = null;
    for (Block.Interval each : all.values()) {
      if (rebuilt == null) {
        rebuilt = interval(null, Timeline.ALWAYS, shared(each.owner()), Timeline.NOT_ENDED);
      } else if (!rebuilt.owner.equals(each.owner())) {
        rebuilt = interval(rebuilt, each.from(), shared(each.owner()), each.endedBefore());
      }
    }
    owned.timeline = rebuilt;
    budget.pass(before, rebuilt.owner);
  }

  /** The time of the first sample of a series from a time on; the maximum if there is none. */
  private static long firstSample(StoredSeries of, long from) {
    SampleReader reader = new SampleReader();
    long window = FIRST_WINDOW_MILLIS;
    for (long at = from; at <= of.newest(); at += window, window *= 2) {
      reader.clear();
      of.read(at - 1, at + window - 1, reader);
      if (reader.size() > 0) {
        return reader.times()[0];
      }
    }
    return Long.MAX_VALUE;
  }

  /** All blocks have been read; later changes of owner share nothing with those of blocks. */
  void restored() {
    changes.clear();
  }
}
