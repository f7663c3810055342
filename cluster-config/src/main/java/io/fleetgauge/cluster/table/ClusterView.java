package io.fleetgauge.cluster.table;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * View of the cluster that a member has at one moment: the table, and the gateways that are alive.
 * Immutable.
 *
 * @param table owners of all hosts
 * @param gateways addresses of the gateways that are members, by id, oldest first; nothing else
 *     says which gateways are alive
 * @param isMinority true if so many gateways are out of sight that others may have gone on without
 *     those that are in sight
 * @param start of this process, if it is a gateway
 */
public record ClusterView(
    OwnershipTable table,
    Map<String, URI> gateways,
    boolean isMinority,
    Optional<Membership.Start> start) {
  public static final ClusterView EMPTY = new ClusterView(OwnershipTable.EMPTY, Map.of(), false);

  /** A view of a process that holds nothing. */
  public ClusterView(OwnershipTable table, Map<String, URI> gateways, boolean isMinority) {
    this(table, gateways, isMinority, Optional.empty());
  }

  /**
   * Returns true if the table takes account of this gateway's start, or gave it the holding before:
   * if not, the gateway may have lost what the table says that it holds.
   *
   * @param since from which epoch on it holds, as the owner or as a copy
   */
  public boolean accountsFor(String self, long since) {
    return start.map(each -> table.accountsFor(self, each, since)).orElse(true);
  }

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
