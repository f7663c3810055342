package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.function.MetricNames;
import io.fleetgauge.sample.Labels;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which expressions shards with disjoint hosts can evaluate separately. */
final class Distribution {
  /** The host label that matching and grouping keep. */
  static final String HOST = "Hostname";

  /**
   * The host labels of gateways in the default configuration. A part that writes one of them is not
   * pushed down, because most gateways would refuse it. Correctness does not depend on this set:
   * each gateway knows its own host labels and refuses a part that writes one ({@link
   * #writtenLabels}).
   */
  private static final Set<String> USUAL_HOST_LABELS = Set.of(HOST, "node", "instance");

  private Distribution() {}

  /**
   * Why the results of all shards put together are not the result over all series; empty when they
   * are.
   */
  static Optional<String> obstacle(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> UsageUse.obstacle(selector);
      case Expr.Paren paren -> obstacle(paren.inner());
      case Expr.Unary unary -> obstacle(unary.input());
      case Expr.Window window -> UsageUse.obstacle(window.selector());
      case Expr.Subquery subquery -> obstacle(subquery.input());
      case Expr.Number number -> Optional.of("a number has no series");
      case Expr.Text text -> Optional.of("a text has no series");
      case Expr.Call call -> call(call);
      case Expr.Aggregate aggregate -> aggregate(aggregate);
      case Expr.Binary binary -> binary(binary);
    };
  }

  private static Optional<String> call(Expr.Call call) {
    String name = call.function().text();
    return switch (call.function().sharding()) {
      case ABSENCE -> Optional.of(name + " needs all series");
      case SORTS -> Optional.of(name + " orders all series");
      case JOINS -> Optional.of(name + " joins series of any host");
      case BUCKETS -> Optional.of(name + " adds buckets in the order of the series");
      case ONE_NUMBER -> Optional.of(call + " depends on all series");
      case RELABELS ->
          writesHost(call) ? Optional.of(name + " writes the host label") : arguments(call);
      case PER_SERIES, NO_SERIES -> arguments(call);
    };
  }

  private static boolean writesHost(Expr.Call call) {
    return USUAL_HOST_LABELS.contains(written(call));
  }

  /** The label that a function which relabels writes. */
  private static String written(Expr.Call call) {
    return ((Expr.Text) call.arguments().get(1).withoutParens()).value();
  }

  private static Optional<String> arguments(Expr.Call call) {
    boolean series = false;
    for (Expr argument : call.arguments()) {
      switch (argument.type()) {
        case SCALAR -> {
          if (!isConstant(argument)) {
            return Optional.of(argument + " depends on all series");
          }
        }
        case STRING -> {}
        case VECTOR, MATRIX -> {
          series = true;
          Optional<String> obstacle = obstacle(argument.withoutParens());
          if (obstacle.isPresent()) {
            return obstacle;
          }
        }
      }
    }
    return series ? Optional.empty() : Optional.of(call.function().text() + " has no series");
  }

  private static Optional<String> aggregate(Expr.Aggregate aggregate) {
    Expr.Grouping grouping = aggregate.grouping();
    if (grouping.labels().contains(HOST) == grouping.without()) {
      return Optional.of(aggregate.op().text() + " combines hosts");
    }
    Optional<Expr> parameter = aggregate.parameter().map(Expr::withoutParens);
    if (parameter.isPresent() && parameter.get() instanceof Expr.Text label) {
      if (USUAL_HOST_LABELS.contains(label.value())) {
        return Optional.of(aggregate.op().text() + " writes the host label");
      }
    } else if (parameter.isPresent() && !isConstant(parameter.get())) {
      return Optional.of(parameter.get() + " depends on all series");
    }
    return obstacle(aggregate.input());
  }

  private static Optional<String> binary(Expr.Binary binary) {
    boolean leftScalar = binary.left().type() == ValueType.SCALAR;
    boolean rightScalar = binary.right().type() == ValueType.SCALAR;
    if (leftScalar && rightScalar) {
      return Optional.of("a number has no series");
    }
    if (leftScalar || rightScalar) {
      Expr scalar = leftScalar ? binary.left() : binary.right();
      return isConstant(scalar)
          ? obstacle(leftScalar ? binary.right() : binary.left())
          : Optional.of(scalar + " depends on all series");
    }
    Expr.Matching matching = binary.matching();
    if (matching.labels().contains(HOST) != matching.on() || matching.include().contains(HOST)) {
      return Optional.of("the operator " + binary.op().text + " matches series of several hosts");
    }
    return obstacle(binary.left()).or(() -> obstacle(binary.right()));
  }

  /**
   * The labels that an expression overwrites. Two series that differ only in such a label can
   * become equal, which a shard cannot see when the other series is on another shard.
   */
  static Set<String> writtenLabels(Expr expr) {
    Set<String> written = new HashSet<>();
    collectWritten(expr, written);
    return written;
  }

  private static void collectWritten(Expr expr, Set<String> into) {
    switch (expr) {
      case Expr.Call call -> {
        switch (call.function().sharding()) {
          case RELABELS -> into.add(written(call));
          case PER_SERIES, NO_SERIES, ABSENCE, ONE_NUMBER, SORTS, JOINS, BUCKETS -> {}
        }
        switch (call.function().metricName()) {
          case DROPPED, WRITTEN -> into.add(Labels.NAME);
          case KEPT -> {}
        }
      }
      case Expr.Aggregate aggregate -> {
        if (aggregate.parameter().map(Expr::withoutParens).orElse(null) instanceof Expr.Text text) {
          into.add(text.value());
        }
      }
      case Expr.Binary binary -> {
        into.add(Labels.NAME);
        into.addAll(binary.matching().include());
      }
      case Expr.Unary _ -> into.add(Labels.NAME);
      case Expr.Number _,
          Expr.Text _,
          Expr.Selector _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Paren _ -> {}
    }
    expr.children().forEach(part -> collectWritten(part, into));
  }

  /** Returns true if a scalar is the same for all shards. */
  static boolean isConstant(Expr scalar) {
    return switch (scalar) {
      case Expr.Number number -> true;
      case Expr.Paren paren -> isConstant(paren.inner());
      case Expr.Unary unary -> isConstant(unary.input());
      case Expr.Binary binary -> isConstant(binary.left()) && isConstant(binary.right());
      case Expr.Call call ->
          switch (call.function().sharding()) {
            case ONE_NUMBER -> false;
            case PER_SERIES, RELABELS, NO_SERIES, ABSENCE, SORTS, JOINS, BUCKETS ->
                call.arguments().stream().allMatch(Distribution::isConstant);
          };
      case Expr.Text _, Expr.Selector _, Expr.Window _, Expr.Subquery _, Expr.Aggregate _ -> false;
    };
  }

  /**
   * Returns true if the columns of a vector are ordered by their labels. Sorting the columns of
   * several shards then gives the order of evaluation over all series.
   */
  static boolean isOrdered(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> true;
      case Expr.Paren paren -> isOrdered(paren.inner());
      case Expr.Unary unary -> isOrdered(unary.input()) && MetricNames.areSame(unary.input());
      case Expr.Call call -> {
        List<Expr> arguments = call.arguments();
        yield switch (call.function().order()) {
          case LOST, READ, SET -> false;
          case KEPT ->
              arguments.stream().anyMatch(Distribution::isOrderedSeries)
                  && arguments.stream()
                      .filter(argument -> argument.type() != ValueType.SCALAR)
                      .allMatch(
                          argument -> isOrderedSeries(argument) && MetricNames.areSame(argument));
        };
      }
      case Expr.Binary binary -> {
        boolean leftScalar = binary.left().type() == ValueType.SCALAR;
        boolean rightScalar = binary.right().type() == ValueType.SCALAR;
        Expr vector = leftScalar ? binary.right() : binary.left();
        yield (leftScalar || rightScalar) && isOrdered(vector) && MetricNames.areSame(vector);
      }
      case Expr.Number _, Expr.Text _, Expr.Window _, Expr.Subquery _, Expr.Aggregate _ -> false;
    };
  }

  private static boolean isOrderedSeries(Expr expr) {
    return switch (expr.withoutParens()) {
      case Expr.Window window -> true;
      case Expr.Subquery subquery -> isOrdered(subquery.input());
      case Expr inner -> inner.type() == ValueType.VECTOR && isOrdered(inner);
    };
  }

  /** Returns true if a result depends on the order of the input. */
  static boolean dependsOnOrder(Expr expr) {
    return switch (expr) {
      case Expr.Aggregate aggregate ->
          switch (aggregate.op().order()) {
            case READ, SET -> true;
            case IGNORED -> false;
          };
      case Expr.Call call ->
          switch (call.function().order()) {
            case READ, SET -> true;
            case KEPT, LOST -> false;
          };
      case Expr.Number _,
          Expr.Text _,
          Expr.Selector _,
          Expr.Window _,
          Expr.Subquery _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ ->
          false;
    };
  }

  /** Returns true if an aggregation's folds can be merged. */
  static boolean isMergeable(Expr.Aggregate aggregate) {
    return switch (aggregate.op().partials()) {
      case EXACT -> true;
      case NONE -> false;
    };
  }
}
