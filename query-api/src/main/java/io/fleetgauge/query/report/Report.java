package io.fleetgauge.query.report;

import io.fleetgauge.query.prices.PriceRule;
import java.util.List;

/**
 * A report.
 *
 * @param rows in order of time and then of their groups; a group has no row for an interval in
 *     which no sample tells of it
 * @param totals one row for each interval that has any, of all groups together
 */
record Report(ReportQuery query, List<Row> rows, List<Row> totals) {

  /** The rules that apply to anything in it. */
  List<PriceRule> rules() {
    return totals.stream()
        .flatMap(row -> row.charges().stream())
        .map(Row.Charge::rule)
        .distinct()
        .toList();
  }
}
