package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How queries went. Safe for all threads. */
public final class QueryCounts {
  private final LongAdder queries = new LongAdder();
  private final LongAdder millis = new LongAdder();
  private final Map<QueryFailure.Kind, LongAdder> failures = new EnumMap<>(QueryFailure.Kind.class);

  public QueryCounts() {
    for (QueryFailure.Kind kind : QueryFailure.Kind.values()) {
      failures.put(kind, new LongAdder());
    }
  }

  void answered(long tookMillis) {
    queries.increment();
    millis.add(tookMillis);
  }

  void failed(QueryFailure.Kind kind) {
    failures.get(kind).increment();
  }

  public long queries() {
    return queries.sum();
  }

  /** Time of all queries together, waiting included. */
  public double seconds() {
    return millis.sum() / 1000.0;
  }

  /** How many requests failed, by Prometheus's error type. */
  public Map<String, Long> failures() {
    Map<String, Long> counts = new HashMap<>();
    failures.forEach((kind, count) -> counts.put(kind.text, count.sum()));
    return counts;
  }
}
