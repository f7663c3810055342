package io.fleetgauge.query.http;

import java.util.concurrent.atomic.LongAdder;

/** How queries went. Safe for all threads. */
public final class QueryCounts {
  private final LongAdder queries = new LongAdder();
  private final LongAdder millis = new LongAdder();

  void answered(long tookMillis) {
    queries.increment();
    millis.add(tookMillis);
  }

  public long queries() {
    return queries.sum();
  }

  /** Time of all queries together, waiting included. */
  public double seconds() {
    return millis.sum() / 1000.0;
  }
}
