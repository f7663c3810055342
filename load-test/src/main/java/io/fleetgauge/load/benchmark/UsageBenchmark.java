package io.fleetgauge.load.benchmark;

import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * What the GPUs of one host were used for in a day: 8 GPUs with 18 series each, every 15 s, which
 * are 829,000 samples.
 *
 * <p>Last result, 2 cores, JDK 25: 5 ms of CPU and 7 MB allocated for one job, 8 ms and 9 MB for 12
 * jobs a GPU; 5 to 10 ns a sample.
 */
public class UsageBenchmark extends AverageTimeBenchmark {
  private static final long DAY = 86_400_000;
  private static final long STEP = 15_000;
  private static final int TICKS = (int) (DAY / STEP);
  private static final int GPUS = 8;
  private static final List<String> RATIOS =
      List.of(
          "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
          "DCGM_FI_PROF_SM_ACTIVE",
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
          "DCGM_FI_PROF_DRAM_ACTIVE");
  private static final List<String> COUNTERS =
      List.of(
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "gpu_energy_joules_total",
          "gpu_owner_cpu_seconds_total",
          "gpu_owner_io_bytes_total");

  /** Jobs of each GPU, one after the other. */
  @Param({"1", "12"})
  public int jobs;

  private final List<Series> samples = new ArrayList<>();

  /** One value for each tick. */
  @FunctionalInterface
  private interface Values {
    double at(int tick);
  }

  @Setup
  public void setUp() {
    SplittableRandom random = new SplittableRandom(40);
    int ticks = TICKS / jobs;
    for (int gpu = 0; gpu < GPUS; gpu++) {
      for (int job = 0; job < jobs; job++) {
        Labels labels =
            Labels.of("Hostname", "h", "UUID", "GPU-" + gpu, "gpu", "" + gpu, "rack", "r1")
                .with(Labels.of("job", "j" + job, "tenant", "t" + job % 3, "pod", "p" + job));
        add(labels, job * ticks, ticks, random);
      }
    }
  }

  private void add(Labels labels, int first, int ticks, SplittableRandom random) {
    add(labels, "gpu_allocated", first, ticks, tick -> 1);
    add(labels, "DCGM_FI_DEV_FB_USED", first, ticks, tick -> random.nextInt(80_000));
    add(labels, "DCGM_FI_DEV_GPU_UTIL", first, ticks, tick -> random.nextInt(101));
    add(labels, "DCGM_FI_DEV_POWER_USAGE", first, ticks, tick -> random.nextInt(700));
    add(labels, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", first, ticks, tick -> 700);
    for (String metric : RATIOS) {
      add(labels, metric, first, ticks, tick -> random.nextInt(1_000) / 1e3);
    }
    for (String metric : COUNTERS) {
      add(labels, metric, first, ticks, tick -> tick * 1_000.0);
    }
    for (String direction : List.of("rx", "tx")) {
      Labels of = labels.with("direction", direction);
      add(of, "gpu_nvlink_bytes_total", first, ticks, tick -> tick * 1e9);
      add(of, "gpu_pcie_bytes_total", first, ticks, tick -> tick * 1e8);
    }
    add(labels.with("pid", "7"), "gpu_process_memory_bytes", first, ticks, tick -> 1e9);
  }

  private void add(Labels labels, String metric, int first, int ticks, Values values) {
    long[] times = new long[ticks];
    double[] all = new double[ticks];
    for (int i = 0; i < ticks; i++) {
      times[i] = (first + i) * STEP;
      all[i] = values.at(first + i);
    }
    samples.add(new Series(labels.with(Labels.NAME, metric), times, all));
  }

  @Benchmark
  public List<UsageRow> day() {
    HostUsage usage = new HostUsage(UsagePeriod.every(0, DAY, DAY), UsageTerms.DEFAULT, List.of());
    usage.feed(DAY, samples);
    return usage.rows();
  }
}
