package io.fleetgauge.query.report;

import io.fleetgauge.query.prices.PriceRule;
import java.math.BigDecimal;
import java.util.List;

/**
 * What a group had in an interval.
 *
 * @param group its values of what the report groups by, in that order
 * @param from ms
 * @param to ms
 */
record Row(List<String> group, long from, long to, Sums sums) {
  /**
   * What a rule prices of a row.
   *
   * @param hours of GPUs
   */
  record Charge(PriceRule rule, BigDecimal hours, BigDecimal cost) {}

  /** What it costs by the rules that apply, in the order in which they were met. */
  List<Charge> charges() {
    return sums.priced().entrySet().stream()
        .filter(each -> each.getValue().toBigInteger().signum() != 0)
        .map(
            each ->
                new Charge(
                    each.getKey(),
                    Units.hours(each.getValue().toBigInteger()),
                    Units.rounded(Units.cost(each.getKey(), each.getValue()))))
        .toList();
  }
}
