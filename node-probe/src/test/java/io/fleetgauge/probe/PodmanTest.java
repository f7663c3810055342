package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.nvml.StandIn;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real containers of Podman, whose processes the stand-in driver lists. Skipped where Podman cannot
 * run containers.
 */
@Tag("slow")
class PodmanTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final Pattern LIBRARY = Pattern.compile("(/[^ ()]+)");
  private static final String UNWANTED = "a.hidden.one";

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<String> containers = new ArrayList<>();
  private Path root;

  /** A root file system with one program, because no registry can be relied on. */
  @BeforeEach
  void prepare() throws Exception {
    root = Files.createDirectories(folder.resolve("root"));
    for (String each : List.of("bin", "proc", "dev", "sys", "etc", "tmp", "run")) {
      Files.createDirectories(root.resolve(each));
    }
    Matcher libraries = LIBRARY.matcher(run(List.of("ldd", "/bin/sleep")));
    copy("/bin/sleep");
    while (libraries.find()) {
      copy(libraries.group(1));
    }
    Files.writeString(
        folder.resolve("containers.conf"),
        """
        [containers]
        default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
        [engine]
        runtime = "runc"
        cgroup_manager = "cgroupfs"
        events_logger = "file"
        """);
    String trial;
    try {
      trial = podman("run", "--rm", "--network", "none", "--rootfs", root + "", "/bin/sleep", "0");
    } catch (IOException e) {
      trial = e.getMessage();
    }
    assumeTrue(trial.isEmpty(), "podman cannot run a container here: " + trial);
  }

  @AfterEach
  void removeContainers() throws Exception {
    for (String each : containers) {
      podman("rm", "-f", "-t", "0", each);
    }
    // What watched a container cleans up after it has gone.
    String storage = folder.toString();
    await()
        .atMost(SOON)
        .until(
            () ->
                ProcessHandle.allProcesses()
                    .noneMatch(each -> each.info().commandLine().orElse("").contains(storage)));
  }

  @Test
  void memoryOfAProcessInAContainerIsOnTheContainersSeriesUnderItsName() throws Exception {
    long train = container("train-1");
    long other = container(UNWANTED);
    String id = podman("inspect", "-f", "{{.Id}}", "train-1").strip().substring(0, 12);
    StandIn driver = new StandIn(folder);
    driver.begin(1);
    driver.set(0, "gpu_percent", 60);
    driver.set(0, "compute_processes", 2);
    process(driver, 0, train, 835L << 20, 30);
    process(driver, 1, other, 1933L << 20, 60);
    Path socket = folder.resolve("podman.sock");
    Process service = start("system", "service", "--time=0", "unix://" + socket);
    try (ProbeProcess probe =
        ProbeProcess.start(config(driver, socket), System::currentTimeMillis)) {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(series(probe.port(), "gpu_container_memory_bytes"))
                      .anyMatch(
                          line ->
                              line.contains("container=\"train-1\"")
                                  && line.contains("container_id=\"" + id + "\"")
                                  && line.endsWith(" " + (835 << 20))));
      assertThat(series(probe.port(), "gpu_container_memory_bytes"))
          .hasSize(2)
          .anyMatch(line -> line.contains("container=\"" + UNWANTED + "\""));
      assertThat(series(probe.port(), "gpu_container_utilization_ratio"))
          .anyMatch(line -> line.contains("\"train-1\"") && line.endsWith(" 0.2"))
          .anyMatch(line -> line.contains(UNWANTED) && line.endsWith(" 0.4"));
      assertThat(series(probe.port(), "gpu_process_memory_bytes"))
          .anyMatch(
              line ->
                  line.contains("pid=\"" + train + "\"")
                      && line.contains("process_name=\"sleep\""));
      assertThat(series(probe.port(), "gpu_attribution_up"))
          .anyMatch(line -> line.contains(socket + "") && line.endsWith(" 1"));
      assertThat(series(probe.usedGpuMemoryPort(), ""))
          .as("as the exporter of this metric shows it")
          .contains(
              "used_gpu_memory{container_id=\"%s\",container_name=\"train-1\",gpu=\"0\",pid=\"%d\",unit=\"bytes\"} %d"
                  .formatted(id, train, 835 << 20),
              "used_gpu_memory_status 0");
      podman("rm", "-f", "-t", "0", "train-1");
      containers.remove("train-1");
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(series(probe.port(), "gpu_unowned_memory_bytes"))
                      .as("the driver still lists a process that has gone")
                      .anyMatch(
                          line ->
                              line.contains("reason=\"gone\"")
                                  && line.endsWith(" " + (835 << 20))));
      driver.set(0, "compute_processes", 0);
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(series(probe.usedGpuMemoryPort(), ""))
                      .as("an idle node")
                      .contains("used_gpu_memory_status 101")
                      .noneMatch(line -> line.startsWith("used_gpu_memory{")));
    } finally {
      service.destroy();
      service.waitFor(120, TimeUnit.SECONDS);
    }
  }

  private static void process(StandIn driver, int place, long pid, long bytes, int percent) {
    driver.set(0, "compute." + place + ".pid", pid);
    driver.set(0, "compute." + place + ".bytes", bytes);
    driver.set(0, "used_processes", place + 1);
    driver.set(0, "used." + place + ".pid", pid);
    driver.set(0, "used." + place + ".sm", percent);
  }

  private ProbeConfig config(StandIn driver, Path socket) throws Exception {
    return ProbeConfig.read(
        "test",
        """
        hostname: n1
        gateways: [http://127.0.0.1:1]
        tick: 1s
        gpu: {library: %s}
        http: {host: 127.0.0.1, port: 0}
        spool: {retention: 1h}
        attribution:
          processes: {port: 0}
          runtimes: {docker: [%s], cri: [%s], every: 1s}
        """
            .formatted(driver.library, socket, folder.resolve("none.sock")));
  }

  /** Begins a container; answers the number of its process. */
  private long container(String name) throws Exception {
    podman(
        "run",
        "-d",
        "--name",
        name,
        "--network",
        "none",
        "--rootfs",
        root + "",
        "/bin/sleep",
        "900");
    containers.add(name);
    return Long.parseLong(podman("inspect", "-f", "{{.State.Pid}}", name).strip());
  }

  private List<String> series(int port, String metric) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString());
    return answer.body().lines().filter(line -> line.startsWith(metric)).toList();
  }

  private void copy(String file) throws IOException {
    Path to = root.resolve(file.substring(1));
    Files.createDirectories(to.getParent());
    if (!Files.exists(to)) {
      Files.copy(Path.of(file), to);
    }
  }

  private String podman(String... arguments) throws IOException, InterruptedException {
    return run(command(arguments));
  }

  private Process start(String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command(arguments));
    builder.environment().put("CONTAINERS_CONF", folder.resolve("containers.conf").toString());
    return builder
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("service.log").toFile())
        .start();
  }

  private List<String> command(String... arguments) {
    List<String> command = new ArrayList<>(List.of("podman", "--storage-driver", "vfs"));
    command.addAll(List.of("--root", folder.resolve("storage").toString()));
    command.addAll(List.of("--runroot", folder.resolve("run").toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** The output of a command that succeeds. */
  private String run(List<String> command) throws IOException, InterruptedException {
    File output = Files.createTempFile(folder, "output", "").toFile();
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CONTAINERS_CONF", folder.resolve("containers.conf").toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(output).start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    String text = Files.readString(output.toPath());
    if (process.waitFor() != 0) {
      throw new IOException(command + ": " + text);
    }
    return text;
  }
}
