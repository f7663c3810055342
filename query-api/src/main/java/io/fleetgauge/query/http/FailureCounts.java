package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.runtime.process.Meters;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of failed requests. Safe for all threads. */
public final class FailureCounts {
  private final Map<QueryFailure.Kind, LongAdder> counts = new EnumMap<>(QueryFailure.Kind.class);

  public FailureCounts() {
    for (QueryFailure.Kind kind : QueryFailure.Kind.values()) {
      counts.put(kind, new LongAdder());
    }
  }

  public void declare(Meters meters) {
    meters.counters(
        "failures",
        "Requests that failed, by Prometheus's error type.",
        "error_type",
        this::byErrorType);
  }

  void add(QueryFailure.Kind kind) {
    counts.get(kind).increment();
  }

  Map<String, Long> byErrorType() {
    Map<String, Long> sums = new TreeMap<>();
    counts.forEach((kind, count) -> sums.merge(kind.errorType, count.sum(), Long::sum));
    return sums;
  }
}
