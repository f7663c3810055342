package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.rollup.LiveRollups;
import io.fleetgauge.gateway.rollup.RollupForm;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.BlockParts;
import io.fleetgauge.gateway.store.block.BlockWriter;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.ColumnList;
import io.fleetgauge.gateway.store.run.LateSamples;
import io.fleetgauge.gateway.store.run.Page;
import io.fleetgauge.gateway.store.run.RunCut;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.run.TimeColumn;
import io.fleetgauge.gateway.store.series.Catalog;
import io.fleetgauge.gateway.store.series.LastSamples;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * One host's samples. One thread at a time writes; any thread reads. One file for all that the
 * writer does and for the little that readers need of it, because all of it is about the same
 * series and columns.
 */
public final class Lane {
  private static final long NEVER = Long.MIN_VALUE;
  private static final int MOST_GAPS = 16;
  private static final long USUAL_TICK_MILLIS = 15_000;

  private final String host;
  private final StoreLimits limits;
  private final StoreCounts counts;
  private final Dimensions dimensions;
  private final SeriesBudget budget;

  private final Map<Labels, StoredSeries> byIdentity = new HashMap<>();

  /** Series whose owner could not be an interval, by all their labels. */
  private final Map<Labels, StoredSeries> apart = new HashMap<>();

  // Replaced as one when series are forgotten, so that a reader sees either state whole.
  private volatile Catalog catalog;
  private ColumnList columns = ColumnList.empty();
  private final PageMaker pages = new PageMaker();
  private final Map<Labels, Labels> owners = new HashMap<>();
  private final Map<Change, Timeline> changes = new HashMap<>();
  private long changesAt = NEVER;

  /** How far apart ticks mostly are, ms. */
  private volatile long tickMillis = USUAL_TICK_MILLIS;

  private final LastSamples last = new LastSamples();

  // Written behind the samples of its tick, so that whoever reads it may read them.
  private volatile long newest = NEVER;

  private volatile long oldest = Long.MAX_VALUE;

  /** Samples before this time are refused, because a block has been or is being made of them. */
  private long cutBefore = NEVER;

  private volatile List<Block> blocks = List.of();
  private volatile List<Lost> lost = List.of();

  private final Map<Long, Digests.Slot> slots = new ConcurrentHashMap<>();
  private volatile long generation;

  /** Times of which another gateway may have acknowledged what is not here. */
  private volatile List<Lost> gaps = List.of();

  private volatile long sealedBefore = NEVER;
  private volatile long payloadBytes;

  private final Changes changed;
  private final RollupRules rules;
  private final LiveRollups live;
  private final SealedRollups sealedRollups;

  /** Samples before this time have expired, or may have been here, ms. */
  private volatile long droppedBefore = NEVER;

  /** A change of owner, so that all series of a GPU share what comes of it. */
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

  /** The time of a block that could not be read. */
  private record Lost(long from, long to) {}

  /** A writer's hold on a series, so that it is looked up once and not for each sample. */
  public static final class Handle {
    private final Labels labels;

    /** Null when the series has no dimensions. */
    private final Labels owner;

    private StoredSeries series;
    private boolean apart;

    private Handle(Labels labels, Labels owner) {
      this.labels = labels;
      this.owner = owner;
    }
  }

  /** How samples are taken. */
  public enum Source {
    /** From a sender: all limits hold. */
    SENDER,
    /** From what was accepted before: whatever was accepted is accepted again. */
    JOURNAL
  }

  Lane(
      String host,
      StoreLimits limits,
      StoreCounts counts,
      Dimensions dimensions,
      SeriesBudget budget,
      RollupRules rules,
      SealedRollups sealedRollups,
      Changes changed) {
    this.changed = changed;
    this.rules = rules;
    this.live = new LiveRollups(rules);
    this.sealedRollups = sealedRollups;
    this.host = host;
    this.limits = limits;
    this.counts = counts;
    this.dimensions = dimensions;
    this.budget = budget;
    this.catalog = Catalog.of(dimensions.names(), List.of());
  }

  public String host() {
    return host;
  }

  /** What becomes of the store's samples. */
  public StoreCounts counts() {
    return counts;
  }

  public Handle handle(Labels labels) {
    Labels owner = null;
    if (dimensions.apply(labels)) {
      owner = dimensions.owner(labels);
      owner = owners.computeIfAbsent(owner, each -> each);
    }
    return new Handle(labels, owner);
  }

  // --- writing ---

  /**
   * Writes one tick, but for the samples that cannot be: the outcome says which. Writer only.
   *
   * @param time ms since the epoch
   * @param latest the latest time that is not refused, ms since the epoch
   * @param handles the series
   * @param values one for each of {@code handles}
   * @param histograms null when there are none; else null where a number stands
   */
  public void append(
      Source source,
      long time,
      long latest,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      Outcome outcome) {
    if (refusedWhole(source, time, latest, values.length, outcome)) {
      return;
    }
    live.touch(time);
    long stamp = last.begin();
    try {
      appendAll(source, time, handles, values, histograms, outcome);
    } finally {
      last.end(stamp, newest);
    }
    changed.at(time);
  }

  private void appendAll(
      Source source,
      long time,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      Outcome outcome) {
    SampleReader reader = null;
    for (int i = 0; i < handles.length; i++) {
      long over = outcome.overLimit();
      StoredSeries series = open(source, handles[i], outcome);
      if (series == null) {
        outcome.leaveOut(i);
        continue;
      }
      double value = values[i];
      Histogram histogram = histograms == null ? null : histograms[i];
      if (handles[i].owner != null && !isOwner(series, handles[i], time)) {
        series = owned(source, series, handles[i], time, value, histogram, outcome);
        if (series == null) {
          if (outcome.overLimit() > over) {
            outcome.leaveOut(i);
          }
          continue;
        }
      }
      if (time > series.newest()) {
        series.append(pages, time, value, histogram);
        last.set(series.place, time, value, histogram);
        outcome.stored();
      } else if (time == series.newest()) {
        known(series.newestIs(value, histogram), series, time, outcome);
      } else {
        reader = reader == null ? new SampleReader() : reader;
        late(series, time, value, histogram, reader, outcome);
      }
    }
    if (time < oldest) {
      oldest = time;
    }
    if (time > newest) {
      if (newest != NEVER) {
        tickMillis = Math.max(1, (7 * tickMillis + Math.min(time - newest, 3_600_000)) / 8);
      }
      newest = time;
    }
  }

  /**
   * Finds out what {@link #append} would refuse, and changes nothing. Writer only. A change of
   * owner is not looked at more closely: it is never a reason to refuse.
   */
  public void check(
      long time,
      long latest,
      Handle[] handles,
      double[] values,
      Histogram[] histograms,
      Outcome outcome) {
    if (refusedWhole(Source.SENDER, time, latest, values.length, outcome)) {
      return;
    }
    SampleReader reader = null;
    for (int i = 0; i < handles.length; i++) {
      StoredSeries series = find(handles[i]);
      if (series == null
          || time > series.newest()
          || handles[i].owner != null && !isOwner(series, handles[i], time)) {
        outcome.stored();
        continue;
      }
      reader = reader == null ? new SampleReader() : reader;
      Histogram histogram = histograms == null ? null : histograms[i];
      series.read(time - 1, time, reader);
      if (reader.size() == 0) {
        outcome.late();
      } else {
        known(isFirst(reader, values[i], histogram), series, time, outcome);
      }
    }
  }

  private boolean refusedWhole(Source source, long time, long latest, int size, Outcome outcome) {
    if (source == Source.JOURNAL) {
      // What was sealed is in a block.
      return time < cutBefore;
    }
    if (time > latest) {
      outcome.leaveOutAll();
      outcome.future(
          size, "out of bounds: the time " + time + " is ahead of the latest allowed, " + latest);
      return true;
    }
    long oldest = newest == NEVER ? NEVER : newest - limits.outOfOrder().toMillis();
    oldest = Math.max(oldest, cutBefore);
    if (time < oldest) {
      outcome.leaveOutAll();
      outcome.tooOld(
          size,
          "too old sample: the time "
              + time
              + " of host "
              + host
              + " is before the oldest allowed, "
              + oldest);
      return true;
    }
    return false;
  }

  private static void known(boolean same, StoredSeries series, long time, Outcome outcome) {
    if (same) {
      outcome.repeated();
    } else {
      outcome.conflicting(
          "duplicate sample for timestamp " + time + "; overrides not allowed: " + series.identity);
    }
  }

  private static boolean isFirst(SampleReader reader, double value, Histogram histogram) {
    Histogram there = reader.histograms() == null ? null : reader.histograms()[0];
    return Double.doubleToRawLongBits(reader.values()[0]) == Double.doubleToRawLongBits(value)
        && (there == null ? histogram == null : there.equals(histogram));
  }

  private static void late(
      StoredSeries series,
      long time,
      double value,
      Histogram histogram,
      SampleReader reader,
      Outcome outcome) {
    series.read(time - 1, time, reader);
    if (reader.size() == 0) {
      series.addLate(time, value, histogram);
      outcome.late();
    } else {
      known(isFirst(reader, value, histogram), series, time, outcome);
    }
  }

  // --- owners ---

  private static boolean isOwner(StoredSeries series, Handle handle, long time) {
    if (handle.apart) {
      return true;
    }
    Timeline now = series.timeline;
    return (now.owner == handle.owner || now.owner.equals(handle.owner)) && time >= now.from;
  }

  /**
   * Decides where a sample goes whose owner is not the series' newest one.
   *
   * @return the series that it goes to; null when nothing is left to do
   */
  private StoredSeries owned(
      Source source,
      StoredSeries series,
      Handle handle,
      long time,
      double value,
      Histogram histogram,
      Outcome outcome) {
    Timeline now = series.timeline;
    boolean marker = histogram == null && Staleness.isMarker(value);
    if (marker) {
      Timeline before = now.before();
      if (before != null && before.owner.equals(handle.owner) && time >= now.from) {
        // The owner before has ended, as could be seen from the new one's sample already.
        if (now.endedBefore == Timeline.NOT_ENDED) {
          become(series, change(before, now.from, now.owner, time));
          outcome.stored();
        } else {
          outcome.repeated();
        }
        return null;
      }
    } else if (time > series.newest()) {
      budget.pass(now.owner, handle.owner);
      become(series, change(now, time, handle.owner, Timeline.NOT_ENDED));
      return series;
    } else if (time == series.newest() && time >= now.from && series.newestIsMarker()) {
      // One ended and another began in this tick.
      budget.pass(now.owner, handle.owner);
      become(series, change(now, time, handle.owner, time));
      series.replaceNewest(value, histogram);
      last.set(series.place, time, value, histogram);
      outcome.stored();
      return null;
    }
    if (time <= series.newest() && now.at(time).owner.equals(handle.owner)) {
      return series;
    }
    if (marker && !now.hasOwner(handle.owner)) {
      outcome.repeated(); // it ends what is not there
      return null;
    }
    return apart(source, handle, outcome);
  }

  private void become(StoredSeries series, Timeline timeline) {
    series.timeline = timeline;
    last.ownerChanged();
  }

  /** Two owners at one time cannot be intervals: the one that came second gets a series. */
  private StoredSeries apart(Source source, Handle handle, Outcome outcome) {
    StoredSeries series = apart.get(handle.labels);
    if (series == null) {
      if (!mayAdd(source, handle.labels, outcome)) {
        return null;
      }
      series = new StoredSeries(handle.labels, null, last.add(), columns);
      apart.put(handle.labels, series);
      live.seen(handle.labels.metric());
      catalog = catalog.with(series);
    }
    handle.series = series;
    handle.apart = true;
    return series;
  }

  private Timeline change(Timeline before, long from, Labels owner, long ended) {
    if (from != changesAt) {
      changes.clear();
      changesAt = from;
    }
    return changes.computeIfAbsent(
        new Change(before, from, owner, ended), none -> new Timeline(from, owner, ended, before));
  }

  // --- series ---

  private StoredSeries open(Source source, Handle handle, Outcome outcome) {
    StoredSeries series = find(handle);
    if (series == null && mayAdd(source, handle.labels, outcome)) {
      boolean owned = handle.owner != null;
      Labels identity = owned ? dimensions.identity(handle.labels) : handle.labels;
      Timeline timeline = owned ? Timeline.first(handle.owner) : null;
      series = new StoredSeries(identity, timeline, last.add(), columns);
      byIdentity.put(identity, series);
      catalog = catalog.with(series);
      live.seen(identity.metric());
      handle.series = series;
    }
    return series;
  }

  private StoredSeries find(Handle handle) {
    if (handle.series == null || handle.series.closed) {
      handle.apart = handle.owner != null && apart.containsKey(handle.labels);
      handle.series =
          handle.apart
              ? apart.get(handle.labels)
              : byIdentity.get(
                  handle.owner == null ? handle.labels : dimensions.identity(handle.labels));
    }
    return handle.series;
  }

  private boolean mayAdd(Source source, Labels labels, Outcome outcome) {
    if (source == Source.JOURNAL) {
      budget.add(labels);
      return true;
    }
    Optional<String> full = budget.take(host, byIdentity.size() + apart.size(), labels);
    full.ifPresent(outcome::overLimit);
    return full.isEmpty();
  }

  private Stream<StoredSeries> all() {
    return Stream.concat(byIdentity.values().stream(), apart.values().stream());
  }

  private final class PageMaker implements Page.Maker {
    private final Chunks chunks = new Chunks();
    private final WireWriter scratch = new WireWriter(2048);
    private Page newestPage = new Page(null, 0, 0);
    private TimeColumn divergedFrom;
    private int divergedCount;
    private int divergedAt;
    private Page diverged;

    @Override
    public Page page(TimeColumn before, int number, long time) {
      if (newestPage.column() != null && newestPage.column().last() == time) {
        return new Page(newestPage.column(), newestPage.number(), newestPage.column().size() - 1);
      }
      if (before != null && before.takes(time)) {
        if (before.last() < time) {
          before.append(time);
        }
        if (before.last() == time) {
          return new Page(before, number, before.size() - 1);
        }
      }
      TimeColumn column = new TimeColumn(time, blockStart(time) + limits.blockMillis());
      newestPage = new Page(column, columns.add(column, chunks), 0);
      return newestPage;
    }

    @Override
    public Page diverge(TimeColumn column, int from, int count, long time) {
      if (diverged == null
          || divergedFrom != column
          || divergedAt != from
          || divergedCount != count
          || diverged.column().last() != time
          || diverged.column().size() != count + 1) {
        TimeColumn copy = column.copy(from, count, chunks);
        copy.append(time);
        diverged = new Page(copy, columns.add(copy, chunks), 0);
        divergedFrom = column;
        divergedAt = from;
        divergedCount = count;
      }
      return diverged;
    }

    @Override
    public Chunks chunks() {
      return chunks;
    }

    @Override
    public WireWriter scratch() {
      return scratch;
    }

    void forgetColumns() {
      newestPage = new Page(null, 0, 0);
      diverged = null;
    }
  }

  private long blockStart(long time) {
    return Math.floorDiv(time, limits.blockMillis()) * limits.blockMillis();
  }

  // --- blocks ---

  /** Samples of some time that are about to leave memory. */
  public final class Sealing {
    private final long from;
    private final long to;
    private final long end;
    private final int limit;
    private final boolean expired;
    private final ColumnList sealedColumns;
    private final List<StoredSeries> series;
    private final List<StoredSeries.State> states;
    private final Map<RollupKey, List<String>> rollups = live.keys();

    private Sealing(long from, long to, long end, boolean expired) {
      this.from = from;
      this.to = to;
      this.end = end;
      this.limit = columns.end();
      this.expired = expired;
      this.sealedColumns = columns;
      this.series = all().sorted(Comparator.comparing(each -> each.identity)).toList();
      this.states = series.stream().map(StoredSeries::state).toList();
    }

    /** The lane that they belong to. */
    public Lane lane() {
      return Lane.this;
    }

    /**
     * Writes the block; not on the writer's thread, because a disk may take long.
     *
     * @throws IOException if the disk does not take it; it may be tried again
     */
    public Sealed write(Path folder) throws IOException {
      if (expired) {
        return new Sealed(this, null);
      }
      BlockWriter writer = new BlockWriter(host, from, to, end, limit);
      writer.columns(sealedColumns);
      for (int i = 0; i < series.size(); i++) {
        StoredSeries.State state = states.get(i);
        writer.series(
            series.get(i).identity,
            series.get(i).timeline,
            state.packed,
            state.columns,
            state.late);
      }
      if (writer.isEmpty()) {
        return new Sealed(this, null);
      }
      addRollups(writer);
      Path file = folder.resolve(BlockFolder.name(from, to));
      writer.write(file);
      try {
        return new Sealed(this, Block.open(file, counts.blocks));
      } catch (DamagedBlock e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    /** Nothing of the block's time changes any more, so neither does what it adds up to. */
    private void addRollups(BlockWriter writer) {
      long first = -Math.floorDiv(-from, rules.step()) * rules.step();
      int steps = (int) Math.max(0, (to - 1 - first) / rules.step() + 1);
      if (first >= to || hasLost(first - rules.horizon(), to)) {
        return;
      }
      for (RollupKey key : new TreeSet<>(rollups.keySet())) {
        RollupPage.of(key, rules, rollups.get(key), first, steps, source())
            .ifPresent(page -> writer.rollup(key, RollupForm.encode(page)));
      }
    }
  }

  /** A block that has been written; null when there was nothing to write. */
  public record Sealed(Sealing sealing, Block.Opened opened) {}

  /**
   * Begins to move the oldest samples to a block, when they have been in memory long enough. Until
   * {@link #finish} or another begin, none of them changes. Writer only.
   *
   * @param now the host's time, ms
   * @param expired samples before this time are not worth a block, ms
   */
  public Optional<Sealing> beginSealing(long now, long expired) {
    long start = oldestInMemory();
    if (start == Long.MAX_VALUE || start + 2 * limits.blockMillis() > now) {
      return Optional.empty();
    }
    long end = start + limits.blockMillis();
    // A host that was cut off goes on where it stopped, and the rest of this time is still free.
    long to = Math.min(end, newest + 1);
    long from = Math.max(start, sealedBefore);
    cutBefore = Math.max(cutBefore, to);
    all()
        .filter(series -> series.state().column != null && series.state().column.end <= end)
        .forEach(series -> series.seal(pages));
    // What comes meanwhile must not go into columns that are about to leave.
    pages.forgetColumns();
    return Optional.of(new Sealing(from, to, end, to <= expired));
  }

  private long oldestInMemory() {
    long oldest = Long.MAX_VALUE;
    for (int number = columns.base(); number < columns.end(); number++) {
      long end = columns.get(number).end;
      // A column of a block that is done may stand behind one of a later time.
      if (end > sealedBefore) {
        oldest = Math.min(oldest, end - limits.blockMillis());
      }
    }
    for (StoredSeries series : (Iterable<StoredSeries>) all()::iterator) {
      LateSamples late = series.state().late;
      if (late != null) {
        oldest = Math.min(oldest, blockStart(late.times[0]));
      }
    }
    return oldest;
  }

  /** Puts a block in place of the samples in memory that it was made of. Writer only. */
  public void finish(Sealed sealed) {
    Sealing done = sealed.sealing();
    Map<StoredSeries, Integer> places = new IdentityHashMap<>();
    if (sealed.opened() != null) {
      List<Block.Entry> entries = sealed.opened().series();
      for (int i = 0; i < entries.size(); i++) {
        places.put(known(entries.get(i)).get(entries.get(i).identity()), i);
      }
    }
    int first = columns.base();
    while (first < done.limit && columns.get(first).end <= done.end) {
      first++;
    }
    ColumnList left = columns.from(first);
    for (StoredSeries series : (Iterable<StoredSeries>) all()::iterator) {
      StoredSeries.State now = series.state();
      RunCut cut = RunCut.at(now.packed, now.columns, done.end, done.limit);
      Integer place = places.get(series);
      BlockParts parts =
          place == null ? now.sealed : now.sealed.with(sealed.opened().block(), place);
      series.become(
          now.with(
              parts, left, now.packed.from(cut), now.late == null ? null : now.late.from(done.to)));
    }
    columns = left;
    owners.clear();
    if (sealed.opened() != null) {
      List<Block> more = new ArrayList<>(blocks);
      more.add(sealed.opened().block());
      blocks = List.copyOf(more);
      counts.blocks.written.increment();
    }
    sealedBefore = Math.max(sealedBefore, done.to);
    live.dropBefore(done.to);
    forgetEmptySeries();
  }

  /** Where a block's series belongs. */
  private Map<Labels, StoredSeries> known(Block.Entry entry) {
    boolean owned = !entry.intervals().isEmpty();
    return !owned && dimensions.apply(entry.identity()) ? apart : byIdentity;
  }

  /** Takes in the blocks from before the start, in order of time. Writer only, before all else. */
  void restore(List<Block.Opened> all) {
    long stamp = last.begin();
    try {
      restoreSeries(all);
      restoreNewest();
    } finally {
      last.end(stamp, newest);
    }
    catalog = Catalog.of(dimensions.names(), all().toList());
    blocks = all.stream().map(Block.Opened::block).toList();
    oldest = blocks.getFirst().from();
    droppedBefore = oldest;
    blocksChanged();
    sealedBefore = cutBefore;
    changes.clear();
    changed.all();
  }

  private void restoreSeries(List<Block.Opened> all) {
    for (Block.Opened opened : all) {
      for (int place = 0; place < opened.series().size(); place++) {
        Block.Entry entry = opened.series().get(place);
        StoredSeries series = known(entry).get(entry.identity());
        if (series == null) {
          series = new StoredSeries(entry.identity(), null, last.add(), columns);
          known(entry).put(entry.identity(), series);
          live.seen(entry.identity().metric());
          budget.add(entry.identity());
        }
        if (!entry.intervals().isEmpty()) {
          restoreOwners(series, entry.intervals());
        }
        StoredSeries.State now = series.state();
        series.become(now.withSealed(now.sealed.with(opened.block(), place)));
      }
      cutBefore = Math.max(cutBefore, opened.block().to());
    }
  }

  /** Remembers that a block of some time could not be read. Writer only. */
  void lost(long from, long to) {
    List<Lost> more = new ArrayList<>(lost);
    more.add(new Lost(from, to));
    lost = List.copyOf(more);
    changed.all();
  }

  /** Whether samples after {@code after} and up to {@code to} may have been in a lost block. */
  public boolean hasLost(long after, long to) {
    return touches(lost, after, to) || touches(gaps, after, to);
  }

  private static boolean touches(List<Lost> some, long after, long to) {
    for (Lost each : some) {
      if (each.from <= to && each.to > after) {
        return true;
      }
    }
    return false;
  }

  /** Remembers that samples from {@code from} on and before {@code to} may be elsewhere. */
  public void gap(long from, long to) {
    List<Lost> more = new ArrayList<>(gaps);
    if (more.size() >= MOST_GAPS) {
      more.set(0, new Lost(Math.min(more.getFirst().from, from), Math.max(more.getFirst().to, to)));
    } else {
      more.add(new Lost(from, to));
    }
    gaps = List.copyOf(more);
    changed.all();
  }

  /** What was elsewhere is here. Writer only. */
  public void closeGaps() {
    if (!gaps.isEmpty()) {
      gaps = List.of();
      changed.all();
    }
  }

  /** Whether samples may be elsewhere. */
  public boolean hasGaps() {
    return !gaps.isEmpty();
  }

  private void restoreNewest() {
    SampleReader reader = new SampleReader();
    long latest = NEVER;
    for (StoredSeries series : (Iterable<StoredSeries>) all()::iterator) {
      BlockParts parts = series.state().sealed;
      reader.clear();
      Block block = parts.block(parts.size() - 1);
      block.read(parts.place(parts.size() - 1), block.from() - 1, block.to(), reader);
      if (reader.size() > 0) {
        int at = reader.size() - 1;
        Histogram histogram = reader.histograms() == null ? null : reader.histograms()[at];
        series.restore(reader.times()[at], reader.values()[at], histogram);
        last.set(series.place, reader.times()[at], reader.values()[at], histogram);
        latest = Math.max(latest, reader.times()[at]);
      }
    }
    newest = latest;
  }

  private void restoreOwners(StoredSeries series, List<Block.Interval> intervals) {
    for (Block.Interval each : intervals) {
      Timeline now = series.timeline;
      Labels owner = owners.computeIfAbsent(each.owner(), same -> same);
      if (now == null) {
        series.timeline = shared(null, Timeline.ALWAYS, owner, Timeline.NOT_ENDED);
        budget.pass(Labels.EMPTY, owner);
      } else if (each.from() > now.from && !(now.owner.equals(owner))) {
        series.timeline = shared(now, each.from(), owner, each.endedBefore());
        budget.pass(now.owner, owner);
      } else if (each.from() == now.from && now.endedBefore == Timeline.NOT_ENDED) {
        // The marker of the owner before came when the block before was written already.
        series.timeline = shared(now.before(), each.from(), owner, each.endedBefore());
      }
    }
  }

  private Timeline shared(Timeline before, long from, Labels owner, long ended) {
    return changes.computeIfAbsent(
        new Change(before, from, owner, ended), none -> new Timeline(from, owner, ended, before));
  }

  /**
   * Removes blocks that end at or before a time, and series that have nothing left. Writer only.
   */
  public List<Path> dropBlocks(long before) {
    lost = lost.stream().filter(each -> each.to > before).toList();
    gaps = gaps.stream().filter(each -> each.to > before).toList();
    List<Block> dropped = blocks.stream().filter(block -> block.to() <= before).toList();
    if (dropped.isEmpty()) {
      return List.of();
    }
    for (StoredSeries series : (Iterable<StoredSeries>) all()::iterator) {
      StoredSeries.State now = series.state();
      BlockParts parts = now.sealed;
      for (Block block : dropped) {
        parts = parts.without(block);
      }
      if (parts != now.sealed) {
        series.become(now.withSealed(parts));
      }
      if (series.timeline != null) {
        series.timeline.forgetBefore(before);
      }
    }
    blocks = blocks.stream().filter(block -> block.to() > before).toList();
    oldest = Math.max(oldest, before);
    droppedBefore = Math.max(droppedBefore, before);
    blocksChanged();
    changed.all();
    forgetEmptySeries();
    return dropped.stream().map(Block::file).toList();
  }

  private void forgetEmptySeries() {
    boolean any = forgetEmpty(byIdentity.values());
    any |= forgetEmpty(apart.values());
    if (any) {
      catalog = Catalog.of(dimensions.names(), all().toList());
    }
  }

  private boolean forgetEmpty(Collection<StoredSeries> some) {
    return some.removeIf(
        series -> {
          StoredSeries.State now = series.state();
          series.closed = now.memoryIsEmpty() && now.sealed.isEmpty();
          if (series.closed) {
            Timeline timeline = series.timeline;
            budget.release(
                timeline == null ? series.identity : series.identity.with(timeline.owner));
            last.remove(series.place);
          }
          return series.closed;
        });
  }

  /** Gives back the places of all series. Whoever writes the lane forgets it then. */
  void release() {
    all()
        .forEach(
            series ->
                budget.release(
                    series.timeline == null
                        ? series.identity
                        : series.identity.with(series.timeline.owner)));
  }

  /** Counts what samples take in memory; for {@link #payloadBytes}. Writer only. */
  public void measure() {
    long bytes = 0;
    for (int number = columns.base(); number < columns.end(); number++) {
      bytes += columns.get(number).bytes();
    }
    for (StoredSeries series : (Iterable<StoredSeries>) all()::iterator) {
      bytes += series.payloadBytes();
    }
    payloadBytes = bytes;
  }

  // --- rollups ---

  /**
   * Reduces the steps that ticks have reached since. Writer only.
   *
   * @return whether there is more to do
   */
  public boolean reduce() {
    return live.advance(Math.max(oldest, sealedBefore), newest, source());
  }

  /**
   * What is kept reduced of an expression; pages may lie over each other, and agree where they do.
   *
   * @param from the first step that is wanted, ms
   * @param to the last, ms
   */
  public List<RollupPage> rollups(RollupKey key, long from, long to) {
    List<RollupPage> pages = new ArrayList<>();
    // Live pages first: what a block takes over meanwhile is then seen in both and not in neither.
    List<RollupPage> unsealed = live.pages(key);
    for (Block block : blocks) {
      if (block.to() > from && block.from() <= to) {
        sealedRollups.page(block, key).ifPresent(pages::add);
      }
    }
    pages.addAll(unsealed);
    return pages;
  }

  /** Rollups of steps before this time would need samples that are gone, ms. */
  public long rollupsFrom(long horizon) {
    return droppedBefore == NEVER ? NEVER : droppedBefore + horizon;
  }

  /** Whether a step can see a sample at all. */
  public boolean reaches(long step, long horizon) {
    return step >= oldest && newest > step - horizon;
  }

  long rollupBytes() {
    return live.bytes();
  }

  // --- readers ---

  static long after(long time) {
    return time == Long.MAX_VALUE ? time : time + 1;
  }

  List<StoredSeries> candidates(List<Matcher> matchers) {
    List<StoredSeries> candidates = new ArrayList<>();
    catalog.find(matchers, candidates::add);
    return candidates;
  }

  /** The samples of this host; fails when some cannot be read. */
  private SeriesSource source() {
    return (selection, receiver) -> {
      Reading reading = new Reading(selection);
      reading.add(this);
      List<String> broken = new ArrayList<>();
      try {
        reading.handOver(Long.MAX_VALUE, broken::add, receiver);
      } catch (TooManySamples e) {
        throw new IllegalStateException(e);
      }
      if (!broken.isEmpty()) {
        throw new QueryFailure(QueryFailure.Kind.EXECUTION, "host " + host + " is not whole");
      }
    };
  }

  /** What has changed since the change of a number. */
  Optional<FragmentAnswer.Changed> changedSince(long number) {
    return changed.since(host, number);
  }

  /**
   * Whether samples behind {@code after} and up to {@code to} are what they were when the store's
   * {@link Store#changeCount} was {@code number}.
   */
  public boolean isUnchanged(long number, long after, long to) {
    return changed.isUnchanged(number, after, to);
  }

  /** The newest sample of each series, by its place. */
  LastSamples.Copy lastSamples() {
    return last.copy();
  }

  int lastSamplesVersion() {
    return last.version();
  }

  /** Time of the newest sample, ms; {@link Long#MIN_VALUE} when there is none. */
  public long newest() {
    return newest;
  }

  /** How often samples come, ms: the mean of late. */
  public long tickMillis() {
    return tickMillis;
  }

  /** About how many ticks there are after {@code after} and up to {@code to}. */
  long ticksIn(long after, long to) {
    long from = Math.max(after, oldest);
    long end = Math.min(to, newest);
    if (oldest > newest || from >= end) {
      return from == end ? 1 : 0;
    }
    return (end - from) / tickMillis + 1;
  }

  /** No sample is before this time, ms; the greatest number there is when there is none. */
  long oldest() {
    return oldest;
  }

  /** The digest of a slot that lies in blocks; null when it has to be found. */
  Digests.Slot rememberedSlot(long from, long to) {
    Digests.Slot slot = slots.get(from);
    return slot == null || slot.to() != to ? null : slot;
  }

  void rememberSlot(long from, Digests.Slot slot, long atGeneration) {
    if (atGeneration == generation) {
      slots.put(from, slot);
    }
  }

  /** Counts the changes of what lies in blocks. */
  long generation() {
    return generation;
  }

  private void blocksChanged() {
    generation++;
    slots.clear();
  }

  /** All samples before this time, ms, are in blocks on disk, or have expired. */
  public long sealedBefore() {
    return sealedBefore;
  }

  /** Bytes that samples took in memory when they were last counted. */
  long payloadBytes() {
    return payloadBytes;
  }

  List<Block> blocks() {
    return blocks;
  }

  /** What a series is without its owner: of two with the same, both may have one label set. */
  Labels identityOf(StoredSeries series) {
    boolean owned = series.timeline == null && dimensions.apply(series.identity);
    return owned ? dimensions.identity(series.identity) : series.identity;
  }

  Catalog catalog() {
    return catalog;
  }

  /** Whether nothing is kept, nor known to have been lost. */
  public boolean isEmpty() {
    return seriesCount() == 0 && lost.isEmpty();
  }

  public int seriesCount() {
    return catalog.size();
  }
}
