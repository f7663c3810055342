package io.fleetgauge.gateway.ownership;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.runtime.process.Meters;
import java.util.Map;
import java.util.function.Supplier;

/** The metrics of the table, as this gateway knows it. */
public final class OwnershipMeters {
  private OwnershipMeters() {}

  /**
   * @param forgotten hosts that left tables which this gateway wrote, by reason
   * @param self this gateway's id
   */
  public static void declare(
      Meters meters,
      Supplier<ClusterView> view,
      Supplier<Map<String, Long>> forgotten,
      String self) {
    meters.counters(
        "hosts_forgotten",
        "Hosts that left the table, counted by the gateway that wrote it: expired, without samples"
            + " within retention, or removed by an operator.",
        "reason",
        forgotten);
    meters.gauge(
        "owned_hosts",
        "Hosts that the table assigns to this gateway.",
        () -> view.get().table().load().getOrDefault(self, 0L));
    meters.gauge(
        "copied_hosts",
        "Hosts whose replica the table assigns to this gateway.",
        () -> view.get().table().copiesOn(self));
    meters.gauge(
        "synced_hosts",
        "Hosts whose replica on this gateway is complete according to the table.",
        () -> view.get().table().syncedOn(self));
    meters.gauge(
        "moving_hosts",
        "Hosts that are moving to or from this gateway.",
        () -> view.get().table().moves().getOrDefault(self, 0L));
    meters.gauge("table_epoch", "Epoch of the table.", () -> view.get().table().epoch());
    meters.gauge(
        "table_number",
        "Table versions since the cluster began; changes of hosts, moves and failures increase it.",
        () -> view.get().table().number());
    meters.gauge("members", "Gateways in the cluster.", () -> view.get().gateways().size());
  }
}
