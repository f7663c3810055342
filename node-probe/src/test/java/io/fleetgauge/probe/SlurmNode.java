package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.gpu.reading.FullGpu;
import io.fleetgauge.probe.nvml.StandIn;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A running probe of a node with two GPUs, whose device files are numbered the other way round. */
final class SlurmNode implements AutoCloseable {
  static final String TOKEN = "0123456789abcdef";
  static final Path SCRIPTS = Path.of("../distribution/src/main/slurm").toAbsolutePath();

  final Path socket;
  final Path cgroups;
  private final Path folder;
  private final StandIn driver;
  private final String more;
  private final String moreOfSocket;
  private final URI gateway;
  private final HttpClient http = HttpClient.newHttpClient();
  private ProbeProcess probe;

  /**
   * @param more of the section {@code attribution.slurm}
   */
  SlurmNode(Path folder, String more) throws Exception {
    this(folder, more, "");
  }

  /**
   * @param moreOfSocket of the section {@code attribution.allocations}
   */
  SlurmNode(Path folder, String more, String moreOfSocket) throws Exception {
    this(folder, more, moreOfSocket, URI.create("http://127.0.0.1:1"));
  }

  SlurmNode(Path folder, String more, String moreOfSocket, URI gateway) throws Exception {
    this.folder = folder;
    this.more = more;
    this.moreOfSocket = moreOfSocket;
    this.gateway = gateway;
    socket = folder.resolve("run/probe.sock");
    cgroups = folder.resolve("sys/fs/cgroup");
    Files.createDirectories(cgroups.resolve("memory"));
    Files.writeString(folder.resolve("token"), TOKEN);
    driver = new StandIn(folder);
    driver.begin(2);
    for (int gpu = 0; gpu < 2; gpu++) {
      FullGpu.fill(driver, gpu);
      driver.set(gpu, "minor", 1 - gpu);
    }
    start();
  }

  void start() throws Exception {
    probe =
        ProbeProcess.start(
            ProbeConfig.read(
                "test",
                """
                hostname: n1
                gateways: [%4$s]
                tick: 1s
                gpu: {library: %1$s/libnvml-stand-in.so, kernelLog: %1$s/none}
                host: {sys: %1$s/sys}
                http: {host: 127.0.0.1, port: 0}
                attribution:
                  allocations: {socket: %1$s/run/probe.sock, tokenFile: %1$s/token, limit: 3%3$s}
                  slurm: {every: 1s%2$s}
                spool: {folder: %1$s/spool}
                """
                    .formatted(folder, more, moreOfSocket, gateway)),
            System::currentTimeMillis);
  }

  void stop() {
    probe.close();
  }

  /** The jobs of a GPU, by its index, as a series of the driver has them; empty without one. */
  String job(int gpu) throws Exception {
    return metrics()
        .lines()
        .filter(line -> line.startsWith("DCGM_FI_DEV_GPU_TEMP{"))
        .filter(line -> line.contains("gpu=\"" + gpu + "\""))
        .map(line -> line.replaceFirst(".*hpc_job=\"([^\"]*)\".*", "$1"))
        .map(job -> job.startsWith("DCGM") ? "" : job)
        .findFirst()
        .orElse("no series");
  }

  String metrics() throws Exception {
    return http.send(request("/metrics").build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  HttpResponse<String> send(String method, String path, String token, String body)
      throws Exception {
    HttpRequest.Builder request =
        request(path).method(method, HttpRequest.BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probe.port() + path));
  }

  /** Sends a request over the socket with curl; its answer. */
  String curl(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("curl", "-sS", "--unix-socket", socket.toString()));
    command.addAll(List.of(arguments));
    return output(command, Map.of());
  }

  /** Runs one of the scripts as slurmd does, which must end with 0. */
  String script(String name, Map<String, String> environment) throws Exception {
    return output(List.of("sh", SCRIPTS.resolve(name).toString()), environment);
  }

  static String output(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as("%s: %s", command, output).isZero();
    return output;
  }

  @Override
  public void close() {
    probe.close();
  }
}
