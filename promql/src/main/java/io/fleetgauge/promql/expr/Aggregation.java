package io.fleetgauge.promql.expr;

import java.util.Locale;
import java.util.Optional;

/** The aggregation operators, and all that is known of each. */
public enum Aggregation {
  SUM(null, false, Partials.EXACT, Order.IGNORED),
  AVG(null, false, Partials.EXACT, Order.IGNORED),
  MIN(null, false, Partials.EXACT, Order.IGNORED),
  MAX(null, false, Partials.EXACT, Order.IGNORED),
  COUNT(null, false, Partials.EXACT, Order.IGNORED),
  GROUP(null, false, Partials.EXACT, Order.IGNORED),
  STDDEV(null, false, Partials.NONE, Order.READ),
  STDVAR(null, false, Partials.NONE, Order.READ),
  TOPK(ValueType.SCALAR, false, Partials.NONE, Order.SET),
  BOTTOMK(ValueType.SCALAR, false, Partials.NONE, Order.SET),
  QUANTILE(ValueType.SCALAR, false, Partials.NONE, Order.IGNORED),
  COUNT_VALUES(ValueType.STRING, false, Partials.NONE, Order.IGNORED),
  LIMITK(ValueType.SCALAR, true, Partials.NONE, Order.READ),
  LIMIT_RATIO(ValueType.SCALAR, true, Partials.NONE, Order.READ);

  /** The ways to merge partials of a group that several shards folded. */
  public enum Partials {
    /** Yes, bit for bit equal to one fold over all series. */
    EXACT,
    /** No, all values have to be in one place. */
    NONE
  }

  /** The influence of the order of the input on the result. */
  public enum Order {
    IGNORED,
    /** The first of equal values counts, or the last bits depend on it. */
    READ,
    /** As {@link #READ}, and it sets the order of an instant query's result. */
    SET
  }

  private final ValueType parameter;
  private final boolean experimental;
  private final Partials partials;
  private final Order order;

  /**
   * @param parameter null when there is none
   */
  Aggregation(ValueType parameter, boolean experimental, Partials partials, Order order) {
    this.parameter = parameter;
    this.experimental = experimental;
    this.partials = partials;
    this.order = order;
  }

  public Optional<ValueType> parameter() {
    return Optional.ofNullable(parameter);
  }

  public boolean isExperimental() {
    return experimental;
  }

  public Partials partials() {
    return partials;
  }

  public Order order() {
    return order;
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
