package io.fleetgauge.runtime.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.runtime.FreePorts;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every check is made to fail with a real file, port, server or certificate. */
@Tag("slow")
class DoctorCommandTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private int http;
  private int cluster;

  @BeforeEach
  void ports() throws IOException {
    List<Integer> free = FreePorts.take(2);
    http = free.get(0);
    cluster = free.get(1);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  /** The output of a run: the exit code, and lines of outcome, check, text and advice. */
  private record Output(int code, List<String> lines) {
    Output has(String outcome, String check, String... parts) {
      assertThat(lines)
          .as("%s %s with %s", outcome, check, List.of(parts))
          .anyMatch(
              line ->
                  line.startsWith(outcome + " " + check + ": ")
                      && List.of(parts).stream().allMatch(line::contains));
      return this;
    }

    Output hasNo(String outcome, String check) {
      assertThat(lines).noneMatch(line -> line.startsWith(outcome + " " + check + ": "));
      return this;
    }
  }

  private Output doctor(String yaml, String... more) throws IOException {
    Path config = Files.writeString(folder.resolve("config.yaml"), yaml);
    StringWriter out = new StringWriter();
    List<String> arguments =
        new ArrayList<>(List.of("test", "--quick", "--format=json", "--config=" + config));
    arguments.addAll(List.of(more));
    int code =
        new CommandLine(new DoctorCommand())
            .setOut(new PrintWriter(out))
            .execute(arguments.toArray(String[]::new));
    List<String> lines = new ArrayList<>();
    new JsonObject(out.toString())
        .getJsonArray("findings")
        .forEach(
            each -> {
              JsonObject finding = (JsonObject) each;
              lines.add(
                  finding.getString("outcome")
                      + " "
                      + finding.getString("check")
                      + ": "
                      + finding.getString("text")
                      + " | "
                      + finding.getString("advice"));
            });
    return new Output(code, lines);
  }

  private String yaml(String more) {
    return "http: {host: 127.0.0.1, port: %d}\n".formatted(http) + rest(more);
  }

  private String rest(String more) {
    return "store: {folder: %s, maxDisk: 1MiB}\n".formatted(folder.resolve("data"))
        + "cluster: {port: %d, members: [\"127.0.0.1:%d\"]}\n".formatted(cluster, cluster)
        + more;
  }

  /** A server that is stopped after the test. */
  private HttpServer server(int port, String version, int ready, LongSupplier clock)
      throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10);
    answer(server, "/-/healthy", 200, "healthy\n", clock);
    answer(server, "/-/ready", ready, ready == 200 ? "ready\n" : "not ready: starting\n", clock);
    answer(
        server,
        "/v1/status",
        version.isEmpty() ? 401 : 200,
        "{\"version\": \"" + version + "\"}",
        clock);
    server.start();
    open.add(() -> server.stop(0));
    return server;
  }

  private static void answer(
      HttpServer server, String path, int status, String body, LongSupplier clock) {
    server.createContext(
        path,
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          if (clock != null) {
            exchange.getResponseHeaders().set("X-Fleetgauge-Clock", "" + clock.getAsLong());
          }
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  // --- the command ---

  @Test
  void aWrongConfigurationIsSaidWithEveryProblem() throws Exception {
    Output said = doctor("http: {port: 99999, hots: x}\n");
    said.has("failure", "configuration", "http.port").has("failure", "configuration", "hots");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.lines()).allMatch(line -> line.contains("configuration: "));
  }

  @Test
  void wrongUsageExitsWithTwoAndNamesWhatThereIs() {
    StringWriter err = new StringWriter();
    CommandLine line = new CommandLine(new DoctorCommand()).setErr(new PrintWriter(err));
    assertThat(line.execute("nosuch")).isEqualTo(2);
    assertThat(err.toString()).contains("there is no process nosuch here; there is ", "test");
    assertThat(line.execute("test", "--format=xml")).isEqualTo(2);
    assertThat(line.execute("test", "--gateway=nowhere")).isEqualTo(2);
    assertThat(err.toString()).contains("--gateway nowhere is no address");
  }

  @Test
  void theTextHasWhatIsWrongFirstWithAdviceAndNoLineIsLong() throws Exception {
    Path config = Files.writeString(folder.resolve("c.yaml"), yaml("zone: http://127.0.0.1:1\n"));
    StringWriter out = new StringWriter();
    int code =
        new CommandLine(new DoctorCommand())
            .setOut(new PrintWriter(out))
            .execute("test", "--all", "--config=" + config);
    assertThat(code).isEqualTo(2);
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.getFirst()).startsWith("FAILURE reach: the gateway http://127.0.0.1:1");
    assertThat(lines).anyMatch(line -> line.startsWith("    do: start it, correct its address"));
    assertThat(lines).anyMatch(line -> line.contains("a sync takes"));
    assertThat(lines).allMatch(line -> line.length() <= 120);
    assertThat(lines.getLast()).matches("\\d+ failures, \\d+ warnings, \\d+ skipped, \\d+ passed");
    try (var left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .noneMatch(name -> name.startsWith("fleetgauge-doctor"));
    }
  }

  // --- ports ---

  @Test
  void beforeTheStartPortsHaveToBeFree() throws Exception {
    doctor(yaml("")).has("ok", "ports", "http.port " + http).has("ok", "ports", "cluster.port");
    open.add(new ServerSocket(http, 1, InetAddress.getLoopbackAddress()));
    open.add(new ServerSocket(cluster, 1, InetAddress.getLoopbackAddress()));
    Output said = doctor(yaml(""));
    String holder = "process " + ProcessHandle.current().pid();
    said.has("failure", "ports", "http.port " + http, "is in use", holder, "choose another port");
    said.has("failure", "ports", "cluster.port " + cluster, "is in use", holder);
  }

  @Test
  void anAddressOfAnotherMachineCannotBeBound() throws Exception {
    doctor("http: {host: 192.0.2.7, port: %d, insecure: true}\n".formatted(http) + rest(""))
        .has("failure", "ports", "192.0.2.7 cannot be bound", "set http.host");
  }

  @Test
  void afterTheStartPortsHaveToAnswer() throws Exception {
    open.add(new ServerSocket(cluster, 1, InetAddress.getLoopbackAddress()));
    server(http, "0.1.0", 503, System::currentTimeMillis);
    doctor(yaml(""))
        .has("failure", "ports", "not ready: starting")
        .has("ok", "ports", "cluster.port " + cluster, "is bound");
  }

  @Test
  void aProcessWithoutItsClusterPortHasAnotherConfiguration() throws Exception {
    server(http, "0.1.0", 200, System::currentTimeMillis);
    doctor(yaml(""))
        .has("ok", "ports", "healthy and ready")
        .has("failure", "ports", "cluster.port", "is not bound, although the process runs");
  }

  // --- names, others ---

  @Test
  void namesHaveToBeKnownAndMembersReached() throws Exception {
    String members =
        "cluster: {port: %d, members: [\"no-such-host.invalid:5701\", \"127.0.0.1:%d\"]}\n"
            .formatted(cluster, cluster);
    doctor(
            "http: {host: 127.0.0.1, port: %d}\nstore: {folder: %s}\n"
                    .formatted(http, folder.resolve("data"))
                + members)
        .has("failure", "names", "no-such-host.invalid is not known", "/etc/hosts")
        .has("warning", "reach", "127.0.0.1:" + cluster, "cannot be reached")
        .has("warning", "reach", "no member of cluster.members can be reached");
  }

  @Test
  void aNameThatMeansTheMachineItselfIsOfNoUseToOthers() throws Exception {
    doctor(
            "http: {port: %d, insecure: true, advertisedHost: localhost}\n".formatted(http)
                + rest(""))
        .has("warning", "names", "localhost is a loopback address", "http.advertisedHost");
  }

  @Test
  void clocksAreComparedAsPreciselyAsTheOtherSays() throws Exception {
    HttpServer right = server(0, "0.1.0", 200, System::currentTimeMillis);
    doctor(yaml("zone: http://127.0.0.1:%d\n".formatted(right.getAddress().getPort())))
        .has("ok", "clock", "differs from this one by")
        .has("ok", "version", "same version, 0.1.0")
        .hasNo("failure", "reach");
    HttpServer slow = server(0, "0.0.9", 200, () -> System.currentTimeMillis() - 5_000);
    doctor(yaml(""), "--gateway=http://127.0.0.1:" + slow.getAddress().getPort())
        .has("warning", "clock", "by -", "chrony")
        .has("warning", "version", "has version 0.0.9", "finish the update");
    HttpServer wrong = server(0, "0.1.0", 200, () -> System.currentTimeMillis() + 90_000);
    doctor(yaml(""), "--gateway=http://127.0.0.1:" + wrong.getAddress().getPort())
        .has("failure", "clock", "by +", "trust.clockSkew is less");
    // The JDK's server sends Date, which has no fractions.
    HttpServer dated = server(0, "0.1.0", 200, null);
    doctor(yaml(""), "--gateway=http://127.0.0.1:" + dated.getAddress().getPort())
        .has("ok", "clock", "known to 0.5");
  }

  @Test
  void aGatewayWithAnotherSecretIsSaid() throws Exception {
    Path secret = secret("a-secret-of-the-cluster");
    HttpServer other = server(0, "", 200, System::currentTimeMillis);
    String more = "zone: http://127.0.0.1:%d\n".formatted(other.getAddress().getPort());
    doctor(yaml(more).replace("cluster: {", "cluster: {secretFile: %s, ".formatted(secret)))
        .has("failure", "reach", "does not accept this process as one of its cluster")
        .has("ok", "secrets", "cluster.secretFile");
  }

  // --- disk ---

  @Test
  void foldersHaveToBeWrittenAndLargeEnough() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    doctor(yaml("").replace(folder.resolve("data") + "", file + ""))
        .has("failure", "disk", "store.folder " + file, "is no folder");
    doctor(yaml("").replace(folder.resolve("data") + "", "/proc/fleetgauge"))
        .has("failure", "disk", "cannot be written as user", "choose another folder");
    doctor(yaml("").replace("1MiB", "99TiB"))
        .has(
            "warning", "disk", "store.maxDisk lets the process take 99.0 TiB", "set store.maxDisk");
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    doctor(yaml("")).has("warning", "disk", "all users of this machine may use", "chmod 700");
    // In a bare root it may be a folder of the disk.
    boolean isInMemory =
        Files.readString(Path.of("/proc/self/mounts")).contains(" /dev/shm tmpfs ");
    if (isInMemory && Files.isWritable(Path.of("/dev/shm"))) {
      doctor(yaml("").replace(data + "", "/dev/shm/fleetgauge-test"))
          .has("warning", "disk", "is in memory (tmpfs)");
    }
  }

  // --- TLS ---

  /** Makes a certificate and its key with the JDK's own program. */
  private Path[] pair(String name, String from, int days, String hosts) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-startdate",
                from,
                "-validity",
                "" + days,
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD),
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=" + hosts)
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Path certificate = folder.resolve(name + ".pem");
    Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate("own").getEncoded()));
    Path key = folder.resolve(name + ".key");
    Files.writeString(key, pem("PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded()));
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    return new Path[] {certificate, key};
  }

  private static String pem(String what, byte[] bytes) {
    return "-----BEGIN "
        + what
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
        + "\n-----END "
        + what
        + "-----\n";
  }

  private Output tls(Path certificate, Path key) throws IOException {
    return doctor(
        "http: {host: 127.0.0.1, port: %d, tls: {certificate: %s, key: %s}}\n"
                .formatted(http, certificate, key)
            + rest(""));
  }

  @Test
  void certificatesHaveToBeValidForSomeTimeAndFitTheirKeys() throws Exception {
    Path[] good = pair("good", "-1d", 100, "ip:127.0.0.1");
    Path[] soon = pair("soon", "-1d", 20, "dns:other.example");
    Path[] old = pair("old", "-9d", 5, "ip:127.0.0.1");
    tls(good[0], good[1])
        .has("ok", "tls", "CN=good is valid until")
        .has("ok", "tls", "is the key of")
        .has("ok", "secrets", "http.tls.key")
        .hasNo("failure", "tls")
        .hasNo("warning", "tls");
    tls(soon[0], soon[1])
        .has("warning", "tls", "CN=soon expires at", "in 18 days")
        .has("warning", "tls", "names other.example", "reach this process as 127.0.0.1");
    tls(old[0], old[1]).has("failure", "tls", "CN=old expired at");
    tls(good[0], soon[1]).has("failure", "tls", "is not the key of");
    Path both =
        Files.writeString(
            folder.resolve("both.pem"), Files.readString(good[0]) + Files.readString(soon[0]));
    tls(both, good[1]).has("failure", "tls", "CN=good is not signed by CN=soon");
    Path text = Files.writeString(folder.resolve("text.pem"), "no certificate\n");
    tls(text, good[1]).has("failure", "tls", "cannot be read");
    Files.setPosixFilePermissions(good[1], PosixFilePermissions.fromString("rw-r--r--"));
    tls(good[0], good[1]).has("warning", "secrets", "http.tls.key", "chmod 600");
    tls(good[0], text).has("failure", "tls", "no key in the form of PKCS 8");
    doctor(yaml("trust: {ca: %s}\n".formatted(good[0])))
        .has("warning", "tls", "trust.ca", "may not sign other certificates");
  }

  // --- secrets and tenants ---

  private Path secret(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void secretsHaveToBeLongAndPrivate() throws Exception {
    String withSecret =
        yaml("").replace("cluster: {", "cluster: {secretFile: %s, ".formatted(secret("short")));
    doctor(withSecret).has("failure", "secrets", "16 characters or more");
    Path file = secret("a-secret-of-the-cluster");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    doctor(withSecret).has("warning", "secrets", "all users of this machine may use", "chmod 600");
    secret("a-secret-of-the-cluster\nanother-secret-of-it\n");
    doctor(withSecret).has("warning", "secrets", "has two secrets", "remove the second");
  }

  @Test
  void tokensThatExpireAreNamed() throws Exception {
    Instant now = Instant.now();
    DateTimeFormatter day = DateTimeFormatter.ISO_LOCAL_DATE.withZone(ZoneOffset.UTC);
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            tenants:
              a:
                tokens:
                  old: {sha256: "%s", expires: 2001-01-01}
                  soon: {sha256: "%s", expires: %s}
            """
                .formatted(
                    "0".repeat(64), "1".repeat(64), day.format(now.plusSeconds(5 * 86_400))));
    Path secret = secret("a-secret-of-the-cluster");
    String yaml =
        yaml("tenants: {file: %s}\n".formatted(tenants))
            .replace("cluster: {", "cluster: {secretFile: %s, ".formatted(secret));
    doctor(yaml)
        .has("ok", "tenants", "names 1 tenants")
        .has("warning", "tenants", "tenants.a.tokens.old expired at 2001-01-02")
        .has("warning", "tenants", "tenants.a.tokens.soon expires at");
    Files.writeString(tenants, "tenants: {a: {tokens: {t: {sha256: xyz}}}}\n");
    doctor(yaml).has("failure", "tenants", "sha256");
  }

  @Test
  void aProcessThatIsOpenToOthersWithoutTokensDoesNotStart() throws Exception {
    doctor("http: {host: 0.0.0.0, port: %d}\n".formatted(http) + rest(""))
        .has("failure", "tenants", "tenants.file is not set: the process does not start")
        .has("warning", "secrets", "cluster.secretFile is not set");
    doctor("http: {host: 0.0.0.0, insecure: true, port: %d}\n".formatted(http) + rest(""))
        .has("warning", "tenants", "http.insecure is set");
  }

  // --- machine ---

  @Test
  void limitsMemoryAndSettingsOfTheKernelAreRead() throws Exception {
    Process sysctl = new ProcessBuilder("cat", "/proc/sys/vm/max_map_count").start();
    String maps = new String(sysctl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    doctor(yaml(""))
        .has("ok", "java", "Java 25")
        .has("ok", "limits", "Max open files")
        .has(
            Long.parseLong(maps.strip()) < 65_530 ? "warning" : "ok",
            "kernel",
            "vm.max_map_count is " + maps.strip());
    Path proc = folder.resolve("proc");
    Files.createDirectories(proc.resolve("self"));
    Files.createDirectories(proc.resolve("sys/vm"));
    Files.createDirectories(proc.resolve("sys/net/core"));
    Files.writeString(
        proc.resolve("self/limits"),
        Files.readString(Path.of("/proc/self/limits"))
            .replaceFirst("Max open files +\\S+", "Max open files            128")
            .replaceFirst("Max processes +\\S+", "Max processes             64"));
    Files.writeString(proc.resolve("sys/vm/max_map_count"), "1000\n");
    Files.writeString(proc.resolve("sys/vm/overcommit_memory"), "2\n");
    Files.writeString(proc.resolve("sys/net/core/somaxconn"), "128\n");
    Files.writeString(proc.resolve("meminfo"), "MemTotal:       1024 kB\n");
    doctor(yaml(""), "--proc=" + proc)
        .has("warning", "limits", "Max open files is 128", "LimitNOFILE")
        .has("warning", "limits", "Max processes is 64")
        .has("warning", "kernel", "vm.max_map_count is 1000", "sysctl -w vm.max_map_count=")
        .has("warning", "kernel", "net.core.somaxconn is 128")
        .has("warning", "kernel", "vm.overcommit_memory is 2")
        .has("warning", "memory", "of 1.0 MiB", "FLEETGAUGE_HEAP");
    doctor(yaml(""), "--proc=" + folder.resolve("none"))
        .has("skipped", "limits", "Max open files")
        .has("skipped", "memory", "not known")
        .has("skipped", "kernel", "vm.max_map_count is not known");
  }
}
