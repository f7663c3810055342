package io.fleetgauge.load.benchmark;

import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * One step of the engine of faults: 15 hosts with 8 GPUs each and 20 jobs, every signal of every
 * GPU, 18 links each, 8 ports and 64 CPUs a host: 46,000 samples.
 *
 * <p>Last result: none yet.
 */
public class FaultBenchmark extends AverageTimeBenchmark {
  private static final int HOSTS = 15;
  private static final int GPUS = 8;
  private static final int LINKS = 18;
  private static final int CPUS = 64;
  private static final int PORTS = 8;
  private static final int JOBS = 20;

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
          case GPU -> all.add(of);
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
              all.add(named.with("cpu", "" + cpu).with("mode", mode));
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
        boolean isCounter = labels.metric().endsWith("_total");
        double value = isCounter ? count * 10 : 500 + random.nextInt(50);
        samples.add(new Series(labels, times, new double[] {value}));
      }
      engine.feed("node" + host, samples);
    }
    engine.at(time);
    return engine.changes();
  }

  @Benchmark
  public List<Episode> step() {
    return step(late ? HOSTS - 1 : HOSTS);
  }
}
