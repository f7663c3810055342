package io.fleetgauge.gateway.store.series;

import io.fleetgauge.gateway.store.block.BlockParts;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.run.ColumnList;
import io.fleetgauge.gateway.store.run.LateSamples;
import io.fleetgauge.gateway.store.run.PackedRuns;
import io.fleetgauge.gateway.store.run.Page;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.run.TimeColumn;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.SameTime;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;

/**
 * One series. Its lane's writer appends; any thread reads.
 *
 * <p>A reader uses the published state. The samples below its size never change, so no lock is
 * needed. Packing a page, copying late samples to larger arrays and moving samples to a block
 * publish a new state.
 */
public final class StoredSeries {
  /**
   * Samples of a page. A page is short, because each sample takes eight bytes until it is packed.
   */
  private static final int PAGE = 8;

  /** Marks that the series has left the column: it has no open page. */
  private static final int LEFT = -1;

  private static final double[] NO_VALUES = new double[0];

  /**
   * The samples: blocks on disk, packed runs, an open page, and late samples.
   *
   * <p>The samples of the page have the times of {@code column} from index {@code from} on.
   */
  public static final class State {
    private static final VarHandle SIZE;

    static {
      try {
        SIZE = MethodHandles.lookup().findVarHandle(State.class, "size", int.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    public final BlockParts sealed;
    public final ColumnList columns;
    public final PackedRuns packed;
    public final TimeColumn column;
    final int number;
    final int from;
    final double[] values;
    final Histogram[] histograms;
    public final LateSamples late;

    /** Written after the sample, so that a reader of the size sees all samples below it. */
    @SuppressWarnings("unused") // accessed by its handle
    private int size;

    /** No samples at all. */
    private State(ColumnList columns) {
      this.sealed = BlockParts.NONE;
      this.columns = columns;
      this.packed = PackedRuns.none(columns.base());
      this.column = null;
      this.number = 0;
      this.from = LEFT;
      this.values = NO_VALUES;
      this.histograms = null;
      this.late = null;
      this.size = 0;
    }

    /** As another one, with another page. */
    private State(
        State before,
        TimeColumn column,
        int number,
        int from,
        double[] values,
        Histogram[] histograms,
        int size) {
      this.sealed = before.sealed;
      this.columns = before.columns;
      this.packed = before.packed;
      this.column = column;
      this.number = number;
      this.from = from;
      this.values = values;
      this.histograms = histograms;
      this.late = before.late;
      this.size = size;
    }

    /** As another one, with other samples beside the page. */
    private State(
        State before, BlockParts sealed, ColumnList columns, PackedRuns packed, LateSamples late) {
      this.sealed = sealed;
      this.columns = columns;
      this.packed = packed;
      this.column = before.column;
      this.number = before.number;
      this.from = before.from;
      this.values = before.values;
      this.histograms = before.histograms;
      this.late = late;
      this.size = before.size;
    }

    int size() {
      return (int) SIZE.getAcquire(this);
    }

    private void publish(int newSize) {
      SIZE.setRelease(this, newSize);
    }

    State withPage(
        TimeColumn newColumn,
        int newNumber,
        int newFrom,
        double[] newValues,
        Histogram[] newHistograms,
        int newSize) {
      return new State(this, newColumn, newNumber, newFrom, newValues, newHistograms, newSize);
    }

    public State with(
        BlockParts newSealed, ColumnList newColumns, PackedRuns newPacked, LateSamples newLate) {
      return new State(this, newSealed, newColumns, newPacked, newLate);
    }

    public State withSealed(BlockParts newSealed) {
      return with(newSealed, columns, packed, late);
    }

    /** Returns true if there is no sample in memory. */
    public boolean memoryIsEmpty() {
      return packed.length() == 0 && size() == 0 && late == null;
    }
  }

  /** Its labels without the dimensions. */
  public final Labels identity;

  /** Its place in {@link LastSamples}. */
  public final int place;

  /** Null if the series has no dimensions. */
  public volatile Timeline timeline;

  /** The last result of {@link #labels}, which every query needs. */
  private volatile OwnedLabels owned;

  private volatile State state;

  // The newest sample; writer only.
  private long newest = Long.MIN_VALUE;
  private double newestValue;
  private Histogram newestHistogram;

  /** Set by the writer when the series has been removed; it has to be looked up again. */
  public boolean closed;

  public StoredSeries(Labels identity, Timeline timeline, int place, ColumnList columns) {
    this.identity = identity;
    this.place = place;
    this.timeline = timeline;
    this.state = new State(columns);
  }

  private record OwnedLabels(Labels owner, Labels labels) {}

  /** Its labels while an owner has it. */
  public Labels labels(Labels owner) {
    OwnedLabels known = owned;
    if (known == null || known.owner != owner) {
      known = new OwnedLabels(owner, identity.with(owner));
      owned = known;
    }
    return known.labels;
  }

  public State state() {
    return state;
  }

  public void become(State newState) {
    state = newState;
  }

  /** Time of the newest sample; {@link Long#MIN_VALUE} if there is none. Writer only. */
  public long newest() {
    return newest;
  }

  /** Returns true if the newest sample has this value. Writer only. */
  public boolean newestIs(double value, Histogram histogram) {
    return Double.doubleToRawLongBits(newestValue) == Double.doubleToRawLongBits(value)
        && Objects.equals(newestHistogram, histogram);
  }

  /** The value of the newest sample; a marker for a histogram. Writer only. */
  public double newestValue() {
    return newestHistogram == null ? newestValue : Staleness.MARKER;
  }

  public boolean newestIsMarker() {
    return Staleness.isMarker(newestValue) && newestHistogram == null;
  }

  /** Sets the newest sample from a block. */
  public void restore(long time, double value, Histogram histogram) {
    newest = time;
    newestValue = value;
    newestHistogram = histogram;
  }

  /** Adds a sample that is newer than all samples. Writer only. */
  public void append(Page.Maker lane, long time, double value, Histogram histogram) {
    State now = state;
    if (now.size() == PAGE) {
      now = seal(now, lane, now.from + PAGE);
    }
    if (now.from != LEFT) {
      now = next(now, lane, time);
    }
    if (now.from == LEFT) {
      Page page = lane.page(now.column, now.number, time);
      now = now.withPage(page.column(), page.number(), page.from(), NO_VALUES, null, 0);
    }
    int size = now.size();
    if (now.values == NO_VALUES || histogram != null && now.histograms == null) {
      now = withRoom(now, size, histogram != null);
    }
    now.values[size] = value;
    if (histogram != null) {
      now.histograms[size] = histogram;
    }
    if (now != state) {
      state = now;
    }
    now.publish(size + 1);
    newest = time;
    newestValue = value;
    newestHistogram = histogram;
  }

  /** Continues in the column if the time is its next one, otherwise leaves it. */
  private static State next(State now, Page.Maker lane, long time) {
    TimeColumn column = now.column;
    int size = now.size();
    int at = now.from + size;
    if (time < column.end && at < column.size()) {
      if (column.time(at, lane.chunks()) == time) {
        return now;
      }
      if (size > 0) {
        Page page = lane.diverge(column, now.from, size, time);
        return now.withPage(
            page.column(), page.number(), page.from(), now.values, now.histograms, size);
      }
    } else if (column.takes(time)) {
      column.append(time);
      return now;
    }
    return seal(now, lane, LEFT);
  }

  /** Replaces the newest sample, whose tick has not been published yet. */
  public void replaceNewest(double value, Histogram histogram) {
    State now = state;
    int last = now.size() - 1;
    if (histogram != null && now.histograms == null) {
      now = withRoom(now, last + 1, true);
      state = now;
    }
    now.values[last] = value;
    if (now.histograms != null) {
      now.histograms[last] = histogram;
    }
    newestValue = value;
    newestHistogram = histogram;
  }

  private static State withRoom(State now, int size, boolean mixed) {
    Histogram[] histograms = now.histograms == null && mixed ? new Histogram[PAGE] : now.histograms;
    double[] values = Arrays.copyOf(now.values, PAGE);
    return now.withPage(now.column, now.number, now.from, values, histograms, size);
  }

  /** Packs the open page, if there is one, and leaves the column. Writer only. */
  public void seal(Page.Maker lane) {
    State sealed = seal(state, lane, LEFT);
    state = sealed.withPage(null, 0, LEFT, NO_VALUES, null, 0);
  }

  /**
   * @param from index in the column at which the next page begins
   */
  private static State seal(State now, Page.Maker lane, int from) {
    int size = now.size();
    PackedRuns packed =
        size == 0
            ? now.packed
            : now.packed.with(lane, now.number, now.from, now.values, now.histograms, size);
    return now.with(now.sealed, now.columns, packed, now.late)
        .withPage(now.column, now.number, from, NO_VALUES, null, 0);
  }

  /** Returns true if a sample of the newest one's time replaces that. Writer only. */
  public boolean newestIsReplacedBy(double value, Histogram histogram) {
    return SameTime.replaces(identity, newestValue, newestHistogram, value, histogram);
  }

  /** Returns true if a sample of the newest one's time says less than that. Writer only. */
  public boolean newestImplies(double value, Histogram histogram) {
    return SameTime.isImplied(identity, newestValue, newestHistogram, value, histogram);
  }

  /**
   * Adds a sample that is not newer than the newest, and whose time is free or has one that it
   * replaces. Writer only.
   */
  public void addLate(long time, double value, Histogram histogram) {
    if (time == newest) {
      newestValue = value;
      newestHistogram = histogram;
    }
    State now = state;
    LateSamples late = LateSamples.with(now.late, time, value, histogram);
    if (late != now.late) {
      state = now.with(now.sealed, now.columns, now.packed, late);
    }
  }

  // --- readers ---

  /** Reads all samples after {@code after} and up to {@code to}, in order of time. */
  public void read(long after, long to, SampleReader reader) {
    reader.clear();
    State now = state;
    now.sealed.read(after, to, reader);
    readMemory(now, after, to, reader);
  }

  /** Like {@link #read}, but only the samples in memory. */
  public static void readMemory(State now, long after, long to, SampleReader reader) {
    int size = now.size();
    LateSamples late = now.late;
    PackedRuns packed = now.packed;
    reader.readRuns(packed.bytes(), 0, packed.length(), packed.base(), now.columns, after, to);
    if (size > 0) {
      long[] times = reader.pageTimes(now.column);
      reader.read(times, now.from, now.values, now.histograms, size, after, to);
    }
    if (late != null) {
      reader.merge(late, after, to);
    }
  }

  /** Returns true if there is a sample from {@code from} to {@code to}, both included. */
  public boolean hasSampleIn(long from, long to, SampleReader reader) {
    State now = state;
    int size = now.size();
    if (size > 0) {
      long[] times = reader.pageTimes(now.column);
      int end = now.from + size;
      int at = Series.firstAfter(times, now.from, end, from - 1);
      if (at < end && times[at] <= to) {
        return true;
      }
    }
    if (now.late != null) {
      int at = now.late.indexOf(from);
      if (at < now.late.size() && now.late.times[at] <= to) {
        return true;
      }
    }
    return reader.runsHaveSampleIn(
            now.packed.bytes(), 0, now.packed.length(), now.packed.base(), now.columns, from, to)
        || now.sealed.hasSampleIn(from, to, reader);
  }

  /** Bytes that samples in memory take. */
  public int payloadBytes() {
    State now = state;
    return now.packed.bytes().length
        + 8 * now.values.length
        + (now.late == null ? 0 : now.late.bytes());
  }
}
