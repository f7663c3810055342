package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Finds a GPU that does far less than in its own last hour, while the other GPUs of its job go on.
 *
 * <p>Activity is taken as a part of that of the job's median GPU, so that pauses of the whole job
 * do not count. Who changes anyway, as in inference, has to do less than in its worst minutes; a
 * GPU without a process, or many at once, are a job that shrinks.
 */
public final class UtilisationDropDetector extends Copied implements JobDetector {
  /** Samples of so long make its state what it would be if it had seen all, ms. */
  public static final long HISTORY_MILLIS = 3_600_000;

  private static final long BUCKET_MILLIS = 300_000;
  private static final int BUCKETS = 11;
  private static final int RECENT = 4;
  private static final long STEP_MILLIS = 15_000;
  private static final double LEAST_POWER = 0.3;
  private static final double LEAST_ACTIVITY = 0.01;

  private final double share;
  private final double othersShare;
  private final double deviations;
  private final double leastShare;
  private final double mostGpus;
  private final int leastBuckets;
  private final long after;

  private int rows;
  private String[] uuids = new String[0];

  /** Means over buckets, the oldest first; {@code NaN} for none. */
  private float[] buckets = new float[0];

  private float[] recent = new float[0];
  private double[] sums = new double[0];
  private int[] counts = new int[0];

  /** Since when the GPU does less; 0 if it does not. */
  private long[] since = new long[0];

  /** Its activity since then. */
  private double[] lessSums = new double[0];

  private int[] lessCounts = new int[0];
  private float[] usual = new float[0];

  /** Activity below which a GPU does far less than usual. */
  private float[] low = new float[0];

  private long bucket = Long.MIN_VALUE;

  /** Activity of the median GPU in each bucket, and in this one. */
  private float[] paces = filled(BUCKETS);

  private double paceSum;
  private int paceCount;

  public UtilisationDropDetector(Thresholds thresholds) {
    Thresholds.OfKind limits = thresholds.of(FaultKind.UTILISATION_DROP);
    share = limits.number("share");
    othersShare = limits.number("othersShare");
    deviations = limits.number("deviations");
    leastShare = limits.number("leastShare");
    mostGpus = limits.number("mostGpus");
    leastBuckets = (int) (limits.millis("leastHistory") / BUCKET_MILLIS);
    after = limits.millis("after");
  }

  @Override
  public UtilisationDropDetector copy() {
    UtilisationDropDetector copy = (UtilisationDropDetector) shallow();
    copy.uuids = uuids.clone();
    copy.buckets = buckets.clone();
    copy.recent = recent.clone();
    copy.sums = sums.clone();
    copy.counts = counts.clone();
    copy.since = since.clone();
    copy.lessSums = lessSums.clone();
    copy.lessCounts = lessCounts.clone();
    copy.usual = usual.clone();
    copy.low = low.clone();
    copy.paces = paces.clone();
    return copy;
  }

  @Override
  public void on(JobStep step, Consumer<Finding> out) {
    List<JobGpu> gpus = step.gpus().stream().filter(JobGpu::fresh).toList();
    turn(Math.floorDiv(step.time(), BUCKET_MILLIS), step);
    if (gpus.isEmpty() || !JobWindow.isAtWork(step, LEAST_POWER)) {
      return;
    }
    double[] activity = activity(gpus);
    double median = Spread.of(activity).median();
    int[] places = new int[gpus.size()];
    int dropped = 0;
    for (int i = 0; i < places.length; i++) {
      int row = row(gpus.get(i).gpu().uuid(), i);
      places[i] = row;
      take(row, activity[i] / median, gpus.get(i), step.time());
      dropped += since[row] > 0 ? 1 : 0;
    }
    paceSum += median;
    paceCount++;
    double pace = median(paces, 0);
    boolean othersGoOn = !(median < othersShare * pace);
    if (dropped == 0 || dropped > mostGpus * gpus.size() || !othersGoOn) {
      return;
    }
    for (int i = 0; i < places.length; i++) {
      long began = since[places[i]];
      int row = places[i];
      if (began > 0 && step.time() - began >= after && lessSums[row] / lessCounts[row] < low[row]) {
        out.accept(finding(gpus.get(i), places[i], began, median));
      }
    }
  }

  /** What says most about the work of the job, of that which is read. */
  private static double[] activity(List<JobGpu> gpus) {
    List<ToDoubleFunction<JobGpu>> all =
        List.of(
            each -> each.gpu().get(Signal.TENSOR_ACTIVE),
            each -> each.gpu().get(Signal.SM_ACTIVE),
            each -> each.gpu().get(Signal.UTILISATION) / 100);
    double[] activity = {};
    for (ToDoubleFunction<JobGpu> each : all) {
      activity = gpus.stream().mapToDouble(each).toArray();
      if (Spread.of(activity).median() >= LEAST_ACTIVITY) {
        break;
      }
    }
    return activity;
  }

  private void take(int row, double part, JobGpu gpu, long time) {
    if (Double.isNaN(part) || Double.isInfinite(part)) {
      return;
    }
    System.arraycopy(recent, row * RECENT + 1, recent, row * RECENT, RECENT - 1);
    recent[row * RECENT + RECENT - 1] = (float) part;
    boolean isHeld = gpu.gpu().readings().get(Signal.PROCESSES, 1) > 0;
    if (isHeld && now(row) < share * usual[row]) {
      if (since[row] == 0) {
        since[row] = time - (RECENT - 1) * STEP_MILLIS;
        lessSums[row] = 0;
        lessCounts[row] = 0;
      }
      lessSums[row] += part;
      lessCounts[row]++;
    } else {
      since[row] = 0;
    }
    sums[row] += part;
    counts[row]++;
  }

  private double now(int row) {
    double sum = 0;
    for (int i = 0; i < RECENT; i++) {
      sum += recent[row * RECENT + i];
    }
    return sum / RECENT;
  }

  /**
   * Works out what is usual for each GPU, and below which activity it does far less. How much
   * activity changes is taken of all GPUs of the job, since a few means of one may be close to each
   * other by chance.
   */
  private void learn() {
    double variances = 0;
    int judged = 0;
    for (int row = 0; row < rows; row++) {
      double variance = variance(row);
      if (!Double.isNaN(variance)) {
        variances += variance;
        judged++;
      }
    }
    for (int row = 0; row < rows; row++) {
      if (since[row] > 0) {
        continue; // what is usual stays so while the GPU does less
      }
      double deviation = Math.sqrt(Math.max(variance(row), variances / judged));
      double part = Math.min(share, Math.exp(-deviations * deviation));
      usual[row] = (float) median(buckets, row);
      low[row] = part >= leastShare ? (float) (part * usual[row]) : Float.NaN;
    }
  }

  /** Variance of the logarithms of its means; {@code NaN} if too few are known. */
  private double variance(int row) {
    double sum = 0;
    double squares = 0;
    int known = 0;
    for (int i = 0; i < BUCKETS; i++) {
      double each = buckets[row * BUCKETS + i];
      if (!Double.isNaN(each)) {
        double log = Math.log(Math.max(LEAST_ACTIVITY, each));
        sum += log;
        squares += log * log;
        known++;
      }
    }
    double mean = sum / known;
    return known >= leastBuckets ? Math.max(0, squares / known - mean * mean) : Double.NaN;
  }

  private static double median(float[] all, int row) {
    double[] values = new double[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      values[i] = all[row * BUCKETS + i];
    }
    return Spread.of(values).median();
  }

  /** Goes on to a bucket. GPUs that the job has no more are forgotten. */
  private void turn(long now, JobStep step) {
    if (bucket == Long.MIN_VALUE) {
      bucket = now;
    }
    for (long turns = Math.min(now - bucket, BUCKETS); turns > 0; turns--) {
      for (int row = 0; row < rows; row++) {
        push(buckets, row, counts[row] == 0 ? Double.NaN : sums[row] / counts[row]);
        sums[row] = 0;
        counts[row] = 0;
      }
      push(paces, 0, paceCount == 0 ? Double.NaN : paceSum / paceCount);
      paceSum = 0;
      paceCount = 0;
    }
    if (now != bucket && rows > 2 * step.gpus().size()) {
      rows = 0;
    }
    if (now != bucket) {
      learn();
    }
    bucket = now;
  }

  private static void push(float[] all, int row, double value) {
    System.arraycopy(all, row * BUCKETS + 1, all, row * BUCKETS, BUCKETS - 1);
    all[row * BUCKETS + BUCKETS - 1] = (float) value;
  }

  private static float[] filled(int length) {
    float[] all = new float[length];
    Arrays.fill(all, Float.NaN);
    return all;
  }

  /** The row of a GPU, most often that of its place in the step. */
  private int row(String uuid, int place) {
    if (place < rows && uuids[place].equals(uuid)) {
      return place;
    }
    for (int i = 0; i < rows; i++) {
      if (uuids[i].equals(uuid)) {
        return i;
      }
    }
    if (rows == uuids.length) {
      int more = Math.max(8, 2 * rows);
      uuids = Arrays.copyOf(uuids, more);
      buckets = Arrays.copyOf(buckets, more * BUCKETS);
      recent = Arrays.copyOf(recent, more * RECENT);
      sums = Arrays.copyOf(sums, more);
      counts = Arrays.copyOf(counts, more);
      since = Arrays.copyOf(since, more);
      lessSums = Arrays.copyOf(lessSums, more);
      lessCounts = Arrays.copyOf(lessCounts, more);
      usual = Arrays.copyOf(usual, more);
      low = Arrays.copyOf(low, more);
    }
    uuids[rows] = uuid;
    Arrays.fill(buckets, rows * BUCKETS, (rows + 1) * BUCKETS, Float.NaN);
    Arrays.fill(recent, rows * RECENT, (rows + 1) * RECENT, Float.NaN);
    sums[rows] = 0;
    counts[rows] = 0;
    since[rows] = 0;
    usual[rows] = Float.NaN;
    low[rows] = Float.NaN;
    return rows++;
  }

  private Finding finding(JobGpu gpu, int row, long began, double median) {
    Subject of = Subject.of(gpu.host(), gpu.gpu());
    Subject subject = new Subject(of.host(), of.uuid(), "", gpu.gpu().job(), of.labels());
    double before = usual[row];
    String text =
        String.format(
            Locale.ROOT,
            "GPU %s of %s does %.0f %% of its usual work, and the other GPUs of the job go on: its"
                + " process does not give it work (CPU side), or lacks data",
            gpu.gpu().labels().value("gpu"),
            gpu.host().host(),
            100 * now(row) / before);
    return Finding.of(
        FaultKind.UTILISATION_DROP,
        subject,
        began,
        "",
        text,
        new Evidence("activity, share", before * median, now(row) * median),
        new Evidence("processes", Double.NaN, gpu.gpu().get(Signal.PROCESSES)));
  }
}
