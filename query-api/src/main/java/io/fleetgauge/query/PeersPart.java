package io.fleetgauge.query;

import io.fleetgauge.cluster.bus.ClusterBus;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.peers.SharedLimits;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Hints over the bus, heartbeats, and limits that are shared with the other query APIs. */
final class PeersPart implements ProcessPart {
  private final Lifecycle lifecycle = new Lifecycle("other query APIs");
  private final QueryConfig config;
  private final Guard guard;
  private final ClusterPart cluster;
  private final QuerierPart queries;
  private final SharedLimits limits;
  private final PeerLink link;
  private final int port;
  private Optional<ClusterBus> bus = Optional.empty();

  /**
   * @param limits shared once the link has started
   * @param port of the HTTP listener
   */
  PeersPart(
      QueryConfig config,
      Guard guard,
      ClusterPart cluster,
      QuerierPart queries,
      SharedLimits limits,
      PeerLink link,
      int port) {
    this.config = config;
    this.guard = guard;
    this.cluster = cluster;
    this.queries = queries;
    this.limits = limits;
    this.link = link;
    this.port = port;
  }

  @Override
  public void start() throws StartFailure {
    String name = LocalHost.name() + ":" + port;
    String host = config.http().host();
    boolean isEverywhere = host.equals("0.0.0.0") || host.equals("::");
    String reached = isEverywhere ? config.cluster().host() : host;
    guard.isReachedAs(reached);
    Optional<ClusterMember> member = cluster.member();
    if (member.isPresent()) {
      try {
        bus = Optional.of(ClusterBus.start(member.get(), config.cluster().host(), name, guard));
      } catch (IllegalStateException e) {
        throw new StartFailure(e.getMessage(), e);
      }
      lifecycle.started("event bus", QueryProcess.STOP_LIMIT, bus.get());
    }
    link.start(name, member.map(each -> (IntSupplier) each::queryApis).orElse(() -> 1));
    lifecycle.started("heartbeats", QueryProcess.STOP_LIMIT, link);
    limits.join(
        link,
        queries.admission(),
        tenant -> guard.access().limits(tenant).running(),
        config.maxConcurrent());
    if (member.isPresent()) {
      member
          .get()
          .meetQueryApis(
              name,
              URI.create(config.http().scheme() + "://" + bracketed(reached) + ":" + port),
              link::found);
    } else {
      link.found(Map.of());
    }
  }

  private static String bracketed(String host) {
    return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  @Override
  public void declare(Meters meters) {
    bus.ifPresent(each -> each.declare(meters));
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
