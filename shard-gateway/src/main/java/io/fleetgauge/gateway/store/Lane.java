package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.read.HostView;
import io.fleetgauge.gateway.store.read.SelectionReader;
import io.fleetgauge.gateway.store.run.LaneColumns;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.LastSamples;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.SameTime;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One host's samples. One thread at a time writes; any thread reads.
 *
 * <p>Ticks are appended here. Where a sample goes whose owner has changed is decided by {@link
 * OwnerChanges}, which series there are by {@link LaneSeries}, what leaves memory by {@link
 * LaneBlocks}, what is known to be missing by {@link MissingSamples}; readers look at {@link
 * HostView}. It has more than 600 lines because all that the writing thread does to its own fields
 * stays in one class.
 */
public final class Lane {
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
  private static final long NEVER = HostView.NEVER;

  private final String host;
  private final StoreLimits limits;
  private final StoreCounts counts;
  private final Dimensions dimensions;
  private final HostView view;
  private final LastSamples last;
  private final LaneColumns columns;
  private final LaneRollups rollups;
  private final LaneSeries series;
  private final OwnerChanges owners;
  private final LaneBlocks blocks;
  private final RecentChanges changed;
  private final MissingSamples missing;
  private final Digests.DigestCache digests = new Digests.DigestCache();

  private volatile long payloadBytes;

  private final AtomicReference<LateSamples> late;

  /** Samples before this time have expired, or may have been here, ms. */
  private volatile long droppedBefore = NEVER;

  /** A writer's reference to a series, so that it is looked up once and not for each sample. */
  public static final class Handle {
    final Labels labels;

    /** Null if the series has no dimensions. */
    final Labels owner;

    /** Null until it is looked up. */
    StoredSeries series;

    /** True if the series is stored apart from its owners' intervals. */
    boolean isSeparate;

    private final boolean isUp;

    private Handle(Labels labels, Labels owner) {
      this.labels = labels;
      this.owner = owner;
      this.isUp = labels.metric().equals("up");
    }

    public Labels labels() {
      return labels;
    }

    /** Returns true if an owner that hears nothing of the host may write this. */
    private boolean mayBeSynthetic(double value, Histogram histogram) {
      return histogram == null && (isUp && value == 0 || Staleness.isMarker(value));
    }
  }

  /** The newest sample of a series; a marker also stands for a histogram. */
  public record Newest(long time, double value) {}

  /** The ways in which samples are accepted. */
  public enum Source {
    /** From a sender: all limits hold. */
    SENDER,
    /** Accepted before: accepted again whatever the limits are now. */
    JOURNAL
  }

  Lane(String host, Store.SharedParts shared) {
    this.host = host;
    this.limits = shared.limits();
    this.counts = shared.counts();
    this.dimensions = shared.dimensions();
    this.late = shared.late();
    this.changed = new RecentChanges(shared.changeCounter());
    this.view = new HostView(host, dimensions);
    this.last = view.last();
    this.columns = new LaneColumns(limits.blockMillis());
    this.rollups =
        new LaneRollups(
            view, shared.rules(), shared.rollupPages(), changed, shared.changeCounter()::get);
    this.series = new LaneSeries(view, dimensions, shared.budget(), columns);
    this.owners = new OwnerChanges(shared.budget(), last, series);
    this.blocks =
        new LaneBlocks(view, columns, series, rollups, counts.blocks, limits.blockMillis());
    this.missing = new MissingSamples(host, view.missing(), blocks, changed);
  }

  public String host() {
    return host;
  }

  /** The view of readers. */
  public HostView view() {
    return view;
  }

  /** The samples that are not here although the host has sent them. */
  public MissingSamples missing() {
    return missing;
  }

  /** Outcomes of the samples of the whole store. */
  public StoreCounts counts() {
    return counts;
  }

  /** A reference to the series of these labels, which need not exist yet. Writer only. */
  public Handle handle(Labels labels) {
    return new Handle(
        labels, dimensions.apply(labels) ? owners.shared(dimensions.owner(labels)) : null);
  }

  // --- writing ---

  /**
   * Writes one tick, except the samples that have to be refused: the outcome says which. Writer
   * only.
   *
   * @param time ms since the epoch
   * @param latest the latest time that is accepted, ms since the epoch
   * @param handles the series
   * @param values one for each of {@code handles}
   * @param histograms null if there are none; otherwise null where the value is a number
   */
  public void append(
      Source source,
      long time,
      long latest,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      WriteOutcome outcome) {
    append(source, false, time, latest, handles, values, histograms, outcome);
  }

  /**
   * As above.
   *
   * @param derived whether the samples were derived from others, and so do not tell that the host
   *     has sent what it had
   */
  public void append(
      Source source,
      boolean derived,
      long time,
      long latest,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      WriteOutcome outcome) {
    if (refusesTick(source, time, latest, values.length, outcome)) {
      return;
    }
    LateSamples hears = late.get();
    BitSet added = hears == LateSamples.NONE ? null : new BitSet(handles.length);
    long stamp = last.begin();
    try {
      appendAll(source, derived, time, handles, values, histograms, outcome, added);
    } finally {
      last.end(stamp, view.newest());
    }
    changed.at(time);
    if (added != null && !added.isEmpty() && hears.isLate(host, source, time)) {
      hears.stored(host, time, added.stream().mapToObj(i -> handles[i].labels).toList());
    }
  }

  /**
   * @param added receives the positions of samples that were not here before; null if nobody asks
   */
  private void appendAll(
      Source source,
      boolean derived,
      long time,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      WriteOutcome outcome,
      BitSet added) {
    SampleReader reader = null;
    boolean heard = false;
    for (int i = 0; i < handles.length; i++) {
      Handle handle = handles[i];
      heard |= !handle.mayBeSynthetic(values[i], histograms == null ? null : histograms[i]);
      long over = outcome.overLimit();
      long addedBefore = outcome.added();
      StoredSeries target = series.open(source, handle, outcome);
      if (target == null) {
        outcome.leaveOut(i);
        continue;
      }
      double value = values[i];
      Histogram histogram = histograms == null ? null : histograms[i];
      if (handle.owner != null && !OwnerChanges.isCurrent(target, handle, time)) {
        target = owners.place(source, target, handle, time, value, histogram, outcome);
        if (target == null) {
          if (outcome.overLimit() > over) {
            outcome.leaveOut(i);
          } else if (added != null && outcome.added() > addedBefore) {
            added.set(i);
          }
          continue;
        }
      }
      if (time > target.newest()) {
        target.append(columns, time, value, histogram);
        last.set(target.place, time, value, histogram);
        outcome.stored();
      } else if (time == target.newest() && target.newestIsReplacedBy(value, histogram)) {
        target.addLate(time, value, histogram);
        last.set(target.place, time, value, histogram);
        outcome.late();
      } else if (time == target.newest()) {
        boolean known = target.newestIs(value, histogram) || target.newestImplies(value, histogram);
        compared(known, target, time, outcome);
      } else {
        reader = reader == null ? new SampleReader() : reader;
        appendLate(target, time, value, histogram, reader, outcome);
      }
      if (added != null && outcome.added() > addedBefore) {
        added.set(i);
      }
    }
    if (derived) {
      view.publishDerived(time);
      return;
    }
    view.publishTick(time);
    if (heard) {
      view.publishHeard(time);
    }
  }

  /** The newest sample of a series; empty if it has none. Writer only. */
  public Optional<Newest> newestOf(Handle handle) {
    StoredSeries target = series.find(handle);
    return target == null || target.newest() == NEVER
        ? Optional.empty()
        : Optional.of(new Newest(target.newest(), target.newestValue()));
  }

  /**
   * When a series should have had its second sample after the newest one, by the time between its
   * last two. Writer only.
   *
   * @param usual time between two samples, where there is one only, ms
   * @param lookback a series without a sample for so long has ended, ms
   * @return {@link Long#MAX_VALUE} if it has ended by then, or another owner has the GPU
   */
  public long missedTwiceAt(Handle handle, long usual, long lookback, SampleReader reader) {
    StoredSeries target = series.find(handle);
    if (target == null || target.newest() == NEVER || target.newestIsMarker()) {
      return Long.MAX_VALUE;
    }
    long newest = target.newest();
    if (handle.owner != null && !OwnerChanges.isCurrent(target, handle, newest)) {
      return Long.MAX_VALUE;
    }
    target.read(newest - lookback, newest - 1, reader);
    int size = reader.size();
    boolean alone = size == 0 || Staleness.isMarker(reader.values()[size - 1]);
    long period = alone ? usual : newest - reader.times()[size - 1];
    return 2 * period < lookback ? newest + 2 * period : Long.MAX_VALUE;
  }

  /**
   * The shortest time between two of the newest samples of a series, ms. Writer only.
   *
   * @param usual where there is one sample only
   * @param lookback older samples do not count, ms
   */
  public long shortestGap(Handle handle, long usual, long lookback, SampleReader reader) {
    StoredSeries target = series.find(handle);
    if (target == null || target.newest() == NEVER) {
      return usual;
    }
    long later = target.newest();
    target.read(later - lookback, later - 1, reader);
    long shortest = reader.size() == 0 ? usual : Long.MAX_VALUE;
    for (int i = reader.size() - 1; i >= 0; i--) {
      shortest = Math.min(shortest, later - reader.times()[i]);
      later = reader.times()[i];
    }
    return shortest;
  }

  /**
   * Finds out what {@link #append} would refuse, and changes nothing. Writer only. A change of
   * owner is not examined: it is never a reason to refuse.
   */
  public void check(
      long time,
      long latest,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      WriteOutcome outcome) {
    if (refusesTick(Source.SENDER, time, latest, values.length, outcome)) {
      return;
    }
    SampleReader reader = null;
    for (int i = 0; i < handles.length; i++) {
      StoredSeries target = series.find(handles[i]);
      if (target == null
          || time > target.newest()
          || handles[i].owner != null && !OwnerChanges.isCurrent(target, handles[i], time)) {
        outcome.stored();
        continue;
      }
      reader = reader == null ? new SampleReader() : reader;
      Histogram histogram = histograms == null ? null : histograms[i];
      target.read(time - 1, time, reader);
      if (isFree(target, values[i], histogram, reader)) {
        outcome.late();
      } else {
        compared(isKnown(target, values[i], histogram, reader), target, time, outcome);
      }
    }
  }

  private boolean refusesTick(
      Source source, long time, long latest, int size, WriteOutcome outcome) {
    if (source == Source.JOURNAL) {
      // Samples before this time are in a block already.
      return time < blocks.refusedBefore();
    }
    if (time > latest) {
      outcome.leaveOutAll();
      outcome.future(
          size, "out of bounds: the time " + time + " is ahead of the latest allowed, " + latest);
      return true;
    }
    long newest = view.newest();
    long oldest = newest == NEVER ? NEVER : newest - limits.outOfOrder().toMillis();
    oldest = Math.max(oldest, blocks.refusedBefore());
    long expired = limits.expiredBefore(latest);
    if (time < Math.max(oldest, expired)) {
      outcome.leaveOutAll();
      outcome.tooOld(
          size,
          "too old sample: the time "
              + time
              + " of host "
              + host
              + " is before the oldest allowed, "
              + Math.max(oldest, expired)
              + (expired > oldest ? ", by store.retention" : ""));
      return true;
    }
    return false;
  }

  private static void compared(boolean same, StoredSeries with, long time, WriteOutcome outcome) {
    if (same) {
      outcome.repeated();
    } else {
      outcome.conflicting(
          "duplicate sample for timestamp " + time + "; overrides not allowed: " + with.identity);
    }
  }

  /** Returns true if the one sample that was read, if any, gives way to another one of its time. */
  private static boolean isFree(
      StoredSeries target, double value, Histogram histogram, SampleReader reader) {
    return reader.size() == 0
        || SameTime.replaces(target.identity, reader.values()[0], first(reader), value, histogram);
  }

  private static boolean isKnown(
      StoredSeries target, double value, Histogram histogram, SampleReader reader) {
    double there = reader.values()[0];
    Histogram thereToo = first(reader);
    return Double.doubleToRawLongBits(there) == Double.doubleToRawLongBits(value)
            && Objects.equals(thereToo, histogram)
        || SameTime.isImplied(target.identity, there, thereToo, value, histogram);
  }

  private static Histogram first(SampleReader reader) {
    return reader.histograms() == null ? null : reader.histograms()[0];
  }

  private static void appendLate(
      StoredSeries target,
      long time,
      double value,
      Histogram histogram,
      SampleReader reader,
      WriteOutcome outcome) {
    target.read(time - 1, time, reader);
    if (isFree(target, value, histogram, reader)) {
      target.addLate(time, value, histogram);
      outcome.late();
    } else {
      compared(isKnown(target, value, histogram, reader), target, time, outcome);
    }
  }

  // --- blocks ---

  /**
   * Begins to move the oldest samples to a block, if they have been in memory long enough. Until
   * {@link #finish} or another begin, none of them changes. Writer only.
   *
   * @param now the host's time, ms
   * @param expired samples before this time are not written, ms
   */
  public Optional<Sealing> beginSealing(long now, long expired) {
    return blocks.begin(this, now, expired);
  }

  /** Replaces samples in memory by the block that was made of them. Writer only. */
  public void finish(Sealing.SealedBlock written) {
    blocks.finish(written);
    owners.forgetShared();
  }

  /** Takes in the blocks from before the start, in order of time. Writer only, before all else. */
  void restore(List<Block.OpenedBlock> all) {
    long stamp = last.begin();
    try {
      view.publishNewest(blocks.restore(all, owners));
    } finally {
      last.end(stamp, view.newest());
    }
    series.publish();
    blocks.publish(all);
    long oldest = all.getFirst().block().from();
    view.publishOldest(oldest);
    droppedBefore = oldest;
    digests.forget();
    blocks.restored();
    owners.restored();
    changed.all();
  }

  /**
   * Removes blocks that end at or before a time, and series without a sample. Writer only.
   *
   * @return the files of the blocks
   */
  public List<Path> dropBlocks(long before) {
    view.missing().forgetBefore(before);
    List<Block> dropped = blocks.drop(before);
    if (!dropped.isEmpty()) {
      view.publishOldest(Math.max(view.oldest(), before));
      droppedBefore = Math.max(droppedBefore, before);
      digests.forget();
      changed.all();
      series.forgetEmpty();
    }
    return dropped.stream().map(Block::file).toList();
  }

  /** All samples before this time are in blocks on disk or have expired, ms. */
  public long sealedBefore() {
    return blocks.sealedBefore();
  }

  /** The blocks on disk, in order of time. */
  public List<Block> blocks() {
    return blocks.list();
  }

  /** Returns the places of all series to the budget. The writer forgets the lane then. */
  void release() {
    series.releaseAll();
  }

  /**
   * Returns true if samples of this time are nowhere but in the block of exactly this time. Writer
   * only.
   */
  boolean isOneBlock(long from, long to) {
    // The samples of a block that is being written are in memory until it is finished.
    return to <= blocks.sealedBefore()
        && blocks.list().stream()
            .filter(each -> each.from() < to && each.to() > from)
            .allMatch(each -> each.from() == from && each.to() == to);
  }

  /** Takes in a block in the place of a damaged one. Writer only. */
  void replace(Block.OpenedBlock opened) throws IOException, DamagedBlock {
    replace(opened, file -> Block.open(file, counts.blocks));
  }

  /**
   * Takes in a block of a time that no other block has, or in the place of the block of its time.
   * Writer only.
   */
  void replace(Block.OpenedBlock opened, LaneBlocks.Opener opener)
      throws IOException, DamagedBlock {
    long stamp = last.begin();
    try {
      long newest = blocks.replace(opened, owners, opener);
      if (newest > view.newest()) {
        view.publishNewest(newest);
      }
    } finally {
      last.end(stamp, view.newest());
    }
    series.publish();
    owners.restored();
    view.missing().found(opened.block().from(), opened.block().to());
    view.publishOldest(Math.min(view.oldest(), opened.block().from()));
    digests.forget();
    changed.all();
    late.get().stored(host, opened.block().from() - 1, opened.block().to() - 1);
  }

  /**
   * Takes in a block of a backup. Nothing before its end may be in memory, and no block of its
   * time. Writer only.
   */
  void adopt(Block.OpenedBlock opened, LaneBlocks.Opener opener) throws IOException, DamagedBlock {
    replace(opened, opener);
    sealedTo(opened.block().to());
  }

  /** The time before a step for which its rollups depend on samples, ms. */
  long rollupHorizon() {
    return rollups.horizon();
  }

  /** All that the lane has of before this time is in blocks, ms. Writer only. */
  void sealedTo(long to) {
    blocks.adopted(to);
  }

  /**
   * Samples before this time are not accepted any more, ms: what a backup has of it is taken as a
   * block. Writer only.
   */
  public long refusedBefore() {
    return blocks.refusedBefore();
  }

  /**
   * A block of a time with all samples in memory; of a lane that has no block and is used for this
   * only.
   */
  Sealing sealAll(long from, long to) {
    return blocks.sealAll(this, from, to);
  }

  // --- rollups ---

  /**
   * The rollups of an expression; pages may overlap, and are equal where they do.
   *
   * @param from the first step wanted, ms
   * @param to the last one, ms
   * @param most how many steps may be computed of samples
   * @return empty if more steps would have to be computed
   */
  public Optional<List<RollupPage>> rollups(RollupKey key, long from, long to, int most) {
    long unsealed = Math.max(view.oldest(), blocks.sealedBefore());
    return rollups.pages(key, unsealed, blocks.list(), from, to, most);
  }

  /** Rollups of steps before this time would need samples that have expired, ms. */
  public long rollupsFrom(long horizon) {
    return droppedBefore == NEVER ? NEVER : droppedBefore + horizon;
  }

  /** Returns true if a sample can be within the horizon of a step. */
  public boolean reaches(long step, long horizon) {
    return step >= view.oldest() && view.newest() > step - horizon;
  }

  // --- reading ---

  /** Time of the newest sample, ms; {@link Long#MIN_VALUE} if there is none. */
  public long newest() {
    return view.newest();
  }

  /** As {@link HostView#oldest}. */
  public long oldest() {
    return view.oldest();
  }

  /** As {@link HostView#sent}. */
  long sent() {
    return view.sent();
  }

  /** The time up to which the host's samples are complete; see {@link HostView#completeUpTo}. */
  long completeUpTo() {
    return view.completeUpTo();
  }

  /** Time of the newest sample that the host has sent, ms; {@link Long#MIN_VALUE} if none has. */
  public long heard() {
    return view.heard();
  }

  /** Moving average of the time between ticks, ms. */
  public long tickMillis() {
    return view.tickMillis();
  }

  /** Returns true if there is no sample and none is known to be lost. */
  public boolean isEmpty() {
    return seriesCount() == 0 && !view.missing().hasLost();
  }

  public int seriesCount() {
    return view.catalog().size();
  }

  /** The changes since the change with a number; empty if there are none. */
  Optional<StoreChanges.OfHost> changedSince(long number) {
    return changed.since(host, number);
  }

  /**
   * Returns true if samples after {@code after} and up to {@code to} are the same as when the
   * store's {@link Store#changeCount} was {@code number}.
   */
  public boolean isUnchanged(long number, long after, long to) {
    return changed.isUnchanged(number, after, to);
  }

  /** All series with samples from {@code from} on and before {@code to}, ms. */
  List<Series> all(long from, long to) {
    SelectionReader reader = new SelectionReader(new Selection(List.of(), from - 1, to - 1));
    reader.add(view);
    List<Series> all = new ArrayList<>();
    try {
      reader.read(
          Long.MAX_VALUE,
          incomplete -> LOG.debug("samples of host {} are missing", host),
          all::add);
    } catch (TooManySamples | QueryFailure e) {
      throw new IllegalStateException(e);
    }
    return all;
  }

  Digests.DigestCache digests() {
    return digests;
  }

  /** Measures the bytes that samples take in memory, for {@link #payloadBytes}. Writer only. */
  public void measure() {
    payloadBytes = columns.bytes() + series.payloadBytes();
  }

  /** Bytes that samples took in memory when they were last measured. */
  public long payloadBytes() {
    return payloadBytes;
  }
}
