package io.fleetgauge.query.faults.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.FaultsSettings;
import io.fleetgauge.query.inventory.InventoryFile;
import io.fleetgauge.query.inventory.InventoryReader;
import io.fleetgauge.runtime.http.OutgoingHttp;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Parts of the process that the evaluation of faults needs.
 *
 * @param view the cluster, in which gateways store episodes
 * @param link reaches the other query APIs
 * @param http reaches gateways
 * @param planned hosts that there should be
 * @param timeout longest time of a read, ms
 * @param clock ms since the epoch
 */
public record FaultsEnvironment(
    Querier querier,
    Supplier<ClusterView> view,
    PeerLink link,
    OutgoingHttp http,
    FaultsSettings settings,
    ThresholdsFile thresholds,
    ContactsFile contacts,
    InventoryReader inventory,
    InventoryFile planned,
    long timeout,
    LongSupplier clock) {}
