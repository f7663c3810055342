package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A label that all series of one place have for whoever reads them: the name of their cluster. A
 * series that is stored with a label of this name keeps it, such as a result of a rule over several
 * clusters.
 */
public record AddedLabel(String name, String value) {
  /** The labels of a series with this one. */
  public Labels seen(Labels stored) {
    return stored.value(name).isEmpty() ? stored.with(name, value) : stored;
  }

  /** Returns true if a matcher is of this label. */
  public boolean isNamed(Matcher matcher) {
    return matcher.name().equals(name);
  }

  /** Matchers without those of this label; empty if one of these does not match its value. */
  public Optional<List<Matcher>> stored(List<Matcher> seen) {
    return seen.stream().allMatch(each -> !isNamed(each) || each.matches(value))
        ? Optional.of(others(seen))
        : Optional.empty();
  }

  private List<Matcher> others(List<Matcher> seen) {
    return seen.stream().noneMatch(this::isNamed)
        ? seen
        : seen.stream().filter(each -> !isNamed(each)).toList();
  }

  /** Matchers of those series that get the label; empty if none is meant. */
  public Optional<List<Matcher>> lacking(List<Matcher> seen) {
    return stored(seen).map(others -> with(others, Matcher.equal(name, "")));
  }

  /** Matchers of those series that have a label of this name as they are stored. */
  public List<Matcher> having(List<Matcher> seen) {
    return with(seen, Matcher.of(Matcher.Kind.NOT_EQUAL, name, ""));
  }

  private static List<Matcher> with(List<Matcher> matchers, Matcher more) {
    List<Matcher> all = new ArrayList<>(matchers);
    all.add(more);
    return List.copyOf(all);
  }

  /** A source with the label, of one without it. */
  public SeriesSource over(SeriesSource source) {
    return (selection, receiver) -> {
      Joined joined = new Joined(receiver);
      source.select(of(selection, having(selection.matchers())), joined.having::add);
      Optional<List<Matcher>> lacking = lacking(selection.matchers());
      if (lacking.isPresent()) {
        InOrder ordered = new InOrder(joined::add);
        source.select(of(selection, lacking.get()), ordered::add);
        ordered.end();
      }
      joined.end();
    };
  }

  private static Selection of(Selection selection, List<Matcher> matchers) {
    return new Selection(matchers, selection.from(), selection.to());
  }

  /** Series that have the label, which are few, and those that get it; each label set once. */
  private static final class Joined {
    private final Deque<Series> having = new ArrayDeque<>();
    private final SeriesSource.Receiver receiver;

    Joined(SeriesSource.Receiver receiver) {
      this.receiver = receiver;
    }

    void add(Series seen) throws QueryFailure {
      while (!having.isEmpty() && having.peek().labels().compareTo(seen.labels()) < 0) {
        receiver.accept(having.pop());
      }
      boolean isBoth = !having.isEmpty() && having.peek().labels().equals(seen.labels());
      receiver.accept(isBoth ? Series.union(having.pop(), seen) : seen);
    }

    void end() throws QueryFailure {
      while (!having.isEmpty()) {
        receiver.accept(having.pop());
      }
    }
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
      Series next =
          new Series(seen(stored.labels()), stored.times(), stored.values(), stored.histograms());
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
}
