package io.fleetgauge.promql.syntax;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The functions of PromQL 3.5 and what they take. */
public enum Function {
  ABS("v"),
  ABSENT("v"),
  ABSENT_OVER_TIME("m"),
  ACOS("v"),
  ACOSH("v"),
  ASIN("v"),
  ASINH("v"),
  ATAN("v"),
  ATANH("v"),
  AVG_OVER_TIME("m"),
  CEIL("v"),
  CHANGES("m"),
  CLAMP("vss"),
  CLAMP_MAX("vs"),
  CLAMP_MIN("vs"),
  COS("v"),
  COSH("v"),
  COUNT_OVER_TIME("m"),
  DAYS_IN_MONTH("v", 1),
  DAY_OF_MONTH("v", 1),
  DAY_OF_WEEK("v", 1),
  DAY_OF_YEAR("v", 1),
  DEG("v"),
  DELTA("m"),
  DERIV("m"),
  DOUBLE_EXPONENTIAL_SMOOTHING("mss", 0, Kind.EXPERIMENTAL),
  EXP("v"),
  FLOOR("v"),
  HISTOGRAM_AVG("v"),
  HISTOGRAM_COUNT("v"),
  HISTOGRAM_FRACTION("ssv"),
  HISTOGRAM_QUANTILE("sv"),
  HISTOGRAM_STDDEV("v"),
  HISTOGRAM_STDVAR("v"),
  HISTOGRAM_SUM("v"),
  HOUR("v", 1),
  IDELTA("m"),
  INCREASE("m"),
  INFO("vv", 1, Kind.EXPERIMENTAL),
  IRATE("m"),
  LABEL_JOIN("vttt", Count.ANY),
  LABEL_REPLACE("vtttt"),
  LAST_OVER_TIME("m"),
  LN("v"),
  LOG10("v"),
  LOG2("v"),
  MAD_OVER_TIME("m", 0, Kind.EXPERIMENTAL),
  MAX_OVER_TIME("m"),
  MINUTE("v", 1),
  MIN_OVER_TIME("m"),
  MONTH("v", 1),
  PI("", 0, Kind.SCALAR),
  PREDICT_LINEAR("ms"),
  PRESENT_OVER_TIME("m"),
  QUANTILE_OVER_TIME("sm"),
  RAD("v"),
  RATE("m"),
  RESETS("m"),
  ROUND("vs", 1),
  SCALAR("v", 0, Kind.SCALAR),
  SGN("v"),
  SIN("v"),
  SINH("v"),
  SORT("v"),
  SORT_BY_LABEL("vt", Count.ANY, Kind.EXPERIMENTAL),
  SORT_BY_LABEL_DESC("vt", Count.ANY, Kind.EXPERIMENTAL),
  SORT_DESC("v"),
  SQRT("v"),
  STDDEV_OVER_TIME("m"),
  STDVAR_OVER_TIME("m"),
  SUM_OVER_TIME("m"),
  TAN("v"),
  TANH("v"),
  TIME("", 0, Kind.SCALAR),
  TIMESTAMP("v"),
  TS_OF_LAST_OVER_TIME("m", 0, Kind.EXPERIMENTAL),
  TS_OF_MAX_OVER_TIME("m", 0, Kind.EXPERIMENTAL),
  TS_OF_MIN_OVER_TIME("m", 0, Kind.EXPERIMENTAL),
  VECTOR("s"),
  YEAR("v", 1);

  private static final class Count {
    /** The last argument may come any number of times, also never. */
    static final int ANY = -1;
  }

  private enum Kind {
    PLAIN,
    SCALAR,
    EXPERIMENTAL
  }

  private static final Map<String, Function> BY_NAME = new HashMap<>();

  static {
    for (Function function : values()) {
      BY_NAME.put(function.text(), function);
    }
  }

  private final List<ValueType> arguments;
  private final int optional;
  private final Kind kind;

  Function(String arguments) {
    this(arguments, 0);
  }

  Function(String arguments, int optional) {
    this(arguments, optional, Kind.PLAIN);
  }

  /**
   * @param arguments one letter each: v instant vector, m range vector, s scalar, t string
   * @param optional how many of the last may be left out, or {@link Count#ANY}
   */
  Function(String arguments, int optional, Kind kind) {
    this.arguments =
        arguments
            .chars()
            .mapToObj(
                letter ->
                    switch (letter) {
                      case 'v' -> ValueType.VECTOR;
                      case 'm' -> ValueType.MATRIX;
                      case 's' -> ValueType.SCALAR;
                      case 't' -> ValueType.STRING;
                      default -> throw new IllegalArgumentException(arguments);
                    })
            .toList();
    this.optional = optional;
    this.kind = kind;
  }

  public static Optional<Function> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isExperimental() {
    return kind == Kind.EXPERIMENTAL;
  }

  public ValueType returns() {
    return kind == Kind.SCALAR ? ValueType.SCALAR : ValueType.VECTOR;
  }

  public int fewestArguments() {
    return optional < 0 ? arguments.size() - 1 : arguments.size() - optional;
  }

  /** {@link Integer#MAX_VALUE} when there is no limit. */
  public int mostArguments() {
    return optional < 0 ? Integer.MAX_VALUE : arguments.size();
  }

  /** The type of the argument at {@code index}, counted from 0. */
  public ValueType argument(int index) {
    return arguments.get(Math.min(index, arguments.size() - 1));
  }
}
