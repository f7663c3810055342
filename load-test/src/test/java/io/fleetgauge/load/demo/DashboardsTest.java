package io.fleetgauge.load.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Published dashboards on an hour of the demo's fleet, asked for through the query API as Grafana
 * does it. Panels that show nothing are listed with the reason in {@code empty-panels.tsv}.
 */
@Tag("slow")
class DashboardsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("fleetgauge.root"), "load-test/src/test/dashboards");
  private static final Path OURS =
      Path.of(System.getProperty("fleetgauge.root"), "k8s/kustomize/components/grafana/dashboards");
  private static final long NOW = 1_790_000_000_000L / 3_600_000 * 3_600_000 + 2_400_000;
  private static final long RANGE = Duration.ofHours(1).toMillis();

  /** As for a range of six hours in a panel of half the width of a screen. */
  private static final int STEP_SECONDS = 30;

  private static final Map<String, String> INTERVALS =
      Map.of(
          "__interval", STEP_SECONDS + "s",
          "__rate_interval", "1m",
          "__range", "1h",
          "__range_s", "3600");
  private static final String NO_MATCH = "no sample matches";
  private static final int HOSTS = 10;
  private static final int LEAST_DRAWING = 150;
  private static final int PANELS = 386;
  private static final Pattern METRIC =
      Pattern.compile("(?<![\\w\"$:.])([a-zA-Z_][a-zA-Z0-9_:]*_[a-zA-Z0-9_:]*)(?!\\w*\\s*[(=!])");

  @TempDir Path folder;

  @Test
  void publishedDashboardsDrawOnTheDemosFleet() throws Exception {
    try (LocalFleet processes =
        new LocalFleet("dashboards", LocalPorts.free(2), folder, () -> NOW)) {
      processes.startGateway(0, Duration.ofHours(6));
      QueryProcess query = processes.startQuery("127.0.0.1", 0);
      FleetLayout fleet = FleetLayout.of(HOSTS, Duration.ofSeconds(15), 20_261_121);
      Incidents faults = Incidents.around(NOW, fleet, Incidents.Amount.SOME);
      try (SimulatedFleet nodes =
          new SimulatedFleet(fleet, faults, RANGE, processes.gatewayAddresses(), () -> NOW)) {
        nodes.backFill((done, samples) -> {});
        QueryClient client = new QueryClient(query.port());
        check(client);
        checkOurs(client);
      }
    }
  }

  private static void check(QueryClient client) throws Exception {
    Set<String> metrics = new HashSet<>();
    client
        .json("/api/v1/label/__name__/values")
        .path("data")
        .forEach(name -> metrics.add(name.asText()));
    Map<String, String> empty = new TreeMap<>();
    int panels = 0;
    for (GrafanaDashboard dashboard : dashboards(ROOT)) {
      panels += dashboard.panels().size();
      empty.putAll(emptyPanels(client, dashboard, metrics));
    }
    Map<String, String> listed = listed();
    if (!empty.equals(listed)) {
      List<String> lines = new ArrayList<>();
      empty.forEach((panel, reason) -> lines.add(panel + "\t" + reason));
      Files.write(Path.of("target", "empty-panels.tsv"), lines);
    }
    assertThat(panels).isEqualTo(PANELS);
    assertThat(panels - empty.size()).as("panels that draw").isGreaterThanOrEqualTo(LEAST_DRAWING);
    assertThat(empty)
        .as("panels that draw nothing; they are in load-test/target/empty-panels.tsv")
        .isEqualTo(listed);
    assertThat(empty.keySet()).noneMatch(panel -> panel.startsWith("nvidia-dcgm-exporter"));
  }

  /** Those that are installed on Kubernetes: every panel draws. */
  private static void checkOurs(QueryClient client) throws Exception {
    for (GrafanaDashboard dashboard : dashboards(OURS)) {
      if (!dashboard.name().equals(OwnDashboardTest.NAME)) {
        assertThat(emptyPanels(client, dashboard, Set.of())).isEmpty();
      }
    }
  }

  /** Panels without an answer, with the reason. */
  private static Map<String, String> emptyPanels(
      QueryClient client, GrafanaDashboard dashboard, Set<String> metrics) throws Exception {
    Map<String, String> empty = new TreeMap<>();
    GrafanaVariables variables = new GrafanaVariables(client, NOW - RANGE, NOW, INTERVALS);
    for (GrafanaDashboard.Variable variable : dashboard.variables()) {
      variables.take(variable);
    }
    for (GrafanaDashboard.Panel panel : dashboard.panels()) {
      String reason = reason(client, variables, panel, metrics);
      if (!reason.isEmpty()) {
        empty.put(dashboard.name() + "\t" + panel.place() + "\t" + panel.title(), reason);
      }
    }
    return empty;
  }

  private static List<GrafanaDashboard> dashboards(Path folder) throws Exception {
    List<GrafanaDashboard> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
        all.add(GrafanaDashboard.read(file));
      }
    }
    return all;
  }

  private static Map<String, String> listed() throws Exception {
    Map<String, String> listed = new TreeMap<>();
    for (String line : Files.readAllLines(ROOT.resolve("empty-panels.tsv"))) {
      int reason = line.lastIndexOf('\t');
      String text = line.substring(reason + 1);
      // Only people can say why the samples do not match.
      listed.put(line.substring(0, reason), text.startsWith(NO_MATCH) ? NO_MATCH : text);
    }
    return listed;
  }

  /** Why a panel draws nothing; empty if a query of it has an answer and none is wrong. */
  private static String reason(
      QueryClient client, GrafanaVariables variables, GrafanaDashboard.Panel panel, Set<String> has)
      throws Exception {
    boolean draws = false;
    Set<String> errors = new TreeSet<>();
    Set<String> missing = new TreeSet<>();
    for (GrafanaDashboard.Target target : panel.targets()) {
      String text = variables.put(target.text());
      // A machine that stands still for seconds loses its gateway for as long.
      JsonNode answer =
          await()
              .until(
                  () -> client.json(path(text, target.instant())),
                  each -> !each.path("errorType").asText().equals("unavailable"));
      if (answer.path("status").asText().equals("error")) {
        errors.add(answer.path("error").asText());
      }
      draws |= !answer.path("data").path("result").isEmpty();
      missing.addAll(missing(text, has));
    }
    if (draws) {
      return "";
    }
    if (!errors.isEmpty()) {
      return "not PromQL: " + errors.iterator().next().replaceAll("^.*?parse error: ", "");
    }
    return missing.isEmpty() ? NO_MATCH : "no series " + String.join(", ", missing);
  }

  private static String path(String text, boolean instant) {
    String query = "query=" + GrafanaVariables.encode(text);
    return instant
        ? "/api/v1/query?time=" + Numbers.seconds(NOW) + "&" + query
        : "/api/v1/query_range?start="
            + Numbers.seconds(NOW - RANGE)
            + "&end="
            + Numbers.seconds(NOW)
            + "&step="
            + STEP_SECONDS
            + "&"
            + query;
  }

  /** Metrics of a query that the fleet does not have. */
  private static Set<String> missing(String query, Set<String> has) {
    Set<String> missing = new TreeSet<>();
    Matcher names = METRIC.matcher(query.replaceAll("\"[^\"]*\"|'[^']*'", "\"\""));
    while (names.find()) {
      String name = names.group(1);
      boolean isLabel = query.matches("(?s).*(by|on|without|group_left)\\s*\\([^)]*" + name + ".*");
      if (!has.contains(name) && !isLabel) {
        missing.add(name);
      }
    }
    return missing;
  }
}
