package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.system.Connection.Answer;
import io.fleetgauge.load.system.MeasuredProcess;
import io.fleetgauge.load.traffic.FleetTraffic;
import io.fleetgauge.load.traffic.GpuFleet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The cost of rules: samples arrive live, first without rules and then with them. The difference is
 * the cost of the rules, of storing their results included.
 */
final class RulesLoad {
  private static final int INTERVAL = 15;
  private static final int RULES_A_GROUP = 20;

  /** Minutes of rules between the first measurement and the last. */
  private static final int WARM_UP = 3;

  /** Expressions of recording rules; each has one tenant, rack or host. */
  private static final List<String> RECORDED =
      List.of(
          "avg by (rack) (DCGM_FI_DEV_GPU_UTIL{%s})",
          "sum by (tenant) (DCGM_FI_DEV_POWER_USAGE{%s})",
          "max by (job) (DCGM_FI_DEV_GPU_TEMP{%s})",
          "sum by (rack) (avg_over_time(DCGM_FI_PROF_NVLINK_TX_BYTES{%s}[5m]))",
          "sum by (job) (DCGM_FI_DEV_FB_USED{%s})");

  /** Expressions of alerts, each with a limit. */
  private static final List<String> ALERTS =
      List.of(
          "DCGM_FI_DEV_GPU_TEMP{%s} > %d",
          "increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{%s}[5m]) > %d",
          "avg by (Hostname) (DCGM_FI_DEV_GPU_UTIL{%s}) > %d",
          "DCGM_FI_DEV_FB_USED{%s} / DCGM_FI_DEV_FB_TOTAL > %d",
          "node_load1{%s} > %d");

  private final PrintWriter out;
  private final FleetTraffic traffic;
  private final List<Target> targets;

  RulesLoad(PrintWriter out, FleetTraffic traffic, List<Target> targets) {
    this.out = out;
    this.traffic = traffic;
    this.targets = targets.stream().filter(target -> target.system().hasRules()).toList();
  }

  void run(int rules, int seconds) throws Exception {
    try (LiveTraffic live = new LiveTraffic(traffic, targets)) {
      live.awaitFirstTicks();
      List<Minute> without = measured(seconds);
      for (Target target : targets) {
        reload(target, groups(rules, 100));
      }
      List<Minute> first = measured(seconds);
      TimeUnit.SECONDS.sleep((long) WARM_UP * seconds);
      List<Minute> later = measured(seconds);
      out.printf(
          Locale.ROOT,
          "%nrules: %d in groups of %d, every %d s, over %d hosts; each time %d s, the last after"
              + " %d s more%n%n",
          rules,
          RULES_A_GROUP,
          INTERVAL,
          traffic.fleet().size(),
          seconds,
          WARM_UP * seconds);
      for (int i = 0; i < targets.size(); i++) {
        out.println(targets.get(i).system().name());
        print("without rules", without.get(i), 0);
        print("with rules, at first", first.get(i), without.get(i).cores());
        print("with rules, later", later.get(i), without.get(i).cores());
      }
      for (Target target : targets) {
        reload(target, "");
      }
    }
    out.flush();
  }

  /**
   * The work of a system for a while.
   *
   * @param cores that it used
   * @param query of them, the process that answers queries and evaluates rules
   * @param compiling of them, for compilation
   * @param lateness of the slots, in words
   */
  private record Minute(double cores, double query, double compiling, String lateness) {}

  private void print(String when, Minute minute, double without) {
    out.printf(
        Locale.ROOT,
        "  %-22s %.3f cores, of them query API %.3f, compilation %.3f%s%s%n",
        when,
        minute.cores,
        minute.query,
        minute.compiling,
        without > 0 ? "; rules %.3f cores".formatted(minute.cores - without) : "",
        minute.lateness);
  }

  private List<Minute> measured(int seconds) throws Exception {
    List<double[]> before = new ArrayList<>();
    List<SortedMap<Double, Double>> late = new ArrayList<>();
    for (Target target : targets) {
      before.add(figures(target));
      late.add(lateness(target));
    }
    TimeUnit.SECONDS.sleep(seconds);
    List<Minute> minutes = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      double[] after = figures(targets.get(i));
      for (int j = 0; j < after.length; j++) {
        after[j] = (after[j] - before.get(i)[j]) / seconds;
      }
      minutes.add(
          new Minute(after[0], after[1], after[2], words(late.get(i), lateness(targets.get(i)))));
    }
    return minutes;
  }

  /** CPU seconds of all, of the process that is asked, and of compilation. */
  private static double[] figures(Target target) throws IOException {
    double compiling = 0;
    for (MeasuredProcess each : target.system().processes()) {
      compiling += each.compilationSeconds();
    }
    return new double[] {target.cpu(), target.system().query().cost().cpuSeconds(), compiling};
  }

  private static void reload(Target target, String text) throws IOException {
    Path file = target.system().data().resolveSibling("rules").resolve("load.yaml");
    if (text.isEmpty()) {
      Files.delete(file);
    } else {
      Files.writeString(file, text);
    }
    try (Connection connection = new Connection(target.system().query().address())) {
      Answer answer = connection.post("/-/reload", new byte[0]);
      if (answer.status() != 200) {
        throw new IOException(
            target.system().name() + " does not reload its rules: " + answer.text());
      }
    }
  }

  /** A rule file; the limits of its alerts are hardly reached. */
  private String groups(int rules, int limit) {
    StringBuilder text = new StringBuilder("groups:\n");
    for (int i = 0; i < rules; i++) {
      if (i % RULES_A_GROUP == 0) {
        text.append("  - {name: g%d, interval: %ds, rules: [\n".formatted(i, INTERVAL));
      }
      String of = selector(i);
      boolean isRecorded = i % 2 == 0;
      String expression =
          isRecorded
              ? RECORDED.get(i / 2 % RECORDED.size()).formatted(of)
              : ALERTS.get(i / 2 % ALERTS.size()).formatted(of, limit);
      text.append(
          isRecorded
              ? "      {record: 'load:r%d', expr: '%s'},\n".formatted(i, expression)
              : "      {alert: A%d, expr: '%s', for: 1m, labels: {severity: warning}},\n"
                  .formatted(i, expression));
      if ((i + 1) % RULES_A_GROUP == 0 || i + 1 == rules) {
        text.append("    ]}\n");
      }
    }
    return text.toString();
  }

  /** Selects the hosts of a rule: all, or one. */
  private String selector(int rule) {
    return rule % 3 == 0 ? "" : "Hostname=\"" + GpuFleet.name(rule % traffic.fleet().size()) + "\"";
  }

  /** Number of slots that were late by at most so many seconds; empty for another program. */
  private static SortedMap<Double, Double> lateness(Target target) throws IOException {
    SortedMap<Double, Double> slots = new TreeMap<>();
    if (target.system().ours()) {
      try (Connection connection = new Connection(target.system().query().address());
          Stream<String> lines = connection.get("/metrics").text().lines()) {
        lines
            .filter(line -> line.contains("rule_lateness_seconds_bucket"))
            .forEach(
                line ->
                    slots.put(
                        seconds(line.replaceFirst(".*le=\"([^\"]*)\".*", "$1")), value(line)));
      }
    }
    return slots;
  }

  private static double seconds(String bound) {
    return bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
  }

  private static String words(SortedMap<Double, Double> before, SortedMap<Double, Double> after) {
    if (after.isEmpty()) {
      return "";
    }
    double last = after.lastKey();
    double all = after.get(last) - before.getOrDefault(last, 0.0);
    for (Map.Entry<Double, Double> bucket : after.entrySet()) {
      double slots = bucket.getValue() - before.getOrDefault(bucket.getKey(), 0.0);
      if (all > 0 && slots >= 0.99 * all) {
        return "; 99 %% of %.0f evaluations late by at most %s s".formatted(all, bucket.getKey());
      }
    }
    return "; no evaluation";
  }

  private static double value(String line) {
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }
}
