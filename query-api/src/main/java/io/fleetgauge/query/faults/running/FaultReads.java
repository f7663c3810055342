package io.fleetgauge.query.faults.running;

import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.admission.QueryLane;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Caller;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads samples in a lane of their own, whatever the limits of tenants. Safe for all threads. */
final class FaultReads {
  private static final long MOST = 1_000_000_000;

  /** As what it appears among tenants. */
  private static final Caller CALLER =
      new Caller(
          "(faults)",
          List.of(),
          true,
          new TenantLimits(1, 1, 1, MOST, MOST, Duration.ofDays(4_000), 1, false));

  private final Querier querier;
  private final long timeout;

  /**
   * Samples of hosts.
   *
   * @param missing hosts whose samples could not be read
   */
  record Read(Map<String, List<Series>> hosts, Set<String> missing) {
    boolean isWhole() {
      return missing.isEmpty();
    }
  }

  /**
   * @param timeout of each read, ms
   */
  FaultReads(Querier querier, long timeout) {
    this.querier = querier;
    this.timeout = timeout;
  }

  /** Reads the parts of a plan, one after the other. */
  Future<Read> hosts(List<ReadPlan.Part> plan) {
    Set<String> behind = new TreeSet<>();
    plan.forEach(part -> behind.addAll(part.behind()));
    Read read = new Read(new HashMap<>(), new TreeSet<>());
    Future<Read> all = Future.succeededFuture(read);
    for (ReadPlan.Part part : plan) {
      all =
          all.compose(
              sofar ->
                  samples(List.of(part.selection()))
                      .map(
                          reply -> {
                            sofar.missing.addAll(reply.completeness().missing());
                            add(reply.value().getFirst(), part, behind, sofar.hosts);
                            return sofar;
                          }));
    }
    return all;
  }

  private static void add(
      List<Series> series,
      ReadPlan.Part part,
      Set<String> behind,
      Map<String, List<Series>> hosts) {
    for (Series each : series) {
      String host = each.labels().value(ReadPlan.HOST);
      boolean isFor = part.behind().isEmpty() ? !behind.contains(host) : true;
      if (!host.isEmpty() && isFor && each.size() > 0) {
        hosts.computeIfAbsent(host, none -> new ArrayList<>()).add(each);
      }
    }
  }

  /** Reads samples as they are stored. */
  Future<Reply<List<List<Series>>>> samples(List<Selection> selections) {
    return ask(new Request.Samples(selections));
  }

  <T> Future<Reply<T>> ask(Request<T> request) {
    Ask.Options options =
        new Ask.Options(Planner.Mode.AUTO, false, false, timeout, QueryLane.FAULTS);
    try {
      return querier.answer(new Ask<>(CALLER, request, options), "", Promise.promise().future());
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }
}
