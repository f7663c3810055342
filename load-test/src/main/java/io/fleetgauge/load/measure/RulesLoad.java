package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.system.Connection.Answer;
import io.fleetgauge.load.traffic.FleetTraffic;
import io.fleetgauge.load.traffic.GpuFleet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What rules cost: samples arrive live, first without rules and then with them. The difference is
 * the cost of the rules, of storing their results included.
 */
final class RulesLoad {
  private static final int INTERVAL = 15;
  private static final int RULES_A_GROUP = 20;

  /** Expressions of recording rules; each has one tenant, rack or host. */
  private static final List<String> RECORDED =
      List.of(
          "avg by (rack) (DCGM_FI_DEV_GPU_UTIL{%s})",
          "sum by (tenant) (DCGM_FI_DEV_POWER_USAGE{%s})",
          "max by (job) (DCGM_FI_DEV_GPU_TEMP{%s})",
          "sum by (rack) (rate(DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES{%s}[5m]))",
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
    double[] without = new double[targets.size()];
    double[] with = new double[targets.size()];
    try (LiveTraffic live = new LiveTraffic(traffic, targets)) {
      live.awaitFirstTicks();
      measure(without, seconds);
      for (Target target : targets) {
        reload(target, groups(rules, 100));
      }
      TimeUnit.SECONDS.sleep(2 * INTERVAL);
      measure(with, seconds);
      out.printf(
          Locale.ROOT,
          "%nrules: %d in groups of %d, every %d s, over %d hosts, for %d s%n%n",
          rules,
          RULES_A_GROUP,
          INTERVAL,
          traffic.fleet().size(),
          seconds);
      out.printf("%-22s %-18s %-18s %s%n", "", "cores without", "cores with", "cost of the rules");
      for (int i = 0; i < targets.size(); i++) {
        out.printf(
            Locale.ROOT,
            "%-22s %-18.3f %-18.3f %.3f cores%s%n",
            targets.get(i).system().name(),
            without[i],
            with[i],
            with[i] - without[i],
            targets.get(i).system().ours() ? "; " + lateness(targets.get(i)) : "");
      }
      for (Target target : targets) {
        reload(target, "");
      }
    }
    out.flush();
  }

  private void measure(double[] cores, int seconds) throws Exception {
    for (int i = 0; i < cores.length; i++) {
      cores[i] = targets.get(i).cpu();
    }
    TimeUnit.SECONDS.sleep(seconds);
    for (int i = 0; i < cores.length; i++) {
      cores[i] = (targets.get(i).cpu() - cores[i]) / seconds;
    }
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

  /** What a rule looks at: all hosts, or one. */
  private String selector(int rule) {
    return rule % 3 == 0 ? "" : "Hostname=\"" + GpuFleet.name(rule % traffic.fleet().size()) + "\"";
  }

  /** How late slots were, of the buckets of a histogram. */
  private static String lateness(Target target) throws IOException {
    try (Connection connection = new Connection(target.system().query().address());
        Stream<String> lines = connection.get("/metrics").text().lines()) {
      List<String> buckets =
          lines.filter(line -> line.contains("rule_lateness_seconds_bucket")).toList();
      double all = buckets.isEmpty() ? 0 : value(buckets.getLast());
      for (String bucket : buckets) {
        if (all > 0 && value(bucket) >= 0.99 * all) {
          String most = bucket.replaceFirst(".*le=\"([^\"]*)\".*", "$1");
          return "slots are late by at most %s s (99 %% of %.0f)".formatted(most, all);
        }
      }
      return "no slot was evaluated";
    }
  }

  private static double value(String line) {
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }
}
