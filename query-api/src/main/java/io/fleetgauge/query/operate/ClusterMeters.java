package io.fleetgauge.query.operate;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.frame.PseudoHosts;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The metrics of the cluster as this process sees it. */
public record ClusterMeters(Supplier<ClusterView> view) {
  /** Declares them. */
  public void declare(Meters meters) {
    meters.gauge("table_epoch", "Epoch of the ownership table.", () -> view.get().table().epoch());
    meters.gauge("gateways", "Gateways in the cluster.", () -> view.get().gateways().size());
    meters.gauge("hosts", "Hosts in the ownership table.", () -> ofTheFleet(holders -> true));
    meters.gauge(
        "hosts_on_two",
        "Fully replicated hosts: a replica has every sample that the owner has.",
        () -> ofTheFleet(holders -> holders.copies().stream().anyMatch(Holders.Copy::synced)));
    meters.gauge(
        "hosts_moving",
        "Hosts that are moving to another owner.",
        () -> count(holders -> holders.next().isPresent()));
    meters.gauge(
        "hosts_not_whole",
        "Hosts whose owner may lack acknowledged samples.",
        () -> count(holders -> !holders.whole()));
  }

  /** Hosts of the fleet; their number and the number on two gateways are compared. */
  private long ofTheFleet(Predicate<Holders> which) {
    return view.get().table().holders().entrySet().stream()
        .filter(entry -> !PseudoHosts.isOne(entry.getKey()) && which.test(entry.getValue()))
        .count();
  }

  /** Hosts, with those that stand for series without a host. */
  private long count(Predicate<Holders> which) {
    return view.get().table().holders().values().stream().filter(which).count();
  }
}
