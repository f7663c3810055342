package io.fleetgauge.query.admission;

/** What the other query APIs of the cluster use of the limits that hold for all together. */
public interface UsageElsewhere {
  /** A query API that is alone, or does not know of others. */
  UsageElsewhere NONE =
      new UsageElsewhere() {
        @Override
        public int running(String tenant) {
          return 0;
        }

        @Override
        public int inFlight() {
          return 0;
        }
      };

  /** How many queries of a tenant run elsewhere. */
  int running(String tenant);

  /** How many queries of all tenants run or wait elsewhere. */
  int inFlight();
}
