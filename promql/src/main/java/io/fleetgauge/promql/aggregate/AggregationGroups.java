package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.expr.Expr.Grouping;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.sample.Labels;

/** Which group a column belongs to. */
public record AggregationGroups(Grouping grouping) {
  public Labels of(Column column) {
    return grouping.without()
        ? column.labels().without(grouping.labels())
        : column.labels().only(grouping.labels());
  }
}
