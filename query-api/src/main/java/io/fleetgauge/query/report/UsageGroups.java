package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.query.prices.PriceRule;
import io.fleetgauge.query.prices.Rates;
import io.fleetgauge.sample.Utf8Order;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rows of a report, made of what each owner had of each device. */
final class UsageGroups {
  private final ReportQuery query;
  private final Pieces pieces;
  private final List<List<PriceRule>> rules = new ArrayList<>();

  /** Of each piece, the place of its rules. */
  private final int[] rulesOf;

  private final List<Optional<BigDecimal>> grams = new ArrayList<>();
  private final Map<PricedAs, Optional<PriceRule>> rulesFound = new HashMap<>();
  private final Map<Cell, Sums> cells = new HashMap<>();

  private record PricedAs(int rules, List<String> values) {}

  private record Cell(int interval, List<String> group) {}

  private UsageGroups(ReportQuery query) {
    this.query = query;
    this.pieces = query.pieces();
    Rates rates = query.rates();
    this.rulesOf = new int[pieces.count()];
    Map<List<PriceRule>, Integer> places = new HashMap<>();
    for (int piece = 0; piece < pieces.count(); piece++) {
      List<PriceRule> here = rates.prices().at(pieces.start(piece));
      Integer place = places.putIfAbsent(here, rules.size());
      if (place == null) {
        place = rules.size();
        rules.add(here);
      }
      rulesOf[piece] = place;
      grams.add(rates.carbon().at(pieces.start(piece)));
    }
  }

  /**
   * @param usage rows whose interval is the number of a piece of the query
   * @throws QueryFailure if there are more rows than the query allows
   */
  static Report report(ReportQuery query, List<UsageRow> usage) throws QueryFailure {
    UsageGroups groups = new UsageGroups(query);
    for (UsageRow row : usage) {
      groups.add(row);
    }
    return groups.finish();
  }

  private void add(UsageRow row) throws QueryFailure {
    int piece = row.interval();
    List<String> group = query.by().stream().map(key -> key.of(row)).toList();
    Sums sums = cells.computeIfAbsent(new Cell(pieces.interval(piece), group), none -> new Sums());
    check();
    sums.add(row, pieces.isLast(piece));
    if (!query.rates().prices().rules().isEmpty()) {
      sums.price(row, rule(piece, row));
    }
    grams.get(piece).ifPresent(each -> sums.addCarbon(row, each));
  }

  private Optional<PriceRule> rule(int piece, UsageRow row) {
    List<PriceRule> here = rules.get(rulesOf[piece]);
    List<String> values = GroupKey.OF_PRICES.stream().map(key -> key.of(row)).toList();
    return rulesFound.computeIfAbsent(
        new PricedAs(rulesOf[piece], values),
        as ->
            here.stream()
                .filter(each -> each.isOf(values.get(0), values.get(1), values.get(2)))
                .findFirst());
  }

  private void check() throws QueryFailure {
    if (cells.size() > query.maxRows()) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "the report has more than the "
              + query.maxRows()
              + " rows that report.maxRows allows; group by less, select less with match[], or make"
              + " the steps longer");
    }
  }

  private Report finish() {
    List<Row> rows = new ArrayList<>();
    cells.forEach((cell, sums) -> rows.add(row(cell.interval(), cell.group(), sums)));
    rows.sort(Comparator.comparingLong(Row::from).thenComparing(Row::group, UsageGroups::compare));
    List<Row> totals = new ArrayList<>();
    for (Row row : rows) {
      if (totals.isEmpty() || totals.getLast().from() != row.from()) {
        totals.add(new Row(List.of(), row.from(), row.to(), new Sums()));
      }
      totals.getLast().sums().add(row.sums());
    }
    return new Report(query, rows, totals);
  }

  private Row row(int interval, List<String> group, Sums sums) {
    Period period = query.period();
    return new Row(group, period.start(interval), period.end(interval), sums);
  }

  private static int compare(List<String> one, List<String> other) {
    for (int i = 0; i < one.size(); i++) {
      int order = Utf8Order.compare(one.get(i), other.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
