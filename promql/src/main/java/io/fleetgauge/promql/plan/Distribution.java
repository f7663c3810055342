package io.fleetgauge.promql.plan;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.function.Names;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What shards that have disjoint hosts may evaluate each by itself. */
final class Distribution {
  /** The label by which a series says its host in matching and grouping. */
  static final String HOST = "Hostname";

  /** Labels that may say the host of a series; one that rewrites them loses it. */
  private static final Set<String> HOST_LABELS = Set.of(HOST, "node", "instance");

  private Distribution() {}

  /**
   * Why the results of all shards, side by side, are not the result over all series; empty when
   * they are.
   */
  static Optional<String> obstacle(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> Optional.empty();
      case Expr.Paren paren -> obstacle(paren.inner());
      case Expr.Unary unary -> obstacle(unary.input());
      case Expr.Window window -> Optional.empty();
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
    switch (call.function()) {
      case ABSENT, ABSENT_OVER_TIME -> {
        return Optional.of(name + " has to know all series");
      }
      case SORT, SORT_DESC, SORT_BY_LABEL, SORT_BY_LABEL_DESC -> {
        return Optional.of(name + " orders all series");
      }
      case INFO -> {
        return Optional.of("info joins series of any host");
      }
      case HISTOGRAM_QUANTILE,
          HISTOGRAM_QUANTILES,
          HISTOGRAM_FRACTION,
          HISTOGRAM_AVG,
          HISTOGRAM_COUNT,
          HISTOGRAM_SUM,
          HISTOGRAM_STDDEV,
          HISTOGRAM_STDVAR -> {
        return Optional.of(name + " adds buckets in the order of the series");
      }
      case LABEL_REPLACE, LABEL_JOIN -> {
        if (!(call.arguments().get(1).withoutParens() instanceof Expr.Text to)
            || HOST_LABELS.contains(to.value())) {
          return Optional.of(name + " writes the label that says the host");
        }
      }
      default -> {}
    }
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
    return series ? Optional.empty() : Optional.of(name + " has no series");
  }

  private static Optional<String> aggregate(Expr.Aggregate aggregate) {
    Expr.Grouping grouping = aggregate.grouping();
    if (grouping.labels().contains(HOST) == grouping.without()) {
      return Optional.of(aggregate.op().text() + " puts hosts together");
    }
    Optional<Expr> parameter = aggregate.parameter().map(Expr::withoutParens);
    if (parameter.isPresent() && parameter.get() instanceof Expr.Text label) {
      if (HOST_LABELS.contains(label.value())) {
        return Optional.of(aggregate.op().text() + " writes the label that says the host");
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

  /** Whether a scalar is the same for all shards. */
  static boolean isConstant(Expr scalar) {
    return switch (scalar) {
      case Expr.Number number -> true;
      case Expr.Paren paren -> isConstant(paren.inner());
      case Expr.Unary unary -> isConstant(unary.input());
      case Expr.Binary binary -> isConstant(binary.left()) && isConstant(binary.right());
      case Expr.Call call ->
          call.function() != Function.SCALAR
              && call.arguments().stream().allMatch(Distribution::isConstant);
      default -> false;
    };
  }

  /**
   * Whether the columns of a vector come ordered by their labels, so that those of several shards
   * can be put into the order that they would have come in.
   */
  static boolean isOrdered(Expr expr) {
    return switch (expr) {
      case Expr.Selector selector -> true;
      case Expr.Paren paren -> isOrdered(paren.inner());
      case Expr.Unary unary -> isOrdered(unary.input()) && Names.areOne(unary.input());
      case Expr.Call call -> {
        List<Expr> arguments = call.arguments();
        yield switch (call.function()) {
          case ABSENT,
              ABSENT_OVER_TIME,
              HISTOGRAM_QUANTILE,
              HISTOGRAM_QUANTILES,
              HISTOGRAM_FRACTION,
              HISTOGRAM_AVG,
              HISTOGRAM_COUNT,
              HISTOGRAM_SUM,
              HISTOGRAM_STDDEV,
              HISTOGRAM_STDVAR,
              INFO,
              LABEL_JOIN,
              LABEL_REPLACE,
              SORT,
              SORT_BY_LABEL,
              SORT_BY_LABEL_DESC,
              SORT_DESC,
              VECTOR ->
              false;
          default ->
              arguments.stream().anyMatch(Distribution::isOrderedSeries)
                  && arguments.stream()
                      .filter(argument -> argument.type() != ValueType.SCALAR)
                      .allMatch(argument -> isOrderedSeries(argument) && Names.areOne(argument));
        };
      }
      case Expr.Binary binary -> {
        boolean leftScalar = binary.left().type() == ValueType.SCALAR;
        boolean rightScalar = binary.right().type() == ValueType.SCALAR;
        Expr vector = leftScalar ? binary.right() : binary.left();
        yield (leftScalar || rightScalar) && isOrdered(vector) && Names.areOne(vector);
      }
      default -> false;
    };
  }

  private static boolean isOrderedSeries(Expr expr) {
    return switch (expr.withoutParens()) {
      case Expr.Window window -> true;
      case Expr.Subquery subquery -> isOrdered(subquery.input());
      case Expr inner -> inner.type() == ValueType.VECTOR && isOrdered(inner);
    };
  }

  /** Whether the result of an aggregation depends on the order of its input. */
  static boolean looksAtOrder(Expr expr) {
    return switch (expr) {
      case Expr.Aggregate aggregate ->
          switch (aggregate.op()) {
            case SUM, AVG, MIN, MAX, COUNT, GROUP, QUANTILE, COUNT_VALUES -> false;
            case STDDEV, STDVAR, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO -> true;
          };
      case Expr.Call call ->
          switch (call.function()) {
            case SORT,
                SORT_DESC,
                SORT_BY_LABEL,
                SORT_BY_LABEL_DESC,
                HISTOGRAM_QUANTILE,
                HISTOGRAM_QUANTILES,
                HISTOGRAM_FRACTION,
                HISTOGRAM_AVG,
                HISTOGRAM_COUNT,
                HISTOGRAM_SUM,
                HISTOGRAM_STDDEV,
                HISTOGRAM_STDVAR,
                INFO ->
                true;
            default -> false;
          };
      default -> false;
    };
  }

  /** Whether an aggregation's folds can be put together. */
  static boolean isMergeable(Expr.Aggregate aggregate) {
    return Engine.isMergeable(aggregate.op());
  }
}
