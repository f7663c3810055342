package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Signal;
import java.util.Arrays;

/**
 * Means over a window of what the GPUs of a job read while the job works: a row for each GPU. Not
 * for several threads.
 */
final class JobWindow extends Copied {
  private static final int ROWS = 8;

  private final long start;
  private long first = Long.MIN_VALUE;
  private int steps;
  private int working;
  private int rows;
  private JobGpu[] gpus = new JobGpu[ROWS];
  private int[] ticks = new int[ROWS];

  /** Sums and numbers of readings, measure by measure in each row. */
  private double[] sums = new double[ROWS * Measure.COUNT];

  private short[] counts = new short[ROWS * Measure.COUNT];

  /**
   * @param start ms since the epoch
   */
  JobWindow(long start) {
    this.start = start;
  }

  JobWindow copy() {
    JobWindow copy = (JobWindow) shallow();
    copy.gpus = gpus.clone();
    copy.ticks = ticks.clone();
    copy.sums = sums.clone();
    copy.counts = counts.clone();
    return copy;
  }

  long start() {
    return start;
  }

  /** Time of its first step, ms since the epoch. */
  long first() {
    return first;
  }

  int steps() {
    return steps;
  }

  /** Number of GPUs. */
  int rows() {
    return rows;
  }

  JobGpu gpu(int row) {
    return gpus[row];
  }

  /** Returns true if the job worked in most steps. */
  boolean isWorking() {
    return 2 * working >= steps;
  }

  /** Returns true if the GPU was seen in most steps in which the job worked. */
  boolean isSeen(int row) {
    return 2 * ticks[row] >= working && ticks[row] > 0;
  }

  double mean(int row, Measure measure) {
    int place = row * Measure.COUNT + measure.ordinal();
    return sums[place] / counts[place];
  }

  /**
   * Takes a step of the job.
   *
   * @param leastPower share of the limit below which the median GPU is not at work
   */
  void add(JobStep step, double leastPower) {
    steps++;
    if (first == Long.MIN_VALUE) {
      first = step.time();
    }
    if (!isAtWork(step, leastPower)) {
      return;
    }
    working++;
    HostTick host = null;
    double[] values = new double[Measure.COUNT];
    int place = 0;
    for (JobGpu each : step.gpus()) {
      if (!each.fresh()) {
        continue;
      }
      if (each.host() != host) {
        host = each.host();
        Measure.read(host, values);
      }
      int row = row(each, place++);
      gpus[row] = each;
      ticks[row]++;
      for (int m = 0; m < Measure.OF_GPU; m++) {
        values[m] = Measure.ALL[m].of(each.gpu());
      }
      int at = row * Measure.COUNT;
      for (int m = 0; m < Measure.COUNT; m++) {
        if (!Double.isNaN(values[m]) && !Double.isInfinite(values[m])) {
          sums[at + m] += values[m];
          counts[at + m]++;
        }
      }
    }
  }

  /** Returns true if the median GPU draws at least a share of its power limit. */
  static boolean isAtWork(JobStep step, double leastPower) {
    double[] shares = new double[step.gpus().size()];
    int n = 0;
    for (JobGpu each : step.gpus()) {
      double share = each.gpu().get(Signal.POWER) / each.gpu().get(Signal.POWER_LIMIT);
      if (each.fresh() && !Double.isNaN(share)) {
        shares[n++] = share;
      }
    }
    return n > 0 && Spread.median(Arrays.copyOf(shares, n)) >= leastPower;
  }

  /** The row of a GPU, most often that of its place in the step. */
  private int row(JobGpu gpu, int place) {
    String uuid = gpu.gpu().uuid();
    if (place < rows && gpus[place].gpu().uuid().equals(uuid)) {
      return place;
    }
    for (int i = 0; i < rows; i++) {
      if (gpus[i].gpu().uuid().equals(uuid)) {
        return i;
      }
    }
    if (rows == ticks.length) {
      gpus = Arrays.copyOf(gpus, 2 * rows);
      ticks = Arrays.copyOf(ticks, 2 * rows);
      sums = Arrays.copyOf(sums, 2 * sums.length);
      counts = Arrays.copyOf(counts, 2 * counts.length);
    }
    gpus[rows] = gpu;
    return rows++;
  }
}
