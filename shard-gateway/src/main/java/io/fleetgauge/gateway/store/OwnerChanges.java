package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.LastSamples;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Turns changes of owner into intervals of time. Series of one GPU that change owner at the same
 * time share their intervals. Writer only.
 */
final class OwnerChanges {
  /** How far the next sample of a series is looked for at first, ms. */
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

  /** Whether a sample goes to its series without a look at the owners before. */
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
      Outcome outcome) {
    Timeline now = owned.timeline;
    boolean marker = histogram == null && Staleness.isMarker(value);
    if (marker) {
      Timeline before = now.before();
      if (before != null && before.owner.equals(handle.owner) && time >= now.from) {
        // The owner before has ended; the sample of the new owner showed that already.
        if (now.endedBefore == Timeline.NOT_ENDED) {
          become(owned, change(before, now.from, now.owner, time));
          outcome.stored();
        } else {
          outcome.repeated();
        }
        return null;
      }
    } else if (time > owned.newest()) {
      budget.pass(now.owner, handle.owner);
      become(owned, change(now, time, handle.owner, Timeline.NOT_ENDED));
      return owned;
    } else if (time == owned.newest() && time >= now.from && owned.newestIsMarker()) {
      // One owner ended and another began in this tick.
      budget.pass(now.owner, handle.owner);
      become(owned, change(now, time, handle.owner, time));
      owned.replaceNewest(value, histogram);
      last.set(owned.place, time, value, histogram);
      outcome.stored();
      return null;
    }
    if (time <= owned.newest() && now.at(time).owner.equals(handle.owner)) {
      return owned;
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

  private Timeline change(Timeline before, long from, Labels owner, long ended) {
    if (from != changesAt) {
      changes.clear();
      changesAt = from;
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
      // Of its own time the block knows all.
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
