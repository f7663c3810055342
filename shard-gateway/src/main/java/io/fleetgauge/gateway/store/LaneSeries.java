package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.owner.Timeline;
import io.fleetgauge.gateway.store.read.HostView;
import io.fleetgauge.gateway.store.run.LaneColumns;
import io.fleetgauge.gateway.store.series.Catalog;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.sample.Labels;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The series of a lane: found by their labels, created within the limits, and forgotten when they
 * have no sample left. Writer only.
 *
 * <p>A series with owners is found by its labels without the owner. Two owners of one GPU at one
 * time cannot be intervals: the samples of the second one go to a separate series, which is found
 * by all its labels.
 */
final class LaneSeries {
  private final HostView view;
  private final Dimensions dimensions;
  private final SeriesBudget budget;
  private final LaneColumns columns;
  private final Map<Labels, StoredSeries> byIdentity = new HashMap<>();
  private final Map<Labels, StoredSeries> separate = new HashMap<>();

  LaneSeries(HostView view, Dimensions dimensions, SeriesBudget budget, LaneColumns columns) {
    this.view = view;
    this.dimensions = dimensions;
    this.budget = budget;
    this.columns = columns;
  }

  Stream<StoredSeries> all() {
    return Stream.concat(byIdentity.values().stream(), separate.values().stream());
  }

  /** The series of a handle; null if there is none. */
  StoredSeries find(Lane.Handle handle) {
    if (handle.series == null || handle.series.closed) {
      handle.isSeparate = handle.owner != null && separate.containsKey(handle.labels);
      handle.series =
          handle.isSeparate
              ? separate.get(handle.labels)
              : byIdentity.get(
                  handle.owner == null ? handle.labels : dimensions.identity(handle.labels));
    }
    return handle.series;
  }

  /** The series of a handle, created if there is none; null if a limit forbids it. */
  StoredSeries open(Lane.Source source, Lane.Handle handle, WriteOutcome outcome) {
    StoredSeries series = find(handle);
    if (series == null && mayAdd(source, handle.labels, outcome)) {
      boolean owned = handle.owner != null;
      Labels identity = owned ? dimensions.identity(handle.labels) : handle.labels;
      Timeline timeline = owned ? Timeline.first(handle.owner) : null;
      series = create(byIdentity, identity, timeline);
      view.publishCatalog(view.catalog().with(series));
      handle.series = series;
    }
    return series;
  }

  /** The separate series of a handle, created if there is none; null if a limit forbids it. */
  StoredSeries openSeparate(Lane.Source source, Lane.Handle handle, WriteOutcome outcome) {
    StoredSeries series = separate.get(handle.labels);
    if (series == null) {
      if (!mayAdd(source, handle.labels, outcome)) {
        return null;
      }
      series = create(separate, handle.labels, null);
      view.publishCatalog(view.catalog().with(series));
    }
    handle.series = series;
    handle.isSeparate = true;
    return series;
  }

  private StoredSeries create(Map<Labels, StoredSeries> into, Labels identity, Timeline timeline) {
    StoredSeries series = new StoredSeries(identity, timeline, view.last().add(), columns.list());
    into.put(identity, series);
    return series;
  }

  private boolean mayAdd(Lane.Source source, Labels labels, WriteOutcome outcome) {
    if (source == Lane.Source.JOURNAL) {
      budget.add(labels);
      return true;
    }
    Optional<String> full = budget.take(view.host(), byIdentity.size() + separate.size(), labels);
    full.ifPresent(outcome::overLimit);
    return full.isEmpty();
  }

  /** The series of a block's entry, created if there is none; not published yet. */
  StoredSeries restore(Block.Entry entry) {
    Map<Labels, StoredSeries> all = mapOf(entry);
    StoredSeries series = all.get(entry.identity());
    if (series == null) {
      series = create(all, entry.identity(), null);
      budget.add(entry.identity());
    }
    return series;
  }

  /** The series of a block's entry, which was written from it. */
  StoredSeries of(Block.Entry entry) {
    return mapOf(entry).get(entry.identity());
  }

  private Map<Labels, StoredSeries> mapOf(Block.Entry entry) {
    boolean owned = !entry.intervals().isEmpty();
    return !owned && dimensions.apply(entry.identity()) ? separate : byIdentity;
  }

  /** Builds the index again and publishes it. */
  void publish() {
    view.publishCatalog(Catalog.of(dimensions.names(), all().toList()));
  }

  /** Forgets series without a sample. */
  void forgetEmpty() {
    boolean any = forgetEmpty(byIdentity.values());
    any |= forgetEmpty(separate.values());
    if (any) {
      publish();
    }
  }

  private boolean forgetEmpty(Collection<StoredSeries> some) {
    return some.removeIf(
        series -> {
          StoredSeries.State now = series.state();
          series.closed = now.memoryIsEmpty() && now.sealed.isEmpty();
          if (series.closed) {
            release(series);
            view.last().remove(series.place);
          }
          return series.closed;
        });
  }

  /** Returns the places of all series to the budget; the lane is not used any more. */
  void releaseAll() {
    all().forEach(this::release);
  }

  private void release(StoredSeries series) {
    Timeline timeline = series.timeline;
    budget.release(timeline == null ? series.identity : series.identity.with(timeline.owner));
  }

  /** Bytes that samples in memory take, without their times. */
  long payloadBytes() {
    return all().mapToLong(StoredSeries::payloadBytes).sum();
  }
}
