package io.fleetgauge.query.answer;

import io.fleetgauge.cluster.config.QueryConfig;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts requests that ended and logs the slow ones. Thread-safe. */
final class QueryLog {
  private static final Logger LOG = LoggerFactory.getLogger(QueryLog.class);

  private final long warnMillis;
  private final long errorMillis;
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
   */
  void ended(Ask<?> ask, long millis, Reply<?> reply) {
    boolean query = ask.request() instanceof Request.Promql;
    (query ? queries : lookups).increment();
    (query ? queryMillis : lookupMillis).add(millis);
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
