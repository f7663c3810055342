package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.owner.Timeline;
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
   * @param end the time after that block
   */
  void rebuild(StoredSeries owned, List<Block.Interval> intervals, long end) {
    TreeMap<Long, Block.Interval> all = new TreeMap<>();
    intervals.forEach(each -> all.putIfAbsent(each.from(), each));
    Timeline first = owned.timeline;
    for (Timeline each = owned.timeline; each != null; each = each.before()) {
      first = each;
      if (each.before() != null) {
        all.put(each.from, new Block.Interval(each.from, each.owner, each.endedBefore));
      }
    }
    // What was the first interval begins at an unknown time, unless another block knows it.
    if (first != null && all.tailMap(end).isEmpty()) {
      all.put(end, new Block.Interval(end, first.owner, Timeline.NOT_ENDED));
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

  /** All blocks have been read; later changes of owner share nothing with those of blocks. */
  void restored() {
    changes.clear();
  }
}
