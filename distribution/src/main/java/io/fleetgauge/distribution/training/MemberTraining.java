package io.fleetgauge.distribution.training;

import io.fleetgauge.distribution.process.ProcessFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Makes the caches of gateway and query API: two gateways and a query API form a cluster on
 * loopback, with TLS, tokens and a secret. They get an hour of samples by remote write and frames
 * of a probe, answer what dashboards and scrapers ask, and evaluate rules.
 */
final class MemberTraining {
  private static final String TOKEN = "a-token-for-training";
  private static final int SECONDS = 120;

  /** Ticks of a remote write, and writes of each host: an hour. */
  private static final int STEPS = 20;

  private static final int WRITES = 12;

  private final Path folder;
  private final Certificate certificate;
  private final StandInDriver driver;
  private final List<Integer> ports;
  private final TrainingClient client;

  private MemberTraining(Path folder, Certificate certificate, StandInDriver driver)
      throws IOException {
    this.folder = folder;
    this.certificate = certificate;
    this.driver = driver;
    this.ports = freePorts(7);
    this.client = new TrainingClient(certificate.context(), TOKEN);
  }

  /**
   * @param folder to work in
   */
  static void run(
      ProcessFolder probe,
      ProcessFolder gateway,
      ProcessFolder query,
      Path folder,
      Path driverSource)
      throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(folder);
    StandInDriver driver = StandInDriver.make(driverSource, folder);
    new MemberTraining(folder, Certificate.make(folder), driver).run(probe, gateway, query);
  }

  private void run(ProcessFolder probe, ProcessFolder gateway, ProcessFolder query)
      throws IOException, InterruptedException, GeneralSecurityException {
    Files.writeString(folder.resolve("secret"), "a-secret-of-enough-characters-for-a-cluster");
    Files.writeString(folder.resolve("token"), TOKEN);
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes());
    Files.writeString(
        folder.resolve("tenants.yaml"),
        "tenants: {staff: {tokens: {all: {sha256: %s, rights: [read, write, operate]}}}}\n"
            .formatted(HexFormat.of().formatHex(hash)));
    try (TrainedProcess first = gateway(gateway, 0);
        TrainedProcess second = gateway(gateway, 1);
        TrainedProcess api =
            new TrainedProcess(query, "query", folder, http(2) + member(2) + rules());
        TrainedProcess node = new TrainedProcess(probe, "node", folder, probe())) {
      // The second gateway is there for the first, which alone is trained.
      first.startAndNote(driver);
      client.awaitReady(address(ports.get(0)), first, SECONDS);
      second.start(driver);
      client.awaitReady(address(ports.get(1)), second, SECONDS);
      api.startAndNote(driver);
      client.awaitReady(address(ports.get(2)), api, SECONDS);
      node.start(driver);
      work();
      client.awaitResult(address(ports.get(2)), TrainingRules.FIRING, SECONDS);
      if (!node.isAlive()) {
        throw node.failure("ends");
      }
      node.stop();
      api.stop();
      first.stop();
      first.makeCache(driver);
      api.makeCache(driver);
    }
  }

  private TrainedProcess gateway(ProcessFolder from, int number) throws IOException {
    String id = "gateway-" + (number + 1);
    return new TrainedProcess(
        from,
        id,
        folder,
        http(number)
            + member(number)
            + "id: %s\nstore: {folder: %s}\n".formatted(id, folder.resolve(id + "-data")));
  }

  private String http(int number) {
    return "http: {host: 127.0.0.1, port: %d, tls: {certificate: %s, key: %s}}\n"
        .formatted(ports.get(number), certificate.file(), certificate.key());
  }

  private String member(int number) {
    List<String> members =
        ports.subList(3, 6).stream().map(port -> "\"127.0.0.1:" + port + "\"").toList();
    return """
    trust: {ca: %s}
    tenants: {file: %s}
    cluster: {name: training-%d, host: 127.0.0.1, port: %d, members: %s, secretFile: %s}
    """
        .formatted(
            certificate.file(),
            folder.resolve("tenants.yaml"),
            ports.get(3),
            ports.get(3 + number),
            members,
            folder.resolve("secret"));
  }

  private String rules() throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), TrainingRules.file());
    return "rules: {files: [\"%s\"], folder: \"%s\"}\n".formatted(file, folder.resolve("rules"));
  }

  private String probe() {
    return """
    hostname: training
    tick: 1s
    gateways: ["%s", "%s"]
    tokenFile: %s
    trust: {ca: %s}
    http: {host: 127.0.0.1, port: %d}
    spool: {folder: %s}
    gpu: {library: %s}
    """
        .formatted(
            address(ports.get(0)),
            address(ports.get(1)),
            folder.resolve("token"),
            certificate.file(),
            ports.get(6),
            folder.resolve("spool"),
            driver.library());
  }

  private static URI address(int port) {
    return URI.create("https://127.0.0.1:" + port);
  }

  private void work() throws IOException, InterruptedException {
    URI gateway = address(ports.get(0));
    URI query = address(ports.get(2));
    long now = System.currentTimeMillis() / TrainingSamples.STEP_MILLIS;
    long end = now * TrainingSamples.STEP_MILLIS;
    long length = STEPS * TrainingSamples.STEP_MILLIS;
    for (int write = 0; write < WRITES; write++) {
      long from = end - (WRITES - write) * length + TrainingSamples.STEP_MILLIS;
      for (int host = 0; host < TrainingSamples.HOSTS; host++) {
        boolean second = host % 2 == 1;
        client.write(gateway, TrainingSamples.write(host, from, STEPS, second), second);
      }
    }
    for (String path : TrainingQueries.paths(end / 1_000)) {
      client.get(query, path);
    }
    for (URI each : List.of(gateway, address(ports.get(1)), query)) {
      client.get(each, "/metrics");
      client.get(each, "/-/healthy");
    }
  }

  static List<Integer> freePorts(int count) throws IOException {
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
