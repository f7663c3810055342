package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Utf8Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The groups of a report, and all of them together. */
final class Groups {
  private final List<GroupKey> by;
  private final Period period;
  private final int maxRows;
  private final Map<List<String>, Group> byValues = new HashMap<>();
  private final Group all;

  /**
   * @param maxRows more are an error
   */
  Groups(List<GroupKey> by, Period period, int maxRows) {
    this.by = by;
    this.period = period;
    this.maxRows = maxRows;
    this.all = new Group(List.of(), period);
  }

  Group all() {
    return all;
  }

  /**
   * The group of a series.
   *
   * @param device labels of its device
   */
  Group of(Labels series, Labels device) throws QueryFailure {
    List<String> values = by.stream().map(key -> key.of(series, device)).toList();
    Group group = byValues.get(values);
    if (group == null) {
      check(byValues.size() + 1L);
      group = new Group(values, period);
      byValues.put(values, group);
    }
    return group;
  }

  private void check(long rows) throws QueryFailure {
    if (rows > maxRows) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "the report has more than the "
              + maxRows
              + " rows that report.maxRows allows; group by less, select less with match[], or make"
              + " the steps longer");
    }
  }

  /** Applies all changes so far. */
  void settle() throws QueryFailure {
    long rows = 0;
    for (Group group : byValues.values()) {
      group.settle();
      rows += group.rows();
    }
    all.settle();
    check(rows);
  }

  /** The rows, in order of time and then of their groups. */
  List<Row> finish() throws QueryFailure {
    List<Row> rows = new ArrayList<>();
    for (Group group : byValues.values()) {
      rows.addAll(group.finish());
      check(rows.size());
    }
    rows.sort(Comparator.comparingLong(Row::from).thenComparing(Row::group, Groups::compare));
    return rows;
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
