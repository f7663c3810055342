package io.fleetgauge.load.compare;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.query.config.ClustersSettings;
import io.fleetgauge.query.config.OtherClusterSettings;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** A real Prometheus, and gateways of one cluster or more with a query API: the same samples. */
public final class SideBySide implements AutoCloseable {
  private static final UplinkSettings EVERYTHING =
      new UplinkSettings(Duration.ofDays(400), 1 << 30, Duration.ofDays(400), 0);

  private static final long SLICE = 1_200_000;
  private static final Duration FILL_LIMIT = Duration.ofMinutes(10);

  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final Lifecycle lifecycle = new Lifecycle("comparison");
  private final PrometheusServer prometheus;
  private final AnswerComparison comparison;

  /**
   * Samples of one cluster.
   *
   * @param label source of the label {@code cluster}, which Prometheus has in any case; empty if
   *     neither has it
   * @param gateways number of them
   */
  record Cluster(
      String name,
      Map<String, List<Tick>> ticksByHost,
      Optional<OtherClusterSettings.Label> label,
      int gateways) {
    Map<String, List<Tick>> labelled() {
      if (label.isEmpty()) {
        return ticksByHost;
      }
      Map<String, List<Tick>> all = new TreeMap<>();
      ticksByHost.forEach(
          (host, ticks) -> all.put(host, ticks.stream().map(this::labelled).toList()));
      return all;
    }

    private Tick labelled(Tick tick) {
      Tick.Builder all = new Tick.Builder();
      for (int i = 0; i < tick.size(); i++) {
        Labels labels = tick.series().get(i);
        boolean isNamed = !labels.value(ClustersSettings.LABEL).isEmpty();
        all.add(isNamed ? labels : labels.with(ClustersSettings.LABEL, name), tick.values()[i]);
      }
      return all.at(tick.time());
    }

    Map<String, List<Tick>> stored() {
      return label.filter(each -> each == OtherClusterSettings.Label.EXPECTED).isPresent()
          ? labelled()
          : ticksByHost;
    }
  }

  /**
   * @param folder for Prometheus's data
   * @param ticksByHost the samples; the first tick of each host is older than all others and has
   *     every series, so that Prometheus meets the series in order of their labels
   * @param now the time that both fleets' clocks show, ms; Prometheus keeps the machine's
   * @param features as the flags of Prometheus name them
   */
  public SideBySide(
      Path folder, Map<String, List<Tick>> ticksByHost, long now, Set<String> features)
      throws IOException, InterruptedException, StartFailure {
    this(
        folder,
        List.of(new Cluster("comparison", ticksByHost, Optional.empty(), 3)),
        true,
        now,
        features);
  }

  /**
   * As above, with several clusters.
   *
   * @param clusters the first is the one that the query API joins
   * @param joins whether it joins one at all
   */
  SideBySide(Path folder, List<Cluster> clusters, boolean joins, long now, Set<String> features)
      throws IOException, InterruptedException, StartFailure {
    this(folder, together(clusters), clusters, joins, now, features, List.of());
  }

  /**
   * As above, where the query API reads other stores as well.
   *
   * @param ticksByHost the samples that Prometheus has
   * @param ticksHere the samples that the gateways have
   */
  SideBySide(
      Path folder,
      Map<String, List<Tick>> ticksByHost,
      Map<String, List<Tick>> ticksHere,
      long now,
      Set<String> features,
      List<SourceSettings> sources)
      throws IOException, InterruptedException, StartFailure {
    this(
        folder,
        ticksByHost,
        List.of(new Cluster("comparison", ticksHere, Optional.empty(), 3)),
        true,
        now,
        features,
        sources);
  }

  private static Map<String, List<Tick>> together(List<Cluster> clusters) {
    Map<String, List<Tick>> all = new TreeMap<>();
    clusters.forEach(each -> all.putAll(each.labelled()));
    return all;
  }

  private SideBySide(
      Path folder,
      Map<String, List<Tick>> all,
      List<Cluster> clusters,
      boolean joins,
      long now,
      Set<String> features,
      List<SourceSettings> sources)
      throws IOException, InterruptedException, StartFailure {
    prometheus = new PrometheusServer(folder, features);
    lifecycle.started("Prometheus", STOP_LIMIT, prometheus);
    try {
      fill(prometheus::write, all);
      Vertx vertx = Vertx.vertx();
      lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await());
      List<OtherClusterSettings> others = new ArrayList<>();
      for (Cluster each : clusters.subList(joins ? 1 : 0, clusters.size())) {
        LocalFleet fleet = startFleet(folder, each, now);
        QueryProcess query = fleet.startQuery("127.0.0.1", 0, features);
        fill(vertx, fleet, query, each.stored());
        others.add(
            OtherClusterSettings.at(each.name, URI.create("http://127.0.0.1:" + query.port()))
                .with(each.label.orElseThrow()));
      }
      Cluster own = clusters.getFirst();
      LocalFleet fleet =
          joins
              ? startFleet(folder, own, now)
              : new LocalFleet("none", LocalPorts.free(1), folder, () -> now);
      if (!joins) {
        lifecycle.started("query API", STOP_LIMIT, fleet);
      }
      ClustersSettings settings =
          new ClustersSettings(joins, own.label.orElse(OtherClusterSettings.Label.ADDED), others);
      QueryProcess query =
          fleet.startQuery(base -> base.with(settings).with(features).reading(sources));
      if (joins) {
        fill(vertx, fleet, query, own.stored());
      }
      comparison =
          new AnswerComparison(
              prometheus.address(), URI.create("http://127.0.0.1:" + query.port()));
    } catch (IOException | InterruptedException | StartFailure | RuntimeException e) {
      close();
      throw e;
    }
  }

  private LocalFleet startFleet(Path folder, Cluster cluster, long now) throws StartFailure {
    LocalFleet fleet =
        new LocalFleet(
            cluster.name,
            LocalPorts.free(cluster.gateways + 1),
            folder.resolve("gateways-" + cluster.name),
            () -> now);
    lifecycle.started("fleet", STOP_LIMIT, fleet);
    for (int i = 0; i < cluster.gateways; i++) {
      fleet.startGateway(0, Duration.ofHours(24));
    }
    return fleet;
  }

  /** Takes ticks, in order of time. */
  @FunctionalInterface
  interface Ticks {
    void write(List<Tick> ticks) throws IOException, InterruptedException;
  }

  /** Writes the ticks of hosts, of which the first have every series. */
  static void fill(Ticks store, Map<String, List<Tick>> ticksByHost)
      throws IOException, InterruptedException {
    store.write(List.of(together(ticksByHost)));
    writeInTurn(store, ticksByHost);
  }

  private static void fill(
      Vertx vertx, LocalFleet fleet, QueryProcess query, Map<String, List<Tick>> ticksByHost)
      throws InterruptedException {
    List<Uplink> uplinks = new ArrayList<>();
    for (var host : ticksByHost.entrySet()) {
      Uplink uplink =
          new Uplink(
              vertx, host.getKey(), fleet.gatewayAddresses(), EVERYTHING, Optional.empty(), 1);
      uplinks.add(uplink);
      host.getValue().forEach(uplink::offer);
    }
    await(() -> uplinks.stream().allMatch(uplink -> uplink.unacknowledgedTicks() == 0));
    long epoch = fleet.gateways().getFirst().view().table().epoch();
    await(() -> query.view().table().epoch() >= epoch);
    uplinks.forEach(Uplink::close);
  }

  /**
   * Sends all ticks but the first of each host, with no host far ahead, because Prometheus refuses
   * samples that are an hour behind.
   */
  private static void writeInTurn(Ticks store, Map<String, List<Tick>> ticksByHost)
      throws IOException, InterruptedException {
    Map<String, Integer> next = new HashMap<>();
    ticksByHost.keySet().forEach(host -> next.put(host, 1));
    long from =
        ticksByHost.values().stream().mapToLong(ticks -> ticks.get(1).time()).min().orElseThrow();
    long last =
        ticksByHost.values().stream()
            .mapToLong(ticks -> ticks.getLast().time())
            .max()
            .orElseThrow();
    for (long until = from + SLICE; until < last + SLICE; until += SLICE) {
      for (var host : ticksByHost.entrySet()) {
        List<Tick> ticks = host.getValue();
        int begin = next.get(host.getKey());
        int end = begin;
        while (end < ticks.size() && ticks.get(end).time() < until) {
          end++;
        }
        store.write(ticks.subList(begin, end));
        next.put(host.getKey(), end);
      }
    }
  }

  /** The first ticks of all hosts as one, its series in order. */
  private static Tick together(Map<String, List<Tick>> ticksByHost) {
    TreeMap<Labels, Double> first = new TreeMap<>();
    long time = 0;
    for (List<Tick> ticks : ticksByHost.values()) {
      Tick tick = ticks.getFirst();
      time = tick.time();
      for (int i = 0; i < tick.size(); i++) {
        first.put(tick.series().get(i), tick.values()[i]);
      }
    }
    Tick.Builder all = new Tick.Builder();
    first.forEach(all::add);
    return all.at(time);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + FILL_LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the gateways did not accept the samples in " + FILL_LIMIT);
      }
      Thread.sleep(20);
    }
  }

  public AnswerComparison comparison() {
    return comparison;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
