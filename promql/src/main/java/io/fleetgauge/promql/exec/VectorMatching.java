package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.syntax.BinaryOp;
import io.fleetgauge.promql.syntax.Expr.Binary;
import io.fleetgauge.promql.syntax.Expr.Matching;
import io.fleetgauge.promql.syntax.Expr.Matching.Many;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  /** Counts the samples of a column before it is made. */
  interface Budget {
    void hold(int samples) throws QueryFailure;
  }

  private final Binary binary;
  private final Matching matching;
  private final int steps;
  private final Budget budget;

  VectorMatching(Binary binary, int steps, Budget budget) {
    this.binary = binary;
    this.matching = binary.matching();
    this.steps = steps;
    this.budget = budget;
  }

  // --- and, or, unless ---

  List<Column> set(List<Column> left, List<Column> right) throws QueryFailure {
    return switch (binary.op()) {
      case AND -> filtered(left, presence(right), true);
      case UNLESS -> filtered(left, presence(right), false);
      case OR -> {
        List<Column> all = new ArrayList<>(filtered(left, Map.of(), false));
        all.addAll(filtered(right, presence(left), false));
        yield joined(all);
      }
      default -> throw new IllegalStateException(binary.op().text);
    };
  }

  /** At which steps any column of a match group is there. */
  private Map<Labels, boolean[]> presence(List<Column> columns) {
    Map<Labels, boolean[]> presence = new HashMap<>();
    for (Column column : columns) {
      boolean[] there = presence.computeIfAbsent(group(column), key -> new boolean[steps]);
      for (int i = 0; i < steps; i++) {
        there[i] |= !Columns.isAbsent(column.values()[i]);
      }
    }
    return presence;
  }

  private List<Column> filtered(
      List<Column> columns, Map<Labels, boolean[]> presence, boolean wanted) throws QueryFailure {
    boolean[] never = new boolean[steps];
    List<Column> kept = new ArrayList<>();
    for (Column column : columns) {
      boolean[] there = presence.getOrDefault(group(column), never);
      budget.hold(steps);
      double[] values = column.values().clone();
      for (int i = 0; i < steps; i++) {
        if (there[i] != wanted) {
          values[i] = Staleness.MARKER;
        }
      }
      kept.add(new Column(column.labels(), values));
    }
    return kept;
  }

  // --- arithmetic and comparison ---

  List<Column> match(List<Column> left, List<Column> right, Operator operator) throws QueryFailure {
    boolean swapped = matching.many() == Many.RIGHT;
    List<Column> many = swapped ? right : left;
    List<Column> one = swapped ? left : right;
    Map<Labels, List<Column>> oneByGroup = new HashMap<>();
    for (Column column : one) {
      oneByGroup.computeIfAbsent(group(column), key -> new ArrayList<>()).add(column);
    }
    refuseAmbiguousOnes(oneByGroup, any(many), swapped ? "left" : "right");

    Map<Labels, boolean[]> matched = new HashMap<>();
    List<Column> results = new ArrayList<>();
    for (Column column : many) {
      Labels group = group(column);
      for (Column partner : oneByGroup.getOrDefault(group, List.of())) {
        budget.hold(steps);
        double[] values = new double[steps];
        double[] leftValues = swapped ? partner.values() : column.values();
        double[] rightValues = swapped ? column.values() : partner.values();
        operator.apply(leftValues, rightValues, values);
        if (matching.many() == Many.NEITHER) {
          refuseSecondMatch(values, matched.computeIfAbsent(group, key -> new boolean[steps]));
        }
        results.add(new Column(resultLabels(column.labels(), partner.labels()), values));
      }
    }
    return joined(results);
  }

  private boolean[] any(List<Column> columns) {
    boolean[] any = new boolean[steps];
    for (Column column : columns) {
      for (int i = 0; i < steps; i++) {
        any[i] |= !Columns.isAbsent(column.values()[i]);
      }
    }
    return any;
  }

  /** Two elements of the one side in one group, at a step at which the other side is not empty. */
  private void refuseAmbiguousOnes(
      Map<Labels, List<Column>> oneByGroup, boolean[] manyThere, String side) throws QueryFailure {
    for (var group : oneByGroup.entrySet()) {
      Column[] there = new Column[steps];
      for (Column column : group.getValue()) {
        for (int i = 0; i < steps; i++) {
          if (!manyThere[i] || Columns.isAbsent(column.values()[i])) {
            continue;
          }
          if (there[i] != null) {
            throw new QueryFailure(
                QueryFailure.Kind.EXECUTION,
                "found duplicate series for the match group "
                    + group.getKey()
                    + " on the "
                    + side
                    + " hand-side of the operation: ["
                    + column.labels()
                    + ", "
                    + there[i].labels()
                    + "];many-to-many matching not allowed: matching labels must be unique on one"
                    + " side");
          }
          there[i] = column;
        }
      }
    }
  }

  private void refuseSecondMatch(double[] values, boolean[] matched) throws QueryFailure {
    for (int i = 0; i < steps; i++) {
      if (!Columns.isAbsent(values[i])) {
        if (matched[i]) {
          throw new QueryFailure(
              QueryFailure.Kind.EXECUTION,
              "multiple matches for labels: many-to-one matching must be explicit"
                  + " (group_left/group_right)");
        }
        matched[i] = true;
      }
    }
  }

  private Labels resultLabels(Labels many, Labels one) {
    Labels result = many;
    boolean dropsName = binary.bool() || binary.op().family == BinaryOp.Family.ARITHMETIC;
    if (dropsName) {
      result = result.without(Labels.NAME);
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

  /** Columns of equal labels as one; fails when two of them have a value at one step. */
  private List<Column> joined(List<Column> columns) throws QueryFailure {
    Map<Labels, Column> byLabels = new LinkedHashMap<>();
    for (Column column : columns) {
      Column first = byLabels.get(column.labels());
      if (first == null) {
        byLabels.put(column.labels(), column);
      } else if (!Columns.merge(first.values(), column.values())) {
        throw matching.many() == Many.NEITHER
            ? QueryFailure.sameLabelSet()
            : new QueryFailure(
                QueryFailure.Kind.EXECUTION,
                "multiple matches for labels: grouping labels must ensure unique matches");
      }
    }
    return new ArrayList<>(byLabels.values());
  }
}
