package io.fleetgauge.query.report;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.prices.PriceRule;
import io.fleetgauge.query.prices.Rates;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What the figures of a report mean, in sentences. */
final class Definitions {
  private Definitions() {}

  static List<String> of(Report report) {
    UsageTerms terms = report.query().terms();
    List<String> all = new ArrayList<>();
    all.add(
        "Busy is allocated time with an activity of at least "
            + percent(terms.busy())
            + "; execution-idle has less at a power of at least "
            + percent(terms.highPower())
            + " of the limit; idle has less power; unknown has no samples");
    all.add(
        "A sample holds for "
            + Durations.print(terms.lookback())
            + "; gaps of one owner up to "
            + Durations.print(terms.bridge())
            + " are allocated");
    Rates rates = report.query().rates();
    if (!rates.prices().rules().isEmpty() || rates.prices().hasParts()) {
      all.add(prices(report.rules(), rates));
    }
    if (!rates.carbon().isEmpty()) {
      all.add(
          "Carbon is energy times the intensity of its hour times a PUE of "
              + Figure.plain(rates.pue()));
    }
    if (rates.leftOut() > 0) {
      all.add("Entries of the files of prices and carbon that are left out: " + rates.leftOut());
    }
    return all;
  }

  private static String prices(List<PriceRule> rules, Rates rates) {
    String currency = rates.prices().currency();
    String each =
        rules.stream()
            .map(rule -> rule.name() + " " + Figure.plain(rule.price()))
            .collect(Collectors.joining(", "));
    String ofCpu =
        rates.prices().cpu().map(price -> "; of a CPU hour " + Figure.plain(price)).orElse("");
    String ofMemory =
        rates
            .prices()
            .memory()
            .map(price -> "; of a GiB of host memory for an hour " + Figure.plain(price))
            .orElse("");
    return "Price of an allocated GPU hour"
        + (currency.isEmpty() ? "" : " in " + currency)
        + ": "
        + (each.isEmpty() ? "no rule applies" : each)
        + ofCpu
        + ofMemory;
  }

  static BigDecimal ratio(int millionths) {
    return BigDecimal.valueOf(millionths).movePointLeft(6);
  }

  private static String percent(int millionths) {
    return Figure.plain(BigDecimal.valueOf(millionths).movePointLeft(4)) + " %";
  }
}
