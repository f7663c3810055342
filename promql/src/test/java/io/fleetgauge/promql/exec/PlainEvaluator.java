package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.BinaryOp;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/**
 * The plain twin of the evaluator: PromQL as its documentation defines it, one step at a time, over
 * maps of labels to numbers. It knows no columns, no grids and no short cut. It has more than 600
 * lines, because it defines the whole language once more.
 */
final class PlainEvaluator {
  private final Query query;
  private final InMemorySeries series;

  PlainEvaluator(Query query, InMemorySeries series) {
    this.query = query;
    this.series = series;
  }

  /** A number and when it was measured, ms. */
  private record Point(long time, double value) {}

  double scalar(Expr expr, long time) throws QueryFailure {
    return switch (expr.withoutParens()) {
      case Expr.Number number -> number.value();
      case Expr.Unary unary ->
          unary.minus() ? -scalar(unary.input(), time) : scalar(unary.input(), time);
      case Expr.Binary binary ->
          operate(binary.op(), scalar(binary.left(), time), scalar(binary.right(), time));
      case Expr.Call call ->
          switch ((Function.Scalar) call.function()) {
            case TIME -> time / 1000.0;
            case PI -> Math.PI;
            case SCALAR -> {
              Map<Labels, Double> input = vector(call.arguments().getFirst(), time);
              yield input.size() == 1 ? input.values().iterator().next() : Double.NaN;
            }
            case START, END, RANGE, STEP, MIN_OF, MAX_OF ->
                throw new UnsupportedOperationException(call.toString());
          };
      case Expr other -> throw new UnsupportedOperationException(other.toString());
    };
  }

  Map<Labels, Double> vector(Expr expr, long time) throws QueryFailure {
    return switch (expr.withoutParens()) {
      case Expr.Selector selector -> select(selector, time, false);
      case Expr.Unary unary -> {
        Map<Labels, Double> input = vector(unary.input(), time);
        yield unary.minus() ? nameless(input, value -> -value) : input;
      }
      case Expr.Binary binary -> binary(binary, time);
      case Expr.Aggregate aggregate -> aggregate(aggregate, time);
      case Expr.Call call -> call(call, time);
      case Expr other -> throw new UnsupportedOperationException(other.toString());
    };
  }

  // --- reading ---

  private long lookAt(Expr.Shift shift, long time) {
    long from = time;
    if (shift.at().isPresent()) {
      from =
          switch (shift.at().get()) {
            case Expr.At.Time fixed -> fixed.millis();
            case Expr.At.Start start -> query.start();
            case Expr.At.End end -> query.end();
          };
    }
    return from - shift.offset();
  }

  private Map<Labels, Double> select(Expr.Selector selector, long time, boolean times) {
    long at = lookAt(selector.shift(), time);
    Map<Labels, Double> found = new LinkedHashMap<>();
    for (Series one : series.all()) {
      if (matches(selector.matchers(), one.labels())) {
        int newest = -1;
        for (int i = 0; i < one.size(); i++) {
          if (one.times()[i] <= at && one.times()[i] > at - query.settings().lookback()) {
            newest = i;
          }
        }
        if (newest >= 0 && !Staleness.isMarker(one.values()[newest])) {
          found.put(one.labels(), times ? one.times()[newest] / 1000.0 : one.values()[newest]);
        }
      }
    }
    return found;
  }

  private static boolean matches(List<Matcher> matchers, Labels labels) {
    for (Matcher matcher : matchers) {
      if (!matcher.matches(labels)) {
        return false;
      }
    }
    return true;
  }

  /** The end of the window at a time. */
  private long windowEnd(Expr range, long time) {
    return switch (range) {
      case Expr.Window window -> lookAt(window.selector().shift(), time);
      case Expr.Subquery subquery -> lookAt(subquery.shift(), time);
      case Expr other -> throw new UnsupportedOperationException(other.toString());
    };
  }

  private static long length(Expr range) {
    return range instanceof Expr.Window window ? window.range() : ((Expr.Subquery) range).range();
  }

  private Map<Labels, List<Point>> matrix(Expr range, long time) throws QueryFailure {
    Map<Labels, List<Point>> found = new LinkedHashMap<>();
    long end = windowEnd(range, time);
    long start = end - length(range);
    switch (range) {
      case Expr.Window window -> {
        for (Series one : series.all()) {
          List<Point> points = new ArrayList<>();
          for (int i = 0; i < one.size(); i++) {
            boolean in = one.times()[i] > start && one.times()[i] <= end;
            if (in && !Staleness.isMarker(one.values()[i])) {
              points.add(new Point(one.times()[i], one.values()[i]));
            }
          }
          if (matches(window.selector().matchers(), one.labels()) && !points.isEmpty()) {
            found.put(one.labels(), points);
          }
        }
      }
      case Expr.Subquery subquery -> {
        long step = subquery.step() == 0 ? query.settings().subqueryStep() : subquery.step();
        for (long at = Math.ceilDiv(start + 1, step) * step; at <= end; at += step) {
          for (var one : vector(subquery.input(), at).entrySet()) {
            found
                .computeIfAbsent(one.getKey(), none -> new ArrayList<>())
                .add(new Point(at, one.getValue()));
          }
        }
      }
      case Expr other -> throw new UnsupportedOperationException(other.toString());
    }
    return found;
  }

  // --- functions ---

  private Map<Labels, Double> call(Expr.Call call, long time) throws QueryFailure {
    return switch (call.function()) {
      case Function.Element function -> element(function, call, time);
      case Function.Range function -> overRange(function, call, time);
      case Function.OfVectors function -> whole(function, call, time);
      case Function.Scalar function -> throw new UnsupportedOperationException(call.toString());
      case Function.OfHistograms function ->
          throw new UnsupportedOperationException(call.toString());
    };
  }

  private Map<Labels, Double> element(Function.Element function, Expr.Call call, long time)
      throws QueryFailure {
    List<Expr> arguments = call.arguments();
    if (arguments.isEmpty()) {
      return Map.of(Labels.EMPTY, plain(function, 0, 0).applyAsDouble(time / 1000.0));
    }
    double first = arguments.size() > 1 ? scalar(arguments.get(1), time) : 1;
    double second = arguments.size() > 2 ? scalar(arguments.get(2), time) : 0;
    Map<Labels, Double> input = vector(arguments.getFirst(), time);
    return function == Function.Element.CLAMP && second < first
        ? Map.of()
        : nameless(input, plain(function, first, second));
  }

  private static DoubleUnaryOperator plain(Function.Element function, double a, double b) {
    return switch (function) {
      case ABS -> Math::abs;
      case CEIL -> Math::ceil;
      case FLOOR -> Math::floor;
      case EXP -> Math::exp;
      case SQRT -> Math::sqrt;
      case LN -> Math::log;
      case LOG2 -> x -> Math.log(x) / Math.log(2);
      case LOG10 -> Math::log10;
      case SGN -> Math::signum;
      case SIN -> Math::sin;
      case COS -> Math::cos;
      case TAN -> Math::tan;
      case ASIN -> Math::asin;
      case ACOS -> Math::acos;
      case ATAN -> Math::atan;
      case SINH -> Math::sinh;
      case COSH -> Math::cosh;
      case TANH -> Math::tanh;
      case ASINH ->
          x -> Math.signum(x) * Math.log(Math.abs(x) + Math.sqrt(Math.abs(x) * Math.abs(x) + 1));
      case ACOSH -> x -> Math.log(x + Math.sqrt(x * x - 1));
      case ATANH -> x -> 0.5 * Math.log((1 + x) / (1 - x));
      case DEG -> x -> x * 180 / Math.PI;
      case RAD -> x -> x * Math.PI / 180;
      case ROUND -> x -> Math.floor(x * (1 / a) + 0.5) / (1 / a);
      case CLAMP -> x -> Math.max(a, Math.min(b, x));
      case CLAMP_MIN -> x -> Math.max(a, x);
      case CLAMP_MAX -> x -> Math.min(a, x);
      case MINUTE -> x -> date(x).getMinute();
      case HOUR -> x -> date(x).getHour();
      case DAY_OF_WEEK -> x -> date(x).getDayOfWeek().getValue() % 7;
      case DAY_OF_MONTH -> x -> date(x).getDayOfMonth();
      case DAY_OF_YEAR -> x -> date(x).getDayOfYear();
      case DAYS_IN_MONTH -> x -> date(x).toLocalDate().lengthOfMonth();
      case MONTH -> x -> date(x).getMonthValue();
      case YEAR -> x -> date(x).getYear();
    };
  }

  private static ZonedDateTime date(double seconds) {
    return Instant.ofEpochSecond((long) seconds).atZone(ZoneOffset.UTC);
  }

  private Map<Labels, Double> overRange(Function.Range function, Expr.Call call, long time)
      throws QueryFailure {
    Expr range = null;
    double parameter = 0;
    for (Expr argument : call.arguments()) {
      if (argument.type() == ValueType.MATRIX) {
        range = argument.withoutParens();
      } else {
        parameter = scalar(argument, time);
      }
    }
    long end = windowEnd(range, time);
    Map<Labels, Double> out = new LinkedHashMap<>();
    for (var one : matrix(range, time).entrySet()) {
      List<Point> points = one.getValue();
      if (points.size() >= function.fewestSamples()) {
        double value = reduce(function, points, end - length(range), end, time, parameter);
        boolean keeps = function.metricName() == Function.MetricName.KEPT;
        putOnce(out, keeps ? one.getKey() : one.getKey().withoutMetric(), value);
      }
    }
    return out;
  }

  private static double reduce(
      Function.Range function,
      List<Point> points,
      long start,
      long end,
      long time,
      double parameter) {
    int n = points.size();
    double[] x = points.stream().mapToDouble(Point::value).toArray();
    double first = x[0];
    double last = x[n - 1];
    double lastSeconds = n < 2 ? 0 : (points.get(n - 1).time() - points.get(n - 2).time()) / 1000.0;
    return switch (function) {
      case RATE -> extrapolated(points, start, end, true) / ((end - start) / 1000.0);
      case INCREASE -> extrapolated(points, start, end, true);
      case DELTA -> extrapolated(points, start, end, false);
      case IDELTA -> last - x[n - 2];
      case IRATE -> (last < x[n - 2] ? last : last - x[n - 2]) / lastSeconds;
      case CHANGES -> changes(x);
      case RESETS -> resets(x);
      case AVG_OVER_TIME -> Arrays.stream(x).sum() / n;
      case SUM_OVER_TIME -> Arrays.stream(x).sum();
      case MIN_OVER_TIME -> min(x);
      case MAX_OVER_TIME -> -min(Arrays.stream(x).map(one -> -one).toArray());
      case COUNT_OVER_TIME -> n;
      case LAST_OVER_TIME -> last;
      case PRESENT_OVER_TIME -> 1;
      case STDVAR_OVER_TIME -> variance(x);
      case STDDEV_OVER_TIME -> Math.sqrt(variance(x));
      case QUANTILE_OVER_TIME -> quantile(parameter, x);
      case DERIV -> line(points, points.getFirst().time())[0];
      case PREDICT_LINEAR -> {
        double[] line = line(points, time);
        yield line[0] * parameter + line[1];
      }
      case FIRST_OVER_TIME -> first;
      case DOUBLE_EXPONENTIAL_SMOOTHING,
          MAD_OVER_TIME,
          TS_OF_FIRST_OVER_TIME,
          TS_OF_LAST_OVER_TIME,
          TS_OF_MAX_OVER_TIME,
          TS_OF_MIN_OVER_TIME ->
          throw new UnsupportedOperationException(function.text());
    };
  }

  /** NaN only when there is nothing else. */
  private static double min(double[] x) {
    return Arrays.stream(x).filter(one -> !Double.isNaN(one)).min().orElse(Double.NaN);
  }

  private static int changes(double[] x) {
    int changes = 0;
    for (int i = 1; i < x.length; i++) {
      changes += x[i] != x[i - 1] ? 1 : 0;
    }
    return changes;
  }

  private static int resets(double[] x) {
    int resets = 0;
    for (int i = 1; i < x.length; i++) {
      resets += x[i] < x[i - 1] ? 1 : 0;
    }
    return resets;
  }

  private static double variance(double[] x) {
    double mean = Arrays.stream(x).sum() / x.length;
    return Arrays.stream(x).map(one -> (one - mean) * (one - mean)).sum() / x.length;
  }

  private static double quantile(double q, double[] x) {
    if (q < 0 || q > 1) {
      return q < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    // NaN counts as the lowest.
    double[] sorted =
        Arrays.stream(x)
            .boxed()
            .sorted(
                (a, b) ->
                    a.isNaN() || b.isNaN() ? Boolean.compare(b.isNaN(), a.isNaN()) : a.compareTo(b))
            .mapToDouble(Double::doubleValue)
            .toArray();
    double rank = q * (sorted.length - 1);
    int low = (int) rank;
    int high = Math.min(low + 1, sorted.length - 1);
    double weight = rank - low;
    return sorted[low] * (1 - weight) + sorted[high] * weight;
  }

  /** Slope a second and value at {@code origin} of the least squares line. */
  private static double[] line(List<Point> points, long origin) {
    double meanX = 0;
    double meanY = 0;
    for (Point point : points) {
      meanX += (point.time() - origin) / 1000.0 / points.size();
      meanY += point.value() / points.size();
    }
    double xy = 0;
    double xx = 0;
    for (Point point : points) {
      double dx = (point.time() - origin) / 1000.0 - meanX;
      xy += dx * (point.value() - meanY);
      xx += dx * dx;
    }
    return new double[] {xy / xx, meanY - xy / xx * meanX};
  }

  private static double extrapolated(List<Point> points, long start, long end, boolean counter) {
    int last = points.size() - 1;
    double rise = points.get(last).value() - points.get(0).value();
    for (int i = 1; i <= last && counter; i++) {
      double before = points.get(i - 1).value();
      rise += points.get(i).value() < before ? before : 0;
    }
    double sampled = (points.get(last).time() - points.get(0).time()) / 1000.0;
    double mean = sampled / last;
    double before = (points.get(0).time() - start) / 1000.0;
    double after = (end - points.get(last).time()) / 1000.0;
    before = before >= mean * 1.1 ? mean / 2 : before;
    after = after >= mean * 1.1 ? mean / 2 : after;
    if (counter && rise > 0 && points.get(0).value() >= 0) {
      before = Math.min(before, sampled * points.get(0).value() / rise);
    }
    return rise * (sampled + before + after) / sampled;
  }

  private Map<Labels, Double> whole(Function.OfVectors function, Expr.Call call, long time)
      throws QueryFailure {
    Expr input = call.arguments().getFirst().withoutParens();
    return switch (function) {
      case VECTOR -> Map.of(Labels.EMPTY, scalar(input, time));
      case SORT, SORT_DESC, SORT_BY_LABEL, SORT_BY_LABEL_DESC -> vector(input, time);
      case ABSENT -> vector(input, time).isEmpty() ? Map.of(fixed(input), 1.0) : Map.of();
      case ABSENT_OVER_TIME ->
          matrix(input, time).isEmpty()
              ? Map.of(fixed(input instanceof Expr.Window window ? window.selector() : input), 1.0)
              : Map.of();
      case TIMESTAMP -> {
        Map<Labels, Double> out = new LinkedHashMap<>();
        Map<Labels, Double> times =
            input instanceof Expr.Selector selector
                ? select(selector, time, true)
                : vector(input, time);
        for (var one : times.entrySet()) {
          boolean own = input instanceof Expr.Selector;
          putOnce(out, one.getKey().withoutMetric(), own ? one.getValue() : time / 1000.0);
        }
        yield out;
      }
      case LABEL_REPLACE, LABEL_JOIN -> {
        List<String> texts =
            call.arguments().stream()
                .skip(1)
                .map(argument -> ((Expr.Text) argument.withoutParens()).value())
                .toList();
        Map<Labels, Double> out = new LinkedHashMap<>();
        for (var one : vector(input, time).entrySet()) {
          Labels labels = one.getKey();
          String written =
              function == Function.OfVectors.LABEL_REPLACE
                  // The only pattern that is asked takes up the whole value.
                  ? texts.get(1).replace("$1", labels.value(texts.get(2)))
                  : String.join(texts.get(1), texts.stream().skip(2).map(labels::value).toList());
          putOnce(out, labels.with(texts.get(0), written), one.getValue());
        }
        yield out;
      }
      case INFO -> throw new UnsupportedOperationException(call.toString());
    };
  }

  private static Labels fixed(Expr input) {
    Map<String, String> fixed = new TreeMap<>();
    if (input instanceof Expr.Selector selector) {
      for (Matcher matcher : selector.matchers()) {
        if (matcher.kind() == Matcher.Kind.EQUAL && !matcher.name().equals(Labels.NAME)) {
          fixed.put(matcher.name(), matcher.value());
        }
      }
    }
    return Labels.of(fixed);
  }

  // --- aggregations ---

  private Map<Labels, Double> aggregate(Expr.Aggregate aggregate, long time) throws QueryFailure {
    Map<Labels, Map<Labels, Double>> groups = new LinkedHashMap<>();
    for (var one : vector(aggregate.input(), time).entrySet()) {
      List<String> labels = aggregate.grouping().labels();
      Labels group =
          aggregate.grouping().without() ? one.getKey().without(labels) : one.getKey().only(labels);
      groups
          .computeIfAbsent(group, none -> new LinkedHashMap<>())
          .put(one.getKey(), one.getValue());
    }
    Map<Labels, Double> out = new LinkedHashMap<>();
    for (var group : groups.entrySet()) {
      double[] x = group.getValue().values().stream().mapToDouble(Double::doubleValue).toArray();
      switch (aggregate.op()) {
        case SUM -> out.put(group.getKey(), Arrays.stream(x).sum());
        case AVG -> out.put(group.getKey(), Arrays.stream(x).sum() / x.length);
        case MIN -> out.put(group.getKey(), min(x));
        case MAX -> out.put(group.getKey(), -min(Arrays.stream(x).map(one -> -one).toArray()));
        case COUNT -> out.put(group.getKey(), (double) x.length);
        case GROUP -> out.put(group.getKey(), 1.0);
        case STDVAR -> out.put(group.getKey(), variance(x));
        case STDDEV -> out.put(group.getKey(), Math.sqrt(variance(x)));
        case QUANTILE ->
            out.put(group.getKey(), quantile(scalar(aggregate.parameter().get(), time), x));
        case COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO ->
            throw new UnsupportedOperationException(aggregate.toString());
      }
    }
    return out;
  }

  static boolean knows(Aggregation op) {
    return switch (op) {
      case SUM, AVG, MIN, MAX, COUNT, GROUP, STDVAR, STDDEV, QUANTILE -> true;
      case COUNT_VALUES, TOPK, BOTTOMK, LIMITK, LIMIT_RATIO -> false;
    };
  }

  // --- operators ---

  private static double operate(BinaryOp op, double a, double b) {
    return switch (op) {
      case ADD -> a + b;
      case SUBTRACT -> a - b;
      case MULTIPLY -> a * b;
      case DIVIDE -> a / b;
      case MODULO -> a % b;
      case POWER -> b == 0 || a == 1 ? 1 : Math.pow(a, b);
      case ATAN2 -> Math.atan2(a, b);
      case EQUAL -> a == b ? 1 : 0;
      case NOT_EQUAL -> a != b ? 1 : 0;
      case LESS -> a < b ? 1 : 0;
      case LESS_OR_EQUAL -> a <= b ? 1 : 0;
      case GREATER -> a > b ? 1 : 0;
      case GREATER_OR_EQUAL -> a >= b ? 1 : 0;
      case AND, OR, UNLESS -> throw new UnsupportedOperationException(op.text);
    };
  }

  private Map<Labels, Double> binary(Expr.Binary binary, long time) throws QueryFailure {
    boolean filters = binary.op().isComparison() && !binary.bool();
    if (binary.left().type() == ValueType.VECTOR && binary.right().type() == ValueType.VECTOR) {
      return vectors(binary, time, filters);
    }
    boolean vectorLeft = binary.left().type() == ValueType.VECTOR;
    double scalar = scalar(vectorLeft ? binary.right() : binary.left(), time);
    Map<Labels, Double> out = new LinkedHashMap<>();
    for (var one : vector(vectorLeft ? binary.left() : binary.right(), time).entrySet()) {
      double x = one.getValue();
      double result =
          vectorLeft ? operate(binary.op(), x, scalar) : operate(binary.op(), scalar, x);
      if (!filters) {
        putOnce(out, one.getKey().withoutMetric(), result);
      } else if (result != 0) {
        out.put(one.getKey(), x);
      }
    }
    return out;
  }

  private Labels key(Expr.Matching matching, Labels labels) {
    return matching.on()
        ? labels.only(matching.labels())
        : labels.without(matching.labels()).withoutMetric();
  }

  private Map<Labels, Double> vectors(Expr.Binary binary, long time, boolean filters)
      throws QueryFailure {
    Map<Labels, Double> left = vector(binary.left(), time);
    Map<Labels, Double> right = vector(binary.right(), time);
    Expr.Matching matching = binary.matching();
    Map<Labels, Double> out = new LinkedHashMap<>();
    if (binary.op().isSet()) {
      List<Labels> rightKeys =
          right.keySet().stream().map(labels -> key(matching, labels)).toList();
      List<Labels> leftKeys = left.keySet().stream().map(labels -> key(matching, labels)).toList();
      for (var one : left.entrySet()) {
        boolean met = rightKeys.contains(key(matching, one.getKey()));
        if (binary.op() == BinaryOp.OR || met == (binary.op() == BinaryOp.AND)) {
          out.put(one.getKey(), one.getValue());
        }
      }
      for (var one : right.entrySet()) {
        if (binary.op() == BinaryOp.OR && !leftKeys.contains(key(matching, one.getKey()))) {
          out.put(one.getKey(), one.getValue());
        }
      }
      return out;
    }
    if (left.isEmpty() || right.isEmpty()) {
      return out;
    }
    Map<Labels, Double> ones = new LinkedHashMap<>();
    for (var one : right.entrySet()) {
      if (ones.put(key(matching, one.getKey()), one.getValue()) != null) {
        throw new QueryFailure(QueryFailure.Kind.EXECUTION, "many on the right");
      }
    }
    Map<Labels, Labels> used = new LinkedHashMap<>();
    for (var one : left.entrySet()) {
      Labels key = key(matching, one.getKey());
      Double other = ones.get(key);
      if (other == null) {
        continue;
      }
      double result = operate(binary.op(), one.getValue(), other);
      if (filters && result == 0) {
        continue;
      }
      Labels labels = filters ? one.getKey() : one.getKey().withoutMetric();
      if (matching.on()) {
        labels = labels.only(matching.labels());
      } else {
        for (String ignored : matching.labels()) {
          labels = labels.with(ignored, "");
        }
      }
      if (used.put(key, labels) != null) {
        throw new QueryFailure(QueryFailure.Kind.EXECUTION, "many on the left");
      }
      out.put(labels, filters ? one.getValue() : result);
    }
    return out;
  }

  // --- names ---

  private static Map<Labels, Double> nameless(Map<Labels, Double> in, DoubleUnaryOperator function)
      throws QueryFailure {
    Map<Labels, Double> out = new LinkedHashMap<>();
    for (var one : in.entrySet()) {
      putOnce(out, one.getKey().withoutMetric(), function.applyAsDouble(one.getValue()));
    }
    return out;
  }

  private static void putOnce(Map<Labels, Double> out, Labels labels, double value)
      throws QueryFailure {
    if (out.put(labels, value) != null) {
      throw new QueryFailure(QueryFailure.Kind.EXECUTION, QueryFailure.SAME_LABEL_SET);
    }
  }
}
