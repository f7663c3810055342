package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.attribution.runtime.GrpcConnection;
import io.fleetgauge.probe.config.RuntimeSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClientAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A pod that the test runs as the kubelet does, with the real containerd. Skipped where containerd
 * is not there or cannot run a pod.
 */
@Tag("slow")
class ContainerdTest {
  private static final String POD = "0a1b2c3d-1111-2222-3333-4444deadbeef";
  private static final String IMAGE = "localhost/sleep:1";
  private static final String RUNTIME = "/runtime.v1.RuntimeService/";
  private static final Pattern LIBRARY = Pattern.compile("(/[^ ()]+)");
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final int MAX = 1 << 20;
  private static final int FIRST = 0x0a;
  private static final int SECOND = 0x12;
  private static final int THIRD = 0x1a;
  private static final int NODE = 2;

  @TempDir private Path folder;
  private Path socket;
  private Process containerd;
  private Vertx vertx;
  private GrpcConnection connection;
  private String sandbox = "";

  @BeforeEach
  void start() throws Exception {
    socket = folder.resolve("c.sock");
    Files.writeString(
        folder.resolve("config.toml"),
        """
        version = 2
        root = "%1$s/root"
        state = "%1$s/state"
        [grpc]
          address = "%1$s/c.sock"
        [plugins."io.containerd.grpc.v1.cri"]
          disable_apparmor = true
          restrict_oom_score_adj = true
          sandbox_image = "%2$s"
          [plugins."io.containerd.grpc.v1.cri".containerd]
            snapshotter = "native"
        """
            .formatted(folder, IMAGE));
    try {
      containerd =
          new ProcessBuilder("containerd", "--config", folder.resolve("config.toml").toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("containerd.log").toFile())
              .start();
    } catch (IOException e) {
      assumeTrue(false, "there is no containerd: " + e.getMessage());
    }
    vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    await().atMost(SOON).until(() -> Files.exists(socket));
    HttpClientAgent client = GrpcConnection.client(vertx);
    connection = GrpcConnection.open(client, socket, SOON.toMillis(), MAX).await();
    image();
  }

  @AfterEach
  void stop() throws Exception {
    if (connection != null && !sandbox.isEmpty()) {
      byte[] id = new WireWriter().u8(FIRST).string(sandbox).toBytes();
      call("StopPodSandbox", id);
      call("RemovePodSandbox", id);
    }
    if (vertx != null) {
      vertx.close().await();
    }
    if (containerd != null) {
      containerd.destroy();
      containerd.waitFor(120, TimeUnit.SECONDS);
    }
  }

  @Test
  void aProcessInAPodOfContainerdHasTheNamesOfThePod() throws Exception {
    int pid;
    try {
      pid = pod();
    } catch (Exception e) {
      assumeTrue(false, "containerd cannot run a pod here: " + e.getMessage());
      return;
    }
    try (ContainerNames names =
        ContainerNames.start(
            vertx,
            new RuntimeSettings(
                List.of(), List.of(socket), Duration.ofSeconds(1), Duration.ofSeconds(10)))) {
      ProcessOwners owners = new ProcessOwners(Path.of("/proc"), Path.of("/"), names);
      GpuProcesses gpu =
          new GpuProcesses(
              Labels.of("gpu", "0", "UUID", "GPU-a"),
              List.of(new GpuProcess(pid, OptionalLong.of(5), OptionalDouble.empty())));
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(owners.follow(List.of(gpu)).get(pid).owner().without("container_id"))
                      .isEqualTo(
                          Labels.of(
                              "container",
                              "train",
                              "pod",
                              "p-1",
                              "namespace",
                              "ml",
                              "pod_uid",
                              POD)));
      assertThat(owners.follow(List.of(gpu)).get(pid).containerName().orElseThrow().name())
          .isEqualTo("k8s_train_p-1_ml_" + POD + "_2");
      assertThat(names.status().getFirst().isUp()).isTrue();
    }
  }

  /** Runs a pod with one container; answers the number of its process. */
  private int pod() throws Exception {
    WireWriter metadata = new WireWriter();
    metadata.u8(FIRST).string("p-1").u8(SECOND).string(POD).u8(THIRD).string("ml");
    WireWriter namespaces = new WireWriter().u8(0x08).uvar(NODE);
    WireWriter security = new WireWriter();
    message(security, FIRST, namespaces);
    WireWriter linux = new WireWriter().u8(FIRST).string("/kubepods/burstable/pod" + POD);
    message(linux, SECOND, security);
    WireWriter config = new WireWriter();
    message(config, FIRST, metadata);
    labels(config, 0x32, "");
    message(config, 0x42, linux);
    WireWriter run = new WireWriter();
    message(run, FIRST, config);
    sandbox = id(call("RunPodSandbox", run.toBytes()));

    WireWriter container = new WireWriter();
    message(container, FIRST, new WireWriter().u8(FIRST).string("train").u8(0x10).uvar(2));
    message(container, SECOND, new WireWriter().u8(FIRST).string(IMAGE));
    labels(container, 0x4a, "train");
    WireWriter create = new WireWriter().u8(FIRST).string(sandbox);
    message(create, SECOND, container);
    message(create, THIRD, config);
    String id = id(call("CreateContainer", create.toBytes()));
    call("StartContainer", new WireWriter().u8(FIRST).string(id).toBytes());
    String tasks = run("ctr", "-a", socket.toString(), "-n", "k8s.io", "tasks", "list");
    Matcher line = Pattern.compile(id + "\\s+(\\d+)").matcher(tasks);
    assertThat(line.find()).as(tasks).isTrue();
    return Integer.parseInt(line.group(1));
  }

  /** As the kubelet labels pods and containers. */
  private static void labels(WireWriter out, int tag, String container) {
    String[] all = {
      "pod.name", "p-1", "pod.namespace", "ml", "pod.uid", POD, "container.name", container
    };
    for (int i = 0; i < all.length; i += 2) {
      if (!all[i + 1].isEmpty()) {
        WireWriter label = new WireWriter().u8(FIRST).string("io.kubernetes." + all[i]);
        message(out, tag, label.u8(SECOND).string(all[i + 1]));
      }
    }
  }

  private byte[] call(String method, byte[] message) {
    return connection.call(RUNTIME + method, message, answer -> answer).await();
  }

  /** The first field of an answer. */
  private static String id(byte[] answer) throws Exception {
    WireReader in = new WireReader(answer, 0, answer.length);
    assertThat(in.u8("a field")).isEqualTo(FIRST);
    return in.string("an id");
  }

  private static void message(WireWriter out, int tag, WireWriter inner) {
    byte[] bytes = inner.toBytes();
    out.u8(tag).uvar(bytes.length).raw(bytes, 0, bytes.length);
  }

  /** An image with one program, because no registry can be relied on. */
  private void image() throws Exception {
    Path root = Files.createDirectories(folder.resolve("image/root"));
    Matcher libraries = LIBRARY.matcher(run("ldd", "/bin/sleep"));
    copy(root, "/bin/sleep");
    while (libraries.find()) {
      copy(root, libraries.group(1));
    }
    Path image = folder.resolve("image");
    run("tar", "-C", root.toString(), "-cf", image.resolve("layer.tar").toString(), ".");
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(image.resolve("layer.tar")));
    Files.writeString(
        image.resolve("config.json"),
        """
        {"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/bin/sleep", "900"]},
         "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}
        """
            .formatted(HexFormat.of().formatHex(digest)));
    Files.writeString(
        image.resolve("manifest.json"),
        """
        [{"Config": "config.json", "RepoTags": ["%s"], "Layers": ["layer.tar"]}]
        """
            .formatted(IMAGE));
    String tar = folder.resolve("image.tar").toString();
    run("tar", "-C", image + "", "-cf", tar, "config.json", "manifest.json", "layer.tar");
    run(
        "ctr",
        "-a",
        socket + "",
        "-n",
        "k8s.io",
        "images",
        "import",
        "--snapshotter",
        "native",
        "--all-platforms",
        tar);
  }

  private static void copy(Path root, String file) throws IOException {
    Path to = root.resolve(file.substring(1));
    Files.createDirectories(to.getParent());
    if (!Files.exists(to)) {
      Files.copy(Path.of(file), to);
    }
  }

  /** The output of a command that succeeds. */
  private String run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", "");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    String text = Files.readString(output);
    assertThat(process.waitFor()).as("%s: %s", List.of(command), text).isZero();
    return text;
  }
}
