package io.fleetgauge.query.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reports.
 *
 * @param maxRows {@code report.maxRows}
 * @param prices {@code report.prices}
 * @param carbon {@code report.carbon}
 * @param pue {@code report.pue}
 * @param scheduled {@code report.scheduled}
 */
public record ReportSettings(
    int maxRows,
    Optional<Path> prices,
    Optional<Path> carbon,
    BigDecimal pue,
    List<ScheduledReportSettings> scheduled) {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,2}(\\.\\d{1,6})?");
  private static final BigDecimal MOST = BigDecimal.TEN;

  private static final Key<Integer> MAX_ROWS =
      Key.of(
          "report.maxRows",
          KeyType.integer(1, 1_000_000),
          100_000,
          "Maximum number of rows of a report; with more it fails with status 422.");
  private static final Key<Path> PRICES =
      Key.optional(
          "report.prices",
          KeyType.file(),
          "File with the prices of GPU hours, in the form that `docs/report.md` describes. Read"
              + " again when it has changed.");
  private static final Key<Path> CARBON =
      Key.optional(
          "report.carbon",
          KeyType.file(),
          "File with the carbon intensity of the electricity for each hour, as CSV if its name"
              + " ends in `.csv`, else as YAML, in the form that `docs/report.md` describes. Read"
              + " again when it has changed.");
  private static final Key<BigDecimal> PUE =
      Key.of(
          "report.pue",
          KeyType.form(
              "number",
              "a number from 1 to 10",
              BigDecimal::toPlainString,
              text ->
                  Optional.of(text)
                      .filter(NUMBER.asMatchPredicate())
                      .map(BigDecimal::new)
                      .filter(each -> each.compareTo(BigDecimal.ONE) >= 0)
                      .filter(each -> each.compareTo(MOST) <= 0)),
          BigDecimal.ONE,
          "Power usage effectiveness: the site's energy for one kWh of its computers; the carbon"
              + " of reports is multiplied by it.");

  public ReportSettings {
    scheduled = List.copyOf(scheduled);
  }

  /** Without prices and carbon. */
  static ReportSettings none() {
    return new ReportSettings(
        MAX_ROWS.fallback().orElseThrow(),
        Optional.empty(),
        Optional.empty(),
        PUE.fallback().orElseThrow(),
        List.of());
  }

  /** Without prices and carbon, and with these. */
  public static ReportSettings scheduled(List<ScheduledReportSettings> all) {
    ReportSettings none = none();
    return new ReportSettings(none.maxRows, none.prices, none.carbon, none.pue, all);
  }

  static ReportSettings read(ConfigReader in) {
    return new ReportSettings(
        in.get(MAX_ROWS),
        in.find(PRICES),
        in.find(CARBON),
        in.get(PUE),
        ScheduledReportSettings.read(in));
  }
}
