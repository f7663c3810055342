package io.fleetgauge.load.benchmark;

import io.fleetgauge.promql.kernel.Columns;
import io.fleetgauge.promql.kernel.Sums;
import io.fleetgauge.promql.kernel.Windows;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Loops of the evaluator over one series of an hour at 15 s, or a column of 240 steps; the baseline
 * is a plain sum over the same values.
 *
 * <p>Last result, 2 cores, JDK 25.0.3, times the baseline of 96 ns: compensatedSum 2.5,
 * foldOneColumnIntoASum 5.1 (exact; the compensated fold before it took 2.0),
 * foldOneKeptRowIntoASum 8.4; of an earlier run latestAtEachStep 3.1, rateOfTheWholeWindow 0.45. A
 * median takes 0.26 of the 2.2 µs in which its values are sorted.
 */
public class KernelBenchmark extends AverageTimeBenchmark {
  private static final int SAMPLES = 240;

  private final long[] times = new long[SAMPLES];
  private final double[] values = new double[SAMPLES];
  private final double[] out = new double[SAMPLES];
  private final double[] sum = new double[SAMPLES];
  private final double[] carry = new double[SAMPLES];
  private final double[] rest = new double[SAMPLES];
  private final double[][] into = {sum, carry, rest};
  private final int[] count = new int[SAMPLES];
  private final int[] falls = new int[SAMPLES];
  private final int[] keptCount = new int[SAMPLES];
  private final double[] gauges = new double[SAMPLES];
  private final double[] scratch = new double[SAMPLES];
  private final double[][] kept = {values, new double[SAMPLES], null};

  public KernelBenchmark() {
    SplittableRandom random = new SplittableRandom(1);
    double counter = 0;
    for (int i = 0; i < SAMPLES; i++) {
      times[i] = i * 15_000L;
      counter += random.nextDouble() * 100;
      values[i] = counter;
      keptCount[i] = 8;
      gauges[i] = random.nextInt(1_000, 2_000);
    }
  }

  @Benchmark
  public double baselinePlainSum() {
    double total = 0;
    for (double value : values) {
      total += value;
    }
    return total;
  }

  @Benchmark
  public double compensatedSum() {
    return Windows.sum(values, 0, SAMPLES);
  }

  @Benchmark
  public double rateOfTheWholeWindow() {
    return Windows.rate(times, values, falls, 0, SAMPLES, -15_000, 3_600_000);
  }

  @Benchmark
  public int latestAtEachStep() {
    return Columns.latest(times, values, 0, 15_000, 300_000, out);
  }

  @Benchmark
  public double[] foldOneColumnIntoASum() {
    Sums.add(values, 0, sum, carry, rest, count);
    return sum;
  }

  @Benchmark
  public double[] foldOneKeptRowIntoASum() {
    Sums.addKept(keptCount, kept, 0, 1, SAMPLES, into, count, 0);
    return sum;
  }

  @Benchmark
  public double baselineMedianBySorting() {
    System.arraycopy(gauges, 0, scratch, 0, SAMPLES);
    Arrays.sort(scratch);
    return scratch[SAMPLES / 2];
  }

  @Benchmark
  public double median() {
    return Windows.quantile(0.5, gauges, 0, SAMPLES, scratch);
  }
}
