package io.fleetgauge.query.answer;

import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.trace.Span;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The requests that are being answered. Thread-safe. */
public final class RunningQueries {
  private static final int PREFIX_BITS = 20;
  private static final int COUNTER_BITS = 32;

  /** Begins at a random number, so that ids are unique in the cluster; JSON holds them exactly. */
  private final AtomicLong lastId =
      new AtomicLong((long) new SecureRandom().nextInt(1 << PREFIX_BITS) << COUNTER_BITS);

  private final Map<Long, RunningQuery> queries = new ConcurrentSkipListMap<>();

  RunningQuery begin(Ask<?> ask, Span span, Cancellation cancellation) {
    RunningQuery query = new RunningQuery(lastId.incrementAndGet(), ask, span, cancellation);
    queries.put(query.id(), query);
    return query;
  }

  void end(RunningQuery query) {
    queries.remove(query.id());
  }

  /** In the order in which they came. */
  public List<RunningQuery> all() {
    return List.copyOf(queries.values());
  }

  /** Cancels a query for all its callers; false when there is none with this id. */
  public boolean cancel(long id) {
    RunningQuery query = queries.get(id);
    if (query != null) {
      query.cancel();
    }
    return query != null;
  }
}
