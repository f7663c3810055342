package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.BusMessage.AmongQueryApis;
import io.fleetgauge.cluster.bus.BusMessage.CancelAsked;
import io.fleetgauge.cluster.bus.BusMessage.CancelTold;
import io.fleetgauge.cluster.bus.BusMessage.Leaving;
import io.fleetgauge.cluster.bus.BusMessage.QueriesAsked;
import io.fleetgauge.cluster.bus.BusMessage.QueriesTold;
import io.fleetgauge.cluster.bus.BusMessage.UsageGrants;
import io.fleetgauge.cluster.bus.BusMessage.UsageReport;
import io.fleetgauge.cluster.bus.RunningDirectory.Result;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * What the query APIs of a cluster do together: share limits, list running queries, cancel each
 * other's. Carries out the effects of {@link SharedUsage} and {@link RunningDirectory} on the bus's
 * thread. Safe for all threads.
 */
public final class QueryPeers {
  private static final int TICK_MILLIS = 100;

  private final ClusterBus bus;
  private final LocalQueries local;
  private final PeerDirectory peers;
  private final SharedUsage usage;
  private final RunningDirectory directory;
  private final Map<Long, Promise<Result>> promises = new HashMap<>();

  /**
   * The queries of other query APIs.
   *
   * @param silent the names of the query APIs that did not answer in time
   */
  public record Listing(List<RemoteQuery> queries, List<String> silent) {}

  /**
   * Whether a query was cancelled.
   *
   * @param silent the names of the query APIs that did not answer in time; one of them may run it
   */
  public record Cancelled(boolean found, List<String> silent) {}

  private QueryPeers(
      ClusterBus bus, LocalQueries local, ToIntFunction<String> limits, int maxConcurrent) {
    this.bus = bus;
    this.local = local;
    this.peers = new PeerDirectory(bus.self());
    this.directory = new RunningDirectory(peers);
    this.usage =
        new SharedUsage(
            peers,
            key -> key.equals(SharedUsage.ALL_TENANTS) ? maxConcurrent : limits.applyAsInt(key));
  }

  /**
   * Begins to share; the process has joined the cluster.
   *
   * @param limits how many queries of a tenant may run at once
   * @param maxConcurrent how many queries of all tenants may run or wait at once
   */
  public static QueryPeers start(
      ClusterBus bus, LocalQueries local, ToIntFunction<String> limits, int maxConcurrent) {
    QueryPeers peers = new QueryPeers(bus, local, limits, maxConcurrent);
    bus.run(
        () -> {
          peers.peers.members(bus.queryApis());
          peers.usage.joined(now());
        });
    bus.onQueryMessage(peers::heard);
    bus.every(TICK_MILLIS, peers::tick);
    return peers;
  }

  /** How many queries of a tenant may run here at once; never waits. */
  public int running(String tenant, int limit) {
    return usage.allowed(tenant, limit, now());
  }

  /** How many queries of all tenants may run or wait here at once; never waits. */
  public int inFlight(int limit) {
    return usage.allowed(SharedUsage.ALL_TENANTS, limit, now());
  }

  /** The queries that other query APIs run; within about a second. */
  public Future<Listing> others() {
    return ask(true, 0, "").map(result -> new Listing(result.queries(), result.silent()));
  }

  /** Cancels a query that another query API runs; within about a second. */
  public Future<Cancelled> cancel(long query, String askedBy) {
    return ask(false, query, askedBy)
        .map(result -> new Cancelled(result.isFound(), result.silent()));
  }

  private Future<Result> ask(boolean list, long query, String askedBy) {
    Promise<Result> promise = Promise.promise();
    bus.run(
        () -> {
          if (directory.isFull()) {
            promise.fail(
                "more than "
                    + RunningDirectory.MAX_QUESTIONS
                    + " questions to other query APIs wait for answers; try again later");
            return;
          }
          if (list) {
            QueriesAsked asked = directory.list(now());
            promises.put(asked.request(), promise);
            bus.sendToQueryApis(asked);
          } else {
            CancelAsked asked = directory.cancel(query, askedBy, now());
            promises.put(asked.request(), promise);
            bus.sendToQueryApis(asked);
          }
          finish();
        });
    return promise.future();
  }

  private void tick() {
    peers.members(bus.queryApis());
    Map<String, SharedUsage.Use> uses = new HashMap<>();
    local.uses().forEach((tenant, use) -> uses.put(tenant, of(use)));
    LocalQueries.Use all = local.all();
    if (all.running() + all.waiting() > 0) {
      uses.put(SharedUsage.ALL_TENANTS, of(all));
    }
    usage.tick(uses, now()).forEach(bus::sendToQueryApis);
    finish();
    wake();
  }

  private static SharedUsage.Use of(LocalQueries.Use use) {
    return new SharedUsage.Use(use.running(), use.waiting());
  }

  private void heard(Peer from, AmongQueryApis message) {
    peers.heard(from, now());
    switch (message) {
      case UsageReport report -> usage.heard(from, report, now()).forEach(bus::sendToQueryApis);
      case UsageGrants grants -> {
        if (usage.heard(from, grants, now())) {
          tick();
        }
      }
      case QueriesAsked asked -> {
        List<RemoteQuery> running = local.running();
        bus.sendToQueryApis(
            new QueriesTold(
                asked.request(),
                running.subList(0, Math.min(running.size(), MessageForm.MAX_QUERIES))));
      }
      case CancelAsked asked ->
          bus.sendToQueryApis(
              new CancelTold(asked.request(), local.cancel(asked.query(), asked.askedBy())));
      case QueriesTold told -> directory.heard(from, told);
      case CancelTold told -> directory.heard(from, told);
      case Leaving leaving -> peers.left(from);
    }
    finish();
    wake();
  }

  private void finish() {
    for (Result result : directory.done(now())) {
      Promise<Result> promise = promises.remove(result.question());
      if (promise != null) {
        promise.complete(result);
      }
    }
  }

  private void wake() {
    if (usage.hasChanged()) {
      local.sharesChanged();
    }
  }

  private static long now() {
    return System.nanoTime() / 1_000_000 & Long.MAX_VALUE;
  }
}
