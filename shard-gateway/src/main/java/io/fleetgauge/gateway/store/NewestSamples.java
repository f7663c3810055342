package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.chunk.Chunks;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The newest sample of each series of a host that is meant, for who asks the same again and again:
 * the series are found once, and reading them takes as long as there are, whatever their history.
 * Safe for all threads.
 *
 * @param <M> what whoever asks knows of a series
 */
public final class NewestSamples<M> {
  /**
   * @param mark null while its labels are not those that are meant
   */
  private record Entry<M>(StoredSeries series, Timeline timeline, M mark) {}

  /** Takes samples. */
  @FunctionalInterface
  public interface Sink<M> {
    void accept(M mark, long time, double value);
  }

  private final Lane lane;
  private final Catalog catalog;
  private final int size;
  private final List<List<Matcher>> selectors;
  private final Function<Labels, M> marks;
  private final List<Entry<M>> entries = new ArrayList<>();
  private final List<List<StoredSeries>> together = new ArrayList<>();

  /** Whether a series had another owner than before when it was read. */
  private volatile boolean changed;

  /**
   * @param selectors the series that match one of them are meant
   * @param marks what is known of a series by its labels
   */
  public NewestSamples(Lane lane, List<List<Matcher>> selectors, Function<Labels, M> marks) {
    this.lane = lane;
    this.selectors = selectors;
    this.marks = marks;
    this.catalog = lane.catalog();
    this.size = catalog.size();
    Map<Labels, List<StoredSeries>> byIdentity = new LinkedHashMap<>();
    Set<StoredSeries> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (List<Matcher> matchers : selectors) {
      for (StoredSeries series : lane.candidates(matchers)) {
        if (found.add(series)) {
          byIdentity
              .computeIfAbsent(lane.identityOf(series), none -> new ArrayList<>(1))
              .add(series);
        }
      }
    }
    for (List<StoredSeries> all : byIdentity.values()) {
      if (all.size() == 1) {
        Timeline timeline = all.getFirst().timeline;
        M mark = mark(labels(all.getFirst(), timeline));
        entries.add(new Entry<>(all.getFirst(), timeline, mark));
      } else {
        // Two owners at one time: one label set may have samples in both series.
        together.add(all);
      }
    }
  }

  private static Labels labels(StoredSeries series, Timeline timeline) {
    return timeline == null ? series.identity : series.identity.with(timeline.owner);
  }

  private M mark(Labels labels) {
    for (List<Matcher> matchers : selectors) {
      if (matchers.stream().allMatch(matcher -> matcher.matches(labels))) {
        return marks.apply(labels);
      }
    }
    return null;
  }

  /** Whether these are still all series of a host. */
  public boolean isOf(Lane other) {
    return lane == other && lane.catalog() == catalog && catalog.size() == size && !changed;
  }

  /** How many series there are. */
  public int size() {
    return entries.size() + together.size();
  }

  /**
   * Reads the newest sample of each series that has one after {@code after} and up to {@code to},
   * unless it says that the series has ended. Histograms are left out.
   */
  public void read(long after, long to, Sink<M> sink) {
    // A tick that is being written is not seen before it is whole.
    long end = Math.min(to, lane.newest());
    Chunks chunks = new Chunks();
    SampleReader reader = null;
    for (Entry<M> entry : entries) {
      StoredSeries.State state = entry.series.state();
      int count = state.size();
      changed |= entry.timeline != entry.series.timeline;
      boolean oneOwner =
          entry.timeline == entry.series.timeline
              && (entry.timeline == null || entry.timeline.from <= after);
      if (oneOwner && count > 0) {
        long time = state.column.time(state.from + count - 1, chunks);
        if (time <= end) {
          double value = state.values[count - 1];
          boolean isNumber = state.histograms == null || state.histograms[count - 1] == null;
          if (time > after && entry.mark != null && isNumber && !Staleness.isMarker(value)) {
            sink.accept(entry.mark, time, value);
          }
          continue;
        }
      }
      reader = reader == null ? new SampleReader() : reader;
      readSlowly(List.of(entry.series), after, end, reader, sink);
    }
    for (List<StoredSeries> all : together) {
      reader = reader == null ? new SampleReader() : reader;
      readSlowly(all, after, end, reader, sink);
    }
  }

  /** Series with several owners of late, or with samples ahead of the time. */
  private void readSlowly(
      List<StoredSeries> all, long after, long end, SampleReader reader, Sink<M> sink) {
    Map<Labels, Series> found = new LinkedHashMap<>();
    for (StoredSeries series : all) {
      OwnerViews views = OwnerViews.of(series, List.of(), Lane.after(after), end);
      for (OwnerViews.View view : views.all()) {
        Series read = view.read(series, reader);
        if (read != null) {
          found.merge(view.labels(), read, Series::union);
        }
      }
    }
    found.forEach(
        (labels, series) -> {
          int last = series.size() - 1;
          boolean isNumber = series.histograms() == null || series.histograms()[last] == null;
          M mark = mark(labels);
          if (mark != null && isNumber && !Staleness.isMarker(series.values()[last])) {
            sink.accept(mark, series.times()[last], series.values()[last]);
          }
        });
  }
}
