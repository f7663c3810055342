package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;

/** An aggregation under way: columns come in one by one, then the result goes out. */
public interface Aggregator {
  void add(Column column) throws QueryFailure;

  void finish(Sink sink) throws QueryFailure;
}
