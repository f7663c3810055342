package io.fleetgauge.query;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.peers.PeerQueries;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import java.util.Optional;

/** The bus, over which limits and queries are shared with the other query APIs. */
final class PeersPart implements ProcessPart {
  private final QueryConfig config;
  private final Guard guard;
  private final ClusterPart cluster;
  private final QuerierPart queries;
  private final PeerQueries peers;
  private final String name;
  private Optional<ClusterBus> bus = Optional.empty();

  /**
   * @param peers joins the others once the bus has started
   * @param name of this process
   */
  PeersPart(
      QueryConfig config,
      Guard guard,
      ClusterPart cluster,
      QuerierPart queries,
      PeerQueries peers,
      String name) {
    this.config = config;
    this.guard = guard;
    this.cluster = cluster;
    this.queries = queries;
    this.peers = peers;
    this.name = name;
  }

  @Override
  public void start() throws StartFailure {
    try {
      ClusterBus started =
          ClusterBus.start(cluster.member(), config.cluster().host(), name, true, guard);
      bus = Optional.of(started);
      peers.join(
          started,
          queries.admission(),
          queries.querier().running(),
          tenant -> guard.access().limits(tenant).running(),
          config.maxConcurrent());
    } catch (IllegalStateException e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  @Override
  public void declare(Meters meters) {
    bus.orElseThrow().declare(meters);
  }

  @Override
  public void close() {
    bus.ifPresent(ClusterBus::close);
  }
}
