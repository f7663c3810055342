package io.fleetgauge.load.benchmark;

import static java.util.Map.entry;

import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * One step of the engine of faults: 15 hosts with 8 GPUs each and 20 jobs, every signal of every
 * GPU, 18 links each, 8 ports and 64 CPUs a host: 46,000 samples.
 *
 * <p>Last result, 2 cores, JDK 25: 8 ms of CPU a step, which is 0.05 % of a core, and no more while
 * a host's samples are missing.
 */
public class FaultBenchmark extends AverageTimeBenchmark {
  private static final int HOSTS = 15;
  private static final int GPUS = 8;
  private static final int LINKS = 18;
  private static final int CPUS = 64;
  private static final int PORTS = 8;
  private static final int JOBS = 20;
  private static final Map<String, Double> WORKING =
      Map.ofEntries(
          entry(Signal.POWER_LIMIT.metric(), 700.0),
          entry(Signal.SM_CLOCK.metric(), 1_980.0),
          entry(Signal.UTILISATION.metric(), 100.0),
          entry(Signal.SM_ACTIVE.metric(), 0.9),
          entry(Signal.TENSOR_ACTIVE.metric(), 0.5),
          entry(Signal.DRAM_ACTIVE.metric(), 0.4),
          entry(Signal.TEMPERATURE.metric(), 60.0),
          entry(Signal.MARGIN.metric(), 25.0),
          entry(Signal.MEMORY_USED.metric(), 70_000.0),
          entry(Signal.MEMORY_TOTAL.metric(), 81_000.0),
          entry(Signal.PROCESSES.metric(), 1.0),
          entry(Signal.DRIVER_RESPONSIVE.metric(), 1.0),
          entry(Signal.COUNTED.metric(), 8.0),
          entry(Signal.EXPECTED.metric(), 8.0),
          entry(Signal.PCIE_WIDTH.metric(), 16.0),
          entry(Signal.PCIE_MAX_WIDTH.metric(), 16.0),
          entry(Signal.PCIE_GENERATION.metric(), 5.0),
          entry(Signal.PCIE_MAX_GENERATION.metric(), 5.0),
          entry(Signal.LINKS_ACTIVE.metric(), 18.0),
          entry(Signal.LINK_STATE.metric(), 1.0),
          entry(Signal.FABRIC_COMPLETED.metric(), 1.0),
          entry(Signal.PORT_STATE.metric(), 4.0));

  /** True if a host's samples are late, so that jobs cannot be settled. */
  @Param({"false", "true"})
  private boolean late;

  private final List<List<Labels>> hosts = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private final FaultEngine engine = new FaultEngine(Thresholds.defaults(), OwnerLabels.KNOWN);
  private long time = 1_790_000_010_000L;
  private double count;

  @Setup
  public void fill() {
    for (int host = 0; host < HOSTS; host++) {
      hosts.add(series(host));
    }
    for (int i = 0; i < 60; i++) {
      step(HOSTS);
    }
  }

  private static List<Labels> series(int host) {
    List<Labels> all = new ArrayList<>();
    Labels place = Labels.of("Hostname", "node" + host, "rack", "r1");
    for (Signal signal : Signal.values()) {
      Labels named = place.with(Labels.NAME, signal.metric());
      for (int gpu = 0; gpu < GPUS; gpu++) {
        Labels of =
            named
                .with("UUID", "GPU-" + host + "-" + gpu)
                .with("gpu", "" + gpu)
                .with("modelName", "NVIDIA H100 80GB HBM3")
                .with("job", "job" + (host * GPUS + gpu) * JOBS / (HOSTS * GPUS))
                .with("tenant", "t")
                .with("namespace", "n");
        switch (signal.entity()) {
          case GPU ->
              all.add(
                  switch (signal) {
                    case LINKS_ACTIVE -> of.with("state", "active");
                    case FABRIC_COMPLETED -> of.with("condition", "completed");
                    case HW_THERMAL_SECONDS -> of.with("reason", "hw_thermal");
                    case SW_THERMAL_SECONDS -> of.with("reason", "sw_thermal");
                    case POWER_BRAKE_SECONDS -> of.with("reason", "hw_power_brake");
                    default -> of;
                  });
          case LINK -> {
            for (int link = 0; link < LINKS; link++) {
              all.add(of.with("nvlink", "" + link).with("error", "recovery"));
            }
          }
          case CODE -> all.add(of.with("xid", "79"));
          case RANK -> all.add(of.with("communicator", "c"));
          case HOST, PORT -> {}
        }
      }
      switch (signal.entity()) {
        case HOST -> {
          for (int cpu = 0; cpu < (signal == Signal.CPU_SECONDS ? CPUS : 1); cpu++) {
            for (String mode : List.of("idle", "user", "system", "iowait")) {
              all.add(named.with("cpu", "" + cpu).with("mode", mode).with("state", "ok"));
            }
          }
        }
        case PORT -> {
          for (int port = 0; port < PORTS; port++) {
            all.add(named.with("device", "mlx5_" + port).with("port", "1"));
          }
        }
        case GPU, LINK, CODE, RANK -> {}
      }
    }
    return all.stream().distinct().toList();
  }

  private List<Episode> step(int sending) {
    time += FaultEngine.STEP_MILLIS;
    count += 1;
    long[] times = {time};
    for (int host = 0; host < sending; host++) {
      List<Series> samples = new ArrayList<>(hosts.get(host).size());
      for (Labels labels : hosts.get(host)) {
        samples.add(new Series(labels, times, new double[] {value(labels)}));
      }
      engine.feed("node" + host, samples);
    }
    engine.at(time);
    return engine.changes();
  }

  /** What a GPU at work shows: bytes and times rise, errors do not. */
  private double value(Labels labels) {
    String metric = labels.metric();
    if (metric.contains("bytes_total") || metric.contains("cpu_seconds")) {
      return count * 1e9;
    }
    if (metric.endsWith("POWER_USAGE")) {
      return 500 + random.nextInt(50);
    }
    return WORKING.getOrDefault(metric, 0.0);
  }

  @Benchmark
  public List<Episode> step() {
    return step(late ? HOSTS - 1 : HOSTS);
  }
}
