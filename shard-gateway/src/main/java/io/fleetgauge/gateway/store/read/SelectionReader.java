package io.fleetgauge.gateway.store.read;

import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.gateway.store.series.StoredSeries;
import io.fleetgauge.promql.lookup.TooManySamples;
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
 * The samples of a selection, series by series in order of label sets. All series are found before
 * the first is read, and only one series is held in memory at once, so a query over all of a
 * gateway leaves no object behind that outlives the young generation. One thread, one use.
 */
public final class SelectionReader {
  /** One owner's view of a series, and the host that has it. */
  private record Stretch(OwnerViews.View view, StoredSeries series, Part part) {
    Labels labels() {
      return view.labels();
    }
  }

  private static final class Part {
    final HostView host;
    boolean damaged;

    Part(HostView host) {
      this.host = host;
    }

    boolean isComplete(Selection selection) {
      return !damaged && !host.missing().overlaps(selection.from(), selection.to());
    }
  }

  private final Selection selection;
  private final SampleReader reader = new SampleReader();
  private final List<Part> parts = new ArrayList<>();
  private final List<Stretch> stretches = new ArrayList<>();

  public SelectionReader(Selection selection) {
    this.selection = selection;
  }

  /** Finds the series of a host. */
  public void add(HostView host) {
    // A tick that is being written is not seen before all of it is written.
    long to = Math.min(selection.to(), host.newest());
    Part part = new Part(host);
    for (StoredSeries series : host.candidates(selection.matchers())) {
      OwnerViews views =
          OwnerViews.of(series, selection.matchers(), HostView.after(selection.from()), to);
      for (OwnerViews.View view : views.all()) {
        stretches.add(new Stretch(view, series, part));
      }
    }
    parts.add(part);
  }

  /**
   * Reads every series and passes it on.
   *
   * @param budget maximum number of samples
   * @param incomplete receives, at the end, each host of which something could not be read
   * @throws TooManySamples if there are more samples
   * @throws QueryFailure if the receiver fails
   */
  public void read(long budget, Consumer<String> incomplete, SeriesSource.Receiver receiver)
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
        // Samples are facts: the samples of two copies are merged by union.
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
      if (!part.isComplete(selection)) {
        incomplete.accept(part.host.host());
      }
    }
  }
}
