package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The samples of a selection, series by series in order of label sets. Where they are is known
 * before the first is read; of what is read only one series is held at once, so that a question
 * about all of a gateway leaves nothing behind that outlives the nursery. For one thread and once.
 */
final class Reading {
  /** One owner's view of a series, and the host that it is of. */
  private record Stretch(OwnerViews.View view, StoredSeries series, Part part) {
    Labels labels() {
      return view.labels();
    }
  }

  private static final class Part {
    final Lane lane;
    boolean damaged;

    Part(Lane lane) {
      this.lane = lane;
    }

    boolean isWhole(Selection selection) {
      return !damaged && !lane.hasLost(selection.from(), selection.to());
    }
  }

  private final Selection selection;
  private final SampleReader reader = new SampleReader();
  private final List<Part> parts = new ArrayList<>();
  private final List<Stretch> stretches = new ArrayList<>();

  Reading(Selection selection) {
    this.selection = selection;
  }

  /** Finds where a host's samples are. */
  void add(Lane lane) {
    // A tick that is being written is not seen before it is whole.
    long to = Math.min(selection.to(), lane.newest());
    Part part = new Part(lane);
    for (StoredSeries series : lane.candidates(selection.matchers())) {
      OwnerViews views =
          OwnerViews.of(series, selection.matchers(), Lane.after(selection.from()), to);
      for (OwnerViews.View view : views.all()) {
        stretches.add(new Stretch(view, series, part));
      }
    }
    parts.add(part);
  }

  /**
   * Reads all and hands it over.
   *
   * @param budget most samples
   * @param incomplete is told, at the end, of each host of which something could not be read
   * @throws TooManySamples if there are more
   * @throws QueryFailure if the receiver fails
   */
  void handOver(long budget, Consumer<String> incomplete, SeriesSource.Receiver receiver)
      throws TooManySamples, QueryFailure {
    stretches.sort(Comparator.comparing(Stretch::labels));
    long left = budget;
    Series next = null;
    for (Stretch stretch : stretches) {
      Series found = stretch.view().read(stretch.series(), reader);
      stretch.part().damaged |= reader.takeDamaged();
      if (found == null) {
        continue;
      }
      left -= found.size();
      if (left < 0) {
        throw new TooManySamples(budget);
      }
      if (next != null && next.labels().equals(found.labels())) {
        // Samples are facts, so the union of what two places have is the truth.
        next = Series.union(next, found);
      } else {
        if (next != null) {
          receiver.accept(next);
        }
        next = found;
      }
    }
    if (next != null) {
      receiver.accept(next);
    }
    for (Part part : parts) {
      if (!part.isWhole(selection)) {
        incomplete.accept(part.lane.host());
      }
    }
  }
}
