package io.fleetgauge.cluster.member;

import io.fleetgauge.cluster.table.OwnershipTable;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * What a member knows of the cluster at one moment. Immutable.
 *
 * @param table who owns which host
 * @param gateways where the gateways are reached, by id, oldest first
 */
public record ClusterView(OwnershipTable table, Map<String, URI> gateways) {
  public static final ClusterView EMPTY = new ClusterView(OwnershipTable.EMPTY, Map.of());

  /** Where the owner of a host is reached; empty while it has none that is there. */
  public Optional<URI> ownerAddress(String host) {
    return table.owner(host).map(gateways::get);
  }
}
