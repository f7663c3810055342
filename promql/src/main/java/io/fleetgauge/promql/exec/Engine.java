package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.kernel.Arithmetic;
import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.syntax.BinaryOp;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.Function;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.promql.syntax.Span;
import io.fleetgauge.promql.syntax.ValueType;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Evaluates one query. Not for several threads. */
public final class Engine {
  private final Query query;
  private final SeriesSource source;
  private final BooleanSupplier cancelled;
  private final Annotations annotations;
  private long samplesHeld;

  private Engine(Query query, SeriesSource source, BooleanSupplier cancelled) {
    this.query = query;
    this.source = source;
    this.cancelled = cancelled;
    this.annotations = new Annotations(query.text());
  }

  /**
   * What {@link #run} will read, for a caller that fetches it beforehand.
   *
   * @throws QueryFailure if the query has a part that is not evaluated yet; the message names it
   */
  public static List<Selection> selections(Query query) throws QueryFailure {
    check(query.expr(), query.text());
    if (query.expr().type() == ValueType.MATRIX && !query.isInstant()
        || query.expr().type() == ValueType.STRING && !query.isInstant()) {
      throw new QueryFailure(
          QueryFailure.Kind.BAD_DATA,
          "invalid expression type \""
              + query.expr().type().description
              + "\" for range query, must be Scalar or instant Vector");
    }
    return Selection.of(query);
  }

  /**
   * @param cancelled asked between series; once it says true, the query ends as cancelled
   * @throws QueryFailure if the query cannot be evaluated
   */
  public static Answer run(Query query, SeriesSource source, BooleanSupplier cancelled)
      throws QueryFailure {
    selections(query);
    return new Engine(query, source, cancelled).answer();
  }

  /** Refuses what is parsed but not evaluated yet, by name. */
  static void check(Expr expr, String text) throws QueryFailure {
    switch (expr) {
      case Expr.Number number -> {}
      case Expr.Text string -> {}
      case Expr.Selector selector -> {}
      case Expr.Window window -> {}
      case Expr.Subquery subquery -> throw notYet("a subquery", subquery.span(), text);
      case Expr.Call call -> {
        boolean known =
            switch (call.function()) {
              case TIME, PI, VECTOR, SCALAR, ABSENT -> true;
              default ->
                  RangeFunctions.knows(call.function()) || ElementFunctions.knows(call.function());
            };
        if (!known) {
          throw notYet("function \"" + call.function().text() + "\"", call.span(), text);
        }
        for (Expr argument : call.arguments()) {
          check(argument, text);
        }
      }
      case Expr.Aggregate aggregate -> {
        if (!Groups.knows(aggregate.op())) {
          throw notYet("aggregation \"" + aggregate.op().text() + "\"", aggregate.span(), text);
        }
        check(aggregate.input(), text);
      }
      case Expr.Unary unary -> check(unary.input(), text);
      case Expr.Binary binary -> {
        check(binary.left(), text);
        check(binary.right(), text);
      }
      case Expr.Paren paren -> check(paren.inner(), text);
    }
  }

  private static QueryFailure notYet(String what, Span span, String text) {
    return new QueryFailure(
        QueryFailure.Kind.BAD_DATA, span.position(text) + ": " + what + " is not supported yet");
  }

  // --- results ---

  private Answer answer() throws QueryFailure {
    Answer.Result result = query.isInstant() ? instant() : range();
    return new Answer(result, annotations.warnings(), annotations.infos());
  }

  private Answer.Result instant() throws QueryFailure {
    long time = query.start();
    return switch (withoutParens(query.expr())) {
      case Expr.Text text -> new Answer.Text(time, text.value());
      case Expr.Window window -> new Answer.Matrix(window(window));
      case Expr expr when expr.type() == ValueType.SCALAR ->
          new Answer.Scalar(time, scalar(expr)[0]);
      case Expr expr -> {
        List<Answer.Sample> samples = new ArrayList<>();
        Set<Labels> seen = new HashSet<>();
        for (Column column : vector(expr)) {
          if (!Columns.isAbsent(column.values()[0])) {
            if (!seen.add(column.labels())) {
              throw QueryFailure.sameLabelSet();
            }
            samples.add(new Answer.Sample(column.labels(), column.values()[0]));
          }
        }
        yield new Answer.Vector(time, samples);
      }
    };
  }

  private Answer.Result range() throws QueryFailure {
    List<Column> columns =
        query.expr().type() == ValueType.SCALAR
            ? List.of(new Column(Labels.EMPTY, scalar(query.expr())))
            : vector(query.expr());
    List<Series> series = new ArrayList<>(columns.size());
    for (Column column : columns) {
      int size = Columns.count(column.values());
      if (size > 0) {
        series.add(points(column, size));
      }
    }
    series.sort(Comparator.comparing(Series::labels));
    for (int i = 1; i < series.size(); i++) {
      if (series.get(i).labels().equals(series.get(i - 1).labels())) {
        throw QueryFailure.sameLabelSet();
      }
    }
    return new Answer.Matrix(series);
  }

  private Series points(Column column, int size) {
    long[] times = new long[size];
    double[] values = new double[size];
    int next = 0;
    for (int i = 0; i < column.values().length; i++) {
      if (!Columns.isAbsent(column.values()[i])) {
        times[next] = query.time(i);
        values[next++] = column.values()[i];
      }
    }
    return new Series(column.labels(), times, values);
  }

  /** The raw samples of a window at the one step of an instant query. */
  private List<Series> window(Expr.Window window) throws QueryFailure {
    List<Series> found = new ArrayList<>();
    for (Series series : select(window.selector(), window.range())) {
      int size = Columns.count(series.values());
      long[] times = new long[size];
      double[] values = new double[size];
      int next = 0;
      for (int i = 0; i < series.size(); i++) {
        if (!Columns.isAbsent(series.values()[i])) {
          times[next] = series.times()[i];
          values[next++] = series.values()[i];
        }
      }
      if (size > 0) {
        found.add(new Series(series.labels(), times, values));
      }
    }
    return found;
  }

  private static Expr withoutParens(Expr expr) {
    Expr inner = expr;
    while (inner instanceof Expr.Paren paren) {
      inner = paren.inner();
    }
    return inner;
  }

  // --- scalars ---

  private double[] scalar(Expr expr) throws QueryFailure {
    return switch (expr) {
      case Expr.Number number -> {
        double[] column = column();
        Arrays.fill(column, number.value());
        yield column;
      }
      case Expr.Paren paren -> scalar(paren.inner());
      case Expr.Unary unary -> {
        double[] in = scalar(unary.input());
        if (unary.minus()) {
          Arithmetic.negate(in, in);
        }
        yield in;
      }
      case Expr.Binary binary -> {
        double[] out = column();
        apply(binary.op(), scalar(binary.left()), scalar(binary.right()), out);
        yield out;
      }
      case Expr.Call call ->
          switch (call.function()) {
            case TIME -> {
              double[] out = column();
              for (int i = 0; i < out.length; i++) {
                out[i] = query.time(i) / 1000.0;
              }
              yield out;
            }
            case PI -> {
              double[] out = column();
              Arrays.fill(out, Math.PI);
              yield out;
            }
            case SCALAR -> only(vector(call.arguments().getFirst()));
            default -> throw new IllegalStateException(call.function().text());
          };
      default -> throw new IllegalStateException("not a scalar: " + expr);
    };
  }

  /** The value of the one element there is at a step; NaN where there is none or several. */
  private double[] only(List<Column> columns) throws QueryFailure {
    double[] out = column();
    Arrays.fill(out, Double.NaN);
    for (int i = 0; i < out.length; i++) {
      int there = 0;
      for (Column column : columns) {
        if (!Columns.isAbsent(column.values()[i])) {
          out[i] = ++there == 1 ? column.values()[i] : Double.NaN;
        }
      }
    }
    return out;
  }

  // --- vectors ---

  private List<Column> vector(Expr expr) throws QueryFailure {
    return switch (expr) {
      case Expr.Selector selector -> selector(selector);
      case Expr.Paren paren -> vector(paren.inner());
      case Expr.Unary unary -> unary(unary);
      case Expr.Binary binary -> binary(binary);
      case Expr.Aggregate aggregate -> {
        Groups groups = new Groups(aggregate.op(), aggregate.grouping(), query.steps());
        for (Column column : vector(aggregate.input())) {
          stopIfCancelled();
          groups.add(column);
        }
        yield groups.columns();
      }
      case Expr.Call call ->
          switch (call.function()) {
            case VECTOR -> List.of(new Column(Labels.EMPTY, scalar(call.arguments().getFirst())));
            case ABSENT -> {
              Expr argument = call.arguments().getFirst();
              List<Matcher> matchers =
                  withoutParens(argument) instanceof Expr.Selector selector
                      ? selector.matchers()
                      : List.of();
              yield List.of(absent(matchers, vector(argument)));
            }
            default -> ElementFunctions.knows(call.function()) ? elements(call) : overRange(call);
          };
      default -> throw new IllegalStateException("not a vector: " + expr);
    };
  }

  private List<Column> selector(Expr.Selector selector) throws QueryFailure {
    List<Column> columns = new ArrayList<>();
    boolean fixed = selector.shift().at().isPresent();
    long start = Selection.lookAt(query, selector.shift(), query.start());
    for (Series series : select(selector, query.lookback())) {
      double[] out = column();
      boolean any =
          Columns.latest(
              series.times(),
              series.values(),
              start,
              fixed ? 0 : query.step(),
              query.lookback(),
              out);
      if (any) {
        columns.add(new Column(series.labels(), out));
      } else {
        samplesHeld -= out.length;
      }
    }
    return columns;
  }

  private List<Column> unary(Expr.Unary unary) throws QueryFailure {
    List<Column> in = vector(unary.input());
    if (!unary.minus()) {
      return in;
    }
    List<Column> out = new ArrayList<>(in.size());
    for (Column column : in) {
      double[] values = column();
      Arithmetic.negate(column.values(), values);
      out.add(new Column(column.labels().without(Labels.NAME), values));
    }
    return distinct(out);
  }

  private List<Column> binary(Expr.Binary binary) throws QueryFailure {
    return binary.left().type() == ValueType.VECTOR && binary.right().type() == ValueType.VECTOR
        ? vectors(binary)
        : vectorAndScalar(binary);
  }

  private List<Column> vectors(Expr.Binary binary) throws QueryFailure {
    VectorMatching matching = new VectorMatching(binary, query.steps(), this::hold);
    List<Column> left = vector(binary.left());
    List<Column> right = vector(binary.right());
    stopIfCancelled();
    return binary.op().isSet()
        ? matching.set(left, right)
        : matching.match(
            left,
            right,
            (leftValues, rightValues, values) -> {
              apply(binary.op(), leftValues, rightValues, values);
              if (binary.op().isComparison() && !binary.bool()) {
                Arithmetic.filter(leftValues, values, values);
              }
            });
  }

  private List<Column> vectorAndScalar(Expr.Binary binary) throws QueryFailure {
    boolean vectorOnLeft = binary.left().type() == ValueType.VECTOR;
    List<Column> in = vector(vectorOnLeft ? binary.left() : binary.right());
    double[] scalar = scalar(vectorOnLeft ? binary.right() : binary.left());
    boolean filters = binary.op().isComparison() && !binary.bool();
    List<Column> out = new ArrayList<>(in.size());
    for (Column column : in) {
      stopIfCancelled();
      double[] values = column();
      double[] left = vectorOnLeft ? column.values() : scalar;
      double[] right = vectorOnLeft ? scalar : column.values();
      apply(binary.op(), left, right, values);
      if (filters) {
        // The vector's own value is kept, on whichever side it stands.
        Arithmetic.filter(column.values(), values, values);
      }
      out.add(new Column(filters ? column.labels() : column.labels().without(Labels.NAME), values));
    }
    return filters ? out : merged(out);
  }

  private static void apply(BinaryOp op, double[] left, double[] right, double[] out) {
    switch (op) {
      case ADD -> Arithmetic.add(left, right, out);
      case SUBTRACT -> Arithmetic.subtract(left, right, out);
      case MULTIPLY -> Arithmetic.multiply(left, right, out);
      case DIVIDE -> Arithmetic.divide(left, right, out);
      case MODULO -> Arithmetic.modulo(left, right, out);
      case POWER -> Arithmetic.power(left, right, out);
      case ATAN2 -> Arithmetic.atan2(left, right, out);
      case EQUAL -> Arithmetic.equal(left, right, out);
      case NOT_EQUAL -> Arithmetic.notEqual(left, right, out);
      case LESS -> Arithmetic.less(left, right, out);
      case LESS_OR_EQUAL -> Arithmetic.lessOrEqual(left, right, out);
      case GREATER -> Arithmetic.less(right, left, out);
      case GREATER_OR_EQUAL -> Arithmetic.lessOrEqual(right, left, out);
      case AND, OR, UNLESS -> throw new IllegalStateException(op.text);
    }
  }

  // --- functions over ranges ---

  private List<Column> elements(Expr.Call call) throws QueryFailure {
    List<Column> in = vector(call.arguments().getFirst());
    double[][] scalars = new double[2][];
    for (int i = 1; i < call.arguments().size(); i++) {
      scalars[i - 1] = scalar(call.arguments().get(i));
    }
    if (call.function() == Function.ROUND && scalars[0] == null) {
      scalars[0] = column();
      Arrays.fill(scalars[0], 1);
    }
    List<Column> out = new ArrayList<>(in.size());
    for (Column column : in) {
      stopIfCancelled();
      double[] values = column();
      ElementFunctions.apply(call.function(), column.values(), scalars, values);
      out.add(new Column(column.labels().without(Labels.NAME), values));
    }
    return merged(out);
  }

  private List<Column> overRange(Expr.Call call) throws QueryFailure {
    Function function = call.function();
    Expr.Window window = null;
    double[] parameter = null;
    for (Expr argument : call.arguments()) {
      if (argument.type() == ValueType.MATRIX) {
        window = (Expr.Window) withoutParens(argument);
      } else {
        parameter = scalar(argument);
      }
    }
    long[] times = new long[query.steps()];
    long[] windowEnds = new long[query.steps()];
    for (int i = 0; i < windowEnds.length; i++) {
      times[i] = query.time(i);
      windowEnds[i] = Selection.lookAt(query, window.selector().shift(), times[i]);
    }
    RangeFunctions functions =
        new RangeFunctions(function, windowEnds, window.range(), times, parameter);
    List<Column> out = new ArrayList<>();
    for (Series series : select(window.selector(), window.range())) {
      double[] values = functions.apply(series);
      if (Columns.count(values) == 0) {
        continue;
      }
      hold(values.length);
      if (RangeFunctions.wantsCounter(function)) {
        noteUnlessCounter(series.labels().metric(), call.arguments().getLast().span());
      }
      if (function == Function.QUANTILE_OVER_TIME) {
        noteBadQuantiles(parameter, values, call.arguments().getFirst().span());
      }
      Labels labels =
          function == Function.LAST_OVER_TIME
              ? series.labels()
              : series.labels().without(Labels.NAME);
      out.add(new Column(labels, values));
    }
    if (function == Function.ABSENT_OVER_TIME) {
      return List.of(absent(window.selector().matchers(), out));
    }
    return distinct(out);
  }

  private void noteUnlessCounter(String metric, Span span) {
    if (!metric.isEmpty()
        && !metric.endsWith("_total")
        && !metric.endsWith("_sum")
        && !metric.endsWith("_count")
        && !metric.endsWith("_bucket")) {
      annotations.info(
          "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: \""
              + metric
              + "\"",
          span);
    }
  }

  private void noteBadQuantiles(double[] quantiles, double[] values, Span span) {
    for (int i = 0; i < quantiles.length; i++) {
      if (!Columns.isAbsent(values[i]) && !(quantiles[i] >= 0 && quantiles[i] <= 1)) {
        annotations.warn(
            "quantile value should be between 0 and 1, got "
                + io.fleetgauge.sample.prometheus.Numbers.text(quantiles[i]),
            span);
      }
    }
  }

  /** 1 at each step where no column has a value, under the labels that the matchers fix. */
  private Column absent(List<Matcher> matchers, List<Column> present) throws QueryFailure {
    double[] out = column();
    Arrays.fill(out, 1);
    for (Column column : present) {
      for (int i = 0; i < out.length; i++) {
        if (!Columns.isAbsent(column.values()[i])) {
          out[i] = Staleness.MARKER;
        }
      }
    }
    Map<String, String> fixed = new HashMap<>();
    Set<String> twice = new HashSet<>();
    for (Matcher matcher : matchers) {
      if (matcher.name().equals(Labels.NAME)) {
        continue;
      }
      if (matcher.kind() != Matcher.Kind.EQUAL
          || fixed.putIfAbsent(matcher.name(), matcher.value()) != null) {
        twice.add(matcher.name());
      }
    }
    fixed.keySet().removeAll(twice);
    return new Column(Labels.of(fixed), out);
  }

  // --- what all operators need ---

  private List<Series> select(Expr.Selector selector, long length) throws QueryFailure {
    stopIfCancelled();
    List<Series> found = source.select(Selection.of(query, selector, length));
    for (Series series : found) {
      hold(series.size());
    }
    return found;
  }

  private double[] column() throws QueryFailure {
    hold(query.steps());
    return new double[query.steps()];
  }

  private void hold(int samples) throws QueryFailure {
    samplesHeld += samples;
    if (samplesHeld > query.maxSamples()) {
      throw QueryFailure.tooManySamples(query.maxSamples());
    }
  }

  private void stopIfCancelled() throws QueryFailure {
    if (cancelled.getAsBoolean()) {
      throw new QueryFailure(
          QueryFailure.Kind.CANCELED, "query was canceled in expression evaluation");
    }
  }

  /** Fails when two columns have one label set, whether or not they meet at a step. */
  private static List<Column> distinct(List<Column> columns) throws QueryFailure {
    Set<Labels> seen = new HashSet<>();
    for (Column column : columns) {
      if (!seen.add(column.labels())) {
        throw QueryFailure.sameLabelSet();
      }
    }
    return columns;
  }

  /** Joins columns of one label set; fails when they meet at a step. */
  private static List<Column> merged(List<Column> columns) throws QueryFailure {
    Map<Labels, Column> byLabels = new LinkedHashMap<>();
    for (Column column : columns) {
      Column first = byLabels.putIfAbsent(column.labels(), column);
      if (first != null && !Columns.merge(first.values(), column.values())) {
        throw QueryFailure.sameLabelSet();
      }
    }
    return new ArrayList<>(byLabels.values());
  }
}
