package io.fleetgauge.promql.expr;

import io.fleetgauge.promql.expr.Expr.Edges;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The functions of PromQL, and all that is known of each: the one place where a function is
 * declared. A function is a constant of the family whose members are evaluated alike; families and
 * constants are exhaustive everywhere, so a new one does not compile until each part of the planner
 * and the evaluator has decided what to do with it.
 */
public sealed interface Function {
  /** The name of the constant; the function's is {@link #text}. */
  String name();

  Facts facts();

  default String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All functions, in the order of their names. */
  static List<Function> all() {
    return Names.ALL;
  }

  static Optional<Function> named(String name) {
    return Optional.ofNullable(Names.BY_NAME.get(name));
  }

  // --- facts ---

  /**
   * The facts that every function has.
   *
   * @param sharding the work that a shard can do alone with some of the series
   * @param order in which the columns of its result come, and whether it looks at that of its input
   * @param steps the things besides its arguments on which its value at a step depends
   * @param metricName the fate of the name of the metric
   * @param points when its result has a point
   */
  record Facts(
      Signature signature,
      Sharding sharding,
      Order order,
      Steps steps,
      MetricName metricName,
      Points points) {}

  /** Which version has a function, and whether behind a flag. */
  enum Since {
    V3_5(false, false),
    V3_5_EXPERIMENTAL(true, false),
    NEWER(false, true),
    NEWER_EXPERIMENTAL(true, true);

    private final boolean experimental;
    private final boolean newer;

    Since(boolean experimental, boolean newer) {
      this.experimental = experimental;
      this.newer = newer;
    }
  }

  /** The work that a shard can do alone with some of the series. */
  enum Sharding {
    /** Each series of the result comes of one series. */
    PER_SERIES,
    /** As {@link #PER_SERIES}, but it writes a label, which may be a host label. */
    RELABELS,
    /** It takes no series. */
    NO_SERIES,
    /** It depends on whether any series exists. */
    ABSENCE,
    /** Its result is one number for all series. */
    ONE_NUMBER,
    /** It sorts all series. */
    SORTS,
    /** It joins series that none of its arguments selects. */
    JOINS,
    /** It adds the buckets of several series. */
    BUCKETS
  }

  /** In which order the columns of the result come. */
  enum Order {
    /** In that of the input. */
    KEPT,
    /** In another one, independent of that of the input. */
    LOST,
    /** The values depend on the order of the input. */
    READ,
    /** It sets the order, also of an instant query's result. */
    SET
  }

  /** The things besides the arguments on which the value at a step depends. */
  enum Steps {
    /** On nothing. */
    ARGUMENTS,
    /** On the time of the step. */
    TIME,
    /** On the time of the step when it is called without arguments. */
    TIME_WITHOUT_ARGUMENTS,
    /** On the start, end or step of the query. */
    QUERY
  }

  /** The fate of the name of the metric. */
  enum MetricName {
    KEPT,
    DROPPED,
    /** It has no name, or one that the function writes. */
    WRITTEN
  }

  /** When the result has a point at a step. */
  enum Points {
    /** Only when each argument has one. */
    WITH_INPUT,
    /** Also without. */
    WITHOUT_INPUT
  }

  /** The treatment of the native histograms of a window by a function over ranges. */
  enum Histograms {
    /** It handles them like numbers. */
    TAKEN,
    /** It skips them. */
    SKIPPED,
    /** It would need histogram arithmetic: an error. */
    REFUSED
  }

  /**
   * The types of arguments and of the result.
   *
   * @param arguments the types of the arguments as they are declared
   * @param last whether the last of them may be left out or repeated
   */
  record Signature(List<ValueType> arguments, Last last, ValueType returns, Since since) {
    /** The number of times that the last argument may come. */
    enum Last {
      ONCE,
      OPTIONAL,
      ANY,
      AT_LEAST_ONCE
    }

    /**
     * @param arguments a letter each: v instant vector, m range vector, s scalar, t string; behind
     *     the last {@code ?} when it may be left out, {@code *} when it may come any number of
     *     times, {@code +} when at least once
     */
    private static Signature of(String arguments, ValueType returns, Since since) {
      List<ValueType> types = new ArrayList<>();
      Last last = Last.ONCE;
      for (char letter : arguments.toCharArray()) {
        switch (letter) {
          case 'v' -> types.add(ValueType.VECTOR);
          case 'm' -> types.add(ValueType.MATRIX);
          case 's' -> types.add(ValueType.SCALAR);
          case 't' -> types.add(ValueType.STRING);
          case '?' -> last = Last.OPTIONAL;
          case '*' -> last = Last.ANY;
          case '+' -> last = Last.AT_LEAST_ONCE;
          default -> throw new IllegalArgumentException(arguments);
        }
      }
      return new Signature(List.copyOf(types), last, returns, since);
    }

    public int fewestArguments() {
      return switch (last) {
        case ONCE, AT_LEAST_ONCE -> arguments.size();
        case OPTIONAL, ANY -> arguments.size() - 1;
      };
    }

    /** {@link Integer#MAX_VALUE} when there is no limit. */
    public int mostArguments() {
      return switch (last) {
        case ONCE, OPTIONAL -> arguments.size();
        case ANY, AT_LEAST_ONCE -> Integer.MAX_VALUE;
      };
    }
  }

  default Signature signature() {
    return facts().signature;
  }

  default Sharding sharding() {
    return facts().sharding;
  }

  default Order order() {
    return facts().order;
  }

  default Steps steps() {
    return facts().steps;
  }

  default MetricName metricName() {
    return facts().metricName;
  }

  default Points points() {
    return facts().points;
  }

  // --- what follows from them ---

  default boolean isExperimental() {
    return signature().since().experimental;
  }

  /** Returns true if it is younger than 3.5. */
  default boolean isNewer() {
    return signature().since().newer;
  }

  default ValueType returns() {
    return signature().returns();
  }

  default int fewestArguments() {
    return signature().fewestArguments();
  }

  /** {@link Integer#MAX_VALUE} when there is no limit. */
  default int mostArguments() {
    return signature().mostArguments();
  }

  /** The types of the arguments as they are declared; the last may be taken more than once. */
  default List<ValueType> arguments() {
    return signature().arguments();
  }

  /** The number of arguments that may come beyond those that must: 0, 1, or -1 for any number. */
  default int variadic() {
    return mostArguments() == Integer.MAX_VALUE ? -1 : mostArguments() - fewestArguments();
  }

  /** The type of the argument at {@code index}, counted from 0. */
  default ValueType argument(int index) {
    return arguments().get(Math.min(index, arguments().size() - 1));
  }

  // --- the families ---

  /** Maps each value of a vector by itself. Evaluated by {@code function.ElementFunctions}. */
  enum Element implements Function {
    ABS("v"),
    ACOS("v"),
    ACOSH("v"),
    ASIN("v"),
    ASINH("v"),
    ATAN("v"),
    ATANH("v"),
    CEIL("v"),
    CLAMP("vss"),
    CLAMP_MAX("vs"),
    CLAMP_MIN("vs"),
    COS("v"),
    COSH("v"),
    DAYS_IN_MONTH("v?"),
    DAY_OF_MONTH("v?"),
    DAY_OF_WEEK("v?"),
    DAY_OF_YEAR("v?"),
    DEG("v"),
    EXP("v"),
    FLOOR("v"),
    HOUR("v?"),
    LN("v"),
    LOG10("v"),
    LOG2("v"),
    MINUTE("v?"),
    MONTH("v?"),
    RAD("v"),
    ROUND("vs?"),
    SGN("v"),
    SIN("v"),
    SINH("v"),
    SQRT("v"),
    TAN("v"),
    TANH("v"),
    YEAR("v?");

    private final Facts facts;

    Element(String arguments) {
      Signature signature = Signature.of(arguments, ValueType.VECTOR, Since.V3_5);
      facts =
          new Facts(
              signature,
              Sharding.PER_SERIES,
              Order.KEPT,
              // Those that may be called without a vector take the time of the step then.
              signature.fewestArguments() == 0 ? Steps.TIME_WITHOUT_ARGUMENTS : Steps.ARGUMENTS,
              MetricName.DROPPED,
              Points.WITH_INPUT);
    }

    @Override
    public Facts facts() {
      return facts;
    }
  }

  /** Reduces the samples of a window. Evaluated by {@code function.RangeFunctions}. */
  enum Range implements Function {
    AVG_OVER_TIME("m", Since.V3_5, 1, Histograms.REFUSED),
    CHANGES("m", Since.V3_5, 1, Histograms.REFUSED, Edges.ANCHORED),
    COUNT_OVER_TIME("m", Since.V3_5, 1, Histograms.TAKEN),
    DELTA("m", Since.V3_5, 2, Histograms.REFUSED, Edges.ANCHORED, Edges.SMOOTHED),
    DERIV("m", Since.V3_5, 2, Histograms.SKIPPED),
    DOUBLE_EXPONENTIAL_SMOOTHING("mss", Since.V3_5_EXPERIMENTAL, 2, Histograms.SKIPPED),
    FIRST_OVER_TIME("m", Since.NEWER, 1, Histograms.TAKEN, Steps.ARGUMENTS, MetricName.KEPT),
    IDELTA("m", Since.V3_5, 2, Histograms.REFUSED),
    INCREASE("m", Since.V3_5, 2, Histograms.REFUSED, Edges.ANCHORED, Edges.SMOOTHED),
    IRATE("m", Since.V3_5, 2, Histograms.REFUSED),
    LAST_OVER_TIME("m", Since.V3_5, 1, Histograms.TAKEN, Steps.ARGUMENTS, MetricName.KEPT),
    MAD_OVER_TIME("m", Since.V3_5_EXPERIMENTAL, 1, Histograms.SKIPPED),
    MAX_OVER_TIME("m", Since.V3_5, 1, Histograms.SKIPPED),
    MIN_OVER_TIME("m", Since.V3_5, 1, Histograms.SKIPPED),
    PREDICT_LINEAR("ms", Since.V3_5, 2, Histograms.SKIPPED, Steps.TIME, MetricName.DROPPED),
    PRESENT_OVER_TIME("m", Since.V3_5, 1, Histograms.TAKEN),
    QUANTILE_OVER_TIME("sm", Since.V3_5, 1, Histograms.SKIPPED),
    RATE("m", Since.V3_5, 2, Histograms.REFUSED, Edges.ANCHORED, Edges.SMOOTHED),
    RESETS("m", Since.V3_5, 1, Histograms.REFUSED, Edges.ANCHORED),
    STDDEV_OVER_TIME("m", Since.V3_5, 1, Histograms.SKIPPED),
    STDVAR_OVER_TIME("m", Since.V3_5, 1, Histograms.SKIPPED),
    SUM_OVER_TIME("m", Since.V3_5, 1, Histograms.REFUSED),
    TS_OF_FIRST_OVER_TIME("m", Since.NEWER_EXPERIMENTAL, 1, Histograms.TAKEN),
    TS_OF_LAST_OVER_TIME("m", Since.V3_5_EXPERIMENTAL, 1, Histograms.TAKEN),
    TS_OF_MAX_OVER_TIME("m", Since.V3_5_EXPERIMENTAL, 1, Histograms.SKIPPED),
    TS_OF_MIN_OVER_TIME("m", Since.V3_5_EXPERIMENTAL, 1, Histograms.SKIPPED);

    private final Facts facts;
    private final int fewestSamples;
    private final Histograms histograms;
    private final Set<Edges> edges;

    Range(String arguments, Since since, int fewestSamples, Histograms histograms, Edges... edges) {
      this(arguments, since, fewestSamples, histograms, Steps.ARGUMENTS, MetricName.DROPPED, edges);
    }

    /**
     * @param fewestSamples how many samples a window needs for a result
     * @param edges the modifiers of a selector that it knows
     */
    Range(
        String arguments,
        Since since,
        int fewestSamples,
        Histograms histograms,
        Steps steps,
        MetricName metricName,
        Edges... edges) {
      this.facts =
          new Facts(
              Signature.of(arguments, ValueType.VECTOR, since),
              Sharding.PER_SERIES,
              Order.KEPT,
              steps,
              metricName,
              Points.WITH_INPUT);
      this.fewestSamples = fewestSamples;
      this.histograms = histograms;
      this.edges = Set.of(edges);
    }

    @Override
    public Facts facts() {
      return facts;
    }

    /** The number of samples that a window needs for a result. */
    public int fewestSamples() {
      return fewestSamples;
    }

    public Histograms histograms() {
      return histograms;
    }

    /** Returns true if it can take a window with such edges. */
    public boolean allows(Edges those) {
      return those == Edges.PLAIN || edges.contains(those);
    }
  }

  /** Gives a number at each step. Evaluated by {@code exec.ScalarEvaluation}. */
  enum Scalar implements Function {
    END("", Since.NEWER_EXPERIMENTAL, Steps.QUERY),
    MAX_OF("ss", Since.NEWER_EXPERIMENTAL, Steps.ARGUMENTS),
    MIN_OF("ss", Since.NEWER_EXPERIMENTAL, Steps.ARGUMENTS),
    PI("", Since.V3_5, Steps.ARGUMENTS),
    RANGE("", Since.NEWER_EXPERIMENTAL, Steps.QUERY),
    SCALAR("v", Since.V3_5, Steps.ARGUMENTS),
    START("", Since.NEWER_EXPERIMENTAL, Steps.QUERY),
    STEP("", Since.NEWER_EXPERIMENTAL, Steps.QUERY),
    TIME("", Since.V3_5, Steps.TIME);

    private final Facts facts;

    Scalar(String arguments, Since since, Steps steps) {
      Signature signature = Signature.of(arguments, ValueType.SCALAR, since);
      boolean ofVector = signature.arguments().contains(ValueType.VECTOR);
      this.facts =
          new Facts(
              signature,
              ofVector ? Sharding.ONE_NUMBER : Sharding.NO_SERIES,
              Order.KEPT,
              steps,
              MetricName.WRITTEN,
              // A vector that is empty gives NaN.
              ofVector ? Points.WITHOUT_INPUT : Points.WITH_INPUT);
    }

    @Override
    public Facts facts() {
      return facts;
    }
  }

  /**
   * Reads histograms. Evaluated by {@code function.ClassicHistograms}, {@code NativeHistograms}.
   */
  enum OfHistograms implements Function {
    HISTOGRAM_AVG("v", Since.V3_5),
    HISTOGRAM_COUNT("v", Since.V3_5),
    HISTOGRAM_FRACTION("ssv", Since.V3_5),
    HISTOGRAM_QUANTILE("sv", Since.V3_5),
    HISTOGRAM_QUANTILES("vts+", Since.NEWER_EXPERIMENTAL),
    HISTOGRAM_STDDEV("v", Since.V3_5),
    HISTOGRAM_STDVAR("v", Since.V3_5),
    HISTOGRAM_SUM("v", Since.V3_5);

    private final Facts facts;

    OfHistograms(String arguments, Since since) {
      this.facts =
          new Facts(
              Signature.of(arguments, ValueType.VECTOR, since),
              Sharding.BUCKETS,
              Order.READ,
              Steps.ARGUMENTS,
              MetricName.WRITTEN,
              Points.WITH_INPUT);
    }

    @Override
    public Facts facts() {
      return facts;
    }
  }

  /** Works on a vector as a whole. Each has a method of its own in {@code exec.Evaluator}. */
  enum OfVectors implements Function {
    ABSENT("v", Sharding.ABSENCE, Order.LOST, Points.WITHOUT_INPUT),
    ABSENT_OVER_TIME("m", Sharding.ABSENCE, Order.LOST, Points.WITHOUT_INPUT),
    INFO("vv?", Since.V3_5_EXPERIMENTAL, Sharding.JOINS, Order.READ, Steps.TIME),
    LABEL_JOIN("vttt*", Sharding.RELABELS, Order.LOST, Points.WITH_INPUT),
    LABEL_REPLACE("vtttt", Sharding.RELABELS, Order.LOST, Points.WITH_INPUT),
    SORT("v", Sharding.SORTS, Order.SET, Points.WITH_INPUT),
    SORT_BY_LABEL("vt*", Since.V3_5_EXPERIMENTAL, Sharding.SORTS, Order.SET, Steps.ARGUMENTS),
    SORT_BY_LABEL_DESC("vt*", Since.V3_5_EXPERIMENTAL, Sharding.SORTS, Order.SET, Steps.ARGUMENTS),
    SORT_DESC("v", Sharding.SORTS, Order.SET, Points.WITH_INPUT),
    TIMESTAMP("v", Since.V3_5, Sharding.PER_SERIES, Order.KEPT, Steps.TIME),
    VECTOR("s", Sharding.NO_SERIES, Order.LOST, Points.WITHOUT_INPUT);

    private final Facts facts;

    OfVectors(String arguments, Sharding sharding, Order order, Points points) {
      this(arguments, Since.V3_5, sharding, order, Steps.ARGUMENTS, points);
    }

    OfVectors(String arguments, Since since, Sharding sharding, Order order, Steps steps) {
      this(arguments, since, sharding, order, steps, Points.WITH_INPUT);
    }

    OfVectors(
        String arguments, Since since, Sharding sharding, Order order, Steps steps, Points points) {
      this.facts =
          new Facts(
              Signature.of(arguments, ValueType.VECTOR, since),
              sharding,
              order,
              steps,
              MetricName.WRITTEN,
              points);
    }

    @Override
    public Facts facts() {
      return facts;
    }
  }

  /** The functions of all families by name. */
  final class Names {
    private static final List<Function> ALL;
    private static final Map<String, Function> BY_NAME = new HashMap<>();

    static {
      List<Function> all = new ArrayList<>();
      for (Class<?> family : Function.class.getPermittedSubclasses()) {
        for (Object constant : family.getEnumConstants()) {
          all.add((Function) constant);
        }
      }
      all.sort((a, b) -> a.name().compareTo(b.name()));
      ALL = Collections.unmodifiableList(all);
      for (Function function : all) {
        if (BY_NAME.put(function.text(), function) != null) {
          throw new IllegalStateException("two functions are called " + function.text());
        }
      }
    }

    private Names() {}
  }
}
