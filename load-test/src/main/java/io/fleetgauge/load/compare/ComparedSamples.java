package io.fleetgauge.load.compare;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Half an hour of a small fleet with everything that is difficult for an evaluator: regular and
 * irregular ticks, gaps, series that begin, end and come back, resets, infinities, NaN, large and
 * tiny values. The same every time.
 */
final class ComparedSamples {
  static final long START = 1_760_000_000_000L;

  /** Time before {@link #START} at which each series has its first sample. */
  static final long BEFORE = 3_600_000;

  static final long LENGTH = 30 * 60_000L;

  private static final int JOBS = 4;

  private ComparedSamples() {}

  /** Ticks by host, each host's in order of time. */
  static Map<String, List<Tick>> ticksByHost() {
    Map<String, List<Tick>> all = new LinkedHashMap<>();
    for (int host = 0; host < 8; host++) {
      List<Tick> ticks = new ArrayList<>();
      ticks.add(first(host));
      ticks.addAll(ticks(host));
      all.put("n" + host, ticks);
    }
    return all;
  }

  /** One sample of every series, long before the others. */
  private static Tick first(int host) {
    Tick usual = tick(host, 0, START - BEFORE, new SplittableRandom(host), new double[3]);
    Tick.Builder all = new Tick.Builder();
    for (int i = 0; i < usual.size(); i++) {
      all.add(usual.series().get(i), usual.values()[i]);
    }
    for (int job = 1; job < JOBS; job++) {
      all.add(job(host, job), 1);
    }
    return all.at(START - BEFORE);
  }

  /** The job on the first GPU of a host. */
  private static Labels job(int host, int job) {
    return Labels.of(
        Labels.NAME,
        "gpu_job",
        "Hostname",
        "n" + host,
        "gpu",
        "0",
        "job",
        "job-" + job,
        "tenant",
        job % 2 == 0 ? "blue" : "green");
  }

  private static List<Tick> ticks(int host) {
    SplittableRandom random = new SplittableRandom(host);
    List<Tick> ticks = new ArrayList<>();
    double[] counter = new double[3];
    long time = START + host * 1_237L;
    for (int i = 0; time < START + LENGTH; i++) {
      boolean gap = host == 3 && i > 30 && i < 60;
      if (!gap) {
        ticks.add(tick(host, i, time, random, counter));
      }
      // Even hosts tick like clocks, odd ones do not.
      time += host % 2 == 0 ? 15_000 : 9_000 + random.nextInt(12_000);
    }
    return ticks;
  }

  private static Tick tick(int host, int i, long time, SplittableRandom random, double[] counter) {
    Tick.Builder tick = new Tick.Builder();
    Labels node = Labels.of("Hostname", "n" + host, "rack", "r" + host % 3);
    for (int gpu = 0; gpu < 2; gpu++) {
      Labels id = node.with("gpu", "" + gpu);
      tick.add(id.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), random.nextInt(101));
      tick.add(
          id.with(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE"), 70 + random.nextInt(630_000) / 1000.0);
    }
    counter[0] += random.nextInt(1_000);
    tick.add(node.with(Labels.NAME, "requests_total"), counter[0]);
    counter[1] = random.nextInt(20) == 0 ? random.nextInt(10) : counter[1] + random.nextDouble();
    tick.add(node.with(Labels.NAME, "resets_total"), counter[1]);
    counter[2] += 1e15 + random.nextInt(3);
    tick.add(node.with(Labels.NAME, "large_total"), counter[2]);
    for (String le : new String[] {"0.1", "1", "+Inf"}) {
      double bound = le.equals("+Inf") ? 3 : Double.parseDouble(le);
      tick.add(node.with(Labels.NAME, "latency_bucket").with("le", le), Math.floor(i * bound * 7));
    }
    if (i % 40 < 25) {
      tick.add(node.with(Labels.NAME, "sometimes"), i);
    } else if (i % 40 == 25) {
      tick.add(node.with(Labels.NAME, "sometimes"), Staleness.MARKER);
    }
    tick.add(node.with(Labels.NAME, "odd_values"), oddValue(random));
    tick.add(node.with(Labels.NAME, "tiny"), (random.nextDouble() - 0.5) * 1e-300);
    tick.add(node.with(Labels.NAME, "huge"), (random.nextDouble() - 0.3) * 1.6e308);
    tick.add(node.with(Labels.NAME, "constant"), 0.1);
    int job = (i / 17 + host) % JOBS;
    if (i > 0 && i % 17 == 0) {
      tick.add(job(host, (job + JOBS - 1) % JOBS), Staleness.MARKER);
    }
    tick.add(job(host, i == 0 ? 0 : job), 1);
    for (String le : new String[] {"-1", "0", "2.5", "1e1", "x", "+Inf"}) {
      // One host's has no last bucket, another's a bound that is none; counts fall now and then.
      if (!(le.equals("+Inf") && host == 1) && (!le.equals("x") || host == 2)) {
        tick.add(
            node.with(Labels.NAME, "odd_bucket").with("le", le),
            le.length() * i + random.nextInt(5));
      }
    }
    if (host == 0) {
      tick.add(
          Labels.of(
              Labels.NAME, "strange", "a", "quo\"te\\back\nline<&>", "é", "😀", "b", "\uE000"),
          i);
    }
    return tick.at(time);
  }

  private static double oddValue(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> Double.NaN;
      case 1 -> Double.POSITIVE_INFINITY;
      case 2 -> Double.NEGATIVE_INFINITY;
      case 3 -> -0.0;
      case 4 -> 1e21;
      case 5 -> 1e-7;
      default -> random.nextInt(-50, 50);
    };
  }
}
