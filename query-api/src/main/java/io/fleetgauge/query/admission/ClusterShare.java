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
   * How many queries of a tenant may run here.
   *
   * @param limit how many may run on all query APIs together
   */
  int running(String tenant, int limit);

  /**
   * How many queries of all tenants may run or wait here.
   *
   * @param limit how many may on all query APIs together
   */
  int inFlight(int limit);
}
