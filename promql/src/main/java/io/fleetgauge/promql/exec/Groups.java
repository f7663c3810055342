package io.fleetgauge.promql.exec;

import io.fleetgauge.promql.syntax.Expr.Grouping;
import io.fleetgauge.sample.Labels;

/** Which group a column belongs to. */
record Groups(Grouping grouping) {
  Labels of(Column column) {
    return grouping.without()
        ? column.labels().without(grouping.labels())
        : column.labels().only(grouping.labels());
  }
}
