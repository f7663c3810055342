package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Queries of the stock language over the metrics and labels of {@link RandomSeries}, from a seed.
 */
public final class RandomQueries {
  private static final List<String> GROUPINGS =
      List.of(
          "",
          " by (rack)",
          " by (Hostname)",
          " by (gpu)",
          " by (Hostname, gpu)",
          " by (machine)",
          " without (gpu)",
          " without (Hostname)",
          " without (gpu, rack)");
  private static final List<String> MATCHINGS =
      List.of("", " on (Hostname, gpu)", " on (gpu)", " ignoring (rack)", " ignoring (Hostname)");
  private static final List<String> OPERATORS =
      List.of(
          "+", "-", "*", "/", "%", "^", "==", "!=", ">", "<=", "> bool ", "and", "or", "unless");
  private static final List<String> LABELS =
      List.of("rack", "node", "machine", "zone", "Hostname", "instance", "gpu");

  private final SplittableRandom random;
  private final List<Function> functions;
  private final List<Aggregation> aggregations;

  /** Of all stock functions and aggregations. */
  public RandomQueries(long seed) {
    this(seed, all -> true, all -> true);
  }

  /** Of some of the stock functions and aggregations. */
  public RandomQueries(
      long seed, Predicate<Function> functions, Predicate<Aggregation> aggregations) {
    this.random = new SplittableRandom(seed);
    this.functions =
        Function.all().stream()
            .filter(function -> !function.isNewer() && !function.isExperimental())
            .filter(functions)
            .toList();
    this.aggregations =
        Arrays.stream(Aggregation.values())
            .filter(op -> !op.isExperimental())
            .filter(aggregations)
            .toList();
  }

  public String next() {
    return vector(3);
  }

  private String vector(int depth) {
    if (depth == 0) {
      return selector();
    }
    return switch (random.nextInt(10)) {
      case 0 -> selector();
      case 1, 2, 3 -> call(depth);
      case 4, 5, 6 -> aggregate(depth);
      case 7 -> "(" + vector(depth - 1) + ") " + pick(OPERATORS.subList(0, 11)) + " " + number();
      case 8 -> "-(" + vector(depth - 1) + ")";
      default -> binary(depth);
    };
  }

  private String binary(int depth) {
    String left = vector(depth - 1);
    String right = random.nextBoolean() ? left : vector(depth - 1);
    String op = pick(OPERATORS);
    return "(" + left + ") " + op + pick(MATCHINGS) + " (" + right + ")";
  }

  private String aggregate(int depth) {
    Aggregation op = pick(aggregations);
    String input = vector(depth - 1);
    String parameter =
        op.parameter()
            .map(type -> type == ValueType.STRING ? "\"" + pick(LABELS) + "\", " : number() + ", ")
            .orElse("");
    return op.text() + pick(GROUPINGS) + " (" + parameter + input + ")";
  }

  private String call(int depth) {
    Function function = pick(functions);
    if (function.returns() == ValueType.SCALAR) {
      return "("
          + vector(depth - 1)
          + ") * "
          + function.text()
          + "("
          + scalarArgument(function)
          + ")";
    }
    if (function == Function.OfVectors.LABEL_REPLACE) {
      return "label_replace("
          + vector(depth - 1)
          + ", \""
          + pick(LABELS)
          + "\", \""
          + pick(List.of("x", "$1", "", "$1-$1"))
          + "\", \""
          + pick(LABELS)
          + "\", \"(.*)\")";
    }
    if (function == Function.OfVectors.LABEL_JOIN) {
      return "label_join("
          + vector(depth - 1)
          + ", \""
          + pick(LABELS)
          + "\", \"/\", \"rack\", \"gpu\")";
    }
    StringBuilder out = new StringBuilder(function.text()).append('(');
    for (int i = 0; i < function.fewestArguments(); i++) {
      out.append(i > 0 ? ", " : "");
      out.append(
          switch (function.argument(i)) {
            case VECTOR -> vector(depth - 1);
            case MATRIX ->
                random.nextInt(4) == 0
                    ? "(" + vector(depth - 1) + ")[1m:15s]"
                    : unshifted() + "[" + pick(List.of("30s", "1m", "90s")) + "]" + shift();
            case SCALAR -> number();
            case STRING -> "\"" + pick(LABELS) + "\"";
          });
    }
    return out.append(')').toString();
  }

  private String scalarArgument(Function function) {
    return function.fewestArguments() == 0 ? "" : "sum(" + selector() + ")";
  }

  private String selector() {
    return unshifted() + shift();
  }

  private String unshifted() {
    return random.nextInt(8) == 0
        ? "{__name__=~\"power|util\"}"
        : pick(List.of("power", "util", "requests_total", "none"))
            + pick(List.of("", "{rack=\"r1\"}", "{gpu!=\"0\"}", "{Hostname=~\"n[12]\"}"));
  }

  private String shift() {
    return pick(List.of("", "", "", " offset 20s", " @ 60", " @ end()", " @ start() offset -5s"));
  }

  private String number() {
    return pick(List.of("0", "1", "0.5", "2", "-1", "1e3", "(1 + 1)"));
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
