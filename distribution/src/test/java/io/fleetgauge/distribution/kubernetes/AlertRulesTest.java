package io.fleetgauge.distribution.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alerts about Fleetgauge itself, by Prometheus's promtool, and as the operator reads them. */
class AlertRulesTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path RULES =
      ROOT.resolve("distribution/src/main/rules/itself/fleetgauge.yaml");
  private static final Path RULE =
      Manifests.ROOT.resolve("kustomize/components/prometheus-operator/prometheus-rule.yaml");
  private static final Path CASES =
      ROOT.resolve("distribution/src/test/resources/kubernetes/alerts.test.yaml");

  private static final String HEAD =
      """
      # Written from distribution/src/main/rules/itself/fleetgauge.yaml, see CONTRIBUTING.md: change the alerts there. The jobs
      # are those of monitors.yaml. Runbooks are those that the query API serves, in the namespace fleetgauge.
      apiVersion: monitoring.coreos.com/v1
      kind: PrometheusRule
      metadata:
        name: fleetgauge
        labels: {app.kubernetes.io/name: fleetgauge}
      spec:
      """;

  private static final String QUERY_API = "http://fleetgauge-query.fleetgauge.svc:9090";

  @TempDir private Path folder;

  @Test
  void promtoolAcceptsTheRulesAndEachFiresAsItsCaseSays() throws Exception {
    Path rules = Files.copy(RULES, folder.resolve("rules.yaml"));
    Path cases = Files.copy(CASES, folder.resolve("alerts.test.yaml"));
    assertThat(promtool("check", "rules", rules.toString())).isEmpty();
    assertThat(promtool("test", "rules", cases.toString())).isEmpty();
  }

  @Test
  void everyAlertHasACase() throws Exception {
    Set<String> alerts = new TreeSet<>();
    for (JsonNode group : tree().path("groups")) {
      for (JsonNode rule : group.path("rules")) {
        alerts.add(rule.path("alert").asText());
        assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
        assertThat(rule.at("/annotations/summary").asText()).endsWith(".");
        assertThat(rule.at("/annotations/description").asText()).endsWith(".");
      }
    }
    Set<String> tested = new TreeSet<>();
    Matcher names = Pattern.compile("alertname=\"(\\w+)\"").matcher(Files.readString(CASES));
    while (names.find()) {
      tested.add(names.group(1));
    }
    assertThat(tested).isEqualTo(alerts);
  }

  @Test
  void theObjectOfTheOperatorHasTheSameRules() throws Exception {
    StringBuilder text = new StringBuilder(HEAD);
    Files.readAllLines(RULES).stream()
        .dropWhile(line -> !line.equals("groups:"))
        // Here it would be the address of the Prometheus that evaluates them.
        .map(line -> line.replace("{{ $externalURL }}", QUERY_API))
        .forEach(line -> text.append(line.isEmpty() ? "" : "  ").append(line).append('\n'));
    if ("write".equals(System.getProperty("fleetgauge.docs"))) {
      Files.writeString(RULE, text);
    }
    assertThat(RULE).hasContent(text.toString());
  }

  private static JsonNode tree() throws Exception {
    return Manifests.tree(Files.readString(RULES));
  }

  /** Empty if promtool succeeds, else what it prints. */
  private static String promtool(String... arguments) throws Exception {
    Optional<Path> program = Kustomization.find("promtool");
    assumeTrue(program.isPresent(), "promtool is neither in the PATH nor in the peers' folder");
    ProcessBuilder builder = new ProcessBuilder(program.get().toString());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return process.exitValue() == 0 ? "" : output;
  }
}
