package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.GatewayProcess;
import io.fleetgauge.gateway.config.StoreSettings;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.process.ProcessOwners;
import io.fleetgauge.probe.attribution.process.ProcessSampling;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.ProcessSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fifty nodes whose pods change a thousand times an hour, as probes read them: each with a GPU of
 * one pod and a GPU that two share. {@code fleetgauge.pods.minutes} minutes are played. Prometheus
 * gets the same samples, whose owners are labels like any others there.
 */
@Tag("slow")
class PodChangesComparisonTest {
  private static final int MINUTES = Integer.getInteger("fleetgauge.pods.minutes", 15);
  private static final int HOSTS = 50;
  private static final int TICK_SECONDS = 15;
  private static final long START = 1_760_000_010_000L;
  private static final int PLACES = 3;

  /** Twenty an hour on each node. */
  private static final int TICKS_TO_A_CHANGE = 12;

  private static final TickClass CORE = new TickClass(Duration.ofSeconds(TICK_SECONDS));

  @TempDir private Path folder;

  /** A node. A tick begins with the reader of its GPUs. */
  private static final class Node implements Reader, OwnerSource {
    final String name;
    private final Path proc;
    private final SplittableRandom random;
    private final int[] pods = new int[PLACES];
    private final long[] energy = new long[2];
    private int next;

    Node(int number, Path folder) throws IOException {
      name = "node-%02d".formatted(number);
      proc = Files.createDirectories(folder.resolve(name));
      random = new SplittableRandom(number);
      for (int place = 0; place < PLACES; place++) {
        change(place);
      }
    }

    /** Another pod comes, with a process of another number, and the old one goes. */
    void change(int place) throws IOException {
      pods[place] = ++next;
      Path process = Files.createDirectories(proc.resolve(Integer.toString(next)));
      Files.writeString(
          process.resolve("stat"),
          next + " (train) S 1 1 1 0 -1 0 1 0 0 0 1 2 3 4 20 0 1 0 " + next + " 1 1 1\n");
      Files.writeString(process.resolve("status"), "Name:\ttrain\nUid:\t0\t0\t0\t0\n");
      Files.writeString(
          process.resolve("cgroup"),
          "0::/kubepods/pod%s/%s%062x\n".formatted(uid(next), name.substring(5), next));
    }

    private String uid(int pod) {
      return "%08x-0000-0000-0000-0000000000%s".formatted(pod, name.substring(5));
    }

    private Labels gpu(int gpu) {
      return Labels.of("gpu", "" + gpu, "UUID", "GPU-" + name.substring(5) + "-" + gpu);
    }

    List<GpuIdentity> gpus() {
      return List.of(new GpuIdentity(gpu(0), 0, List.of()), new GpuIdentity(gpu(1), 1, List.of()));
    }

    Optional<List<GpuProcesses>> processes() {
      return Optional.of(
          List.of(
              new GpuProcesses(gpu(0), List.of(process(0))),
              new GpuProcesses(gpu(1), List.of(process(1), process(2)))));
    }

    private GpuProcess process(int place) {
      return new GpuProcess(
          pods[place],
          OptionalLong.of(1_000_000L * (100 + pods[place]) + place),
          OptionalDouble.of(0.25 * (1 + place % 2)));
    }

    @Override
    public Knowledge newest() {
      List<Claim> claims = new ArrayList<>();
      for (int place = 0; place < PLACES; place++) {
        Labels owner =
            Labels.of("pod", name.substring(5) + "-p" + pods[place], "namespace", "ns" + place % 2);
        claims.add(
            new Claim(
                GpuOwners.Gpu.of(gpu(place == 0 ? 0 : 1)),
                owner.with("container", "train").with("pod_uid", uid(pods[place]))));
      }
      return new Knowledge(claims, true, OptionalLong.of(0), 0, 0);
    }

    @Override
    public Basis basis() {
      return Basis.ALLOCATION;
    }

    @Override
    public String name() {
      return "gpu";
    }

    @Override
    public Set<TickClass> classes() {
      return Set.of(CORE);
    }

    @Override
    public void read(Set<TickClass> due, Readings out) {
      for (int gpu = 0; gpu < 2; gpu++) {
        energy[gpu] += random.nextInt(10_000);
        out.add(CORE, gpu(gpu).with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), random.nextInt(101));
        out.add(CORE, gpu(gpu).with(Labels.NAME, "DCGM_FI_DEV_FB_USED"), random.nextInt(80_000));
        out.add(
            CORE, gpu(gpu).with(Labels.NAME, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), energy[gpu]);
      }
    }

    List<Tick> ticks(int number) throws IOException, InterruptedException {
      ProcessOwners owners = new ProcessOwners(proc, proc, ContainerNames.none());
      Attribution attribution = new Attribution(List.of(this, owners), List.of("namespace"));
      List<Tick> ticks = new ArrayList<>();
      try (Sampler sampler =
          new Sampler(
              List.of(
                  this,
                  new ProcessSampling(
                      new ProcessSettings(true, 64, true, true, Optional.empty()),
                      this::processes,
                      owners,
                      attribution::ask,
                      attribution::record,
                      CORE),
                  new AttributionSampling(attribution, this::gpus, CORE)),
              new NodeLabels(Labels.of("Hostname", name), Relabelling.NONE),
              attribution,
              "probe",
              Duration.ofSeconds(TICK_SECONDS),
              () -> 0,
              // Measurements of the reading itself are the same in each run.
              () -> 0,
              TickSink.NONE)) {
        for (int i = 0; i < MINUTES * 60 / TICK_SECONDS; i++) {
          if (i > 0 && (i + number) % TICKS_TO_A_CHANGE == 0) {
            change((i / TICKS_TO_A_CHANGE) % PLACES);
          }
          ticks.add(sampler.readAt(START + i * TICK_SECONDS * 1_000L));
        }
      }
      return ticks;
    }
  }

  @Test
  void podsThatChangeAddNoStoredSeriesAndQueriesByPodAreAnsweredAsPrometheusAnswersThem()
      throws Exception {
    Map<String, List<Tick>> ticks = new LinkedHashMap<>();
    int changes = 0;
    for (int i = 0; i < HOSTS; i++) {
      Node node = new Node(i, folder);
      ticks.put(node.name, node.ticks(i));
      changes += node.next - PLACES;
    }
    long last = START + (MINUTES * 60L - TICK_SECONDS) * 1_000;
    assertThat(changes * 60 / MINUTES).as("pods an hour").isBetween(950, 1_050);
    addNoStoredSeries(ticks, last);
    try (SideBySide both =
        new SideBySide(Files.createDirectory(folder.resolve("both")), ticks, last, Set.of())) {
      List<String> differences = new ArrayList<>();
      for (String query : queries()) {
        for (long time : List.of(START / 1000 + 300, last / 1000 - 50, last / 1000)) {
          both.comparison()
              .difference("/api/v1/query", Map.of("query", query, "time", "" + time))
              .ifPresent(what -> differences.add(query + " at " + time + ": " + what));
        }
        for (String step : List.of("15", "47")) {
          Map<String, String> range =
              Map.of(
                  "query",
                  query,
                  "start",
                  START / 1000 + "",
                  "end",
                  last / 1000 + "",
                  "step",
                  step);
          both.comparison()
              .difference("/api/v1/query_range", range)
              .ifPresent(what -> differences.add(query + " by " + step + ": " + what));
        }
        assertThat(
                both.comparison()
                    .reference("/api/v1/query", Map.of("query", query, "time", last / 1000 + ""))
                    .path("data")
                    .path("result"))
            .as(query)
            .isNotEmpty();
      }
      assertThat(differences).isEmpty();
    }
  }

  /**
   * One gateway, which has every host from its first tick on: a copy that is made later meets the
   * owners in another order, and keeps those of the time before in series of their own.
   */
  private void addNoStoredSeries(Map<String, List<Tick>> ticks, long now) throws Exception {
    List<String> dimensions = StoreSettings.defaults(folder, Duration.ofDays(1)).ownerLabels();
    Vertx vertx = Vertx.vertx();
    try (LocalFleet fleet =
        new LocalFleet("pods", LocalPorts.free(1), folder.resolve("one"), () -> now)) {
      GatewayProcess gateway = fleet.startGateway(0, Duration.ofHours(24));
      UplinkSettings all =
          new UplinkSettings(Duration.ofDays(400), 1 << 30, Duration.ofDays(400), 0);
      for (Map.Entry<String, List<Tick>> host : ticks.entrySet()) {
        try (Uplink uplink =
            new Uplink(vertx, host.getKey(), fleet.gatewayAddresses(), all, Optional.empty(), 1)) {
          host.getValue().forEach(uplink::offer);
          await().atMost(Duration.ofMinutes(10)).until(() -> uplink.unacknowledgedTicks() == 0);
        }
        assertThat(gateway.seriesOf(host.getKey()))
            .as("series of %s as at its first tick", host.getKey())
            .isEqualTo(identities(host.getValue().subList(0, 1), dimensions))
            .isEqualTo(identities(host.getValue(), dimensions));
      }
    } finally {
      vertx.close().await();
    }
  }

  private static List<String> queries() {
    return List.of(
        "sum by (namespace, pod) (DCGM_FI_DEV_GPU_UTIL)",
        "sum by (pod) (gpu_pod_memory_bytes)",
        "sum by (pod_uid, container) (gpu_container_memory_bytes)",
        "sum by (pod) (gpu_process_memory_bytes{process_name=\"train\"})",
        "avg by (pod) (gpu_pod_utilization_ratio)",
        "count(count by (pod) (gpu_pod_memory_bytes))",
        "count by (namespace) (gpu_allocation_info)",
        "sum by (tenant) (gpu_allocated)",
        "topk(3, max by (pod) (gpu_pod_memory_bytes))",
        "max by (pod) (max_over_time(DCGM_FI_DEV_FB_USED{pod!=\"\"}[4m]))",
        "sum by (pod) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{namespace=\"ns0\"}[2m]))",
        "sum by (pod) (count_over_time(gpu_pod_memory_bytes[10m]))",
        "DCGM_FI_DEV_GPU_UTIL{pod=~\"07-p.+\"}",
        "gpu_pod_memory_bytes{Hostname=\"node-11\"}",
        "used_gpu_memory{Hostname=\"node-11\"}",
        "sum by (pod) (gpu_pod_memory_bytes) / on (pod) group_left max by (pod)"
            + " (gpu_process_memory_bytes)",
        "count by (shared) (DCGM_FI_DEV_GPU_UTIL)");
  }

  private static long identities(List<Tick> ticks, List<String> dimensions) {
    Set<Labels> identities = new HashSet<>();
    for (Tick tick : ticks) {
      for (Labels series : tick.series()) {
        Labels identity = series;
        for (String name : dimensions) {
          identity = identity.without(name);
        }
        identities.add(identity);
      }
    }
    return identities.size();
  }
}
