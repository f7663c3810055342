package io.fleetgauge.query.report;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.prices.Rates;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Parameters of a report.
 *
 * @param pieces of the period
 * @param by keys that it groups by, in the order of the columns
 * @param matchers of the series that it is made of
 * @param terms by which usage is counted
 * @param rates by which it is priced
 * @param maxRows more are an error
 */
record ReportQuery(
    Pieces pieces,
    List<GroupKey> by,
    List<Matcher> matchers,
    UsageTerms terms,
    Rates rates,
    int maxRows) {

  /**
   * @param period without the pieces, into which prices and carbon cut it
   * @throws QueryFailure if there are too many pieces
   */
  static ReportQuery of(
      Period period,
      List<GroupKey> by,
      List<Matcher> matchers,
      UsageTerms terms,
      Rates rates,
      int maxRows)
      throws QueryFailure {
    Pieces pieces = Pieces.of(period, rates.changes(period.from(), period.to()));
    if (pieces.count() > UsagePeriod.MAX_INTERVALS) {
      throw Parameters.invalid(
          "to",
          "prices and carbon cut the period into more than "
              + UsagePeriod.MAX_INTERVALS
              + " pieces; choose a shorter one");
    }
    return new ReportQuery(pieces, by, matchers, terms, rates, maxRows);
  }

  /** What it asks gateways for. */
  Request.Usage usage() {
    return new Request.Usage(
        description(), matchers, labels(), UsagePeriod.of(pieces.borders()), terms);
  }

  Period period() {
    return pieces.period();
  }

  /** The labels that rows are made of, sorted. */
  List<String> labels() {
    Stream<GroupKey> prices =
        rates.prices().rules().isEmpty() ? Stream.empty() : GroupKey.OF_PRICES.stream();
    return Stream.concat(by.stream(), prices)
        .flatMap(key -> key.labels().stream())
        .distinct()
        .sorted()
        .toList();
  }

  String description() {
    return "report usage from "
        + Instant.ofEpochMilli(period().from())
        + " to "
        + Instant.ofEpochMilli(period().to())
        + " by "
        + by.stream().map(GroupKey::name).collect(Collectors.joining(","));
  }
}
