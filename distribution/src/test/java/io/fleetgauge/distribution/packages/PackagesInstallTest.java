package io.fleetgauge.distribution.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packages of whole processes, installed, run, upgraded and removed on machines with Debian's
 * base system only. Takes minutes, root, and roots that debootstrap made; see CONTRIBUTING.
 */
@Tag("slow")
class PackagesInstallTest {
  private static final Path ROOTS =
      Path.of(System.getProperty("fleetgauge.roots", "/nonexistent/roots"));
  private static final Path PROCESSES =
      Path.of(
          System.getProperty(
              "fleetgauge.processes",
              System.getProperty("fleetgauge.root") + "/distribution/target/processes"));
  private static final Duration PATIENCE = Duration.ofSeconds(180);
  private static final Pattern SAMPLE = Pattern.compile("\\[(\\d+(?:\\.\\d+)?),\"[^\"]*\"]");

  @TempDir private static Path packages;
  @TempDir private Path folder;

  private final List<Machine> machines = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private List<Integer> ports;

  @BeforeAll
  static void make() throws Exception {
    assumeThat(ROOTS).as("roots that fleetgauge.roots names").isDirectory();
    assumeThat(System.getProperty("user.name")).as("who runs it").isEqualTo("root");
    assumeThat(PROCESSES).as("folders of all processes").isDirectory();
    for (PackagedProcess process : PackagedProcess.values()) {
      Path of = PROCESSES.resolve(process.folder());
      Instant time = Files.getLastModifiedTime(of.resolve("bin/fleetgauge")).toInstant();
      for (String version : List.of("0.1.0", "0.2.0")) {
        Packages.make(of, version, time, time, packages);
      }
    }
  }

  @AfterEach
  void endAll() throws Exception {
    for (Machine machine : machines) {
      machine.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bookworm", "trixie"})
  void installedStartedUpgradedAndRemovedWithoutLosingAnything(String root) throws Exception {
    assumeThat(ROOTS.resolve(root)).as("the root of " + root).isDirectory();
    for (int i = 0; i < 3; i++) {
      machines.add(new Machine(ROOTS.resolve(root), folder.resolve("machine-" + i)));
    }
    // One of them has no systemd.
    machines.get(1).hide("/usr/bin/systemd-sysusers");
    machines.get(1).hide("/usr/bin/systemd-tmpfiles");
    List<Set<String>> before = new ArrayList<>();
    for (Machine machine : machines) {
      before.add(machine.files());
    }
    ports = freePorts(9);
    install();
    start();
    awaitSamples();
    Set<String> samples = upgradeGatewaysOneByOne();
    upgradeOthers(samples);
    removeAndPurge(before);
  }

  private void install() throws Exception {
    for (int i = 0; i < 3; i++) {
      machines.get(i).install(deb("gateway", "0.1.0"));
      gatewayHasWhatItNeeds(machines.get(i));
      Files.writeString(machines.get(i).path("/etc/fleetgauge/gateway.yaml"), gateway(i));
    }
    machines.get(2).install(deb("query", "0.1.0"));
    machines.get(2).install(deb("probe", "0.1.0"));
    Files.writeString(
        machines.get(2).path("/etc/fleetgauge/query.yaml"),
        "# changed by its user\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(6))
            + cluster(7));
    Files.writeString(
        machines.get(2).path("/etc/fleetgauge/probe.yaml"),
        """
        # changed by its user
        hostname: n1
        tick: 1s
        http: {host: 127.0.0.1, port: %d}
        gateways: ["http://127.0.0.1:%d", "http://127.0.0.1:%d"]
        spool: {folder: /var/lib/fleetgauge/probe/spool}
        """
            .formatted(ports.get(8), ports.get(0), ports.get(1)));
  }

  private static void gatewayHasWhatItNeeds(Machine machine) throws Exception {
    assertThat(machine.run("id", "fleetgauge")).contains("gid=", "(fleetgauge)");
    assertThat(machine.run("stat", "-c", "%U:%G %a", "/var/lib/fleetgauge/gateway"))
        .isEqualTo("fleetgauge:fleetgauge 750\n");
    String home = "/usr/lib/fleetgauge/gateway";
    assertThat(
            machine.run(
                "sh",
                "-c",
                // The JVM loads its libraries itself. None of the desktop's is loaded.
                "export LD_LIBRARY_PATH=%1$s/runtime/lib/server:%1$s/runtime/lib; find %1$s"
                        .formatted(home)
                    + " \\( -name '*.so' -o -path '*/bin/java' \\) ! -path '*/native/*'"
                    + " ! -name '*awt*' ! -name 'libsplashscreen*' ! -name 'libjsound*'"
                    + " -exec ldd {} + 2>&1"))
        .doesNotContain("not found");
    assertThat(machine.run("dpkg", "--verify", "fleetgauge-gateway")).isEmpty();
    // Where man and bash look for them.
    for (String each :
        List.of(
            "/usr/share/man/man1/fleetgauge-gateway.1.gz",
            "/usr/share/bash-completion/completions/fleetgauge-gateway")) {
      assertThat(machine.path(each)).isNotEmptyFile();
    }
  }

  private void start() throws Exception {
    for (Machine machine : machines) {
      machine.start("gateway");
    }
    for (int i = 0; i < 3; i++) {
      awaitReady(i, "gateway", ports.get(i));
    }
    machines.get(2).start("query");
    machines.get(2).start("probe");
  }

  private void awaitReady(int machine, String process, int port) throws Exception {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              assertThat(machines.get(machine).isRunning(process)).isTrue();
              return status("http://127.0.0.1:" + port + "/-/ready") == 200;
            });
  }

  private void awaitSamples() {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(samples()).hasSizeGreaterThan(10));
  }

  private Set<String> upgradeGatewaysOneByOne() throws Exception {
    Set<String> known = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      awaitTwoCopies();
      Set<String> before = samples();
      assertThat(before).containsAll(known).isNotEmpty();
      Machine machine = machines.get(i);
      machine.stop("gateway");
      assertThat(samples()).as("while gateway %d is away", i).containsAll(before);
      machine.install(deb("gateway", "0.2.0"));
      assertThat(machine.path("/etc/fleetgauge/gateway.yaml")).hasContent(gateway(i));
      machine.start("gateway");
      awaitReady(i, "gateway", ports.get(i));
      known = before;
    }
    awaitTwoCopies();
    Set<String> all = samples();
    assertThat(all).containsAll(known);
    return all;
  }

  private void awaitTwoCopies() {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(get("http://127.0.0.1:" + ports.get(6) + "/metrics"))
                    .containsPattern("(?m)^fleetgauge_query_hosts_on_two 1(\\.0)?$"));
  }

  private void upgradeOthers(Set<String> samples) throws Exception {
    // Gateways have kept what the probe read, or it still has it.
    assertThat(get("http://127.0.0.1:" + ports.get(8) + "/metrics"))
        .doesNotContainPattern("(?m)^fleetgauge_probe_samples_(dropped|refused)_total.* [1-9]");
    Machine machine = machines.get(2);
    for (String process : List.of("probe", "query")) {
      machine.stop(process);
      machine.install(deb(process, "0.2.0"));
      assertThat(machine.path("/etc/fleetgauge/" + process + ".yaml"))
          .content()
          .startsWith("# changed by its user");
      machine.start(process);
    }
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              Set<String> now = samples();
              assertThat(now).containsAll(samples).hasSizeGreaterThan(samples.size());
            });
  }

  private void removeAndPurge(List<Set<String>> before) throws Exception {
    for (int i = 2; i >= 0; i--) {
      Machine machine = machines.get(i);
      List<String> installed = i == 2 ? List.of("probe", "query", "gateway") : List.of("gateway");
      for (String process : installed) {
        machine.stop(process);
        machine.run("dpkg", "--remove", "fleetgauge-" + process);
      }
      Set<String> left = new TreeSet<>(machine.files());
      left.removeAll(before.get(i));
      assertThat(left)
          .as("after removal: data and configuration")
          .allMatch(file -> file.matches("/(var/lib|etc)/fleetgauge(/.*)?"))
          .contains("/etc/fleetgauge/gateway.yaml", "/var/lib/fleetgauge/gateway/store");
      for (String process : installed) {
        machine.run("dpkg", "--purge", "fleetgauge-" + process);
      }
      left = new TreeSet<>(machine.files());
      left.removeAll(before.get(i));
      assertThat(left).as("after purging").isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0"})
  void lintianHasNothingToSayAboutWholeProcesses(String version) throws Exception {
    assumeThat(Commands.isPresent("lintian")).as("lintian is here").isTrue();
    for (PackagedProcess process : PackagedProcess.values()) {
      assertThat(
              Commands.run(
                  "lintian",
                  "--allow-root",
                  "--fail-on=error,warning",
                  deb(process.folder(), version).toString()))
          .doesNotContainPattern("(?m)^[EW]:");
    }
  }

  private static Path deb(String process, String version) throws IOException {
    try (Stream<Path> all = Files.list(packages)) {
      return all.filter(
              file ->
                  file.getFileName()
                      .toString()
                      .matches("fleetgauge-" + process + "_" + version + "_.*\\.deb"))
          .findFirst()
          .orElseThrow();
    }
  }

  private String gateway(int i) {
    return """
    # changed by its user
    id: g%d
    http: {host: 127.0.0.1, port: %d}
    store: {folder: /var/lib/fleetgauge/gateway/store}
    """
            .formatted(i, ports.get(i))
        + cluster(3 + i);
  }

  private String cluster(int port) {
    return "cluster: {name: packages-%d, port: %d, members: [%s]}\n"
        .formatted(
            ports.get(3),
            ports.get(port),
            String.join(
                ", ",
                ports.subList(3, 6).stream().map(each -> "\"127.0.0.1:" + each + "\"").toList()));
  }

  /** Times of the samples of one series, as the query API tells them. */
  private Set<String> samples() throws Exception {
    String answer =
        get(
            "http://127.0.0.1:"
                + ports.get(6)
                + "/api/v1/query?query="
                + URLEncoder.encode("node_load1{Hostname=\"n1\"}[1h]", StandardCharsets.UTF_8));
    assertThat(answer).contains("\"status\":\"success\"").doesNotContain("\"warnings\"");
    Set<String> times = new HashSet<>();
    for (Matcher sample = SAMPLE.matcher(answer); sample.find(); ) {
      times.add(sample.group(1));
    }
    return times;
  }

  private HttpResponse<String> ask(String address) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofMinutes(2)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private int status(String address) throws Exception {
    return ask(address).statusCode();
  }

  private String get(String address) throws Exception {
    return ask(address).body();
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
