package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Situation.Report;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The parts of the cluster that intake needs. Nothing in it waits.
 *
 * @param self the id of this gateway
 * @param replication how many gateways are to hold each host
 * @param view the newest view of the cluster
 * @param register makes a host known to the cluster, and says how it comes to it
 * @param report reports on a host that this gateway owns
 * @param peers the other gateways
 */
public record ClusterAccess(
    String self,
    int replication,
    Supplier<ClusterView> view,
    BiConsumer<String, Admission> register,
    BiConsumer<String, Report> report,
    Peers peers) {

  /** Returns true if a host is to be held by more than one gateway. */
  public boolean isReplicated() {
    return replication > 1;
  }
}
