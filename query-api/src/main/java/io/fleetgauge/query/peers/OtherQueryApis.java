package io.fleetgauge.query.peers;

import io.vertx.core.Future;
import java.util.List;

/** The other query APIs of the cluster. Futures complete on the caller's context. */
public interface OtherQueryApis {
  /** A query API that is alone. */
  OtherQueryApis NONE =
      new OtherQueryApis() {
        @Override
        public Future<Listing> queries() {
          return Future.succeededFuture(new Listing(List.of(), List.of()));
        }

        @Override
        public Future<Cancelled> cancel(long query, String askedBy) {
          return Future.succeededFuture(new Cancelled(false, List.of()));
        }
      };

  /**
   * Queries that others run.
   *
   * @param silent the names of the query APIs that did not answer in time
   */
  record Listing(List<RemoteQuery> queries, List<String> silent) {}

  /**
   * Result of a cancellation.
   *
   * @param silent the names of the query APIs that did not answer in time; one of them may run it
   */
  record Cancelled(boolean found, List<String> silent) {}

  /** The queries that they run. */
  Future<Listing> queries();

  /**
   * Cancels a query that one of them runs.
   *
   * @param askedBy the tenant of the operator who asks
   */
  Future<Cancelled> cancel(long query, String askedBy);
}
