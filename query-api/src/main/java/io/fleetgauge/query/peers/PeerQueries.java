package io.fleetgauge.query.peers;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.cluster.bus.LocalQueries;
import io.fleetgauge.cluster.bus.QueryPeers;
import io.fleetgauge.cluster.bus.RemoteQuery;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.answer.RunningQueries;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects the queries of this process with those of the other query APIs, once the process has
 * joined the cluster; before, it is alone. Safe for all threads.
 */
public final class PeerQueries implements ClusterShare, OtherQueryApis {
  private static final Logger LOG = LoggerFactory.getLogger(PeerQueries.class);

  private final Vertx vertx;
  private volatile Optional<QueryPeers> peers = Optional.empty();

  public PeerQueries(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Begins to share limits and queries with the others.
   *
   * @param limits how many queries of a tenant may run at once
   */
  public void join(
      ClusterBus bus,
      Admission admission,
      RunningQueries running,
      ToIntFunction<String> limits,
      int maxConcurrent) {
    peers =
        Optional.of(QueryPeers.start(bus, new Local(admission, running), limits, maxConcurrent));
  }

  @Override
  public int running(String tenant, int limit) {
    return peers.map(joined -> joined.running(tenant, limit)).orElse(limit);
  }

  @Override
  public int inFlight(int limit) {
    return peers.map(joined -> joined.inFlight(limit)).orElse(limit);
  }

  @Override
  public Future<QueryPeers.Listing> queries() {
    return peers.map(joined -> onContext(joined.others())).orElseGet(NONE::queries);
  }

  @Override
  public Future<QueryPeers.Cancelled> cancel(long query, String askedBy) {
    return peers
        .map(joined -> onContext(joined.cancel(query, askedBy)))
        .orElseGet(() -> NONE.cancel(query, askedBy));
  }

  /** The bus answers on a thread of its own. */
  private <T> Future<T> onContext(Future<T> answer) {
    Context context = vertx.getOrCreateContext();
    Promise<T> promise = Promise.promise();
    answer.onComplete(
        done ->
            context.runOnContext(
                back -> {
                  if (done.succeeded()) {
                    promise.complete(done.result());
                  } else {
                    promise.fail(done.cause());
                  }
                }));
    return promise.future();
  }

  /** Tells the others about this process. */
  private record Local(Admission admission, RunningQueries queries) implements LocalQueries {
    @Override
    public Map<String, Use> uses() {
      Map<String, Use> uses = new HashMap<>();
      admission
          .uses()
          .forEach((tenant, use) -> uses.put(tenant, new Use(use.running(), use.waiting())));
      return uses;
    }

    @Override
    public Use all() {
      return new Use(admission.inFlight(), admission.takeWithoutPlace());
    }

    @Override
    public List<RemoteQuery> running() {
      long now = System.nanoTime();
      return queries.all().stream().map(query -> OtherQueryApis.described(query, now)).toList();
    }

    @Override
    public boolean cancel(long query, String askedBy) {
      boolean found = queries.cancel(query);
      if (found) {
        LOG.info("query {} was canceled by {} at another query API", query, askedBy);
      }
      return found;
    }

    @Override
    public void sharesChanged() {
      admission.shareChanged();
    }
  }
}
