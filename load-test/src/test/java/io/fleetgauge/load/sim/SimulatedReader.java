package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** A query API: a member that only reads, and asks gateways for their hosts. */
final class SimulatedReader implements SimulatedMember.Host {
  static final String ID = "q";

  private final Simulation simulation;
  private final Map<URI, SimulatedGateway> gateways;
  private final Ledger ledger;
  private final SimulatedMember member;

  SimulatedReader(
      Simulation simulation,
      SimulatedCluster cluster,
      Map<URI, SimulatedGateway> gateways,
      Ledger ledger) {
    this.simulation = simulation;
    this.gateways = gateways;
    this.ledger = ledger;
    this.member =
        new SimulatedMember(simulation, cluster, this, Optional.empty(), OwnershipTable.EMPTY);
  }

  ClusterView view() {
    return member.view();
  }

  void start() {
    member.join();
  }

  /** Reads every host wherever the newest view that is here says it can be read. */
  void readAll() {
    ClusterView view = member.view();
    for (String host : view.table().hosts()) {
      for (URI address : view.readers(host)) {
        SimulatedGateway gateway = gateways.get(address);
        if (gateway.isAwake() && simulation.reaches(ID, gateway.id())) {
          long epoch = Math.min(view.table().epoch(), gateway.view().table().epoch());
          gateway
              .query(host, view.table().epoch())
              .ifPresent(times -> ledger.answeredQuery(gateway.id(), host, epoch, times));
        }
      }
    }
  }

  @Override
  public String id() {
    return ID;
  }

  @Override
  public Optional<URI> address() {
    return Optional.empty();
  }

  @Override
  public boolean isRunning() {
    return true;
  }

  @Override
  public boolean isAwake() {
    return true;
  }

  @Override
  public void keep(OwnershipTable table) {
    throw new AssertionError("a process that only reads keeps no table");
  }

  @Override
  public void publish(ClusterView view) {
    // It asks for the view when it reads.
  }
}
