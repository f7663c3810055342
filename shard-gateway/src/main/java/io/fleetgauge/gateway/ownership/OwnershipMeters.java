package io.fleetgauge.gateway.ownership;

import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.cluster.table.ClusterView;
import java.util.function.Supplier;

/** The metrics of the table, as this gateway knows it. */
public final class OwnershipMeters {
  private OwnershipMeters() {}

  /**
   * @param self this gateway's id
   */
  public static void declare(Meters meters, Supplier<ClusterView> view, String self) {
    meters.gauge(
        "owned_hosts",
        "Hosts that the table assigns to this gateway.",
        () -> view.get().table().load().getOrDefault(self, 0L));
    meters.gauge(
        "copied_hosts",
        "Hosts of which the table assigns a replica to this gateway.",
        () -> view.get().table().copiesOn(self));
    meters.gauge(
        "moving_hosts",
        "Hosts that are moving to or from this gateway.",
        () -> view.get().table().moves().getOrDefault(self, 0L));
    meters.gauge("table_epoch", "Epoch of the table.", () -> view.get().table().epoch());
    meters.gauge("members", "Gateways in the cluster.", () -> view.get().gateways().size());
  }
}
