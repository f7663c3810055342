package io.fleetgauge.query.peers;

import io.fleetgauge.cluster.bus.QueryPeers;
import io.fleetgauge.cluster.bus.RemoteQuery;
import io.fleetgauge.query.answer.RunningQuery;
import io.vertx.core.Future;
import java.util.List;

/** The other query APIs of the cluster. Futures complete on the caller's context. */
public interface OtherQueryApis {
  /** A query API that is alone. */
  OtherQueryApis NONE =
      new OtherQueryApis() {
        @Override
        public Future<QueryPeers.Listing> queries() {
          return Future.succeededFuture(new QueryPeers.Listing(List.of(), List.of()));
        }

        @Override
        public Future<QueryPeers.Cancelled> cancel(long query, String askedBy) {
          return Future.succeededFuture(new QueryPeers.Cancelled(false, List.of()));
        }
      };

  /** The queries that they run. */
  Future<QueryPeers.Listing> queries();

  /**
   * Cancels a query that one of them runs.
   *
   * @param askedBy the tenant of the operator who asks
   */
  Future<QueryPeers.Cancelled> cancel(long query, String askedBy);

  /**
   * A query of this process as others see it.
   *
   * @param now as {@link System#nanoTime} counts
   */
  static RemoteQuery described(RunningQuery query, long now) {
    return new RemoteQuery(
        query.id(),
        query.tenant(),
        query.text(),
        query.state().text,
        Math.max(0, (now - query.begun()) / 1_000_000),
        query.cost().series(),
        query.cost().samples());
  }
}
