package io.fleetgauge.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.process.Main;
import io.fleetgauge.runtime.tenant.TenantList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contents of the archive. */
class ArchiveTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));

  @TempDir private static Path folder;

  private static InstalledArchive archive;

  @BeforeAll
  static void unpack() throws Exception {
    archive = InstalledArchive.unpack(folder);
  }

  @Test
  void theClassPathOfEveryProcessIsInTheArchiveAndNothingElseIs() throws IOException {
    Set<String> used = new TreeSet<>();
    for (String module : List.of("node-probe", "shard-gateway", "query-api", "operator")) {
      used.addAll(archive.classPath(module));
    }
    assertThat(archive.libraries()).isEqualTo(used);
  }

  @Test
  void aProbeLoadsNothingThatOnlyClusterMembersNeed() throws IOException {
    assertThat(names(archive.classPath("node-probe")))
        .contains("jnr-ffi", "vertx-core", "runtime", "sample-model")
        .doesNotContain("promql", "shard-gateway", "query-api")
        .noneMatch(
            name ->
                name.matches("(hazelcast|vertx-hazelcast|bc(prov|pkix|util).*|caffeine|jmh.*)"));
  }

  @Test
  void aQueryApiLoadsNothingThatOnlyCommandsOfOperatorsNeed() throws IOException {
    List<String> client = List.of("s3", "sdk-core", "aws-core", "url-connection-client");
    assertThat(names(archive.classPath("operator"))).contains("query-api").containsAll(client);
    assertThat(names(archive.classPath("query-api")))
        .contains("promql", "cluster-config")
        .doesNotContain("operator")
        .doesNotContainAnyElementsOf(client);
  }

  @Test
  void rulesAreInTheArchiveWithThePagesThatTheyLinkTo() throws IOException {
    String rules = Files.readString(archive.home().resolve("rules/fleetgauge/faults.yaml"));
    assertThat(rules).contains("/runbooks/NodeDown.md\"\n");
    assertThat(archive.home().resolve("docs/runbooks/NodeDown.md")).exists();
    assertThat(archive.home().resolve("rules/alertmanager.yaml")).exists();
    assertThat(archive.home().resolve("rules/itself/fleetgauge.yaml")).exists();
  }

  @Test
  void documentsThatInstalledFilesNameAreInTheArchive() throws IOException {
    Set<String> named = new TreeSet<>();
    for (String folder : List.of("bin", "etc", "jvm", "rules", "slurm")) {
      try (Stream<Path> files = Files.walk(archive.home().resolve(folder))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Pattern.compile("\\bdocs/[/\\w-]+\\.md")
              .matcher(Files.readString(file))
              .results()
              .forEach(page -> named.add(page.group()));
        }
      }
    }
    assertThat(named).contains("docs/configuration.md", "docs/bundled-rules.md");
    for (String page : named) {
      assertThat(archive.home().resolve(page)).exists();
    }
    assertThat(archive.home().resolve("docs/metrics/gpu.md")).exists();
  }

  @Test
  void theDashboardsAreInTheArchive() throws IOException {
    Path source = ROOT.resolve("k8s/kustomize/components/grafana/dashboards");
    for (String name : List.of("fleetgauge-fleet", "fleetgauge-gpu", "fleetgauge-itself")) {
      assertThat(archive.home().resolve("dashboards/" + name + ".json"))
          .hasSameBinaryContentAs(source.resolve(name + ".json"));
    }
  }

  @Test
  void theVersionIsTheSameInTheNameTheProgramAndTheLauncherOfTheRepository() throws IOException {
    assertThat(archive.file()).hasFileName("fleetgauge-" + Main.VERSION + ".tar.gz");
    assertThat(ROOT.resolve("fleetgauge")).content().contains("\nversion=" + Main.VERSION + "\n");
  }

  @ParameterizedTest
  @CsvSource({"512m, 268435456", "1g, 536870912", "64g, 1073741824"})
  void theHeapIsAtMostHalfOfTheMemoryThatThereIsAndAtMostOneGibibyte(String memory, long heap)
      throws Exception {
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + archive.home().resolve("jvm/small-heap.flags"),
                "-XX:MaxRAM=" + memory,
                "-XX:+PrintFlagsFinal",
                "-version")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String flags = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(java.waitFor()).isZero();
    assertThat(flags).containsPattern(" MaxHeapSize += " + heap + " ");
  }

  @Test
  void noProcessLoadsTheToolsOfDevelopment() {
    assertThat(names(archive.libraries()))
        .contains("hazelcast", "caffeine")
        .noneMatch(
            name -> name.matches("load-test|jmh.*|junit.*|assertj.*|protobuf-java-util|pitest.*"));
  }

  @Test
  void noProcessHasPartsOfNettyForProtocolsThatItDoesNotSpeak() {
    assertThat(names(archive.libraries()))
        .contains("netty-codec-http", "netty-handler")
        .noneMatch(
            name ->
                name.matches(
                    "netty-(codec-(http3|socks|native-quic|haproxy|redis|mqtt|smtp|stomp|memcache)"
                        + "|tcnative.*|transport-(rxtx|sctp|udt))"));
  }

  @Test
  void noLibraryHasAVulnerabilityThatTheListOfAdvisoriesKnows() throws IOException {
    List<String[]> advisories =
        Files.readAllLines(ROOT.resolve("distribution/src/test/resources/advisories.tsv")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("\t"))
            .toList();
    assertThat(advisories).isNotEmpty().allMatch(columns -> columns.length == 4);
    assertThat(names(archive.libraries()))
        .as("advisories of libraries that are not in the archive can go")
        .containsAll(advisories.stream().map(columns -> columns[0]).toList());
    assertThat(advisories)
        .allMatch(each -> isAffected(each, each[1]) && !isAffected(each, each[2]));
    List<String> affected = new ArrayList<>();
    for (String jar : archive.libraries()) {
      for (String[] advisory : advisories) {
        if (name(jar).equals(advisory[0])
            && isAffected(advisory, jar.substring(name(jar).length() + 1))) {
          affected.add(jar + ": " + advisory[3] + ", use " + advisory[2] + " or newer");
        }
      }
    }
    assertThat(affected).isEmpty();
  }

  private static boolean isAffected(String[] advisory, String version) {
    int[] of = numbers(version);
    return Arrays.compare(of, numbers(advisory[1])) >= 0
        && Arrays.compare(of, numbers(advisory[2])) < 0;
  }

  /** The numbers that a version begins with, such as 4, 2, 17 of 4.2.17.Final.jar. */
  private static int[] numbers(String version) {
    return Arrays.stream(version.split("[.-]"))
        .takeWhile(part -> part.matches("\\d{1,9}"))
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  @Test
  void everyLibraryIsListedWithItsLicenceAndTheLicencesTextIsThere() throws IOException {
    List<String> lines =
        Files.readAllLines(archive.home().resolve("licences/third-party.tsv")).stream()
            .filter(line -> !line.startsWith("#"))
            .toList();
    assertThat(lines.stream().map(line -> line.split("\t")[0]))
        .as("third-party.tsv has one line a library")
        .containsExactlyElementsOf(
            names(archive.libraries()).stream()
                .filter(name -> !OWN_MODULES.contains(name))
                .toList());
    for (String line : lines) {
      String licence = line.split("\t")[1].split(" ")[0];
      String text = licence.equals("Apache-2.0") ? "LICENSE" : "licences/" + licence + ".txt";
      assertThat(archive.home().resolve(text)).as(line).isNotEmptyFile();
    }
  }

  private static final Set<String> OWN_MODULES =
      Set.of(
          "sample-model",
          "promql",
          "runtime",
          "cluster-config",
          "node-probe",
          "shard-gateway",
          "query-api",
          "operator");

  @Test
  void theExamplesOfConfigurationAreValid() throws Exception {
    assertThat(ProbeConfig.read("probe.yaml", example("probe.yaml")).gateways()).hasSize(2);
    assertThat(GatewayConfig.read("gateway.yaml", example("gateway.yaml")).id())
        .isEqualTo("gateway-1");
    assertThat(QueryConfig.read("query.yaml", example("query.yaml")).http().port()).isEqualTo(9090);
    assertThat(
            TenantList.read(
                    "tenants.yaml", example("tenants.yaml"), TenantLimits.DEFAULT, scope -> "")
                .tenants())
        .containsOnlyKeys("atlas", "probes", "staff");
  }

  @Test
  void theConfigurationsForBareMetalAreValid() throws Exception {
    List<String> blocks =
        yamlBlocks(Path.of(System.getProperty("fleetgauge.root"), "docs/install/bare-metal.md"));
    assertThat(blocks).hasSize(4);
    assertThat(GatewayConfig.read("gateway.yaml", here(blocks.get(1))).http().port())
        .isEqualTo(9500);
    assertThat(QueryConfig.read("query.yaml", here(blocks.get(2))).http().port()).isEqualTo(9090);
    assertThat(ProbeConfig.read("probe.yaml", here(blocks.get(3))).gateways()).hasSize(2);
  }

  private static List<String> yamlBlocks(Path document) throws IOException {
    return Pattern.compile("^ *```yaml\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL)
        .matcher(Files.readString(document))
        .results()
        .map(block -> block.group(1).stripIndent())
        .toList();
  }

  /** An example whose files are where the archive was unpacked instead of in /etc/fleetgauge. */
  private static String example(String name) throws IOException {
    return here(Files.readString(archive.home().resolve("etc").resolve(name)));
  }

  private static String here(String yaml) throws IOException {
    Path etc = archive.home().resolve("etc");
    Files.writeString(etc.resolve("secret"), "a secret of enough characters: 0123456789abcdef");
    Files.writeString(etc.resolve("probe.token"), "a token with the write permission");
    return yaml.replace("/etc/fleetgauge/", etc + "/");
  }

  @Test
  void theSameSourcesMakeTheSameBytes() throws Exception {
    // Differences between two builds of one source: the time, the user, and the order of files.
    List<String> entries = archive.listing();
    assertThat(entries).hasSizeGreaterThan(60);
    assertThat(entries)
        .allMatch(entry -> entry.contains(" 0/0 ") && entry.contains(" 2026-01-01 "));
    for (String jar : archive.libraries()) {
      if (OWN_MODULES.contains(name(jar))) {
        assertThat(InstalledArchive.times(archive.home().resolve("lib").resolve(jar)))
            .as(jar)
            .hasSize(1);
      }
    }
  }

  /** Names of libraries without version and classifier, in order of name. */
  private static Set<String> names(Set<String> jars) {
    return jars.stream().map(ArchiveTest::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private static String name(String jar) {
    return jar.replaceFirst("-\\d.*", "");
  }
}
