package io.fleetgauge.distribution.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final int ROUNDS = Integer.getInteger("fleetgauge.images.rounds", 1);

  /** Of a process that SIGTERM ended. */
  private static final String TERMINATED = "143";

  private static final String LIBRARY =
      "/usr/lib/"
          + (ProcessImage.architecture().equals("arm64") ? "aarch64" : "x86_64")
          + "-linux-gnu/libnvidia-ml.so.1";

  @TempDir private static Path shared;
  private static Podman podman;
  private static final Map<String, String> IMAGES = new TreeMap<>();

  @TempDir private Path folder;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private List<Integer> ports;
  private Path library;
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
      int port = ports.get(i);
      await("gateway " + i)
          .atMost(SOON)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(get(port, "/-/ready")).isNotEmpty());
    }
    start("query", "q", query());
    start("probe", "p", probe());
    await("the probe's samples at the query API")
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () -> assertThat(value("count by (Hostname) (node_load1)")).containsExactly("1"));
    assertThat(value("count(DCGM_FI_DEV_GPU_TEMP)")).as("GPUs of the driver").containsExactly("2");
    podman.run("healthcheck", "run", "g0");
    podman.run("healthcheck", "run", "q");
    podman.run("healthcheck", "run", "p");
    for (String each : List.of("g0", "q", "p")) {
      assertThat(podman.logs(each)).as(each).doesNotContain("WARNING", "\tat ");
    }
    assertThat(mapped("p")).contains("/opt/fleetgauge/native/libjffi");
    assertThat(largestHeap("g0")).as("half of what the container may use").isEqualTo(256L << 20);
    Asker asker = new Asker();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        await("the host has two copies")
            .atMost(SOON)
            .ignoreExceptions()
            .until(() -> metric(ports.get(2), "fleetgauge_query_hosts_on_two") == 1);
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
          .until(() -> metric(ports.get(2), "fleetgauge_query_hosts_on_two") == 1);
      assertThat(asker.failures()).isEmpty();
    } finally {
      asker.end();
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
    Files.copy(library(), driver.resolve("libnvidia-ml.so.1"));
    write("p", probe());
    List<String> options = new ArrayList<>(options("p"));
    options.add("--env=NVML_STAND_IN=/gpus/gpus");
    options.add("--volume=" + folder.resolve("gpus") + ":/gpus:ro");
    options.add("--volume=" + folder.resolve("driver") + ":/run/nvidia/driver:ro");
    podman.start("p", options, IMAGES.get("probe"));
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(get(ports.get(3), "/metrics"))
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
    long begun = System.nanoTime();
    podman.run("stop", "-t", "40", name);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(30));
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
    JsonNode values = answer("node_load1[10m]").at("/data/result/0/values");
    assertThat(values.size()).isGreaterThan(5);
    List<Long> missing = new ArrayList<>();
    for (long at = values.get(0).get(0).asLong(), i = 0; i < values.size(); at++) {
      if (values.get((int) i).get(0).asLong() == at) {
        i++;
      } else {
        missing.add(at);
      }
    }
    assertThat(missing).as("seconds without a sample").isEmpty();
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
    Files.setAttribute(data, "unix:uid", Entry.NONROOT);
    Files.setAttribute(data, "unix:gid", Entry.NONROOT);
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
      // As the container toolkit mounts it.
      options.add("--volume=" + library() + ":" + LIBRARY + ":ro");
      options.add("--volume=" + folder.resolve("gpus") + ":/gpus:ro");
      options.add("--env=NVML_STAND_IN=/gpus/gpus");
    }
    podman.start(name, options, IMAGES.get(process));
  }

  /** The stand-in for the driver's library, with two GPUs. */
  private Path library() throws Exception {
    if (library == null) {
      Path gpus = Files.createDirectories(folder.resolve("gpus"));
      Files.writeString(
          gpus.resolve("gpus"),
          "gpus 2\n0 text.uuid GPU-1\n0 celsius 64\n1 text.uuid GPU-2\n1 celsius 65\n");
      library = Packages.standIn(gpus);
    }
    return library;
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
      String table = get(ports.get(i), "/v1/table");
      JsonNode host = JSON.readTree(table).at("/hosts/n1");
      if (!host.isMissingNode()) {
        return host.at("/owner").asText().equals("g0") ? 0 : 1;
      }
    }
    throw new IllegalStateException("n1 is in no table");
  }

  private double metric(int port, String name) throws Exception {
    return get(port, "/metrics")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  private List<String> value(String query) throws Exception {
    List<String> values = new ArrayList<>();
    for (JsonNode each : answer(query).at("/data/result")) {
      values.add(each.at("/value/1").asText());
    }
    return values;
  }

  private JsonNode answer(String query) throws Exception {
    return JSON.readTree(
        get(
            ports.get(2),
            "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)));
  }

  private String get(int port, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(20))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  /** Asks for the newest samples again and again, as a dashboard does. */
  private final class Asker {
    private final List<String> failures = new ArrayList<>();
    private final Thread thread = Thread.ofPlatform().name("asker").start(this::ask);
    private boolean ended;
    private int answers;

    private void ask() {
      while (!ended()) {
        try {
          List<String> values = value("count by (Hostname) (node_load1)");
          note(values.equals(List.of("1")) ? null : "answer " + values);
        } catch (Exception | AssertionError e) {
          note(e.toString());
        }
      }
    }

    private synchronized boolean ended() {
      return ended;
    }

    private synchronized void note(String failure) {
      answers++;
      if (failure != null) {
        failures.add(failure);
      }
      notifyAll();
    }

    synchronized void awaitAnswers(int count) throws InterruptedException {
      int wanted = answers + count;
      long end = System.nanoTime() + SOON.toNanos();
      while (answers < wanted && System.nanoTime() < end) {
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, end - System.nanoTime()));
      }
    }

    synchronized List<String> failures() {
      return List.copyOf(failures);
    }

    void end() throws InterruptedException {
      synchronized (this) {
        ended = true;
      }
      thread.join();
    }
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
