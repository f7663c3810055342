package io.fleetgauge.cluster.table;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a member knows of the cluster at one moment. Immutable.
 *
 * @param table who owns which host
 * @param gateways where the gateways are reached, by id, oldest first
 * @param isMinority whether so many gateways are out of sight that others may have gone on without
 *     those that are in sight
 */
public record ClusterView(OwnershipTable table, Map<String, URI> gateways, boolean isMinority) {
  public static final ClusterView EMPTY = new ClusterView(OwnershipTable.EMPTY, Map.of(), false);

  /** Where the owner of a host is reached; empty while it has none that is there. */
  public Optional<URI> ownerAddress(String host) {
    return table.owner(host).map(gateways::get);
  }

  /**
   * Where a host is read: its owner first, then the copies that have all that the owner has. Copies
   * do not know what their owner is missing, so while it misses anything only the owner is read.
   */
  public List<URI> readers(String host) {
    List<URI> readers = new ArrayList<>();
    table
        .holders(host)
        .ifPresent(
            holders -> {
              ownerAddress(host).ifPresent(readers::add);
              for (Holders.Copy copy : holders.copies()) {
                URI address = gateways.get(copy.gateway());
                if (copy.synced() && holders.whole() && address != null) {
                  readers.add(address);
                }
              }
            });
    return readers;
  }
}
