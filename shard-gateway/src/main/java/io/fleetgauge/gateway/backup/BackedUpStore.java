package io.fleetgauge.gateway.backup;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.store.Store;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A store that is backed up, and into which backups are restored.
 *
 * @param gateway that has it
 * @param cluster name of the cluster
 * @param folder of the store
 */
public record BackedUpStore(
    String gateway,
    String cluster,
    Path folder,
    Store store,
    Intake intake,
    Supplier<ClusterView> view) {}
