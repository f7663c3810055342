package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.BinaryOp;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Expr.At;
import io.fleetgauge.promql.expr.Expr.Grouping;
import io.fleetgauge.promql.expr.Expr.Matching;
import io.fleetgauge.promql.expr.Expr.Shift;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.expr.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Random trees of the whole grammar, without positions. */
final class RandomTrees {

  private static final String[] NAMES = {
    "a", "up", "sum", "by", "offset", "inf", "bool", "x:y", "met.ric", "été", "with space", "😀"
  };
  private static final String[] STRINGS = {
    "",
    "v",
    "a|b",
    "\"quoted\"",
    "back\\slash",
    "line\nfeed",
    "tab\t",
    "\u0001",
    "é",
    "😀",
    "`",
    "'"
  };

  private RandomTrees() {}

  /** An expression of either type that a query may have. */
  static Expr any(SplittableRandom random) {
    return random.nextInt(5) == 0 ? scalar(random, 4) : vector(random, 4);
  }

  static Expr bare(SplittableRandom random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return new Expr.Selector(List.of(Matcher.equal("__name__", "m")), Shift.NONE, TextSpan.NONE);
    }
    if (random.nextInt(4) == 0) {
      return new Expr.Unary(true, bare(random, depth - 1), TextSpan.NONE);
    }
    BinaryOp op = pick(random, BinaryOp.values());
    Expr left = bare(random, depth - 1);
    Expr right = bare(random, depth - 1);
    return new Expr.Binary(op, left, right, false, Matching.DEFAULT, TextSpan.NONE);
  }

  static Expr scalar(SplittableRandom random, int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return number(random);
    }
    return switch (random.nextInt(4)) {
      case 0 -> new Expr.Call(Function.Scalar.TIME, List.of(), TextSpan.NONE);
      case 1 ->
          new Expr.Call(Function.Scalar.SCALAR, List.of(vector(random, depth - 1)), TextSpan.NONE);
      case 2 ->
          new Expr.Unary(random.nextBoolean(), parens(scalar(random, depth - 1)), TextSpan.NONE);
      default -> {
        BinaryOp op;
        do {
          op = pick(random, BinaryOp.values());
        } while (op.isSet());
        yield new Expr.Binary(
            op,
            parens(scalar(random, depth - 1)),
            parens(scalar(random, depth - 1)),
            op.isComparison(),
            Matching.DEFAULT,
            TextSpan.NONE);
      }
    };
  }

  private static Expr number(SplittableRandom random) {
    double value =
        switch (random.nextInt(5)) {
          case 0 -> random.nextInt(-5, 100);
          case 1 -> random.nextDouble();
          case 2 -> Double.longBitsToDouble(random.nextLong());
          case 3 -> pick(random, new Double[] {0.0, -0.0, 1e21, 1e-7, Double.MIN_VALUE});
          default -> pick(random, new Double[] {Double.NaN, 1 / 0.0, -1 / 0.0});
        };
    return new Expr.Number(value, TextSpan.NONE);
  }

  static Expr vector(SplittableRandom random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return selector(random, shift(random));
    }
    return switch (random.nextInt(4)) {
      case 0 -> aggregate(random, depth);
      case 1 -> call(random, depth);
      case 2 ->
          new Expr.Unary(random.nextBoolean(), parens(vector(random, depth - 1)), TextSpan.NONE);
      default -> binary(random, depth);
    };
  }

  private static Expr.Selector selector(SplittableRandom random, Shift shift) {
    List<Matcher> matchers = new ArrayList<>();
    matchers.add(Matcher.equal("__name__", pick(random, NAMES)));
    for (int i = random.nextInt(3); i > 0; i--) {
      matchers.add(
          Matcher.of(
              random.nextBoolean() ? Matcher.Kind.EQUAL : Matcher.Kind.NOT_EQUAL,
              pick(random, NAMES),
              pick(random, STRINGS)));
    }
    for (int i = random.nextInt(2); i > 0; i--) {
      matchers.add(Matcher.of(Matcher.Kind.REGEX, pick(random, NAMES), "a.*|[b-z]+\\d"));
    }
    return new Expr.Selector(matchers, shift, TextSpan.NONE);
  }

  private static Expr window(SplittableRandom random, int depth) {
    long range = 1 + random.nextLong(1L << random.nextInt(1, 40));
    if (random.nextBoolean()) {
      return new Expr.Window(selector(random, shift(random)), range, TextSpan.NONE);
    }
    long step = random.nextBoolean() ? 0 : 1 + random.nextLong(100_000);
    Expr input = vector(random, depth - 1);
    boolean simple = input instanceof Expr.Selector || input instanceof Expr.Call;
    return new Expr.Subquery(
        simple ? input : parens(input), range, step, shift(random), TextSpan.NONE);
  }

  private static Shift shift(SplittableRandom random) {
    Optional<At> at =
        switch (random.nextInt(6)) {
          case 0 -> Optional.of(new At.Start());
          case 1 -> Optional.of(new At.End());
          case 2 -> Optional.of(new At.Time(random.nextLong(-10_000_000, 1L << 42)));
          default -> Optional.empty();
        };
    return new Shift(at, random.nextInt(3) > 0 ? 0 : random.nextLong(-100_000, 1L << 33));
  }

  private static Expr aggregate(SplittableRandom random, int depth) {
    Aggregation op = pick(random, Aggregation.values());
    Optional<Expr> parameter =
        op.parameter()
            .map(
                type ->
                    type == ValueType.STRING
                        ? new Expr.Text(pick(random, STRINGS), TextSpan.NONE)
                        : scalar(random, depth - 1));
    Grouping grouping = new Grouping(random.nextBoolean(), labels(random));
    return new Expr.Aggregate(op, grouping, parameter, vector(random, depth - 1), TextSpan.NONE);
  }

  private static Expr call(SplittableRandom random, int depth) {
    Function function;
    do {
      function = pick(random, Function.all().toArray(Function[]::new));
    } while (function.returns() == ValueType.SCALAR);
    int most = Math.min(function.mostArguments(), function.fewestArguments() + 2);
    int count = random.nextInt(function.fewestArguments(), most + 1);
    List<Expr> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      arguments.add(
          function == Function.OfVectors.INFO && i == 1
              ? selector(random, Shift.NONE)
              : switch (function.argument(i)) {
                case VECTOR -> vector(random, depth - 1);
                case MATRIX -> window(random, depth);
                case SCALAR -> scalar(random, depth - 1);
                case STRING -> new Expr.Text(pick(random, STRINGS), TextSpan.NONE);
              });
    }
    return new Expr.Call(function, arguments, TextSpan.NONE);
  }

  private static Expr binary(SplittableRandom random, int depth) {
    BinaryOp op = pick(random, BinaryOp.values());
    boolean bool = op.isComparison() && random.nextBoolean();
    Expr left = parens(vector(random, depth - 1));
    if (!op.isSet() && random.nextInt(3) == 0) {
      Expr right = parens(scalar(random, depth - 1));
      return new Expr.Binary(op, left, right, bool, Matching.DEFAULT, TextSpan.NONE);
    }
    Matching.Many many = op.isSet() ? Matching.Many.NEITHER : pick(random, Matching.Many.values());
    boolean on = random.nextBoolean();
    List<String> labels = labels(random);
    List<String> include =
        many == Matching.Many.NEITHER
            ? List.of()
            : labels(random).stream().filter(label -> !on || !labels.contains(label)).toList();
    boolean plain = random.nextInt(3) == 0;
    Matching matching =
        plain ? Matching.DEFAULT : new Matching(on, labels, many, include, fill(random, op));
    return new Expr.Binary(
        op, left, parens(vector(random, depth - 1)), bool, matching, TextSpan.NONE);
  }

  private static Matching.Fill fill(SplittableRandom random, BinaryOp op) {
    return op.isSet() || random.nextInt(3) > 0
        ? Matching.Fill.NONE
        : new Matching.Fill(
            random.nextBoolean() ? Optional.of(random.nextInt(9) - 4.5) : Optional.empty(),
            random.nextBoolean() ? Optional.of(Double.NEGATIVE_INFINITY) : Optional.empty());
  }

  private static List<String> labels(SplittableRandom random) {
    List<String> labels = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      String label = pick(random, NAMES);
      if (!label.isEmpty()) {
        labels.add(label);
      }
    }
    return labels;
  }

  private static Expr parens(Expr expr) {
    return new Expr.Paren(expr, TextSpan.NONE);
  }

  private static <T> T pick(SplittableRandom random, T[] items) {
    return items[random.nextInt(items.length)];
  }
}
