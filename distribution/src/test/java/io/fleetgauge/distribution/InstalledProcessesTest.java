package io.fleetgauge.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The processes as they run where the archive is installed. */
class InstalledProcessesTest {
  private static final int TERMINATED = 143;

  /** Most resident memory of a probe without GPUs; 91 MiB were measured. */
  private static final long PROBE_MIB = 128;

  @TempDir private Path folder;

  private final Map<String, Process> running = new LinkedHashMap<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private InstalledArchive archive;

  @BeforeEach
  void unpack() throws Exception {
    archive = InstalledArchive.unpack(folder);
  }

  @AfterEach
  void endAll() {
    running.values().forEach(Process::destroyForcibly);
    running.values().forEach(process -> process.onExit().join());
  }

  @Test
  void probeGatewayAndQueryApiOfTheArchiveAnswerAQueryAndStop() throws Exception {
    List<Integer> ports = freePorts(5);
    String cluster =
        "cluster: {name: installed-%d, port: %d, members: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]}\n";
    start(
        "gateway",
        "id: g1\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(0))
            + cluster.formatted(ports.get(3), ports.get(3), ports.get(3), ports.get(4)));
    start(
        "query",
        "http: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(1))
            + cluster.formatted(ports.get(3), ports.get(4), ports.get(3), ports.get(4)));
    start(
        "probe",
        "hostname: n1\ntick: 1s\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(2))
            + "gateways: [\"http://127.0.0.1:%d\"]\n".formatted(ports.get(0)));
    URI query =
        URI.create(
            "http://127.0.0.1:"
                + ports.get(1)
                + "/api/v1/query?query=count%20by%20(Hostname)%20(node_load1)");
    await()
        .atMost(Duration.ofMinutes(10))
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(get(query))
                    .contains("\"status\":\"success\"", "\"Hostname\":\"n1\"", "\"1\""));
    assertThat(residentMebibytes(running.get("probe"))).isLessThan(PROBE_MIB);
    operate("http://127.0.0.1:" + ports.get(1), "http://127.0.0.1:" + ports.get(0));
    bundledAlertsAreEvaluatedAndTheirRunbooksServed("http://127.0.0.1:" + ports.get(1));
    for (String name : List.of("probe", "query", "gateway")) {
      Process process = running.get(name);
      process.destroy();
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(output(name)).isTrue();
      assertThat(process.exitValue()).as(output(name)).isEqualTo(TERMINATED);
      assertThat(output(name)).doesNotContain("WARNING", "\tat ");
    }
  }

  private void bundledAlertsAreEvaluatedAndTheirRunbooksServed(String query) throws Exception {
    Set<String> alerts =
        found("\"name\":\"(\\w+)\"", get(URI.create(query + "/api/v1/rules?type=alert")));
    Set<String> pages = new TreeSet<>();
    try (var files = Files.list(archive.home().resolve("rules/fleetgauge"))) {
      for (Path file : files.toList()) {
        String text = Files.readString(file);
        assertThat(alerts).containsAll(found("- alert: (\\w+)", text));
        pages.addAll(found("externalURL }}/runbooks/(\\w+\\.md)", text));
      }
    }
    assertThat(pages).hasSizeGreaterThan(30);
    for (String page : pages) {
      assertThat(get(URI.create(query + "/runbooks/" + page)))
          .isEqualTo(Files.readString(archive.home().resolve("docs/runbooks").resolve(page)));
    }
  }

  private static Set<String> found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The commands of operators, on the machine and against the processes that run. */
  private void operate(String query, String gateway) throws Exception {
    assertThat(exitCode("status", "status", "--url", query)).as(output("status")).isEqualTo(1);
    assertThat(output("status"))
        .startsWith("WARNING cluster installed-")
        .contains("there is one gateway, so no host has a replica", "n1", "g1");
    assertThat(exitCode("storage", "storage", "--url", query)).as(output("storage")).isZero();
    assertThat(output("storage")).contains("g1").contains("in journals");
    for (String name : List.of("gateway", "probe", "query")) {
      Process doctor =
          archive.start(
              folder.resolve(name),
              folder.resolve("doctor-" + name + ".txt"),
              "doctor",
              name,
              "--config",
              "config.yaml",
              "--quick",
              "--all",
              "--gateway",
              gateway);
      running.put("doctor-" + name, doctor);
      assertThat(doctor.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(output("doctor-" + name))
          .contains("responds: healthy and ready")
          .contains("OK version: " + gateway + " has the same version")
          .contains("OK clock: the clock of " + gateway)
          .doesNotContain("FAILURE", "\tat ");
    }
  }

  @Test
  void doctorFindsLimitsOfTheMachine() throws Exception {
    Path config = Files.writeString(folder.resolve("c.yaml"), "http: {host: 127.0.0.1}\n");
    ProcessBuilder limited =
        new ProcessBuilder(
                "bash",
                "-c",
                "ulimit -n 256 && exec "
                    + archive.home().resolve("bin/fleetgauge")
                    + " doctor --quick --config "
                    + config
                    + " gateway")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("limits.txt").toFile());
    limited.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process doctor = limited.start();
    running.put("limits", doctor);
    assertThat(doctor.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(output("limits")).contains("Max open files is 256", "LimitNOFILE");
  }

  @Test
  void theLauncherNamesItsCommandsAndRefusesOthers() throws Exception {
    assertThat(exitCode("help", "--help")).isZero();
    assertThat(output("help"))
        .contains("probe", "gateway", "query", "rules", "report", "status", "doctor", "JAVA_HOME");
    assertThat(exitCode("demo", "demo")).isEqualTo(1);
    assertThat(output("demo")).contains("there is no command demo");
    assertThat(exitCode("rules", "rules", "test", "--help")).isZero();
    assertThat(exitCode("report", "report", "usage", "--url", "http://127.0.0.1:1")).isEqualTo(1);
    assertThat(output("report")).contains("http://127.0.0.1:1 cannot be reached");
    assertThat(exitCode("wrong", "query", "--config", "nosuch.yaml")).isEqualTo(1);
    assertThat(output("wrong")).contains("nosuch.yaml cannot be read").doesNotContain("\tat ");
  }

  private int exitCode(String name, String... command) throws Exception {
    Process process = archive.start(folder, folder.resolve(name + ".txt"), command);
    running.put(name, process);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private void start(String name, String config) throws IOException {
    Path work = Files.createDirectory(folder.resolve(name));
    Path file = Files.writeString(work.resolve("config.yaml"), config);
    running.put(
        name,
        archive.start(
            work, folder.resolve(name + ".txt"), name, "--config", file.getFileName().toString()));
  }

  private String output(String name) throws IOException {
    return Files.readString(folder.resolve(name + ".txt"));
  }

  private String get(URI address) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(address).timeout(Duration.ofMinutes(2)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static long residentMebibytes(Process process) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", "" + process.pid(), "status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
      }
    }
    throw new IllegalStateException("the process has no VmRSS");
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
