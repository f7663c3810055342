package io.fleetgauge.distribution.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The images as they are installed, run by Podman with less than the Pod security level restricted
 * allows. Skipped where there is no Podman, or no image because the JDK cannot link a runtime.
 * {@code -Dfleetgauge.images.rounds=20} kills and replaces more gateways.
 */
@Tag("slow")
class ContainersTest {
  private static final String HOSTS = "count by (Hostname) (node_load1)";

  /** Which of the ports is that of the query API. */
  private static final int QUERY = 2;

  private static final Duration SOON = Duration.ofMinutes(10);
  private static final int ROUNDS = Integer.getInteger("fleetgauge.images.rounds", 1);

  /** Exit code of a process that SIGTERM ended. */
  private static final String TERMINATED = "143";

  @TempDir private static Path shared;
  private static Podman podman;
  private static final Map<String, String> IMAGES = new TreeMap<>();

  @TempDir private Path folder;
  private List<Integer> ports;
  private boolean passed;

  @BeforeAll
  static void load() throws Exception {
    for (String each : List.of("probe", "gateway", "query")) {
      assumeTrue(!Packages.images(each).isEmpty(), "there is no image of the " + each);
    }
    Podman own = new Podman(shared);
    String hindrance = own.hindrance();
    assumeTrue(hindrance.isEmpty(), hindrance);
    podman = own;
    for (String each : List.of("probe", "gateway", "query")) {
      IMAGES.put(each, podman.load(Packages.images(each).getFirst()));
    }
  }

  @AfterAll
  static void removeAll() throws Exception {
    if (podman != null) {
      podman.removeAll();
    }
  }

  @BeforeEach
  void choosePorts() throws Exception {
    ports = freePorts(7);
  }

  @AfterEach
  void removeContainers() throws Exception {
    if (!passed) {
      System.out.println(podman.logs());
    }
    podman.removeContainers();
  }

  @Test
  void aGatewayIsKilledAndReplacedWithoutAFailedQueryOrALostSample() throws Exception {
    for (int i = 0; i < 2; i++) {
      start("gateway", "g" + i, gateway(i));
    }
    // A query API that is there first would wait for them.
    for (int i = 0; i < 2; i++) {
      ProcessApi gateway = api(i);
      await("gateway " + i)
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(gateway.get("/-/ready")).isNotEmpty());
    }
    start("query", "q", query());
    start("probe", "p", probe());
    await("the probe's samples at the query API")
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(api(QUERY).values(HOSTS)).containsExactly("1"));
    assertThat(api(QUERY).values("count(DCGM_FI_DEV_GPU_TEMP)"))
        .as("GPUs of the driver")
        .containsExactly("2");
    podman.run("healthcheck", "run", "g0");
    podman.run("healthcheck", "run", "q");
    podman.run("healthcheck", "run", "p");
    for (String each : List.of("g0", "q", "p")) {
      assertThat(podman.logs(each)).as(each).doesNotContain("WARNING", "\tat ");
    }
    assertThat(mapped("p")).contains("/opt/fleetgauge/native/libjffi");
    assertThat(largestHeap("g0")).as("half of what the container may use").isEqualTo(256L << 20);
    try (Asker asker = new Asker(api(QUERY), HOSTS, List.of("1"), Duration.ZERO)) {
      for (int round = 0; round < ROUNDS; round++) {
        await("the host has two copies")
            .atMost(SOON)
            .ignoreExceptions()
            .until(() -> api(QUERY).metric("fleetgauge_query_hosts_on_two") == 1);
        int owner = owner();
        podman.run("kill", "-s", "KILL", "g" + owner);
        asker.awaitAnswers(10);
        podman.remove("g" + owner);
        run("gateway", "g" + owner);
        asker.awaitAnswers(10);
      }
      await("the host has two copies again")
          .atMost(SOON)
          .ignoreExceptions()
          .until(() -> api(QUERY).metric("fleetgauge_query_hosts_on_two") == 1);
      assertThat(asker.failures()).isEmpty();
    }
    assertNoTickIsMissing();
    for (String each : List.of("p", "q", "g1", "g0")) {
      assertEndsInOrder(each);
    }
    passed = true;
  }

  @Test
  void theProbeFindsTheDriverThatTheGpuOperatorInstalled() throws Exception {
    Path driver = Files.createDirectories(folder.resolve("driver/usr/lib/x86_64-linux-gnu"));
    Files.copy(gpus().resolve("libnvidia-ml.so.1"), driver.resolve("libnvidia-ml.so.1"));
    write("p", probe());
    List<String> options = new ArrayList<>(options("p"));
    options.addAll(Packages.gpus(gpus()));
    options.add("--volume=" + folder.resolve("driver") + ":/run/nvidia/driver:ro");
    podman.start("p", options, IMAGES.get("probe"));
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(api(3).get("/metrics"))
                    .contains("DCGM_FI_DEV_GPU_TEMP{", "GPU-1", "GPU-2"));
    passed = true;
  }

  @Test
  void anImageHasNoShellAndTellsWhichFileIsMissing() throws Exception {
    for (Map.Entry<String, String> each : IMAGES.entrySet()) {
      assertThatThrownBy(
              () ->
                  podman.run(
                      "run", "--rm", "--network=none", "--entrypoint=/bin/sh", each.getValue()))
          .hasMessageContaining("/bin/sh");
      assertThatThrownBy(
              () ->
                  podman.run(
                      "run",
                      "--rm",
                      "--network=none",
                      "--read-only",
                      "--cap-drop=ALL",
                      each.getValue()))
          .hasMessageContaining("/etc/fleetgauge/" + each.getKey() + ".yaml cannot be read")
          .hasMessageNotContaining("\tat ");
    }
    passed = true;
  }

  private void assertEndsInOrder(String name) throws Exception {
    podman.run("stop", "-t", "120", name); // after which it is killed, with another status
    assertThat(podman.inspect(name, "{{.State.ExitCode}} {{.State.OOMKilled}}"))
        .as(podman.logs(name))
        .isEqualTo(TERMINATED + " false");
    assertThat(podman.run("diff", name).lines())
        .as("what is written outside of volumes")
        .allMatch(
            line -> line.matches("[AC] /(etc|etc/fleetgauge|etc/mtab|run.*|var.*|usr.*|gpus)"));
  }

  /** Every second from the first sample to the newest has one. */
  private void assertNoTickIsMissing() throws Exception {
    await("some seconds of samples")
        .atMost(SOON)
        .until(() -> api(QUERY).seconds("node_load1[10m]").size() > 5);
    List<Long> seconds = api(QUERY).seconds("node_load1[10m]");
    assertThat(ProcessApi.missing(seconds, 1)).as("seconds without a sample").isEmpty();
  }

  private String gateway(int i) {
    return "id: g%d\nhttp: {host: 127.0.0.1, port: %d}\n".formatted(i, ports.get(i))
        + cluster(ports.get(4 + i));
  }

  private String query() {
    return "http: {host: 127.0.0.1, port: %d}\n".formatted(ports.get(2)) + cluster(ports.get(6));
  }

  private String probe() {
    return """
    hostname: n1
    tick: 1s
    http: {host: 127.0.0.1, port: %d}
    gateways: ["http://127.0.0.1:%d", "http://127.0.0.1:%d"]
    """
        .formatted(ports.get(3), ports.get(0), ports.get(1));
  }

  private String cluster(int port) {
    return "cluster: {name: images-%d, port: %d, members: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]}\n"
        .formatted(ports.get(4), port, ports.get(4), ports.get(5));
  }

  private void start(String process, String name, String config) throws Exception {
    write(name, config);
    run(process, name);
  }

  private void write(String name, String config) throws IOException {
    Path settings = Files.createDirectories(folder.resolve(name).resolve("etc"));
    for (String process : IMAGES.keySet()) {
      Files.writeString(settings.resolve(process + ".yaml"), config);
    }
    Path data = Files.createDirectory(folder.resolve(name).resolve("data"));
    Files.setAttribute(data, "unix:uid", 65532);
    Files.setAttribute(data, "unix:gid", 65532);
  }

  private List<String> options(String name) {
    List<String> options = new ArrayList<>(Podman.RESTRICTED);
    Path own = folder.resolve(name);
    options.add("--volume=" + own.resolve("etc") + ":/etc/fleetgauge:ro");
    options.add("--volume=" + own.resolve("data") + ":/var/lib/fleetgauge");
    options.add("--env=FLEETGAUGE_HEALTH_URL=http://127.0.0.1:" + port(name) + "/-/healthy");
    return options;
  }

  private int port(String name) {
    return ports.get(List.of("g0", "g1", "q", "p").indexOf(name));
  }

  private void run(String process, String name) throws Exception {
    List<String> options = options(name);
    if (process.equals("probe")) {
      options.addAll(Packages.driver(gpus()));
    }
    podman.start(name, options, IMAGES.get(process));
  }

  /** A folder with a driver of two GPUs. */
  private Path gpus() throws Exception {
    Path gpus = folder.resolve("gpus");
    if (!Files.exists(gpus)) {
      Packages.makeDriver(Files.createDirectories(gpus));
    }
    return gpus;
  }

  private static String mapped(String name) throws Exception {
    String pid = podman.inspect(name, "{{.State.Pid}}");
    return Files.readString(Path.of("/proc", pid, "maps"));
  }

  private static long largestHeap(String name) throws Exception {
    String flags =
        podman.run(
            "exec",
            name,
            "/opt/fleetgauge/runtime/bin/java",
            "@/opt/fleetgauge/jvm/small-heap.flags",
            "-XX:+PrintFlagsFinal",
            "-version");
    return flags
        .lines()
        .filter(line -> line.contains(" MaxHeapSize "))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".*= *(\\d+) .*", "$1")))
        .findFirst()
        .orElseThrow();
  }

  private int owner() throws Exception {
    for (int i = 0; i < 2; i++) {
      String owner = api(i).ownerOf("n1");
      if (!owner.isEmpty()) {
        return owner.equals("g0") ? 0 : 1;
      }
    }
    throw new IllegalStateException("n1 is in no table");
  }

  /** The API of the process that listens on a port. */
  private ProcessApi api(int port) {
    return new ProcessApi("http://127.0.0.1:" + ports.get(port), "");
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
