package io.fleetgauge.distribution.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.distribution.process.Programs;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Features that the documentation of gateway and query API names and that need the system, in one
 * packaged gateway and query API: where `-Dpackages.processes=probe,gateway,query` built them.
 */
@Tag("slow")
class MemberFeaturesTest {
  private static final Path PROCESSES =
      Path.of(System.getProperty("fleetgauge.root"), "distribution/target/processes");
  private static final String TOKEN = "a-token-of-enough-characters";
  private static final int SECONDS = 120;

  /** Hash of the text "password": the example of Argon2's own documentation. */
  private static final String ARGON2 =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

  @TempDir private Path folder;
  private final Map<String, Process> running = new TreeMap<>();
  private List<Integer> ports;
  private Certificate certificate;
  private StandInApi apis;

  @BeforeEach
  void areBuilt() throws Exception {
    assumeThat(PROCESSES.resolve("query")).as("./fleetgauge package makes it").exists();
    assumeThat(Path.of("/usr/sbin/dnsmasq")).as("Debian's dnsmasq-base").isExecutable();
    ports = MemberTraining.freePorts(5);
    certificate = Certificate.make(Files.createDirectory(folder.resolve("tls")));
    apis = new StandInApi(certificate);
  }

  @AfterEach
  void end() {
    running.values().forEach(Process::destroyForcibly);
    running.values().forEach(process -> process.onExit().join());
    if (apis != null) {
      apis.close();
    }
  }

  @Test
  void eachDeliversWhenAllAreSwitchedOnAtOnce() throws Exception {
    writeFiles();
    nameServer();
    start("gateway", everything(0) + gateway());
    TrainingClient client = new TrainingClient(certificate.context(), TOKEN);
    awaitAnswer(address(0) + "/-/ready", "");
    start("query", everything(1) + query());
    awaitAnswer(address(1) + "/-/ready", "");

    long end = System.currentTimeMillis() / 15_000 * 15_000;
    for (int host = 0; host < TrainingSamples.HOSTS; host++) {
      byte[] body = TrainingSamples.write(host, end - 19 * 15_000, 20, host % 2 == 1);
      client.write(URI.create(address(0)), body, host % 2 == 1);
    }
    awaitAnswer(asked("count(node_load1{row=\"ü-r0\"})"), "\"2\"");
    awaitAnswer(asked("count(node_load1)"), "\"4\"");
    assertThat(Programs.run(folder, curl("password", asked("count(node_load1)"))))
        .as("a tenant whose token is hashed with Argon2id, with a scope")
        .contains("\"2\"");
    String report = address(1) + "/api/v1/report/usage?by=tenant&from=" + (end / 1_000 - 300);
    for (String format : List.of("json", "csv", "html")) {
      String text = Programs.run(folder, curl(TOKEN, report + "&format=" + format));
      assertThat(text).contains("atlas", "borealis");
    }
    // Alerts reach an Alertmanager that is found by DNS, over TLS, and traces reach the collector.
    await()
        .atMost(2, TimeUnit.MINUTES)
        .untilAsserted(
            () ->
                assertThat(apis.requests())
                    .contains("POST /api/v2/alerts Bearer " + TOKEN)
                    .contains("POST /v1/traces Bearer " + TOKEN));
    backUp();
    for (String name : List.of("query", "gateway")) {
      Process process = running.remove(name);
      process.destroy();
      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as(output(name)).isTrue();
      assertThat(process.exitValue()).as(output(name)).isEqualTo(143);
      assertThat(output(name)).contains("{\"").doesNotContain("\\tat ", "does not fit", "WARNING:");
    }
  }

  private void backUp() throws Exception {
    String repository = folder.resolve("sicherung-ü").toString();
    List<String> access =
        List.of(
            "--gateway",
            address(0),
            "--secret-file",
            folder.resolve("secret").toString(),
            "--ca-file",
            certificate.file().toString());
    assertThat(command("backup", "create", access, "--to", repository, "--verify"))
        .contains("backup");
    assertThat(command("backup", "list", List.of(), "--from", repository)).contains("20");
    assertThat(command("restore", "--dry-run", access, "--from", repository))
        .contains("the backup can be read");
  }

  private String command(String first, String second, List<String> access, String... more)
      throws Exception {
    List<String> all = new ArrayList<>(List.of("env", "-i", "PATH=/usr/bin:/bin", "LANG=C"));
    all.addAll(List.of(PROCESSES.resolve("bin/fleetgauge").toString(), first, second));
    all.addAll(access);
    all.addAll(List.of(more));
    return Programs.run(folder, all.toArray(String[]::new));
  }

  private void writeFiles() throws Exception {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes());
    Files.writeString(folder.resolve("secret"), "a-secret-of-enough-characters-for-a-cluster");
    Files.writeString(folder.resolve("token"), TOKEN);
    Files.writeString(
        folder.resolve("tenants.yaml"),
        """
        tenants:
          staff: {tokens: {all: {sha256: %s, rights: [read, write, operate]}}}
          team: {scope: '{rack="r0"}', tokens: {all: {argon2id: '%s'}}}
        """
            .formatted(HexFormat.of().formatHex(hash), ARGON2));
    Files.writeString(
        folder.resolve("règles.yaml"),
        """
        groups:
          - name: würfel
            interval: 1s
            rules:
              - alert: Loaded
                expr: count(node_load1) > 0
                annotations:
                  summary: '{{ $value | humanize }} at {{ 1700000000 | humanizeTimestamp }}'
                  words: '{{ "Title" | toUpper }} {{ with query "node_load1" }}{{ . | len }}{{ end }}'
        """);
  }

  /** Starts dnsmasq, which names the members and an Alertmanager. */
  private void nameServer() throws IOException {
    running.put(
        "dns",
        new ProcessBuilder(
                "/usr/sbin/dnsmasq",
                "--keep-in-foreground",
                "--conf-file=/dev/null",
                "--no-resolv",
                "--no-hosts",
                "--pid-file=",
                "--user=" + System.getProperty("user.name"),
                "--listen-address=127.0.0.1",
                "--bind-interfaces",
                "--port=" + ports.get(4),
                "--local=/test/",
                "--address=/m.test/127.0.0.1",
                "--srv-host=_member._tcp.test,m.test," + ports.get(2),
                "--srv-host=_member._tcp.test,m.test," + ports.get(3),
                "--srv-host=_am._tcp.test,localhost," + URI.create(apis.address()).getPort())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("dns.txt").toFile())
            .start());
  }

  private String everything(int number) {
    return """
    http: {host: 127.0.0.1, port: %2$d, tls: {certificate: %1$s, key: %3$s, clientCa: %1$s}}
    trust: {ca: %1$s, certificate: %1$s, key: %3$s}
    tenants: {file: "${FOLDER}/tenants.yaml"}
    tracing: {endpoint: "%4$s", ca: %1$s, tokenFile: "${FOLDER}/token"}
    log: {format: json, level: debug}
    cluster:
      name: features-%5$d
      host: 127.0.0.1
      port: %6$d
      secretFile: "${FOLDER}/secret"
      discovery: {method: srv, dns: {names: [_member._tcp.test.], server: "127.0.0.1:%7$d"}}
    """
        .formatted(
            certificate.file(),
            ports.get(number),
            certificate.key(),
            apis.address(),
            ports.get(2),
            ports.get(2 + number),
            ports.get(4));
  }

  private static String gateway() {
    return """
    id: g1
    zone: keller
    journal: {sync: always}
    ingest: {relabel: [{source_labels: [rack], target_label: row, replacement: "ü-$1"}]}
    rollups: {rules: {load: {metrics: node_load1, labels: [rack], windows: [5m]}}}
    """;
  }

  private String query() {
    return """
    query: {features: [promql-experimental-functions]}
    rules:
      files: ["${FOLDER}/règles.yaml"]
      folder: "${FOLDER}/rules"
      alertmanagers:
        am:
          discovery:
            {method: srv, scheme: https, dns: {names: [_am._tcp.test.], server: "127.0.0.1:%d"}}
          tokenFile: "${FOLDER}/token"
          tls: {ca: %s}
    """
        .formatted(ports.get(4), certificate.file());
  }

  private void start(String name, String config) throws IOException {
    Path work = Files.createDirectory(folder.resolve("für-" + name));
    Files.writeString(work.resolve("config.yaml"), config);
    ProcessBuilder builder =
        new ProcessBuilder(
                PROCESSES.resolve("bin/fleetgauge").toString(), name, "--config", "config.yaml")
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".txt").toFile());
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH",
                "/usr/bin:/bin",
                "LANG",
                "tr_TR.UTF-8",
                "TZ",
                "JST-9",
                "FOLDER",
                folder.toString()));
    running.put(name, builder.start());
  }

  private String address(int number) {
    return "https://127.0.0.1:" + ports.get(number);
  }

  private String asked(String query) {
    return address(1)
        + "/api/v1/query?query="
        + URLEncoder.encode(query, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private String[] curl(String token, String url) {
    return new String[] {
      "curl",
      "-sS",
      "--fail-with-body",
      "--cacert",
      certificate.file().toString(),
      "-H",
      "Authorization: Bearer " + token,
      url
    };
  }

  private void awaitAnswer(String url, String expected) {
    await()
        .atMost(2, TimeUnit.MINUTES)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              for (Map.Entry<String, Process> each : running.entrySet()) {
                assertThat(each.getValue().isAlive()).as(output(each.getKey())).isTrue();
              }
              assertThat(Programs.run(folder, curl(TOKEN, url))).contains(expected);
            });
  }

  private String output(String name) throws IOException {
    return Files.readString(folder.resolve(name + ".txt"));
  }
}
