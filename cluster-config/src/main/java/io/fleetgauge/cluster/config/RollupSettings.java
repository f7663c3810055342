package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a gateway keeps reduced, so that dashboards need not read every sample.
 *
 * @param step {@code rollups.step}: how far the steps are apart, 1s to 1h
 * @param lookback {@code rollups.lookback}: how old a sample may be to count at a step, 1s to 1h;
 *     as {@code query.lookback}, or rollups are of no use to queries
 * @param rules {@code rollups.rules}: by name; of those that match a metric, the first by name is
 *     taken. In place of these the default ones, when there are none
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
                  String.join("|", KnownMetrics.gpuCounters()),
                  LABELS,
                  true,
                  List.of(Duration.ofMinutes(1), Duration.ofMinutes(5))),
              new Rule("gpu-gauges", "DCGM_FI_(DEV|PROF)_.+", LABELS, true, List.of()),
              new Rule("hosts", "up|node_load1", List.of("rack", "Hostname"), true, List.of())));

  /**
   * A rule.
   *
   * @param metrics {@code metrics}: a regular expression for the whole of a metric's name
   * @param labels {@code labels}: by which series are grouped; queries that match and group by some
   *     of these are served
   * @param latest {@code latest}: whether the metric itself is kept, as instant selectors see it
   * @param windows {@code windows}: of which its rate and increase are kept
   */
  public record Rule(
      String name, String metrics, List<String> labels, boolean latest, List<Duration> windows) {}

  static RollupSettings read(ConfigReader in) {
    List<Rule> rules = new ArrayList<>();
    for (String name : in.keys("rollups.rules")) {
      String key = "rollups.rules." + name + ".";
      String metrics = in.pattern(key + "metrics");
      List<Duration> windows = in.durations(key + "windows", SECOND, HOUR);
      rules.add(
          new Rule(
              name,
              metrics,
              in.texts(key + "labels", LABELS),
              in.flag(key + "latest", true),
              windows));
    }
    return new RollupSettings(
        in.duration("rollups.step", DEFAULT.step, SECOND, HOUR),
        in.duration("rollups.lookback", DEFAULT.lookback, SECOND, HOUR),
        in.flag("rollups.enabled", true) ? rules.isEmpty() ? DEFAULT.rules : rules : List.of());
  }
}
