package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.fleetgauge.probe.attribution.Attribution;
import io.fleetgauge.probe.attribution.AttributionSampling;
import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.process.ProcessOwners;
import io.fleetgauge.probe.attribution.process.ProcessSampling;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.TestConfig;
import io.fleetgauge.probe.gpu.GpuReport;
import io.fleetgauge.probe.gpu.GpuSampling;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.uplink.UplinkMachine;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a node with 8 GPUs costs its probe while 30 pods come and go. The test turns the time;
 * {@code fleetgauge.pods.ticks} ticks of a second are played in each part.
 */
@Tag("slow")
class PodChangesTest {
  private static final int TICKS = Integer.getInteger("fleetgauge.pods.ticks", 300);
  private static final int GPUS = 8;
  private static final int PODS = 30;

  /** So many have a GPU for themselves; the others share two. */
  private static final int ALONE = 6;

  private static final int FIRST_PID = 20_000;

  /** Changes of a day, at 20 an hour. */
  private static final int OF_A_DAY = 480;

  @TempDir private Path folder;
  private final AtomicLong now = new AtomicLong(1_800_000_000_000L);
  private final List<Claim> allocated = new ArrayList<>();
  private final int[] pods = new int[PODS];
  private int next;
  private long ended;
  private StandIn driver;
  private Path proc;
  private Sampler sampler;
  private UplinkMachine uplink;

  @Test
  void podsThatComeAndGoCostTheProbeNeitherTimeNorMemory() throws Exception {
    driver = new StandIn(folder);
    proc = Files.createDirectories(folder.resolve("proc"));
    driver.begin(GPUS);
    for (int gpu = 0; gpu < GPUS; gpu++) {
      FullGpu.fill(driver, gpu);
      driver.text(gpu, "uuid", "GPU-" + gpu);
    }
    for (int place = 0; place < PODS; place++) {
      change(place);
    }
    GpuThread gpus =
        new GpuThread(new GpuSource(driver.library.toString(), List.of(), LinkSeries.NONE, 0));
    sampler = sampler(gpus);
    uplink =
        UplinkMachine.inMemory(
            "n1",
            new UplinkSettings(Duration.ofMinutes(15), 1 << 20, Duration.ofHours(6), 1 << 20),
            List.of(URI.create("http://127.0.0.1:1")),
            new Random(1),
            new AtomicLong(1)::incrementAndGet);
    try {
      play(TICKS, 0); // what is compiled is compiled
      long held = held();
      double steady = play(TICKS, 0);
      double changing = play(TICKS, 180);
      otherProcesses(2_000);
      double crowded = play(TICKS, 180);
      System.out.printf(
          "ms of CPU a tick: %.2f with %d pods, %.2f with 20 changes an hour, %.2f with 2,000"
              + " other processes%n",
          steady, PODS, changing, crowded);
      assertThat(changing).as("ms, %.2f without changes", steady).isLessThan(2 * steady + 2);
      assertThat(crowded).as("ms, %.2f without the others", changing).isLessThan(2 * changing + 2);
      ended = 0;
      for (int i = 0; i < OF_A_DAY; i++) {
        change(i % 2 == 0 ? i / 2 % ALONE : i % PODS);
        tick();
      }
      long more = held() - held;
      System.out.printf(
          "%d series ended in a day's changes; %d KiB more held%n", ended, more >> 10);
      assertThat(ended).isGreaterThan(OF_A_DAY * 50);
      assertThat(more).as("bytes held after the changes of a day").isLessThan(12L << 20);
    } finally {
      sampler.close();
      gpus.close();
    }
  }

  /**
   * Plays ticks; answers the CPU time of one, ms.
   *
   * @param every after so many ticks another pod comes; 0 for never
   */
  private double play(int ticks, int every) throws Exception {
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = process.getProcessCpuTime();
    for (int i = 0; i < ticks; i++) {
      if (every > 0 && i % every == 0) {
        change(next % ALONE);
      }
      tick();
    }
    return (process.getProcessCpuTime() - before) / 1e6 / ticks;
  }

  private void tick() throws InterruptedException {
    Tick tick = sampler.readAt(now.addAndGet(1_000));
    uplink.on(new UplinkMachine.Event.Read(tick));
    for (double value : tick.values()) {
      ended += Staleness.isMarker(value) ? 1 : 0;
    }
  }

  /** Another pod gets the place of one. */
  private void change(int place) throws IOException {
    Path old = proc.resolve(Integer.toString(pods[place]));
    if (pods[place] > 0) {
      for (String file : List.of("stat", "cgroup", "status")) {
        Files.delete(old.resolve(file));
      }
      Files.delete(old);
    }
    int number = next++;
    pods[place] = FIRST_PID + number;
    process(pods[place], "0::/kubepods/burstable/pod%s/%064x\n".formatted(uid(number), number));
    allocated.clear();
    for (int gpu = 0; gpu < GPUS; gpu++) {
      int shares = 0;
      for (int each = 0; each < PODS; each++) {
        if (gpu != (each < ALONE ? each : ALONE + each % (GPUS - ALONE))) {
          continue;
        }
        driver.set(gpu, "compute." + shares + ".pid", pods[each]);
        driver.set(gpu, "compute." + shares + ".bytes", 1_000_000L * (each + 1));
        shares++;
        if (pods[each] > 0) {
          int of = pods[each] - FIRST_PID;
          allocated.add(
              new Claim(
                  GpuOwners.Gpu.whole("GPU-" + gpu),
                  Labels.of("pod", "p-" + of, "namespace", "ns-" + of, "pod_uid", uid(of))));
        }
      }
      driver.set(gpu, "compute_processes", shares);
    }
  }

  private static String uid(int pod) {
    return "%08x-1111-2222-3333-444444444444".formatted(pod);
  }

  private void otherProcesses(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      process(100_000 + i, "0::/system.slice/other.service\n");
    }
  }

  private void process(int pid, String cgroup) throws IOException {
    Path of = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(
        of.resolve("stat"),
        pid + " (python3) S 1 1 1 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0 7 1000000 300 18446\n");
    Files.writeString(of.resolve("cgroup"), cgroup);
    Files.writeString(of.resolve("status"), "Name:\tpython3\nUid:\t1000\t1000\t1000\t1000\n");
  }

  private Sampler sampler(GpuThread gpus) throws Exception {
    ProbeConfig config =
        ProbeConfig.read(
            "test",
            """
            hostname: n1
            gateways: [http://127.0.0.1:1]
            tick: 1s
            host: {proc: %s}
            spool: {enabled: false}
            """
                .formatted(proc));
    TickClasses classes = TickClasses.of(config.ticks());
    ProcessOwners owners = new ProcessOwners(proc, folder, ContainerNames.none());
    Attribution attribution = new Attribution(List.of(scheduler(), owners), List.of("namespace"));
    List<Reader> readers = new ArrayList<>(host(config, classes));
    readers.add(new GpuSampling(gpus, classes, Duration.ofSeconds(10)));
    readers.add(new GpuReport(gpus, classes.core(), classes.other()));
    readers.add(
        new ProcessSampling(
            TestConfig.of("{}").attribution().processes(),
            gpus::processes,
            owners,
            attribution::ask,
            attribution::record,
            classes.core()));
    readers.add(new AttributionSampling(attribution, gpus::identities, classes.core()));
    return new Sampler(
        readers,
        new NodeLabels(Labels.of("Hostname", "n1"), Relabelling.NONE),
        attribution,
        "job",
        Duration.ofSeconds(20), // a machine that is busy
        now::get,
        TickSink.NONE);
  }

  private List<Reader> host(ProbeConfig config, TickClasses classes) {
    return new HostReader(config.host(), classes, now::get).readers();
  }

  private OwnerSource scheduler() {
    return new OwnerSource() {
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
  }

  private static long held() {
    System.gc();
    Runtime java = Runtime.getRuntime();
    return java.totalMemory() - java.freeMemory();
  }
}
