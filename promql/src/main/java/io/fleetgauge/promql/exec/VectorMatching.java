package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.BinaryOp;
import io.fleetgauge.promql.expr.Expr.Binary;
import io.fleetgauge.promql.expr.Expr.Matching;
import io.fleetgauge.promql.expr.Expr.Matching.Many;
import io.fleetgauge.promql.function.NativeHistograms;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.query.Budget;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A binary operator between two vectors. Which columns can meet is found once, by their labels;
 * whether they do is asked at each step, because a series may be there at one step and not at
 * another. So is whether a match is ambiguous, which is an error only where it happens.
 */
final class VectorMatching {
  /** Applies an arithmetic or comparison operator to two columns. */
  interface Operator {
    void apply(double[] left, double[] right, double[] out);
  }

  private final Binary binary;
  private final Matching matching;
  private final int steps;
  private final boolean isPart;
  private final Budget budget;
  private final boolean delaysNameRemoval;
  private long held;

  /**
   * @param isPart whether other shards may have more series, on either side
   */
  VectorMatching(
      Binary binary, int steps, Budget budget, boolean delaysNameRemoval, boolean isPart) {
    this.isPart = isPart;
    this.binary = binary;
    this.matching = binary.matching();
    this.steps = steps;
    this.budget = budget;
    this.delaysNameRemoval = delaysNameRemoval;
  }

  // --- and, or, unless ---

  /** At which steps any column of a match group is there. */
  final class Presence {
    private final Map<Labels, boolean[]> byGroup = new HashMap<>();
    private final boolean[] never = new boolean[steps];

    void add(Column column) {
      boolean[] there = byGroup.computeIfAbsent(group(column), key -> new boolean[steps]);
      for (int i = 0; i < steps; i++) {
        there[i] |= column.isPresent(i);
      }
    }

    private boolean[] of(Column column) {
      return byGroup.getOrDefault(group(column), never);
    }
  }

  Presence presence() {
    return new Presence();
  }

  /** Lets pass what {@code and} or {@code unless} leaves of a column of the left side. */
  void filter(Column column, Presence right, Sink sink) throws QueryFailure {
    if (keep(column, right.of(column), binary.op() == BinaryOp.AND)) {
      sink.accept(column);
    }
  }

  private boolean keep(Column column, boolean[] there, boolean wanted) {
    boolean any = false;
    for (int i = 0; i < steps; i++) {
      if (there[i] != wanted) {
        column.clear(i);
      } else {
        any |= column.isPresent(i);
      }
    }
    return any;
  }

  /** {@code or}: all of the left side, and of the right what has no partner there. */
  List<Column> union(List<Column> left, List<Column> right) throws QueryFailure {
    Presence there = presence();
    left.forEach(there::add);
    List<Column> all = new ArrayList<>(left);
    for (Column column : right) {
      if (keep(column, there.of(column), false)) {
        all.add(column);
      }
    }
    return joined(all, QueryFailure::sameLabelSet);
  }

  /** To be called when the results of {@link #match} are no longer needed. */
  void release() {
    budget.release(held);
    held = 0;
  }

  // --- arithmetic and comparison ---

  /** The columns of one match group. */
  private static final class Group {
    final List<Column> many = new ArrayList<>();
    final List<Column> one = new ArrayList<>();
    boolean[] matched;
  }

  List<Column> match(List<Column> left, List<Column> right, Operator operator) throws QueryFailure {
    boolean swapped = matching.many() == Many.RIGHT;
    // With group_right, the reference takes the values crosswise; so it has to be here.
    Optional<Double> fillMany = matching.fill().left();
    Optional<Double> fillOne = matching.fill().right();
    List<Column> many = swapped ? right : left;
    List<Column> one = swapped ? left : right;
    Map<Labels, Group> groups = new LinkedHashMap<>();
    for (Column column : many) {
      NativeHistograms.refuse(column, "operator " + binary.op().text);
      groups.computeIfAbsent(group(column), key -> new Group()).many.add(column);
    }
    boolean[] manyThere = any(many);
    if (isPart) {
      // Ambiguity is an error only where the other side has anything, which may be elsewhere.
      Arrays.fill(manyThere, true);
    }
    for (Column column : one) {
      NativeHistograms.refuse(column, "operator " + binary.op().text);
      groups.computeIfAbsent(group(column), key -> new Group()).one.add(column);
    }
    List<Column> results = new ArrayList<>();
    for (var entry : groups.entrySet()) {
      List<Column> ones = entry.getValue().one;
      refuseAmbiguousOnes(entry.getKey(), ones, manyThere, swapped ? "left" : "right");
    }
    for (var entry : groups.entrySet()) {
      Group group = entry.getValue();
      Meeting meeting = new Meeting(group, operator, swapped, results);
      for (Column column : group.many) {
        for (Column partner : group.one) {
          meeting.add(column, partner);
        }
        if (fillOne.isPresent()) {
          Column filler = filler(Labels.EMPTY, fillOne.get(), any(group.one));
          meeting.add(column, filler);
        }
      }
      if (fillMany.isPresent()) {
        boolean[] there = any(group.many);
        for (Column partner : group.one) {
          meeting.add(filler(entry.getKey(), fillMany.get(), there), partner);
        }
      }
    }
    return joined(results, this::ambiguousResults);
  }

  private QueryFailure ambiguousResults() {
    return matching.many() == Many.NEITHER
        ? QueryFailure.sameLabelSet()
        : new QueryFailure(
            QueryFailure.Kind.EXECUTION,
            "multiple matches for labels: grouping labels must ensure unique matches");
  }

  /** A column of one value that stands in where no other is there. */
  private Column filler(Labels labels, double value, boolean[] there) {
    double[] values = new double[steps];
    for (int i = 0; i < steps; i++) {
      values[i] = there[i] ? Staleness.MARKER : value;
    }
    return new Column(labels, values);
  }

  /** Lets columns of one group meet. */
  private final class Meeting {
    private final Group group;
    private final Operator operator;
    private final boolean swapped;
    private final List<Column> results;

    Meeting(Group group, Operator operator, boolean swapped, List<Column> results) {
      this.group = group;
      this.operator = operator;
      this.swapped = swapped;
      this.results = results;
    }

    void add(Column many, Column one) throws QueryFailure {
      budget.hold(steps);
      double[] values = new double[steps];
      double[] left = swapped ? one.values() : many.values();
      double[] right = swapped ? many.values() : one.values();
      operator.apply(left, right, values);
      if (Columns.count(values) == 0) {
        budget.release(steps);
        return;
      }
      held += steps;
      if (matching.many() == Many.NEITHER) {
        refuseSecondMatch(values);
      }
      // It is forgotten whether the operands' names were to go; so it is in Prometheus.
      Labels labels = resultLabels(many.labels(), one.labels());
      results.add(new Column(labels, values, null, binary.bool()));
    }

    private void refuseSecondMatch(double[] values) throws QueryFailure {
      if (group.matched == null) {
        group.matched = new boolean[steps];
      }
      for (int i = 0; i < steps; i++) {
        if (!Columns.isAbsent(values[i])) {
          if (group.matched[i]) {
            throw new QueryFailure(
                QueryFailure.Kind.EXECUTION,
                "multiple matches for labels: many-to-one matching must be explicit"
                    + " (group_left/group_right)");
          }
          group.matched[i] = true;
        }
      }
    }
  }

  private boolean[] any(List<Column> columns) {
    boolean[] any = new boolean[steps];
    for (Column column : columns) {
      for (int i = 0; i < steps; i++) {
        any[i] |= column.isPresent(i);
      }
    }
    return any;
  }

  /** Two elements of the one side in one group, at a step at which the other side is not empty. */
  private void refuseAmbiguousOnes(
      Labels group, List<Column> ones, boolean[] manyThere, String side) throws QueryFailure {
    Column[] there = new Column[steps];
    for (Column column : ones) {
      for (int i = 0; i < steps; i++) {
        if (!manyThere[i] || !column.isPresent(i)) {
          continue;
        }
        if (there[i] != null) {
          throw new QueryFailure(
              QueryFailure.Kind.EXECUTION,
              "found duplicate series for the match group "
                  + group.braced()
                  + " on the "
                  + side
                  + " hand-side of the operation: ["
                  + there[i].labels().braced()
                  + ", "
                  + column.labels().braced()
                  + "];many-to-many matching not allowed: matching labels must be unique on one"
                  + " side");
        }
        there[i] = column;
      }
    }
  }

  private Labels resultLabels(Labels many, Labels one) {
    Labels result = many;
    boolean dropsName =
        binary.bool() && !delaysNameRemoval || binary.op().family == BinaryOp.Family.ARITHMETIC;
    if (dropsName) {
      result = result.withoutMetric();
    }
    if (matching.many() == Many.NEITHER) {
      if (matching.on()) {
        result = result.only(matching.labels());
      } else {
        for (String label : matching.labels()) {
          result = result.without(label);
        }
      }
    }
    for (String label : matching.include()) {
      result = result.with(label, one.value(label));
    }
    return result;
  }

  /** The labels by which elements find each other. */
  private Labels group(Column column) {
    return matching.on()
        ? column.labels().only(matching.labels())
        : column.labels().without(matching.labels());
  }

  /** Columns of equal labels as one; fails when two of them have a sample at one step. */
  static List<Column> joined(List<Column> columns, Supplier<QueryFailure> collision)
      throws QueryFailure {
    Map<Labels, Column> byLabels = new LinkedHashMap<>();
    for (Column column : columns) {
      Column first = byLabels.get(column.labels());
      if (first == null) {
        byLabels.put(column.labels(), column);
        continue;
      }
      for (int i = 0; i < column.steps(); i++) {
        if (first.isPresent(i) && column.isPresent(i)) {
          throw collision.get();
        }
      }
      byLabels.put(column.labels(), first.mergedWith(column));
    }
    return new ArrayList<>(byLabels.values());
  }
}
