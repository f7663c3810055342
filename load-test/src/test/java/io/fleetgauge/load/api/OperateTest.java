package io.fleetgauge.load.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.operator.status.CardinalityCommand;
import io.fleetgauge.operator.status.StatusCommand;
import io.fleetgauge.operator.status.StorageCommand;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.doctor.DoctorCommand;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.sample.Labels;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Requests of operators to two gateways and a query API that require tokens, with blocks on disk.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperateTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  /** Time by which the fleet's clock is behind, ms. */
  private final AtomicLong behind = new AtomicLong(1_800_000);

  private LocalFleet fleet;
  private Path secret;
  private Path token;
  private Path config;
  private String query;
  private String gateway;

  /** Output and exit code of a command. */
  private record CommandResult(int code, String out, String err) {}

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    secret = Files.writeString(folder.resolve("secret"), "a-secret-of-the-cluster");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    token = Files.writeString(folder.resolve("token"), "token-operate");
    Path tenants =
        Files.writeString(
            folder.resolve("tenants.yaml"),
            """
            tenants:
              a: {scope: '{tenant="a"}', tokens: {t: {sha256: %s}}}
              staff: {tokens: {t: {sha256: %s, rights: [read, write, operate]}}}
            """
                .formatted(hash("token-a"), hash("token-operate")));
    fleet = new LocalFleet("operate" + System.nanoTime(), LocalPorts.free(3), folder, this::now);
    fleet.secure(
        Optional.of(tenants), TrustSettings.ofSecret(Optional.of(secret)), Optional.empty());
    fleet.startGateway(0, Duration.ofHours(24), Duration.ofSeconds(64));
    fleet.startGateway(0, Duration.ofHours(24), Duration.ofSeconds(64));
    QueryProcess process = fleet.startQuery("127.0.0.1", 0);
    query = "http://127.0.0.1:" + process.port();
    gateway = fleet.gatewayAddresses().getFirst().toString();
    config =
        Files.writeString(
            folder.resolve("gateway.yaml"),
            "http: {host: 127.0.0.1, port: %d}\nstore: {folder: %s, maxDisk: 1MiB}\n"
                    .formatted(LocalPorts.free(1).getFirst(), folder.resolve("doctor"))
                + "cluster: {secretFile: %s, port: %d, members: [\"127.0.0.1:1\"]}\n"
                    .formatted(secret, LocalPorts.free(1).getFirst()));
    await().atMost(SOON).until(() -> write() == 204);
    await()
        .atMost(SOON)
        .until(
            () -> {
              // Time passes until samples have left memory.
              behind.addAndGet(-5_000);
              write();
              return storage().getJsonObject("total").getLong("diskBytes") > 0
                  && status().getJsonObject("replicas").getInteger("whole") == 2;
            });
    behind.set(0);
    write();
  }

  private long now() {
    return System.currentTimeMillis() - behind.get();
  }

  @AfterAll
  void stop() {
    fleet.close();
  }

  private static String hash(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private int write() throws Exception {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (String host : List.of("n1", "n2")) {
      body.series(Labels.of("__name__", "node_load1", "Hostname", host, "tenant", "a"), now(), 1);
      body.series(
          Labels.of("__name__", "DCGM_FI_DEV_GPU_TEMP", "Hostname", host, "UUID", "G" + host),
          now(),
          50);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(gateway + "/api/v1/write"))
              .header("Authorization", "Bearer token-operate")
              .header("Content-Type", RemoteWriteBody.V1_TYPE)
              .header("Content-Encoding", "snappy")
              .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }
  }

  private CommandResult run(Command command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new CommandResult(code, out.toString(), err.toString());
  }

  private CommandResult ask(Command command, String url, String... more) {
    List<String> all = new ArrayList<>(List.of("--url=" + url, "--token-file=" + token));
    all.addAll(List.of(more));
    return run(command, all.toArray(String[]::new));
  }

  private JsonObject status() {
    return new JsonObject(ask(new StatusCommand(), query, "--format=json").out());
  }

  private JsonObject storage() {
    return new JsonObject(ask(new StorageCommand(), query, "--format=json").out());
  }

  @Test
  void statusOfARunningClusterIsTheSameFromAQueryApiAndAGateway() throws Exception {
    assertThat(get(query, "/api/v1/query?query=up", "token-operate")).isEqualTo(200);
    CommandResult asked = ask(new StatusCommand(), query);
    assertThat(asked.code()).as(asked.out() + asked.err()).isZero();
    assertThat(asked.out())
        .startsWith("OK: no problems")
        .contains("2 of 2 hosts fully replicated", "n1", "n2", "TENANTS");
    CommandResult ofGateway = ask(new StatusCommand(), gateway);
    assertThat(ofGateway.code()).as(ofGateway.out() + ofGateway.err()).isZero();
    assertThat(ofGateway.out()).contains("2 of 2 hosts fully replicated");
    JsonObject status = status();
    assertThat(status.getJsonArray("gateways")).hasSize(2);
    assertThat(status.getJsonArray("hosts").getJsonObject(0).getString("state")).isEqualTo("up");
    assertThat(status.getJsonObject("cluster").getLong("tableAgeMillis")).isNotNegative();
  }

  @Test
  void aGatewayShowsItselfToOperatorsOnly() throws Exception {
    for (String path : List.of("/v1/status", "/v1/status/cluster", "/v1/storage")) {
      assertThat(get(gateway, path, "token-a")).as(path).isEqualTo(403);
      assertThat(get(gateway, path, "nobody")).as(path).isEqualTo(401);
      assertThat(get(gateway, path, "token-operate")).as(path).isEqualTo(200);
    }
  }

  private int get(String of, String path, String as) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(of + path))
                  .header("Authorization", "Bearer " + as)
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .statusCode();
    }
  }

  @Test
  void storageAddsUpToTheBlocksOnDisk() {
    JsonObject storage = storage();
    JsonObject total = storage.getJsonObject("total");
    long ofHosts =
        storage.getJsonArray("hosts").stream()
            .mapToLong(host -> ((JsonObject) host).getLong("diskBytes"))
            .sum();
    assertThat(ofHosts).isEqualTo(total.getLong("diskBytes")).isPositive();
    assertThat(total.getDouble("bytesPerSample")).isPositive();
    assertThat(total.getLong("bytesPerDay")).isPositive();
    assertThat(storage.getJsonArray("groups").encode()).contains("\"host\"", "\"gpu core\"");
    assertThat(storage.getJsonArray("metrics").encode())
        .contains("node_load1", "DCGM_FI_DEV_GPU_TEMP");
  }

  @Test
  void cardinalityIsThatOfTheToken() throws Exception {
    assertThat(ask(new CardinalityCommand(), query).out()).startsWith("4 series now");
    Path own = Files.writeString(token.resolveSibling("token-a"), "token-a");
    CommandResult asked = run(new CardinalityCommand(), "--url=" + query, "--token-file=" + own);
    assertThat(asked.out()).startsWith("2 series now").doesNotContain("DCGM_FI_DEV_GPU_TEMP");
  }

  @Test
  void doctorAsksRunningGatewaysForVersionAndClock() throws Exception {
    CommandResult asked =
        run(
            new DoctorCommand(),
            "gateway",
            "--quick",
            "--all",
            "--config=" + config,
            "--gateway=" + gateway);
    assertThat(asked.out())
        .contains("OK version: " + gateway + " has the same version")
        .contains("OK clock: the clock of " + gateway)
        .contains("WARNING reach: the member 127.0.0.1:1");
    assertThat(asked.code()).isEqualTo(1);
    Path foreign = secret.resolveSibling("foreign");
    Files.writeString(foreign, "another-secret-of-another-one");
    Files.writeString(
        config, Files.readString(config).replace(secret.toString(), foreign.toString()));
    CommandResult other =
        run(
            new DoctorCommand(),
            "gateway",
            "--quick",
            "--config=" + config,
            "--gateway=" + gateway);
    assertThat(other.out()).contains("FAILURE reach: " + gateway + " does not accept this process");
    assertThat(other.code()).isEqualTo(2);
  }
}
