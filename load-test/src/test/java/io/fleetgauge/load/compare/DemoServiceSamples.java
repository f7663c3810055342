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
 * Samples of three instances of a small demonstration service for a bit more than an hour, every 5
 * seconds: the metrics that the compliance queries ask for. The same every time.
 */
final class DemoServiceSamples {
  static final long START = 1_760_000_000_000L;
  static final long LENGTH = 84 * 60_000L;

  private static final int STEP = 5_000;
  private static final String[] MODES = {"user", "system", "idle"};
  private static final double[] PER_SECOND = {1.2, 0.8, 2.0};
  private static final String[] MEMORY = {"used", "cached", "buffers", "free"};
  private static final String[][] ENDPOINTS = {
    {"GET", "/api/foo", "200"},
    {"GET", "/api/foo", "500"},
    {"GET", "/api/bar", "200"},
    {"GET", "/api/bar", "500"},
    {"POST", "/api/foo", "200"},
    {"POST", "/api/foo", "500"},
    {"POST", "/api/bar", "200"},
    {"POST", "/api/bar", "500"},
    {"GET", "/api/nonexistent", "404"}
  };

  private final SplittableRandom random;
  private final Labels instance;
  private final double[] cpu = new double[MODES.length];
  private final double[] memory = {1.2e9, 2.5e9, 165e6, 0};
  private final double[][] buckets = new double[ENDPOINTS.length][26];
  private final double[] sums = new double[ENDPOINTS.length];
  private double disk = 16e9;
  private double lastSuccess;

  private DemoServiceSamples(int number) {
    random = new SplittableRandom(number);
    instance = Labels.of("instance", "demo.promlabs.com:" + (10_000 + number), "job", "demo");
  }

  /** Ticks by host, each host's in order of time; the first has every series. */
  static Map<String, List<Tick>> ticksByHost() {
    Map<String, List<Tick>> all = new LinkedHashMap<>();
    for (int number = 0; number < 3; number++) {
      DemoServiceSamples service = new DemoServiceSamples(number);
      List<Tick> ticks = new ArrayList<>();
      for (long time = START; time <= START + LENGTH; time += STEP) {
        ticks.add(service.tick(time));
      }
      all.put("demo-" + number, ticks);
    }
    return all;
  }

  private Tick tick(long time) {
    long second = (time - START) / 1000;
    Tick.Builder tick = new Tick.Builder();
    add(tick, "demo_num_cpus", 4);
    for (int i = 0; i < MODES.length; i++) {
      // One instance begins anew after half an hour.
      boolean restart = second == 1_800 && instance.value("instance").endsWith("1");
      cpu[i] = restart ? 0 : cpu[i] + PER_SECOND[i] * 5 * (0.8 + 0.4 * random.nextDouble());
      add(tick, "demo_cpu_usage_seconds_total", cpu[i], "mode", MODES[i]);
    }
    double free = 8L << 30;
    for (int i = 0; i < 3; i++) {
      memory[i] += Math.rint((random.nextDouble() - 0.5) * 1e7);
      free -= memory[i];
      add(tick, "demo_memory_usage_bytes", memory[i], "type", MEMORY[i]);
    }
    add(tick, "demo_memory_usage_bytes", free, "type", "free");
    disk = disk > 144e9 ? 16e9 : disk + 5 * 0.5e6 * (0.5 + random.nextDouble());
    add(tick, "demo_disk_usage_bytes", disk);
    if (second % 60 == 0 && random.nextInt(4) > 0) {
      lastSuccess = time / 1000.0;
    }
    add(tick, "demo_batch_last_success_timestamp_seconds", lastSuccess);
    boolean there = second / 60 % 2 == 0;
    if (there || second % 60 == 0) {
      add(tick, "demo_intermittent_metric", there ? 1 : Staleness.MARKER);
    }
    for (int i = 0; i < ENDPOINTS.length; i++) {
      requests(tick, i);
    }
    return tick.at(time);
  }

  private void requests(Tick.Builder tick, int endpoint) {
    for (int i = random.nextInt(40); i > 0; i--) {
      double seconds = 0.002 * Math.exp(3 * random.nextDouble() + endpoint * 0.1);
      sums[endpoint] += seconds;
      for (int k = 0; k < 26; k++) {
        buckets[endpoint][k] += k == 25 || seconds <= bound(k) ? 1 : 0;
      }
    }
    String name = "demo_api_request_duration_seconds";
    String[] at = ENDPOINTS[endpoint];
    for (int k = 0; k < 26; k++) {
      String le = k == 25 ? "+Inf" : Double.toString(bound(k));
      add(
          tick,
          name + "_bucket",
          buckets[endpoint][k],
          "method",
          at[0],
          "path",
          at[1],
          "status",
          at[2],
          "le",
          le);
    }
    add(
        tick,
        name + "_count",
        buckets[endpoint][25],
        "method",
        at[0],
        "path",
        at[1],
        "status",
        at[2]);
    add(tick, name + "_sum", sums[endpoint], "method", at[0], "path", at[1], "status", at[2]);
  }

  private static double bound(int k) {
    return 0.0001 * Math.pow(1.5, k);
  }

  private void add(Tick.Builder tick, String name, double value, String... labels) {
    tick.add(Labels.of(labels).with(instance).with(Labels.NAME, name), value);
  }
}
