package io.fleetgauge.promql.expr;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The functions of PromQL and what they take. */
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
  DAYS_IN_MONTH("v", Trait.LAST_OPTIONAL),
  DAY_OF_MONTH("v", Trait.LAST_OPTIONAL),
  DAY_OF_WEEK("v", Trait.LAST_OPTIONAL),
  DAY_OF_YEAR("v", Trait.LAST_OPTIONAL),
  DEG("v"),
  DELTA("m"),
  DERIV("m"),
  DOUBLE_EXPONENTIAL_SMOOTHING("mss", Trait.EXPERIMENTAL),
  END("", Trait.SCALAR, Trait.EXPERIMENTAL, Trait.NEWER),
  EXP("v"),
  FIRST_OVER_TIME("m", Trait.NEWER),
  FLOOR("v"),
  HISTOGRAM_AVG("v"),
  HISTOGRAM_COUNT("v"),
  HISTOGRAM_FRACTION("ssv"),
  HISTOGRAM_QUANTILE("sv"),
  HISTOGRAM_QUANTILES("vts", Trait.LAST_REPEATED, Trait.EXPERIMENTAL, Trait.NEWER),
  HISTOGRAM_STDDEV("v"),
  HISTOGRAM_STDVAR("v"),
  HISTOGRAM_SUM("v"),
  HOUR("v", Trait.LAST_OPTIONAL),
  IDELTA("m"),
  INCREASE("m"),
  INFO("vv", Trait.LAST_OPTIONAL, Trait.EXPERIMENTAL),
  IRATE("m"),
  LABEL_JOIN("vttt", Trait.LAST_ANY),
  LABEL_REPLACE("vtttt"),
  LAST_OVER_TIME("m"),
  LN("v"),
  LOG10("v"),
  LOG2("v"),
  MAD_OVER_TIME("m", Trait.EXPERIMENTAL),
  MAX_OF("ss", Trait.SCALAR, Trait.EXPERIMENTAL, Trait.NEWER),
  MAX_OVER_TIME("m"),
  MINUTE("v", Trait.LAST_OPTIONAL),
  MIN_OF("ss", Trait.SCALAR, Trait.EXPERIMENTAL, Trait.NEWER),
  MIN_OVER_TIME("m"),
  MONTH("v", Trait.LAST_OPTIONAL),
  PI("", Trait.SCALAR),
  PREDICT_LINEAR("ms"),
  PRESENT_OVER_TIME("m"),
  QUANTILE_OVER_TIME("sm"),
  RAD("v"),
  RANGE("", Trait.SCALAR, Trait.EXPERIMENTAL, Trait.NEWER),
  RATE("m"),
  RESETS("m"),
  ROUND("vs", Trait.LAST_OPTIONAL),
  SCALAR("v", Trait.SCALAR),
  SGN("v"),
  SIN("v"),
  SINH("v"),
  SORT("v"),
  SORT_BY_LABEL("vt", Trait.LAST_ANY, Trait.EXPERIMENTAL),
  SORT_BY_LABEL_DESC("vt", Trait.LAST_ANY, Trait.EXPERIMENTAL),
  SORT_DESC("v"),
  SQRT("v"),
  START("", Trait.SCALAR, Trait.EXPERIMENTAL, Trait.NEWER),
  STDDEV_OVER_TIME("m"),
  STDVAR_OVER_TIME("m"),
  STEP("", Trait.SCALAR, Trait.EXPERIMENTAL, Trait.NEWER),
  SUM_OVER_TIME("m"),
  TAN("v"),
  TANH("v"),
  TIME("", Trait.SCALAR),
  TIMESTAMP("v"),
  TS_OF_FIRST_OVER_TIME("m", Trait.EXPERIMENTAL, Trait.NEWER),
  TS_OF_LAST_OVER_TIME("m", Trait.EXPERIMENTAL),
  TS_OF_MAX_OVER_TIME("m", Trait.EXPERIMENTAL),
  TS_OF_MIN_OVER_TIME("m", Trait.EXPERIMENTAL),
  VECTOR("s"),
  YEAR("v", Trait.LAST_OPTIONAL);

  private enum Trait {
    /** The last argument may be left out. */
    LAST_OPTIONAL,
    /** The last argument may come any number of times, also never. */
    LAST_ANY,
    /** The last argument may come any number of times, at least once. */
    LAST_REPEATED,
    /** The result is a scalar, and not a vector. */
    SCALAR,
    /** Behind a flag, in 3.5 or, if it is younger, since it is there. */
    EXPERIMENTAL,
    /** 3.5 does not have it. */
    NEWER
  }

  private static final Map<String, Function> BY_NAME = new HashMap<>();

  static {
    for (Function function : values()) {
      BY_NAME.put(function.text(), function);
    }
  }

  private final List<ValueType> arguments;
  private final Set<Trait> traits;

  /**
   * @param arguments one letter each: v instant vector, m range vector, s scalar, t string
   */
  Function(String arguments, Trait... traits) {
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
    this.traits = Set.of(traits);
  }

  public static Optional<Function> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isExperimental() {
    return traits.contains(Trait.EXPERIMENTAL);
  }

  /** Whether it is younger than 3.5. */
  public boolean isNewer() {
    return traits.contains(Trait.NEWER);
  }

  public ValueType returns() {
    return traits.contains(Trait.SCALAR) ? ValueType.SCALAR : ValueType.VECTOR;
  }

  public int fewestArguments() {
    boolean lastMayMiss = traits.contains(Trait.LAST_OPTIONAL) || traits.contains(Trait.LAST_ANY);
    return arguments.size() - (lastMayMiss ? 1 : 0);
  }

  /** {@link Integer#MAX_VALUE} when there is no limit. */
  public int mostArguments() {
    return traits.contains(Trait.LAST_ANY) || traits.contains(Trait.LAST_REPEATED)
        ? Integer.MAX_VALUE
        : arguments.size();
  }

  /** The types of the arguments as they are declared; the last may be taken more than once. */
  public List<ValueType> arguments() {
    return arguments;
  }

  /** How many arguments may come beyond those that must: 0, 1, or -1 for any number. */
  public int variadic() {
    if (mostArguments() == Integer.MAX_VALUE) {
      return -1;
    }
    return mostArguments() - fewestArguments();
  }

  /** The type of the argument at {@code index}, counted from 0. */
  public ValueType argument(int index) {
    return arguments.get(Math.min(index, arguments.size() - 1));
  }
}
