package io.fleetgauge.gateway.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Which aggregates a gateway keeps, so that dashboards need not read every sample.
 *
 * @param step {@code rollups.step}
 * @param lookback {@code rollups.lookback}
 * @param rules {@code rollups.rules}, sorted by name; the first rule whose pattern matches a metric
 *     applies to it. None when {@code rollups.enabled} is false
 */
public record RollupSettings(Duration step, Duration lookback, List<Rule> rules) {
  private static final List<String> LABELS =
      List.of("rack", "tenant", "job", "modelName", "Hostname");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  public static final RollupSettings DEFAULT =
      new RollupSettings(
          Duration.ofSeconds(15),
          Duration.ofMinutes(5),
          List.of(
              new Rule(
                  "gpu-counters",
                  // The rate of a gauge has no meaning, and some gauges are named like counters.
                  String.join("|", GpuMetrics.counters()),
                  LABELS,
                  true,
                  List.of(Duration.ofMinutes(1), Duration.ofMinutes(5))),
              new Rule("gpu-gauges", "DCGM_FI_(DEV|PROF)_.+", LABELS, true, List.of()),
              new Rule("hosts", "up|node_load1", List.of("rack", "Hostname"), true, List.of())));

  /**
   * Which metrics one rollup covers, and what it keeps of them.
   *
   * @param metrics {@code metrics}: a regular expression for the whole metric name
   * @param labels {@code labels}
   * @param latest {@code latest}
   * @param windows {@code windows}
   */
  public record Rule(
      String name, String metrics, List<String> labels, boolean latest, List<Duration> windows) {}

  private static final Key<Boolean> ENABLED =
      Key.of("rollups.enabled", KeyType.flag(), true, "Whether rollups are enabled.");
  private static final Key<Duration> STEP =
      Key.of(
          "rollups.step",
          KeyType.duration(SECOND, HOUR),
          DEFAULT.step,
          "Interval between steps of a rollup.");
  private static final Key<Duration> LOOKBACK =
      Key.of(
          "rollups.lookback",
          KeyType.duration(SECOND, HOUR),
          DEFAULT.lookback,
          "Lookback of a step; queries use rollups only when it equals `query.lookback`.");
  private static final Key<String> METRICS =
      Key.required(
          "metrics",
          KeyType.pattern(),
          "Regular expression for the full metric name. Configured rules replace the built-in ones;"
              + " the first matching rule by name applies.");
  private static final Key<List<String>> GROUP_LABELS =
      Key.of(
          "labels",
          KeyType.listOf(KeyType.text(), 1),
          LABELS,
          "Labels by which series are grouped; queries that match and group by some of them use the"
              + " rollup.");
  private static final Key<Boolean> LATEST =
      Key.of(
          "latest",
          KeyType.flag(),
          true,
          "Whether aggregates of the newest value of each series are kept.");
  private static final Key<List<Duration>> WINDOWS =
      Key.of(
          "windows",
          KeyType.listOf(KeyType.duration(SECOND, HOUR), 0),
          List.of(),
          "Windows for which aggregates of `rate` and `increase` are kept.");

  static RollupSettings read(ConfigReader in) {
    boolean enabled = in.get(ENABLED);
    Duration step = in.get(STEP);
    Duration lookback = in.get(LOOKBACK);
    List<Rule> rules = new ArrayList<>();
    for (String name : in.names("rollups.rules", "NAME")) {
      String section = "rollups.rules." + name;
      rules.add(
          new Rule(
              name,
              in.get(METRICS.in(section), ""),
              in.get(GROUP_LABELS.in(section)),
              in.get(LATEST.in(section)),
              in.get(WINDOWS.in(section))));
    }
    return new RollupSettings(
        step, lookback, enabled ? rules.isEmpty() ? DEFAULT.rules : rules : List.of());
  }
}
