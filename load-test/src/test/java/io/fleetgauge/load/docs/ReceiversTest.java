package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.load.fleet.LocalPorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The receivers that are shipped as examples, as processes. */
class ReceiversTest {
  private static final String SECRET = "a secret of the receiver";
  private static final Path FOLDER =
      Path.of(System.getProperty("fleetgauge.root"), "docs", "receivers");

  private final HttpClient client = HttpClient.newHttpClient();
  private Process process;
  private URI address;

  @TempDir private Path folder;

  @AfterEach
  void stop() throws InterruptedException {
    if (process != null) {
      process.destroy();
      process.waitFor();
    }
  }

  private void start(String script, Map<String, String> environment, String... more)
      throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    int port = LocalPorts.free(1).getFirst();
    address = URI.create("http://127.0.0.1:" + port + "/");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("python3", FOLDER.resolve(script).toString()));
    command.addAll(List.of("" + port, secret.toString()));
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile());
    process = builder.start();
  }

  private static String fault(String state, String id, String kind, String severity) {
    return """
    {"version": 1, "state": "%s", "fault": {"episode": "%s", "kind": "%s", "severity": "%s",
    "host": "node-1", "since": "2026-11-27T10:00:00Z", "text": "it is gone"}}\
    """
        .formatted(state, id, kind, severity);
  }

  private static String signature(String body) throws Exception {
    long time = System.currentTimeMillis() / 1_000;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    byte[] signed = (time + "." + body).getBytes(StandardCharsets.UTF_8);
    return "t=" + time + ",v1=" + HexFormat.of().formatHex(mac.doFinal(signed));
  }

  private int post(String body) throws Exception {
    return post(body, signature(body));
  }

  /** The receiver may still be starting. */
  private int post(String body, String signature) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .header("X-Fleetgauge-Signature", signature)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    while (true) {
      try {
        return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
      } catch (ConnectException e) {
        assertThat(process.isAlive())
            .as(() -> "the receiver has ended: " + read(folder.resolve("log")))
            .isTrue();
        Thread.onSpinWait();
      }
    }
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void aSlurmNodeIsDrainedWhileAFaultOfItIsOpenAndResumedAfterTheLast() throws Exception {
    startSlurm();
    assertThat(post(fault("open", "e1", "gpu_lost", "critical"))).isEqualTo(204);
    assertThat(post(fault("open", "e2", "xid", "critical"))).isEqualTo(204);
    assertThat(post(fault("open", "e3", "hot", "warning"))).isEqualTo(204);
    assertThat(post(fault("over", "e1", "gpu_lost", "critical"))).isEqualTo(204);
    assertThat(read(folder.resolve("calls")))
        .isEqualTo("update NodeName=node-1 State=DRAIN Reason=fleetgauge: gpu_lost e1\n");
    assertThat(post(fault("over", "e2", "xid", "critical"))).isEqualTo(204);
    assertThat(read(folder.resolve("calls"))).endsWith("update NodeName=node-1 State=RESUME\n");
    Files.writeString(folder.resolve("reason"), "   Reason=memory test [admin@now]\n");
    assertThat(post(fault("open", "e4", "gpu_lost", "critical"))).isEqualTo(204);
    assertThat(post(fault("over", "e4", "gpu_lost", "critical"))).isEqualTo(204);
    assertThat(read(folder.resolve("calls")).lines()).as("somebody else drained it").hasSize(2);
  }

  private void startSlurm() throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path scontrol = bin.resolve("scontrol");
    Files.writeString(
        scontrol,
        """
        #!/bin/sh
        if [ "$1" = show ]; then cat "$STATE/reason" 2>/dev/null; exit 0; fi
        echo "$*" >> "$STATE/calls"
        case "$*" in
          *DRAIN*) echo "   Reason=fleetgauge: drained [root@2026-11-27T10:00:00]" > "$STATE/reason" ;;
          *RESUME*) rm -f "$STATE/reason" ;;
        esac
        """);
    assertThat(scontrol.toFile().setExecutable(true)).isTrue();
    start(
        "slurm-drain.py",
        Map.of("PATH", bin + ":" + System.getenv("PATH"), "STATE", folder.toString()));
  }

  @Test
  void aReceiverThatBeginsAgainResumesANodeOnlyForTheFaultThatDrainedIt() throws Exception {
    Files.writeString(folder.resolve("reason"), "   Reason=fleetgauge: gpu_lost e1 [root@now]\n");
    startSlurm();
    assertThat(post(fault("over", "e2", "xid", "critical"))).isEqualTo(204);
    assertThat(read(folder.resolve("calls"))).isEmpty();
    assertThat(post(fault("over", "e1", "gpu_lost", "critical"))).isEqualTo(204);
    assertThat(read(folder.resolve("calls"))).isEqualTo("update NodeName=node-1 State=RESUME\n");
  }

  private static String idle(String state, String id, String job) {
    return """
    {"version": 1, "state": "%s", "fault": {"episode": "%s", "kind": "idle_allocation",
    "severity": "info", "host": "node-1", "labels": {"hpc_job": "%s"}}}\
    """
        .formatted(state, id, job);
  }

  private void startIdle(String... more) throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path scontrol = bin.resolve("scontrol");
    Files.writeString(
        scontrol,
        """
        #!/bin/sh
        echo "JobId=$4 ReqTRES=cpu=8,gres/gpu=9 AllocTRES=cpu=8,mem=1G,gres/gpu=2,gres/gpu:h100=2"
        """);
    Path scancel = bin.resolve("scancel");
    Files.writeString(scancel, "#!/bin/sh\necho \"scancel $*\" >> \"$STATE/calls\"\n");
    assertThat(scontrol.toFile().setExecutable(true)).isTrue();
    assertThat(scancel.toFile().setExecutable(true)).isTrue();
    start(
        "slurm-idle.py",
        Map.of("PATH", bin + ":" + System.getenv("PATH"), "STATE", folder.toString()),
        more);
  }

  @Test
  void aSlurmJobIsStoppedWhenAllOfItsGpusHaveBeenIdleForTheGrace() throws Exception {
    startIdle("0.001", "--stop");
    assertThat(post(idle("open", "e1", "4711"))).isEqualTo(204);
    assertThat(post(idle("open", "e2", "4712"))).isEqualTo(204);
    assertThat(post(idle("open", "e3", "; rm"))).isEqualTo(204);
    assertThat(post(fault("open", "e4", "gpu_lost", "critical"))).as("no labels").isEqualTo(400);
    assertThat(post(idle("open", "e5", "4712"))).isEqualTo(204);
    await("scancel 4712\n", "calls");
    assertThat(post(idle("over", "e1", "4711"))).isEqualTo(204);
    assertThat(post(idle("open", "e6", "4711"))).isEqualTo(204);
    assertThat(post(idle("open", "e7", "4711"))).isEqualTo(204);
    await("scancel 4712\nscancel 4711\n", "calls");
  }

  @Test
  void aJobIsOnlyNamedUnlessItIsToBeStopped() throws Exception {
    startIdle("0.001");
    assertThat(post(idle("open", "e1", "4711"))).isEqualTo(204);
    assertThat(post(idle("open", "e2", "4711"))).isEqualTo(204);
    await("job 4711: 2 idle GPUs; it would be stopped\n", "log");
    assertThat(folder.resolve("calls")).doesNotExist();
  }

  private void await(String text, String file) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(10))
        .until(() -> read(folder.resolve(file)).contains(text));
  }

  @Test
  void requestsWithoutAValidSignatureOrFaultAreRefused() throws Exception {
    start("slurm-drain.py", Map.of());
    String body = fault("open", "e1", "gpu_lost", "critical");
    assertThat(post(body, "t=1,v1=" + "0".repeat(64))).isEqualTo(401);
    assertThat(post(body + " ", signature(body))).isEqualTo(401);
    assertThat(post("[]")).isEqualTo(400);
    assertThat(post("{\"state\": \"open\"}")).isEqualTo(400);
  }

  @Test
  void aNodeOfKubernetesHasTheConditionWhileACriticalFaultIsOpen() throws Exception {
    BlockingQueue<String> patches = new LinkedBlockingQueue<>();
    HttpServer api =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    api.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          patches.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + new String(body, StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    api.start();
    try {
      start(
          "node-condition.py",
          Map.of("KUBERNETES_API", "http://127.0.0.1:" + api.getAddress().getPort()));
      assertThat(post(fault("open", "e1", "gpu_lost", "critical"))).isEqualTo(204);
      assertThat(patches.poll(10, TimeUnit.MINUTES))
          .startsWith("PATCH /api/v1/nodes/node-1/status ")
          .contains("\"type\": \"FleetgaugeFault\"", "\"status\": \"True\"", "\"GpuLost\"");
      assertThat(post(fault("over", "e1", "gpu_lost", "critical"))).isEqualTo(204);
      assertThat(patches.poll(10, TimeUnit.MINUTES))
          .contains("\"status\": \"False\"", "\"NoFault\"");
      assertThat(List.copyOf(patches)).isEmpty();
    } finally {
      api.stop(0);
    }
  }
}
