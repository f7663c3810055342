package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.KubeletSettings;
import io.fleetgauge.probe.config.TestConfig;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A node with GPUs whose kubelet is asked when the test says so. */
final class KubeletNode implements AutoCloseable {
  static final String A = "GPU-aaaa0000-1111-2222-3333-444444444444";
  static final String B = "GPU-bbbb0000-1111-2222-3333-444444444444";
  static final String C = "GPU-cccc0000-1111-2222-3333-444444444444";
  static final String MIG_7 = "MIG-77770000-1111-2222-3333-444444444444";

  final Path folder;
  final AtomicLong clock = new AtomicLong(1_000_000);
  List<GpuIdentity> gpus =
      List.of(gpu(0, 0, A), gpu(1, 1, B, "7", MIG_7, "9", "MIG-9"), gpu(2, 3, C));
  private final KubeletSource source;
  private final Attribution attribution;

  KubeletNode(Vertx vertx, Path folder) {
    this(vertx, settings(folder, Duration.ofMinutes(1), 64 << 20, Relabelling.NONE), folder);
  }

  KubeletNode(Vertx vertx, KubeletSettings settings, Path folder) {
    this(vertx, settings, folder, ContainerNames.none());
  }

  KubeletNode(Vertx vertx, KubeletSettings settings, Path folder, ContainerNames names) {
    this.folder = folder;
    source =
        new KubeletSource(vertx, settings, folder.resolve("cgroup"), () -> gpus, names, clock::get);
    attribution = new Attribution(List.of(source), List.of("namespace"));
  }

  static KubeletSettings settings(Path folder, Duration timeout, int maxAnswer, Relabelling rules) {
    KubeletSettings defaults = TestConfig.of("{}").attribution().kubelet();
    return new KubeletSettings(
        true,
        folder.resolve("kubelet.sock"),
        defaults.every(),
        timeout,
        defaults.keep(),
        maxAnswer,
        defaults.resources(),
        defaults.drivers(),
        rules,
        folder.resolve("logs"));
  }

  /** A GPU, with the ids and UUIDs of its MIG devices. */
  static GpuIdentity gpu(int index, int minor, String uuid, String... instances) {
    Labels labels = Labels.of("gpu", Integer.toString(index), "UUID", uuid);
    List<GpuIdentity.Instance> all = new ArrayList<>();
    for (int i = 0; i < instances.length; i += 2) {
      all.add(new GpuIdentity.Instance(labels.with("GPU_I_ID", instances[i]), instances[i + 1]));
    }
    return new GpuIdentity(labels, minor, all);
  }

  /** Lets time pass, and gives the source its chance to ask. */
  KubeletNode after(long seconds) throws TimeoutException {
    clock.addAndGet(TimeUnit.SECONDS.toMillis(seconds));
    source.look().await(120, TimeUnit.SECONDS);
    return this;
  }

  OwnerSource.Knowledge knowledge() {
    return source.newest();
  }

  /** What is known of owners, as GPU/instance=namespace/pod/container. */
  List<String> claims() {
    return knowledge().claims().stream()
        .map(
            claim ->
                claim.gpu().uuid().substring(4, 5)
                    + (claim.gpu().instance().isEmpty() ? "" : "/" + claim.gpu().instance())
                    + "="
                    + claim.owner().value("namespace")
                    + "/"
                    + claim.owner().value("pod")
                    + "/"
                    + claim.owner().value("container"))
        .sorted()
        .toList();
  }

  /** The series of one tick about owners, by their name and labels. */
  Map<String, Double> series() throws InterruptedException {
    try (Sampler sampler =
        new Sampler(
            List.of(
                new AttributionSampling(
                    attribution, () -> gpus, new TickClass(Duration.ofSeconds(15)))),
            new NodeLabels(Labels.EMPTY, Relabelling.NONE),
            attribution,
            "probe",
            Duration.ofSeconds(15),
            () -> 0,
            TickSink.NONE)) {
      Tick tick = sampler.readAt(0);
      Map<String, Double> values = new TreeMap<>();
      for (int i = 0; i < tick.size(); i++) {
        Labels series = tick.series().get(i);
        if (series.metric().startsWith("gpu_")) {
          values.put(series.toString(), tick.values()[i]);
        }
      }
      return values;
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
