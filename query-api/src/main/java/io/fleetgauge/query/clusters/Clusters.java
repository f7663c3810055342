package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.config.OtherClusterSettings;
import io.fleetgauge.query.fanout.GatewayFleet;
import io.fleetgauge.query.fanout.GatewayReads;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.tenant.Access;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The own cluster, if there is one, and others: one store, whose hosts are listed regularly. */
public final class Clusters implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final long LIST_MILLIS = 5_000;
  private static final long LIST_SOON_MILLIS = 1_000;

  private final Lifecycle lifecycle = new Lifecycle("clusters");
  private final ManyClusters all;

  /** The gateways of all clusters, which have no lines of text with the name of their cluster. */
  private static final class AllGateways extends GatewayFleet {
    AllGateways(GatewayReads reads) {
      super(reads);
    }

    @Override
    public boolean hasLines() {
      return false;
    }
  }

  private Clusters(ManyClusters all) {
    this.all = all;
  }

  /**
   * @param own the gateways of the own cluster, if there is one
   * @param ownName the name of that cluster
   * @param access the tenants of this query API
   * @param light where large answers of light queries are decoded
   * @param heavy where those of heavy queries are
   * @param clock ms since the epoch
   * @throws StartFailure if a file with a secret cannot be used
   */
  public static Clusters start(
      Vertx vertx,
      ClustersSettings settings,
      Optional<GatewayReads> own,
      String ownName,
      Access access,
      WorkerExecutor light,
      WorkerExecutor heavy,
      LongSupplier clock)
      throws StartFailure {
    List<ManyClusters.Member> members = new ArrayList<>();
    own.ifPresent(
        gateways -> members.add(member(new OwnCluster(ownName, gateways), settings.own())));
    List<ClusterAccess> secrets = new ArrayList<>();
    for (OtherClusterSettings each : settings.others()) {
      ClusterAccess of = new ClusterAccess(vertx, each, access);
      secrets.add(of);
      members.add(member(new RemoteCluster(vertx, each, of, light, heavy), each.label()));
    }
    Clusters clusters = new Clusters(new ManyClusters(members, own, heavy, clock));
    secrets.forEach(
        each -> clusters.lifecycle.started("connections to a cluster", STOP_LIMIT, each));
    clusters.listRegularly(vertx);
    return clusters;
  }

  private static ManyClusters.Member member(Place place, OtherClusterSettings.Label label) {
    AddedLabel cluster = new AddedLabel(ClustersSettings.LABEL, place.name());
    AtomicReference<Optional<Set<String>>> names = new AtomicReference<>(Optional.empty());
    Selecting selecting =
        switch (label) {
          case ADDED -> new Selecting.Added(cluster, names::get);
          case EXPECTED -> new Selecting.Expected(cluster);
        };
    return new ManyClusters.Member(place, selecting, names);
  }

  /** Often while a cluster is gone, so that it is back soon. */
  private void listRegularly(Vertx vertx) {
    AtomicBoolean isListing = new AtomicBoolean();
    long[] last = {0};
    Runnable look =
        () -> {
          long now = System.nanoTime() / 1_000_000;
          boolean isGone = all.others().anyMatch(each -> !each.health().gone().isEmpty());
          if ((isGone || now - last[0] >= LIST_MILLIS) && isListing.compareAndSet(false, true)) {
            last[0] = now;
            all.list().onComplete(done -> isListing.set(false));
          }
        };
    all.list();
    long timer = vertx.setPeriodic(LIST_SOON_MILLIS, id -> look.run());
    lifecycle.started("list of hosts", STOP_LIMIT, () -> vertx.cancelTimer(timer));
  }

  /** All clusters as one store. */
  public Stores stores() {
    AllGateways gateways = new AllGateways(all);
    return new Stores(gateways, gateways);
  }

  /** Declares what is counted of each cluster. */
  public void declare(Meters meters) {
    meters.counters(
        "cluster_reads",
        "Requests to other clusters, by cluster.",
        "cluster",
        () -> each(RemoteCluster::reads));
    meters.counters(
        "cluster_read_failures",
        "Requests to other clusters without a usable answer in time, by cluster.",
        "cluster",
        () -> each(RemoteCluster::failures));
    meters.gauges(
        "cluster_up",
        "1 if the cluster answered last, 0 if it is not asked until it answers again.",
        "cluster",
        () -> eachNumber(of -> of.health().gone().isEmpty() ? 1 : 0));
    meters.gauges(
        "cluster_deadline_seconds",
        "Longest time that a light read waits for the cluster.",
        "cluster",
        () -> eachNumber(of -> of.health().deadlineMillis() / 1e3));
  }

  private Map<String, Long> each(ToLongFunction<RemoteCluster> figure) {
    return all.others().collect(Collectors.toMap(RemoteCluster::name, figure::applyAsLong));
  }

  private Map<String, Double> eachNumber(ToDoubleFunction<RemoteCluster> figure) {
    return all.others().collect(Collectors.toMap(RemoteCluster::name, figure::applyAsDouble));
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
