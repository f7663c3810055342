package io.fleetgauge.query.fleet;

import java.util.List;

/**
 * The cluster as it is seen from here.
 *
 * @param epoch of the table
 * @param minority true if so few gateways are in sight that others may have gone on without them
 */
public record ClusterState(long epoch, boolean minority, List<Gateway> gateways) {
  /**
   * @param address where it is reached, for people
   * @param hosts number of hosts that it owns
   */
  public record Gateway(String name, String address, long hosts) {}
}
