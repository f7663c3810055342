package io.fleetgauge.load.benchmark;

import io.fleetgauge.gateway.rollup.Reduction;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The rollups of a block: an hour of the eight GPUs of a host, in one group or one for each. The
 * baseline adds up the same doubles.
 *
 * <p>Last result, 2 cores, JDK 25, CPU ns a sample, the baseline 0.5: 7 in one group and 15 in
 * eight; with rate and increase over two windows 66 and 97.
 */
public class RollupBenchmark extends AverageTimeBenchmark {
  private static final long STEP = 15_000;
  private static final int STEPS = 240;
  private static final int GPUS = 8;

  /** Number of jobs of the GPUs, and so of groups. */
  @Param({"1", "8"})
  private int jobs;

  /** True computes rate and increase over two windows too, as of a counter. */
  @Param({"false", "true"})
  private boolean counter;

  private RollupRules rules;
  private final List<Series> series = new ArrayList<>();

  @Setup
  public void fill() {
    rules =
        new RollupRules(
            STEP,
            300_000,
            List.of(
                new RollupRules.Rule(
                    Matcher.equal(Labels.NAME, "energy"),
                    List.of("rack", "tenant", "job", "modelName", "Hostname"),
                    true,
                    counter ? List.of(60_000L, 300_000L) : List.of())));
    SplittableRandom random = new SplittableRandom(1);
    for (int gpu = 0; gpu < GPUS; gpu++) {
      long[] times = new long[STEPS + 20];
      double[] values = new double[times.length];
      for (int i = 0; i < times.length; i++) {
        times[i] = (i - 20) * STEP + 7_000;
        values[i] = (i == 0 ? 0 : values[i - 1]) + random.nextInt(10_000);
      }
      series.add(
          new Series(
              Labels.of(
                  Labels.NAME, "energy", "gpu", "" + gpu, "job", "j" + gpu % jobs, "rack", "r"),
              times,
              values));
    }
  }

  @Benchmark
  @OperationsPerInvocation(GPUS * STEPS)
  public List<Optional<RollupPage>> reduce() {
    RollupRules.OfMetric rule = rules.of("energy");
    Reduction reduction = new Reduction(rules, rule.keys(), rule.labels(), STEP, STEPS);
    series.forEach(reduction::add);
    return reduction.pages();
  }

  @Benchmark
  @OperationsPerInvocation(GPUS * STEPS)
  public double baseline() {
    double sum = 0;
    for (Series each : series) {
      for (double value : each.values()) {
        sum += value;
      }
    }
    return sum;
  }
}
