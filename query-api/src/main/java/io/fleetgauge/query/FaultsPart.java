package io.fleetgauge.query;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.faults.detect.InvalidThresholds;
import io.fleetgauge.query.faults.running.ContactsFile;
import io.fleetgauge.query.faults.running.FaultsEnvironment;
import io.fleetgauge.query.faults.running.RunningFaults;
import io.fleetgauge.query.faults.running.ThresholdsFile;
import io.fleetgauge.query.faults.tell.FaultReceivers;
import io.fleetgauge.query.inventory.InventoryFile;
import io.fleetgauge.query.inventory.InventoryReader;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Faults: their evaluation, and who is told of them. */
final class FaultsPart implements ProcessPart {
  /** Longest time of a read: the next step is due soon. */
  private static final long READ_MILLIS = 30_000;

  private final Vertx vertx;
  private final QueryConfig config;
  private final QuerierPart queries;
  private final ClusterPart cluster;
  private final PeerLink link;
  private final InventoryFile planned;
  private final LongSupplier clock;
  private Optional<RunningFaults> running = Optional.empty();
  private Optional<FaultReceivers> receivers = Optional.empty();

  /**
   * @param link reaches the other query APIs
   * @param planned hosts that there should be
   * @param clock ms since the epoch
   */
  FaultsPart(
      Vertx vertx,
      QueryConfig config,
      QuerierPart queries,
      ClusterPart cluster,
      PeerLink link,
      InventoryFile planned,
      LongSupplier clock) {
    this.vertx = vertx;
    this.config = config;
    this.queries = queries;
    this.cluster = cluster;
    this.link = link;
    this.planned = planned;
    this.clock = clock;
  }

  @Override
  public void start() throws StartFailure {
    if (config.faults().enabled() && config.clusters().joins()) {
      running =
          Optional.of(
              RunningFaults.of(
                  vertx,
                  new FaultsEnvironment(
                      queries.ofOwnCluster(),
                      cluster::view,
                      link,
                      queries.toGateways(),
                      config.faults(),
                      thresholds(config),
                      new ContactsFile(config.faults().contacts()),
                      new InventoryReader(config.lookback(), config.inventory().keep()),
                      planned,
                      Math.min(config.timeout().toMillis(), READ_MILLIS),
                      clock)));
      receivers =
          Optional.of(
              FaultReceivers.start(
                  vertx, config.faults().receivers(), clock, running.get()::taken));
      running.get().tell(receivers.get());
    }
  }

  private static ThresholdsFile thresholds(QueryConfig config) throws StartFailure {
    try {
      return ThresholdsFile.open(config.faults().thresholds());
    } catch (InvalidThresholds e) {
      throw new StartFailure("faults.thresholds: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StartFailure("faults.thresholds cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public void declare(Meters meters) {
    running.ifPresent(faults -> faults.declare(meters));
    receivers.ifPresent(all -> all.declare(meters));
  }

  /**
   * Looks for faults together with the other query APIs; the link to them has started.
   *
   * @param name of this process
   * @return empty if faults are not looked for
   */
  Optional<RunningFaults> join(String name) {
    running.ifPresent(faults -> faults.start(name));
    return running;
  }

  @Override
  public void close() {
    receivers.ifPresent(FaultReceivers::close);
  }
}
