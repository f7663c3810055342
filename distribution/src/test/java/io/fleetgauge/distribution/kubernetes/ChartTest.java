package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chart as Helm renders it. */
class ChartTest {
  @TempDir private Path folder;
  private FleetgaugeChart chart;

  @BeforeEach
  void open() {
    chart = new FleetgaugeChart(folder);
  }

  @Test
  void theChartAndTheBaseOfKustomizeMakeTheSameObjects() throws Exception {
    Manifests base = Kustomization.build("base");
    Map<String, JsonNode> expected = comparable(base);
    expected.keySet().removeIf(key -> key.startsWith("Namespace/")); // Helm's --create-namespace
    assertThat(comparable(chart.objects("{}"))).isEqualTo(expected);
  }

  @Test
  void whatTheChartAddsForPrometheusAndGrafanaIsThatOfTheOverlay() throws Exception {
    Map<String, JsonNode> expected =
        comparable(Kustomization.build("overlays/prometheus-operator"));
    expected.keySet().removeIf(key -> key.startsWith("Namespace/"));
    assertThat(
            comparable(
                chart.objects(
                    """
                    monitoring:
                      monitors: {enabled: true}
                      rules: {enabled: true}
                      dashboards: {enabled: true}
                      datasource: {enabled: true}
                    """)))
        .isEqualTo(expected);
  }

  @Test
  void whatTheChartNeedsForDiscoveryByKubernetesIsThatOfTheOverlay() throws Exception {
    Map<String, JsonNode> expected =
        comparable(Kustomization.build("overlays/kubernetes-discovery"));
    expected.keySet().removeIf(key -> key.startsWith("Namespace/"));
    assertThat(comparable(chart.objects("discovery: kubernetes"))).isEqualTo(expected);
  }

  /** Without what only one of the two tools writes; by kind and name. */
  private static Map<String, JsonNode> comparable(Manifests manifests) throws IOException {
    Map<String, JsonNode> objects = new TreeMap<>();
    for (ObjectNode object : manifests.objects()) {
      ObjectNode each = (ObjectNode) withoutHashes(object);
      ((ObjectNode) each.path("metadata").path("labels"))
          .remove(List.of("helm.sh/chart", "app.kubernetes.io/managed-by"));
      if (each.path("spec").path("template").path("metadata").path("annotations")
          instanceof ObjectNode annotations) {
        annotations.remove("checksum/config");
      }
      if (each.get("data") instanceof ObjectNode data) {
        for (Map.Entry<String, JsonNode> file : data.properties()) {
          file.setValue(Manifests.tree(file.getValue().asText()));
        }
      }
      objects.put(Manifests.kind(each) + "/" + Manifests.name(each), each);
    }
    return objects;
  }

  /** Kustomize ends the names of generated ConfigMaps with a hash. */
  private static JsonNode withoutHashes(JsonNode object) throws IOException {
    return Manifests.tree(
        object.toString().replaceAll("(fleetgauge-[a-z]+-config)-[0-9a-z]{10}\"", "$1\""));
  }

  @Test
  void helmFindsNothingToImprove() {
    LintResult result = chart.lint();
    assertThat(result.getMessages())
        .noneMatch(message -> message.contains("WARNING") || message.contains("ERROR"));
    assertThat(result.isFailed()).isFalse();
  }

  @Test
  void thePackageHasTheDashboardsAndTheAlerts() throws Exception {
    chart.packageInto(folder);
    Path archive;
    try (Stream<Path> files = Files.list(folder)) {
      archive = files.filter(each -> each.toString().endsWith(".tgz")).findFirst().orElseThrow();
    }
    Process tar = new ProcessBuilder("tar", "-tzf", archive.toString()).start();
    assertThat(new String(tar.getInputStream().readAllBytes()).lines())
        .contains(
            "fleetgauge/Chart.yaml",
            "fleetgauge/values.schema.json",
            "fleetgauge/files/dashboards/fleetgauge-fleet.json",
            "fleetgauge/files/prometheus-rule.yaml");
  }

  @Test
  void podsAreReplacedWhenTheirConfigurationChanges() throws Exception {
    String values = "gateway: {config: {log: {level: debug}}}";
    for (String name : List.of("fleetgauge-gateway", "fleetgauge-query", "fleetgauge-probe")) {
      String before = checksum(chart.objects("{}"), name);
      String after = checksum(chart.objects(values), name);
      assertThat(before.equals(after)).as(name).isEqualTo(!name.equals("fleetgauge-gateway"));
    }
  }

  private static String checksum(Manifests manifests, String name) {
    return manifests
        .podTemplates()
        .get(name)
        .path("metadata")
        .path("annotations")
        .path("checksum/config")
        .asText();
  }

  @ParameterizedTest
  @CsvSource({
    "'', http://fleetgauge-query.fleetgauge.svc:9090/runbooks",
    "'tls: {enabled: true}', https://fleetgauge-query.fleetgauge.svc:9090/runbooks",
    "'fullnameOverride: gpus', http://gpus-query.fleetgauge.svc:9090/runbooks",
    "'query: {config: {rules: {externalUrl: \"https://q.example\"}}}', https://q.example/runbooks",
    "'rules: {runbooks: \"https://pages.example/a/\"}', https://pages.example/a",
  })
  void alertsOfPrometheusLinkToThePagesOfTheQueryApiOrToThoseOfTheConfiguredAddress(
      String values, String runbooks) throws Exception {
    ObjectNode prometheusRule =
        chart.objects(values + "\nmonitoring: {rules: {enabled: true}}").objects().stream()
            .filter(object -> Manifests.kind(object).equals("PrometheusRule"))
            .findFirst()
            .orElseThrow();
    int alerts = 0;
    for (JsonNode group : prometheusRule.at("/spec/groups")) {
      for (JsonNode rule : group.path("rules")) {
        assertThat(rule.at("/annotations/runbook_url").asText())
            .isEqualTo(runbooks + "/" + rule.path("alert").asText() + ".md");
        alerts++;
      }
    }
    assertThat(alerts).isGreaterThan(20);
  }

  @Test
  void aClusterThatDoesNotKnowTheFieldsIsRefused() {
    assertThatThrownBy(() -> chart.renderFor("1.29.9"))
        .hasMessageContaining("1.29.9")
        .hasMessageContaining(">=1.30.0-0");
    assertThat(chart.renderFor("1.30.0")).contains("kind: StatefulSet");
  }

  @Test
  void theVersionIsThatOfTheProject() throws Exception {
    String project =
        Files.readString(Path.of(System.getProperty("fleetgauge.root"), "pom.xml"))
            .replaceFirst("(?s).*?<artifactId>fleetgauge</artifactId>\\s*<version>", "")
            .replaceFirst("(?s)<.*", "");
    JsonNode chartFile =
        Manifests.tree(Files.readString(FleetgaugeChart.FOLDER.resolve("Chart.yaml")));
    assertThat(chartFile.path("version").asText()).isEqualTo(project);
    assertThat(chartFile.path("appVersion").asText()).isEqualTo(project);
    assertThat(Files.readString(Manifests.ROOT.resolve("kustomize/base/kustomization.yaml")))
        .contains("{name: fleetgauge-gateway, newTag: " + project + "}")
        .contains("app.kubernetes.io/version: " + project);
  }
}
