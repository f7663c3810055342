package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A label that all series of one place have for whoever reads them, and that is not stored there:
 * the name of their cluster. It stands in place of a stored label of this name.
 */
public record AddedLabel(String name, String value) {
  /** The labels of a series with this one. */
  public Labels seen(Labels stored) {
    return stored.with(name, value);
  }

  /**
   * The matchers of stored series that are meant by matchers of series as they are seen; empty when
   * no series is.
   */
  public Optional<List<Matcher>> stored(List<Matcher> seen) {
    boolean named = false;
    for (Matcher matcher : seen) {
      if (matcher.name().equals(name)) {
        if (!matcher.matches(value)) {
          return Optional.empty();
        }
        named = true;
      }
    }
    return Optional.of(
        named ? seen.stream().filter(each -> !each.name().equals(name)).toList() : seen);
  }

  /** A source with the label, of one without it. A series that has a label of this name fails. */
  public SeriesSource over(SeriesSource source) {
    return (selection, receiver) -> {
      Optional<List<Matcher>> matchers = stored(selection.matchers());
      if (matchers.isPresent()) {
        InOrder ordered = new InOrder(receiver);
        source.select(
            new Selection(matchers.get(), selection.from(), selection.to()), ordered::add);
        ordered.end();
      }
    };
  }

  /**
   * Puts series in the order that they have with the label. Of two label sets of which one begins
   * with all of the other, the longer one goes first if it goes on with a label whose name is
   * smaller than this one. So a series waits for those that begin with its labels.
   */
  private final class InOrder {
    private final SeriesSource.Receiver receiver;
    private final Deque<Series> waiting = new ArrayDeque<>();

    InOrder(SeriesSource.Receiver receiver) {
      this.receiver = receiver;
    }

    void add(Series stored) throws QueryFailure {
      if (!stored.labels().value(name).isEmpty()) {
        throw new QueryFailure(
            QueryFailure.Kind.EXECUTION,
            "the series " + stored.labels() + " has a label " + name + " of its own");
      }
      Series next = seen(stored);
      while (!waiting.isEmpty() && waiting.peek().labels().compareTo(next.labels()) < 0) {
        receiver.accept(waiting.pop());
      }
      waiting.push(next);
    }

    void end() throws QueryFailure {
      while (!waiting.isEmpty()) {
        receiver.accept(waiting.pop());
      }
    }
  }

  private Series seen(Series stored) {
    return new Series(seen(stored.labels()), stored.times(), stored.values(), stored.histograms());
  }

  /** Series of a selection with the label, in order, each label set once. */
  public List<Series> seen(List<Series> stored) {
    List<Series> all = new ArrayList<>(stored.stream().map(this::seen).toList());
    all.sort(Comparator.comparing(Series::labels));
    return Series.joinEqual(all);
  }
}
