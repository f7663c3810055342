package io.fleetgauge.query.report;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Parameters of a report.
 *
 * @param by keys that it groups by, in the order of the columns
 * @param matchers of the series that it is made of
 * @param lookback longest time that a sample holds, ms
 * @param maxRows more are an error
 */
record ReportQuery(
    Period period, List<GroupKey> by, List<Matcher> matchers, long lookback, int maxRows) {

  String description() {
    return "report gpu-memory from "
        + Instant.ofEpochMilli(period.from())
        + " to "
        + Instant.ofEpochMilli(period.to())
        + " by "
        + by.stream().map(GroupKey::name).collect(Collectors.joining(","));
  }

  /** One for each of {@link Measure#SOURCES}. */
  List<List<Matcher>> selectors() {
    List<List<Matcher>> selectors = new ArrayList<>();
    for (Measure.Source source : Measure.SOURCES) {
      List<Matcher> selector = new ArrayList<>();
      selector.add(Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, source.metric().name()));
      if (source.role() == Measure.Role.SHARER) {
        // What processes show, or what was configured, gives nobody an hour.
        selector.add(Matcher.of(Matcher.Kind.EQUAL, "basis", "allocation"));
      }
      selector.addAll(matchers);
      selectors.add(List.copyOf(selector));
    }
    return selectors;
  }
}
