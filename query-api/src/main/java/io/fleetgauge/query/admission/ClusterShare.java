package io.fleetgauge.query.admission;

/**
 * The part of the cluster's limits that this query API may use at the moment. Called for each query
 * under a lock, so it must not wait.
 */
public interface ClusterShare {
  /** A query API that is alone may use the limits as a whole. */
  ClusterShare WHOLE =
      new ClusterShare() {
        @Override
        public int running(String tenant, int limit) {
          return limit;
        }

        @Override
        public int inFlight(int limit) {
          return limit;
        }
      };

  /**
   * Number of queries of a tenant that may run here.
   *
   * @param limit limit of all query APIs together
   */
  int running(String tenant, int limit);

  /**
   * Number of queries of all tenants that may run or wait here.
   *
   * @param limit limit of all query APIs together
   */
  int inFlight(int limit);
}
