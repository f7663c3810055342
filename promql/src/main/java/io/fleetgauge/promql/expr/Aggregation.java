package io.fleetgauge.promql.expr;

import java.util.Locale;
import java.util.Optional;

/** The aggregation operators and the parameter they take. */
public enum Aggregation {
  SUM,
  AVG,
  MIN,
  MAX,
  COUNT,
  GROUP,
  STDDEV,
  STDVAR,
  TOPK(ValueType.SCALAR),
  BOTTOMK(ValueType.SCALAR),
  QUANTILE(ValueType.SCALAR),
  COUNT_VALUES(ValueType.STRING),
  LIMITK(ValueType.SCALAR),
  LIMIT_RATIO(ValueType.SCALAR);

  private final ValueType parameter;

  Aggregation() {
    this(null);
  }

  Aggregation(ValueType parameter) {
    this.parameter = parameter;
  }

  public Optional<ValueType> parameter() {
    return Optional.ofNullable(parameter);
  }

  public boolean isExperimental() {
    return this == LIMITK || this == LIMIT_RATIO;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** By the keyword, in any case of letters. */
  public static Optional<Aggregation> named(String word) {
    for (Aggregation aggregation : values()) {
      if (aggregation.name().equalsIgnoreCase(word)) {
        return Optional.of(aggregation);
      }
    }
    return Optional.empty();
  }
}
