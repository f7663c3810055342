package io.fleetgauge.promql.exec;

/** An aggregation under way: columns come in one by one, then the result goes out. */
interface Aggregator {
  void add(Column column) throws QueryFailure;

  void finish(Sink sink) throws QueryFailure;
}
