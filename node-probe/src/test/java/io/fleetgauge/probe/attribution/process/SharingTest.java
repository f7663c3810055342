package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.ProcessSettings;
import io.fleetgauge.probe.config.TestConfig;
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
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What several share counts once, in every way of sharing. */
class SharingTest {
  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));
  private static final List<String> OWNER =
      List.of(
          "tenant",
          "pod",
          "namespace",
          "pod_uid",
          "container",
          "container_id",
          "container_name",
          "pid",
          "process_name",
          "hpc_job",
          "partition",
          "array_job",
          "array_task",
          "user",
          "unit");

  @TempDir private Path folder;

  private final List<Claim> allocated = new ArrayList<>();
  private Optional<List<GpuProcesses>> listed = Optional.of(List.of());

  /** How a GPU is given to pods. */
  private enum Mode {
    WHOLE,
    TIME_SLICING,
    MPS,
    MIG
  }

  /** A process that the test has made up. */
  private record Made(int pid, int pod, int container, long bytes, double ratio) {}

  @Test
  void theSumOverPodsIsTheSumOverGpusInEveryModeAndNoSeriesComesWithAProcess() throws Exception {
    theSumsAreEqualAndNoSeriesComesWithAProcess(1);
  }

  /**
   * @see #theSumOverPodsIsTheSumOverGpusInEveryModeAndNoSeriesComesWithAProcess
   */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(longs = {2, 20_261_124})
  void theSumsAreEqualOfOtherProcessesToo(long seed) throws Exception {
    theSumsAreEqualAndNoSeriesComesWithAProcess(seed);
  }

  private void theSumsAreEqualAndNoSeriesComesWithAProcess(long seed) throws Exception {
    Random random = new Random(seed);
    FakeProc proc = new FakeProc(folder);
    ProcessSettings settings = new ProcessSettings(true, 12, true, true, Optional.empty());
    Set<Labels> stored = new HashSet<>();
    int most = 0;
    try (Sampler sampler = sampler(settings, proc)) {
      for (int round = 0; round < 16; round++) {
        List<GpuProcesses> gpus = new ArrayList<>();
        Map<String, Long> bytes = new TreeMap<>();
        Map<String, Double> ratios = new TreeMap<>();
        allocated.clear();
        int pid = 10_000 + round % 3 * 1_000;
        for (int gpu = 0; gpu < 4; gpu++) {
          Mode mode = Mode.values()[(gpu + round / 4) % 4];
          int instances = mode == Mode.MIG ? 2 : 1;
          for (int instance = 0; instance < instances; instance++) {
            Labels labels = Labels.of("gpu", "" + gpu, "UUID", "GPU-" + gpu);
            labels = mode == Mode.MIG ? labels.with("GPU_I_ID", "" + (instance + 1)) : labels;
            int pods = mode == Mode.WHOLE || mode == Mode.MIG ? 1 : 1 + random.nextInt(6);
            List<GpuProcess> processes = new ArrayList<>();
            for (int pod = 0; pod < pods; pod++) {
              int podNumber = round / 3 * 100 + gpu * 10 + instance * 6 + pod;
              allocated.add(
                  new Claim(
                      GpuOwners.Gpu.of(labels),
                      Labels.of(
                          "pod", "p" + podNumber, "namespace", "n", "pod_uid", uid(podNumber))));
              for (int n = random.nextInt(5); n > 0; n--) {
                Made made = made(random, pid++, podNumber, mode);
                proc.process(made.pid, cgroup(made));
                processes.add(process(made, mode));
                String key = gpu + "/" + labels.value("GPU_I_ID");
                bytes.merge(key, made.bytes, Long::sum);
                if (mode != Mode.MIG) {
                  ratios.merge(key, made.ratio, Double::sum);
                }
              }
            }
            most = Math.max(most, processes.size());
            gpus.add(new GpuProcesses(labels, processes));
          }
        }
        listed = Optional.of(gpus);
        Tick tick = sampler.readAt(round * 15_000L);
        for (String kind : List.of("process", "container", "pod")) {
          assertThat(sums(tick, "gpu_" + kind + "_memory_bytes"))
              .as("%s, round %d", kind, round)
              .isEqualTo(asDoubles(bytes));
          Map<String, Double> told = sums(tick, "gpu_" + kind + "_utilization_ratio");
          assertThat(told.keySet()).isEqualTo(ratios.keySet());
          ratios.forEach((key, sum) -> assertThat(told.get(key)).isCloseTo(sum, within(1e-9)));
        }
        assertThat(sums(tick, "used_gpu_memory").values().stream().mapToDouble(v -> v).sum())
            .isLessThanOrEqualTo(bytes.values().stream().mapToDouble(v -> v).sum());
        for (Labels series : tick.series()) {
          if (series.metric().startsWith("gpu_process_memory")) {
            Labels identity = series;
            for (String name : OWNER) {
              identity = identity.without(name);
            }
            stored.add(identity);
          }
        }
      }
    }
    int slots = Math.min(12, most) + 1;
    assertThat(stored)
        .as("at most as many series as there were processes at once, and the rest")
        .hasSizeLessThanOrEqualTo(4 * slots + 8 * slots);
  }

  @Test
  void aSquatterDoesNotGetTheLabelsOfThePodThatHasTheGpu() throws Exception {
    FakeProc proc = new FakeProc(folder);
    Labels gpu = Labels.of("gpu", "0", "UUID", "GPU-0");
    allocated.add(
        new Claim(
            GpuOwners.Gpu.whole("GPU-0"),
            Labels.of("pod", "p1", "namespace", "n", "pod_uid", uid(1))));
    Made ofPod = new Made(1, 1, 0, 100, 0.5);
    proc.process(1, cgroup(ofPod));
    proc.process(2, "0::/user.slice/user-1000.slice/session-3.scope\n");
    listed =
        Optional.of(
            List.of(
                new GpuProcesses(
                    gpu,
                    List.of(
                        process(ofPod, Mode.WHOLE),
                        new GpuProcess(2, OptionalLong.of(7), OptionalDouble.empty()),
                        new GpuProcess(3, OptionalLong.of(9), OptionalDouble.empty())))));
    try (Sampler sampler = sampler(TestConfig.of("{}").attribution().processes(), proc)) {
      sampler.readAt(0);
      Tick tick = sampler.readAt(15_000);
      Map<String, Labels> byPid = new TreeMap<>();
      for (int i = 0; i < tick.size(); i++) {
        Labels series = tick.series().get(i);
        if (series.metric().equals("gpu_process_memory_bytes")
            && !Staleness.isMarker(tick.values()[i])) {
          byPid.put(series.value("pid"), series);
        }
      }
      assertThat(byPid.get("1").value("pod")).isEqualTo("p1");
      assertThat(byPid.get("1").value("tenant")).as("from the record").isEqualTo("n");
      assertThat(byPid.get("2").value("pod")).isEmpty();
      assertThat(byPid.get("2").value("tenant")).isEmpty();
      assertThat(byPid.get("2").value("user")).isEqualTo("1000");
      assertThat(byPid.get("3").value("pod")).isEmpty();
      assertThat(value(tick, "gpu_unowned_memory_bytes", "gone")).isEqualTo(9);
      assertThat(value(tick, "gpu_unowned_processes", "gone")).isEqualTo(1);
      assertThat(value(tick, "gpu_attribution_up", "")).isEqualTo(1);
    }
  }

  @Test
  void whatIsBeyondTheLimitIsSummedAndCounted() throws Exception {
    FakeProc proc = new FakeProc(folder);
    List<GpuProcess> processes = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Made made = new Made(100 + i, i, 0, 10, 0.01);
      proc.process(made.pid, cgroup(made));
      processes.add(process(made, Mode.TIME_SLICING));
    }
    listed =
        Optional.of(List.of(new GpuProcesses(Labels.of("gpu", "0", "UUID", "GPU-0"), processes)));
    ProcessSettings settings = new ProcessSettings(true, 4, false, false, Optional.empty());
    try (Sampler sampler = sampler(settings, proc)) {
      Tick tick = sampler.readAt(0);
      List<String> pods = new ArrayList<>();
      for (int i = 0; i < tick.size(); i++) {
        Labels series = tick.series().get(i);
        assertThat(series.metric()).isNotIn("gpu_process_memory_bytes", "used_gpu_memory");
        if (series.metric().equals("gpu_pod_memory_bytes")) {
          pods.add(series.value("slot") + "=" + (long) tick.values()[i]);
        }
      }
      assertThat(pods).containsExactlyInAnyOrder("0=10", "1=10", "2=10", "3=10", "rest=60");
      assertThat(value(tick, "gpu_process_series_left_out", "pod")).isEqualTo(6);
    }
  }

  @Test
  void anIdleNodeIsHealthyAndAFailedDriverIsAnotherThing() throws Exception {
    FakeProc proc = new FakeProc(folder);
    proc.process(7, "0::/system.slice/a.service\n");
    Labels gpu = Labels.of("gpu", "0", "UUID", "GPU-0");
    try (Sampler sampler = sampler(TestConfig.of("{}").attribution().processes(), proc)) {
      listed = Optional.of(List.of(new GpuProcesses(gpu, List.of())));
      Tick idle = sampler.readAt(0);
      assertThat(value(idle, "used_gpu_memory_status", "")).isEqualTo(101);
      listed =
          Optional.of(
              List.of(
                  new GpuProcesses(
                      gpu,
                      List.of(new GpuProcess(7, OptionalLong.of(5), OptionalDouble.empty())))));
      Tick used = sampler.readAt(15_000);
      assertThat(value(used, "used_gpu_memory_status", "")).isZero();
      assertThat(value(used, "gpu_attribution_up", "")).isEqualTo(1);
      listed = Optional.empty();
      Tick failed = sampler.readAt(30_000);
      assertThat(value(failed, "used_gpu_memory_status", "")).isEqualTo(100);
      assertThat(failed.series())
          .as("neither repeated nor ended")
          .noneMatch(series -> series.metric().equals("gpu_process_memory_bytes"));
      listed = Optional.of(List.of(new GpuProcesses(gpu, List.of())));
      Tick ended = sampler.readAt(45_000);
      assertThat(ended.series()).anyMatch(series -> series.value("pid").equals("7"));
      assertThat(value(ended, "used_gpu_memory_status", "")).isEqualTo(101);
    }
  }

  @Test
  void theOwnersThatProcessesShowLabelTheGpuInTheTickInWhichTheyAreFound() throws Exception {
    FakeProc proc = new FakeProc(folder);
    Labels gpu = Labels.of("gpu", "0", "UUID", "GPU-0");
    try (Sampler sampler = sampler(TestConfig.of("{}").attribution().processes(), proc)) {
      for (int round = 0; round < 4; round++) {
        Made made = new Made(100 + round, round, 0, 10, 0.5);
        proc.process(made.pid, cgroup(made));
        listed =
            Optional.of(
                List.of(
                    new GpuProcesses(
                        gpu, round == 3 ? List.of() : List.of(process(made, Mode.WHOLE)))));
        Tick tick = sampler.readAt(round * 15_000L);
        List<String> owners = new ArrayList<>();
        List<String> told = new ArrayList<>();
        for (int i = 0; i < tick.size(); i++) {
          Labels series = tick.series().get(i);
          if (Staleness.isMarker(tick.values()[i])) {
            continue;
          }
          if (series.metric().equals(Utilization.METRIC)) {
            owners.add(series.value("pod_uid"));
          } else if (series.metric().equals("gpu_allocation_info")) {
            told.add(series.value("pod_uid"));
          }
        }
        assertThat(owners).containsExactly(round == 3 ? "" : uid(round));
        assertThat(told).isEqualTo(round == 3 ? List.of() : List.of(uid(round)));
      }
    }
  }

  /** A series of each GPU, read before the owners are known. */
  private final class Utilization implements Reader {
    static final String METRIC = "DCGM_FI_DEV_GPU_UTIL";

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
      listed
          .orElse(List.of())
          .forEach(gpu -> out.add(CORE, gpu.labels().with(Labels.NAME, METRIC), 50));
    }
  }

  private List<GpuIdentity> wholeGpus() {
    return listed.orElse(List.of()).stream()
        .map(GpuProcesses::labels)
        .filter(labels -> labels.value("GPU_I_ID").isEmpty())
        .map(labels -> new GpuIdentity(labels, 0, List.of()))
        .toList();
  }

  private Sampler sampler(ProcessSettings settings, FakeProc proc) {
    ContainerNames names = ContainerNames.none();
    ProcessOwners owners = new ProcessOwners(proc.folder, folder, names);
    OwnerSource scheduler =
        new OwnerSource() {
          @Override
          public String name() {
            return "scheduler";
          }

          @Override
          public Basis basis() {
            return Basis.ALLOCATION;
          }

          @Override
          public Knowledge newest() {
            return new Knowledge(allocated, true, OptionalLong.of(0), 0, 0);
          }
        };
    Attribution attribution =
        new Attribution(List.of(scheduler, owners), List.of("namespace", "account"));
    ProcessSampling sampling =
        new ProcessSampling(
            settings, () -> listed, owners, attribution::ask, attribution::record, CORE);
    return new Sampler(
        List.of(
            new Utilization(),
            sampling,
            new ProcessReport(sampling, names, CORE),
            new AttributionSampling(attribution, this::wholeGpus, CORE)),
        new NodeLabels(Labels.EMPTY, Relabelling.NONE),
        attribution,
        "probe",
        Duration.ofSeconds(15),
        () -> 0,
        TickSink.NONE);
  }

  private static Made made(Random random, int pid, int pod, Mode mode) {
    return new Made(pid, pod, random.nextInt(2), random.nextInt(1 << 30), random.nextDouble() / 40);
  }

  private static GpuProcess process(Made made, Mode mode) {
    return new GpuProcess(
        made.pid,
        OptionalLong.of(made.bytes),
        mode == Mode.MIG ? OptionalDouble.empty() : OptionalDouble.of(made.ratio));
  }

  private static String uid(int pod) {
    return "%08x-1111-2222-3333-444444444444".formatted(pod);
  }

  private static String cgroup(Made made) {
    String container = "%064x".formatted(made.pod * 2L + made.container);
    return "0::/kubepods/burstable/pod" + uid(made.pod) + "/" + container + "\n";
  }

  /** By GPU and instance. */
  private static Map<String, Double> sums(Tick tick, String metric) {
    Map<String, Double> sums = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      if (series.metric().equals(metric) && !Staleness.isMarker(tick.values()[i])) {
        sums.merge(
            series.value("gpu") + "/" + series.value("GPU_I_ID"), tick.values()[i], Double::sum);
      }
    }
    return sums;
  }

  private static Map<String, Double> asDoubles(Map<String, Long> values) {
    Map<String, Double> doubles = new TreeMap<>();
    values.forEach((key, value) -> doubles.put(key, (double) value));
    return doubles;
  }

  /** The value of the series with this reason or kind, or of the source of processes. */
  private static double value(Tick tick, String metric, String reasonOrKind) {
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      if (series.metric().equals(metric)
          && (series.value("reason") + series.value("kind")).equals(reasonOrKind)
          && !series.value("source").equals("scheduler")) {
        return tick.values()[i];
      }
    }
    return Double.NaN;
  }
}
