package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Reading;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.vocabulary.SeriesAliases;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * Finds the aliases that a query uses, and what its selectors read because of them. A query that
 * uses none stays the same object. Applied before the scope, so that the scope's matchers are of
 * stored labels only.
 */
public final class AliasUse {
  /** Most labels of one selector that are aliases; each doubles what is read. */
  static final int MAX_LABELS = 4;

  private AliasUse() {}

  // --- what is used ---

  /** The aliases that are in effect for a query. */
  public static Aliases of(Expr expr, AliasTable table) {
    if (table.isEmpty()) {
      return Aliases.NONE;
    }
    Names names = new Names();
    names.collect(expr, table);
    return names.metrics.isEmpty() && names.labels.isEmpty()
        ? Aliases.NONE
        : table.used(names.metrics, names.labels);
  }

  /** The aliases that are in effect for selectors. */
  public static Aliases of(List<List<Matcher>> selectors, AliasTable table) {
    Names names = new Names();
    selectors.forEach(matchers -> names.collect(matchers, table));
    return table.used(names.metrics, names.labels);
  }

  /** The aliases that occur. */
  private static final class Names {
    private final Set<String> metrics = new HashSet<>();
    private final Set<String> labels = new HashSet<>();

    private void collect(List<Matcher> matchers, AliasTable table) {
      for (Matcher matcher : matchers) {
        if (matcher.name().equals(Labels.NAME)) {
          for (String name : matcher.namedValues()) {
            if (table.hasMetric(name)) {
              metrics.add(name);
            }
          }
        } else {
          label(matcher.name(), table);
        }
      }
    }

    private void label(String name, AliasTable table) {
      if (table.hasLabel(name)) {
        labels.add(name);
      }
    }

    private void collect(Expr expr, AliasTable table) {
      switch (expr) {
        case Expr.Selector selector -> collect(selector.matchers(), table);
        case Expr.Aggregate aggregate -> {
          // A label that a grouping leaves out makes no difference.
          if (!aggregate.grouping().without()) {
            aggregate.grouping().labels().forEach(label -> label(label, table));
          }
        }
        case Expr.Binary binary -> {
          if (binary.matching().on()) {
            binary.matching().labels().forEach(label -> label(label, table));
          }
          binary.matching().include().forEach(label -> label(label, table));
        }
        case Expr.Call call -> {
          for (Expr argument : labelsRead(call)) {
            if (argument.withoutParens() instanceof Expr.Text text) {
              label(text.value(), table);
            }
          }
        }
        case Expr.Number _,
            Expr.Text _,
            Expr.Window _,
            Expr.Subquery _,
            Expr.Unary _,
            Expr.Paren _ -> {}
      }
      for (Expr part : read(expr)) {
        collect(part, table);
      }
    }
  }

  /** The arguments of a function that may name labels which it reads. */
  private static List<Expr> labelsRead(Expr.Call call) {
    List<Expr> arguments = call.arguments();
    return switch (call.function().sharding()) {
      // The vector, the label that is written, a text, and then the labels that are read.
      case RELABELS ->
          arguments.subList(
              3, call.function() == Function.OfVectors.LABEL_REPLACE ? 4 : arguments.size());
      case SORTS -> arguments;
      case PER_SERIES, NO_SERIES, ABSENCE, ONE_NUMBER, JOINS, BUCKETS -> List.of();
    };
  }

  /** The parts whose selectors select series by themselves. */
  private static List<Expr> read(Expr expr) {
    return expr instanceof Expr.Call call && call.function().sharding() == Function.Sharding.JOINS
        ? call.arguments().subList(0, 1)
        : expr.children();
  }

  // --- what is read ---

  /**
   * The query with the readings of every selector.
   *
   * @throws QueryFailure if a selector would read too much
   */
  static Expr apply(Expr expr, Aliases aliases) throws QueryFailure {
    if (aliases.isEmpty()) {
      return expr;
    }
    if (expr instanceof Expr.Selector selector) {
      return selector.reading(readings(selector.matchers(), aliases));
    }
    List<Expr> all = expr.children();
    if (all.isEmpty()) {
      return expr;
    }
    int read = read(expr).size();
    List<Expr> parts = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      parts.add(i < read ? apply(all.get(i), aliases) : all.get(i));
    }
    return expr.with(parts);
  }

  /** Says of every selector with an alias of a metric what it reads. */
  static void explain(Expr expr, Map<String, String> reasons) {
    if (expr instanceof Expr.Selector selector) {
      StringJoiner text = new StringJoiner(", ");
      for (Reading reading : selector.readings()) {
        reading.seen().metric().ifPresent(alias -> text.add(reading.seen().toString()));
      }
      if (text.length() > 0) {
        reasons.putIfAbsent(selector.toString(), "also reads " + text);
      }
    }
    expr.children().forEach(part -> explain(part, reasons));
  }

  /**
   * Returns the readings of a selector: stored names first, then those that aliases stand for.
   *
   * @throws QueryFailure if it names more aliases of labels than the limit
   */
  public static List<Reading> readings(List<Matcher> selector, Aliases aliases)
      throws QueryFailure {
    List<Reading> readings = new ArrayList<>();
    for (List<Matcher> matchers : byLabels(selector, aliases.labels())) {
      readings.add(new Reading(matchers, aliases.unnamed()));
    }
    for (String name : named(selector, aliases)) {
      SeriesAliases seen = aliases.named(aliases.metrics().get(name));
      List<Matcher> stored = new ArrayList<>();
      stored.add(Matcher.equal(Labels.NAME, aliases.metrics().get(name).stored()));
      for (Matcher matcher : selector) {
        if (!matcher.name().equals(Labels.NAME)) {
          stored.add(matcher);
        }
      }
      for (List<Matcher> matchers : byLabels(stored, aliases.labels())) {
        readings.add(new Reading(matchers, seen));
      }
    }
    return List.copyOf(readings);
  }

  /** The aliases of metrics that a selector names, and that all of its matchers accept. */
  private static Set<String> named(List<Matcher> selector, Aliases aliases) {
    Set<String> names = new TreeSet<>();
    for (Matcher matcher : selector) {
      if (matcher.name().equals(Labels.NAME)) {
        names.addAll(matcher.namedValues());
      }
    }
    names.retainAll(aliases.metrics().keySet());
    names.removeIf(
        name ->
            selector.stream()
                .anyMatch(each -> each.name().equals(Labels.NAME) && !each.matches(name)));
    return names;
  }

  /**
   * The selector for series that have the labels which are aliases, and for those that have the
   * stored labels in their place, in every combination. No series is in two of them.
   */
  private static List<List<Matcher>> byLabels(List<Matcher> selector, Map<String, String> labels)
      throws QueryFailure {
    Set<String> used = new TreeSet<>();
    for (Matcher matcher : selector) {
      if (labels.containsKey(matcher.name())) {
        used.add(matcher.name());
      }
    }
    if (used.size() > MAX_LABELS) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "a selector has matchers of "
              + used.size()
              + " labels that are aliases ("
              + String.join(", ", used)
              + "); the limit is "
              + MAX_LABELS
              + ": use the stored labels in their place");
    }
    List<List<Matcher>> all = List.of(selector);
    for (String label : used) {
      List<List<Matcher>> next = new ArrayList<>();
      for (List<Matcher> matchers : all) {
        List<Matcher> own = new ArrayList<>(matchers);
        own.add(Matcher.of(Matcher.Kind.NOT_EQUAL, label, ""));
        next.add(List.copyOf(own));
      }
      for (List<Matcher> matchers : all) {
        List<Matcher> stored = new ArrayList<>();
        for (Matcher matcher : matchers) {
          stored.add(
              matcher.name().equals(label)
                  ? Matcher.of(matcher.kind(), labels.get(label), matcher.value())
                  : matcher);
        }
        stored.add(Matcher.equal(label, ""));
        next.add(List.copyOf(stored));
      }
      all = next;
    }
    return all;
  }
}
