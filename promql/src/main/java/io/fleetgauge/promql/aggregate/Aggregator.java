package io.fleetgauge.promql.aggregate;

import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Sink;

/** A running aggregation: it receives columns one at a time, then pushes the result. */
public interface Aggregator {
  void add(Column column) throws QueryFailure;

  void finish(Sink sink) throws QueryFailure;
}
