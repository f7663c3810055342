package io.fleetgauge.distribution.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.XidClass;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules that are installed, by promtool, and the configuration of Alertmanager for them, by
 * amtool. {@code AlertsTest} fires the alerts by faults of simulated nodes besides.
 */
class BundledRulesTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path RULES = ROOT.resolve("distribution/src/main/rules");
  private static final Path CASES = ROOT.resolve("distribution/src/test/rules");
  private static final Path RUNBOOKS = ROOT.resolve("docs/runbooks");
  private static final Path FAULTS = RULES.resolve("fleetgauge/faults.yaml");
  private static final Path ALERTMANAGER = RULES.resolve("alertmanager.yaml");

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static List<Path> ruleFiles() throws IOException {
    List<Path> all = new ArrayList<>(files(RULES.resolve("fleetgauge")));
    all.addAll(files(RULES.resolve("itself")));
    return all;
  }

  private static TreeMap<String, JsonNode> alerts(List<Path> files) throws IOException {
    TreeMap<String, JsonNode> alerts = new TreeMap<>();
    for (Path file : files) {
      for (JsonNode group : new YAMLMapper().readTree(file.toFile()).path("groups")) {
        for (JsonNode rule : group.path("rules")) {
          if (rule.has("alert")) {
            assertThat(alerts.put(rule.path("alert").asText(), rule)).isNull();
          }
        }
      }
    }
    return alerts;
  }

  /** Output of a program of the peers, if it succeeds; skips the test where it is missing. */
  private static String run(String program, List<?>... arguments) throws Exception {
    Optional<Path> found =
        Stream.concat(
                Optional.ofNullable(System.getenv("FLEETGAUGE_PEERS")).stream()
                    .map(folder -> folder + "/bin"),
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)))
            .map(folder -> Path.of(folder, program))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(found.isPresent(), program + " is neither in the PATH nor in the peers' folder");
    List<String> command = new ArrayList<>(List.of(found.get().toString()));
    Stream.of(arguments).flatMap(List::stream).forEach(each -> command.add(each.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  void promtoolAcceptsEveryFileAndEachAlertFiresOnItsFaultOnly() throws Exception {
    run("promtool", List.of("check", "rules", "--lint=all", "--lint-fatal"), ruleFiles());
    run("promtool", List.of("test", "rules"), files(CASES));
  }

  @Test
  void everyAlertAboutAFleetHasACase() throws Exception {
    Set<String> tested = new TreeSet<>();
    for (Path file : files(CASES)) {
      Matcher names = Pattern.compile("alertname=\"(\\w+)\"").matcher(Files.readString(file));
      while (names.find()) {
        tested.add(names.group(1));
      }
    }
    assertThat(tested).isEqualTo(alerts(files(RULES.resolve("fleetgauge"))).keySet());
  }

  /** Who changes the catalogue of faults changes the alerts; the series say the severity. */
  @Test
  void eachKindOfFaultHasOneAlertWithItsMeaningAndAction() throws Exception {
    TreeMap<String, JsonNode> alerts = alerts(List.of(FAULTS));
    Map<String, FaultKind> kinds = kinds();
    assertThat(kinds.keySet()).isEqualTo(alerts.keySet());
    assertThat(kinds.values()).containsExactlyInAnyOrder(FaultKind.values());
    kinds.forEach(
        (name, kind) -> {
          JsonNode rule = alerts.get(name);
          String open = "gpu_fault_active{kind=\"" + kind.text() + "\",shadow!=\"true\"}";
          boolean isByCode = kind == FaultKind.XID || kind == FaultKind.XID_APPLICATION;
          assertThat(rule.path("expr").asText())
              .isEqualTo(isByCode ? open : "max without (cause) (" + open + ")");
          assertThat(rule.at("/annotations/description").asText()).isEqualTo(kind.meaning());
          assertThat(rule.at("/annotations/action").asText()).isEqualTo(kind.action());
          assertThat(rule.has("labels")).isFalse();
          String wait =
              switch (kind.severity()) {
                case CRITICAL -> kind == FaultKind.HOST_SILENT ? "1m" : "";
                case WARNING -> "5m";
                case INFO -> "15m";
              };
          assertThat(rule.path("for").asText()).as(name).isEqualTo(wait);
        });
  }

  @Test
  void exceptionsOfManyJobsAreThoseOfTheCatalogue() throws Exception {
    String codes =
        XidClass.EXCEPTION.codes().stream().map(String::valueOf).collect(Collectors.joining("|"));
    JsonNode rule = alerts(files(RULES.resolve("fleetgauge"))).get("GpuXidSameGpuManyJobs");
    assertThat(rule.path("expr").asText()).contains("gpu_xid_total{xid=~\"" + codes + "\"}");
  }

  /** Kinds of faults by the names of their alerts. */
  private static Map<String, FaultKind> kinds() throws IOException {
    Map<String, FaultKind> kinds = new TreeMap<>();
    for (var alert : alerts(List.of(FAULTS)).entrySet()) {
      Matcher kind =
          Pattern.compile("kind=\"(\\w+)\"").matcher(alert.getValue().path("expr").asText());
      assertThat(kind.find()).as(alert.getKey()).isTrue();
      kinds.put(alert.getKey(), FaultKind.find(kind.group(1)).orElseThrow());
    }
    return kinds;
  }

  /** The severity of an alert, unless a site chooses another. */
  private static String severity(String alert, JsonNode rule) throws IOException {
    FaultKind kind = kinds().get(alert);
    return kind == null ? rule.at("/labels/severity").asText() : kind.severity().text();
  }

  @Test
  void thePageOfBundledRulesHasEachAlertWithItsSeverity() throws Exception {
    String page = Files.readString(ROOT.resolve("docs/bundled-rules.md"));
    TreeMap<String, JsonNode> alerts = alerts(ruleFiles());
    TreeMap<String, String> wanted = new TreeMap<>();
    for (var alert : alerts.entrySet()) {
      wanted.put(alert.getKey(), severity(alert.getKey(), alert.getValue()));
    }
    TreeMap<String, String> listed = new TreeMap<>();
    Matcher rows =
        Pattern.compile("(?m)^\\| \\[(\\w+)]\\(runbooks/\\1\\.md\\) \\| (\\w+) \\|").matcher(page);
    while (rows.find()) {
      listed.put(rows.group(1), rows.group(2));
    }
    assertThat(listed).isEqualTo(wanted);
    int ofFleets = alerts(files(RULES.resolve("fleetgauge"))).size();
    assertThat(Files.readString(ROOT.resolve("docs/alerting.md")))
        .contains("evaluate " + ofFleets + " [bundled alerts]");
    assertThat(Files.readString(ROOT.resolve("CHANGELOG.md")))
        .contains("- " + ofFleets + " alerts about GPUs and nodes");
  }

  @Test
  void everyAlertHasASeverityAndSentencesAndARunbook() throws Exception {
    Set<String> pages = new TreeSet<>();
    for (var alert : alerts(ruleFiles()).entrySet()) {
      JsonNode rule = alert.getValue();
      String severity = severity(alert.getKey(), rule);
      assertThat(severity).isIn("critical", "warning", "info");
      assertThat(rule.at("/annotations/summary").asText()).as(alert.getKey()).endsWith(".");
      assertThat(rule.at("/annotations/description").asText()).as(alert.getKey()).endsWith(".");
      assertThat(rule.at("/annotations/runbook_url").asText())
          .isEqualTo("{{ $externalURL }}/runbooks/" + alert.getKey() + ".md");
      String page = "docs/runbooks/" + alert.getKey() + ".md";
      pages.add(page);
      assertThat(ROOT.resolve(page))
          .content()
          .startsWith("# " + alert.getKey() + "\n\nSeverity: " + severity + ". Rule file: `rules/")
          .contains("\n## Meaning\n", "\n## Impact\n", "\n## How to check\n", "\n## What to do\n");
    }
    assertThat(files(RUNBOOKS).stream().map(ROOT::relativize).map(Path::toString))
        .containsExactlyInAnyOrderElementsOf(pages);
  }

  @Test
  void pagesLinkToPagesThatExist() throws Exception {
    for (Path page : files(RUNBOOKS)) {
      Matcher links = Pattern.compile("\\]\\(([^)#]+)\\)").matcher(Files.readString(page));
      while (links.find()) {
        assertThat(page.getParent().resolve(links.group(1))).exists();
      }
    }
  }

  @Test
  void theConfigurationOfAlertmanagerIsValidAndNamesAlertsThatExist() throws Exception {
    assertThat(run("amtool", List.of("check-config", ALERTMANAGER))).contains("SUCCESS");
    Set<String> known = alerts(ruleFiles()).keySet();
    Matcher names =
        Pattern.compile("alertname!?[=~]+\"([\\w|]+)\"").matcher(Files.readString(ALERTMANAGER));
    Set<String> named = new TreeSet<>();
    while (names.find()) {
      named.addAll(List.of(names.group(1).split("\\|")));
    }
    assertThat(named).isNotEmpty().isSubsetOf(known);
  }

  @ParameterizedTest
  @CsvSource({
    "north-1, severity=critical region=north-1",
    "south-1, severity=warning region=south-1",
    "north-1, severity=info region=north-1",
    "operators, severity=critical region=elsewhere",
    "operators, severity=warning",
    "operators, region=north-1"
  })
  void anAlertGoesToTheReceiverOfItsRegion(String receiver, String labels) throws Exception {
    run(
        "amtool",
        List.of(
            "config",
            "routes",
            "test",
            "--config.file=" + ALERTMANAGER,
            "--verify.receivers=" + receiver),
        List.of(labels.split(" ")));
  }

  @Test
  void notificationsAreGroupedAndRepeatedAsTheirSeverityAsks() throws Exception {
    JsonNode config = new YAMLMapper().readTree(ALERTMANAGER.toFile());
    JsonNode route = config.path("route");
    assertThat(config.at("/global/resolve_timeout").asText()).isEqualTo("5m");
    assertThat(texts(route.path("group_by")))
        .containsExactly("alertname", "Hostname", "instance", "severity");
    assertThat(route.path("group_wait").asText()).isEqualTo("10s");
    assertThat(route.path("group_interval").asText()).isEqualTo("5m");
    TreeMap<String, String> repeats = new TreeMap<>();
    for (JsonNode each : route.path("routes")) {
      repeats.put(texts(each.path("matchers")).getFirst(), each.path("repeat_interval").asText());
    }
    assertThat(repeats)
        .containsEntry("severity=\"critical\"", "10m")
        .containsEntry("severity=\"warning\"", "30m")
        .containsEntry("severity=\"info\"", "2h")
        .hasSize(3);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.asText()));
    return texts;
  }
}
