package io.fleetgauge.query.answer;

import io.fleetgauge.query.fleet.ClusterState;
import java.util.List;

/**
 * The cluster as this process sees it, for people.
 *
 * @param epoch epoch of the ownership table
 * @param minority whether a majority of the gateways may have gone on without the visible ones
 */
public record ClusterOverview(long epoch, boolean minority, List<Gateway> gateways) {
  /**
   * @param address where it is reached
   * @param hosts how many hosts it owns
   */
  public record Gateway(String name, String address, long hosts) {}

  static ClusterOverview of(ClusterState state) {
    return new ClusterOverview(
        state.epoch(),
        state.minority(),
        state.gateways().stream()
            .map(each -> new Gateway(each.name(), each.address(), each.hosts()))
            .toList());
  }
}
