package io.fleetgauge.query.answer;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.slow.EndedQuery;
import io.fleetgauge.query.slow.SlowQueries;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts requests that ended and logs the slow ones. Thread-safe. */
final class QueryLog {
  private static final Logger LOG = LoggerFactory.getLogger(QueryLog.class);

  private final long warnMillis;
  private final long errorMillis;
  private final SlowQueries slow = new SlowQueries();
  private final LongAdder queries = new LongAdder();
  private final LongAdder queryMillis = new LongAdder();
  private final LongAdder lookups = new LongAdder();
  private final LongAdder lookupMillis = new LongAdder();

  QueryLog(QueryConfig config) {
    this.warnMillis = config.slowWarn().toMillis();
    this.errorMillis = config.slowError().toMillis();
  }

  /**
   * A request ended.
   *
   * @param reply null if it failed
   * @param failure null if it did not
   */
  void ended(Ask<?> ask, long millis, Reply<?> reply, Throwable failure) {
    boolean query = ask.request() instanceof Request.Promql;
    (query ? queries : lookups).increment();
    (query ? queryMillis : lookupMillis).add(millis);
    if (query) {
      slow.ended(endedQuery(ask, millis, reply, failure));
    }
    if (millis < warnMillis) {
      return;
    }
    QueryTrace trace =
        reply != null && reply.value() instanceof Evaluated evaluated ? evaluated.trace() : null;
    String cost = trace == null ? "unknown" : trace.estimated().toString();
    String plan = trace == null ? "none" : trace.plan().strip();
    String line = "slow query, {} ms, tenant {}, cost {}: {}; plan: {}";
    String tenant = ask.caller().tenant();
    String text = ask.request().description();
    if (millis >= errorMillis) {
      LOG.error(line, millis, tenant, cost, text, plan);
    } else {
      LOG.warn(line, millis, tenant, cost, text, plan);
    }
  }

  private static EndedQuery endedQuery(Ask<?> ask, long millis, Reply<?> reply, Throwable failure) {
    String tenant = ask.caller().tenant();
    String text = ask.request().description();
    if (reply == null || !(reply.value() instanceof Evaluated evaluated)) {
      boolean refused =
          failure instanceof QueryFailure of
              && (of.kind() == QueryFailure.Kind.LIMITED
                  || of.kind() == QueryFailure.Kind.UNAVAILABLE);
      String why = failure == null ? "no result" : String.valueOf(failure.getMessage());
      return EndedQuery.failed(tenant, text, millis, why, refused);
    }
    QueryTrace trace = evaluated.trace();
    Optional<QueryTrace.Shard> slowest =
        trace.shards().stream().max(Comparator.comparingLong(QueryTrace.Shard::nanos));
    return new EndedQuery(
        tenant,
        text,
        millis,
        "",
        false,
        trace.samples(),
        trace.estimated().work(),
        evaluated.timings().queued() / 1_000_000,
        evaluated.timings().fetched() / 1_000_000,
        evaluated.timings().evaluated() / 1_000_000,
        slowest.map(QueryTrace.Shard::name).orElse(""),
        slowest.map(shard -> shard.nanos() / 1_000_000).orElse(0L),
        trace.reasons().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(each -> each.getKey() + ": " + each.getValue())
            .toList());
  }

  /** The queries that ended, by what they cost. */
  SlowQueries slow() {
    return slow;
  }

  /** PromQL queries that ended. */
  long queries() {
    return queries.sum();
  }

  /** Time of all PromQL queries together, waiting included. */
  double querySeconds() {
    return queryMillis.sum() / 1000.0;
  }

  /** Requests for anything else that ended. */
  long lookups() {
    return lookups.sum();
  }

  double lookupSeconds() {
    return lookupMillis.sum() / 1000.0;
  }
}
