package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.config.OtherClusterSettings.Label;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several clusters that are queried as one, beside one Prometheus that has all of their series. */
class ClustersComparisonTest {
  private static final long SEED = 20_261_128;
  private static final int COUNT = 700;

  private static final List<String> LABELS = List.of("cluster", "cluster", "cluster");
  private static final List<String> MATCHERS =
      List.of(
          "cluster=\"a\"",
          "cluster=\"b\"",
          "cluster!=\"b\"",
          "cluster=~\"a|c\"",
          "cluster!~\"a.*\"",
          "cluster=\"z\"",
          "cluster=~\"z|b\"",
          "cluster=\"\"",
          "cluster!=\"\"");

  private static final String ROLLUPS = "sum by (cluster) (DCGM_FI_DEV_POWER_USAGE)";

  /** Panels whose steps are those of rollups. */
  private static final List<String> PANELS =
      List.of(
          "sum by (cluster, rack) (DCGM_FI_DEV_GPU_UTIL)",
          "avg by (cluster) (DCGM_FI_DEV_POWER_USAGE{cluster!=\"b\"})",
          "max without (gpu, Hostname) (DCGM_FI_DEV_GPU_UTIL{cluster=~\"b|c\"})",
          "sum(DCGM_FI_DEV_POWER_USAGE) by (rack)",
          "topk by (cluster) (1, sum by (rack, cluster) (DCGM_FI_DEV_POWER_USAGE))",
          "sum by (cluster) (DCGM_FI_DEV_POWER_USAGE)"
              + " / on (cluster) count by (cluster) (DCGM_FI_DEV_POWER_USAGE)",
          "count by (cluster) (DCGM_FI_DEV_GPU_UTIL{cluster=\"nosuch\"})",
          "label_replace(DCGM_FI_DEV_GPU_UTIL, \"cluster\", \"x\", \"\", \"\")",
          "sum by (cluster) (DCGM_FI_DEV_GPU_UTIL{cluster=~\"z|b\"})",
          "max by (rack) (DCGM_FI_DEV_GPU_UTIL{cluster!=\"z\"})",
          "count_values by (rack) (\"cluster\", constant)");

  private static final Map<String, Map<String, String>> LOOKUPS =
      Map.of(
          "/api/v1/labels",
          Map.of(),
          "/api/v1/label/cluster/values",
          Map.of(),
          "/api/v1/label/Hostname/values",
          Map.of("match[]", "{cluster=~\"a|c\"}"),
          "/api/v1/label/rack/values",
          Map.of("match[]", "up{cluster=\"b\"}"),
          "/api/v1/series",
          Map.of("match[]", "DCGM_FI_DEV_GPU_UTIL{cluster!=\"a\"}"));

  private static Map<String, List<Tick>> hosts(int from, int to) {
    Map<String, List<Tick>> all = ComparedSamples.ticksByHost();
    Map<String, List<Tick>> some = new TreeMap<>();
    for (int host = from; host < to; host++) {
      some.put("n" + host, all.get("n" + host));
    }
    return some;
  }

  /** Some series of the hosts are stored with a label of their own, as results of rules may be. */
  private static Map<String, List<Tick>> withNames(Map<String, List<Tick>> hosts) {
    Map<String, List<Tick>> all = new TreeMap<>();
    hosts.forEach((host, ticks) -> all.put(host, ticks.stream().map(each -> named(each)).toList()));
    return all;
  }

  private static Tick named(Tick tick) {
    Tick.Builder all = new Tick.Builder();
    for (int i = 0; i < tick.size(); i++) {
      Labels labels = tick.series().get(i);
      boolean isNamed =
          labels.metric().equals("constant") && labels.value("rack").equals("r1")
              || labels.metric().equals("DCGM_FI_DEV_GPU_UTIL") && labels.value("gpu").equals("1");
      all.add(isNamed ? labels.with("cluster", "z") : labels, tick.values()[i]);
    }
    return all.at(tick.time());
  }

  private static void compare(Path folder, List<SideBySide.Cluster> clusters, boolean joins, int of)
      throws Exception {
    List<String> differences = new ArrayList<>();
    try (SideBySide both =
        new SideBySide(
            folder,
            clusters,
            joins,
            ComparedSamples.START + ComparedSamples.LENGTH,
            FuzzCommand.FEATURES)) {
      for (int i = 0; i < COUNT; i++) {
        QueryGenerator.Question question =
            QueryGenerator.question(SEED + of, i, true, MATCHERS, LABELS);
        both.comparison()
            .difference(question.path(), question.parameters())
            .ifPresent(what -> differences.add(question + ": " + what));
      }
      for (String panel : PANELS) {
        Map<String, String> range =
            Map.of("query", panel, "start", "1760000040", "end", "1760001240", "step", "30");
        both.comparison()
            .difference("/api/v1/query_range", range)
            .ifPresent(what -> differences.add(panel + ": " + what));
      }
      for (Map.Entry<String, Map<String, String>> lookup : LOOKUPS.entrySet()) {
        both.comparison()
            .difference(lookup.getKey(), lookup.getValue())
            .ifPresent(what -> differences.add(lookup + ": " + what));
      }
      Map<String, String> rollups =
          Map.of("query", ROLLUPS, "start", "1760000040", "end", "1760001240", "step", "30");
      assertThat(both.comparison().tested("/api/v1/explain", rollups).toString())
          .contains("computed from rollups");
    }
    assertThat(differences).isEmpty();
  }

  @Test
  void twoClustersAnswerAsOnePrometheusThatHasAllSeries(@TempDir Path folder) throws Exception {
    compare(
        folder,
        List.of(
            new SideBySide.Cluster("a", withNames(hosts(0, 5)), Optional.of(Label.ADDED), 2),
            new SideBySide.Cluster("b", hosts(5, 8), Optional.of(Label.ADDED), 2)),
        true,
        2);
  }

  /** The query API has no cluster of its own. */
  @Test
  void threeClustersAnswerAsOnePrometheusThatHasAllSeries(@TempDir Path folder) throws Exception {
    compare(
        folder,
        List.of(
            new SideBySide.Cluster("a", hosts(0, 3), Optional.of(Label.ADDED), 2),
            new SideBySide.Cluster("b", hosts(3, 6), Optional.of(Label.EXPECTED), 1),
            new SideBySide.Cluster("c", withNames(hosts(6, 8)), Optional.of(Label.ADDED), 1)),
        false,
        3);
  }
}
