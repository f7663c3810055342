package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.runtime.process.StartFailure;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts for Slurm, with a real shell and curl, and a running probe. */
@Tag("slow")
class SlurmScriptsTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  @TempDir private Path folder;

  @Test
  void fromThePrologToTheEpilogSeriesCarryTheJobAlsoOverARestartOfTheProbe() throws Exception {
    try (SlurmNode node = new SlurmNode(folder, "")) {
      node.script("prolog.sh", job(node, "17", "SLURM_JOB_GPUS", "0"));
      await().atMost(SOON).until(() -> node.job(1).equals("17"));
      assertThat(node.job(0)).as("the GPU of the other device file").isEmpty();
      assertThat(node.metrics())
          .contains("gpu_allocated{")
          .containsPattern("gpu_allocation_info\\{.*account=\"phys\\\\\"ics\".*source=\"alloc");
      node.stop();
      assertThat(node.socket).doesNotExist();
      node.start();
      await().atMost(SOON).until(() -> node.job(1).equals("17"));
      node.script("epilog.sh", job(node, "17"));
      await().atMost(SOON).until(() -> node.job(1).isEmpty());
      node.script("epilog.sh", job(node, "17"));
      node.script("prolog.sh", job(node, "18"));
      assertThat(node.curl("http://x/v1/allocations"))
          .as("a job without GPUs is none of ours")
          .isEqualTo("{\"status\":\"success\",\"data\":[]}");
    }
  }

  @Test
  void aCrashedEpilogLeavesNoOwnerAfterTheCgroupOfTheJobHasGone() throws Exception {
    try (SlurmNode node = new SlurmNode(folder, "")) {
      node.script("prolog.sh", job(node, "17", "SLURM_JOB_GPUS", "0-1"));
      await().atMost(SOON).until(() -> node.job(1).equals("17"));
      Path cgroup = node.cgroups.resolve("memory/slurm/uid_1000/job_17");
      Files.createDirectories(cgroup);
      await()
          .atMost(SOON)
          .until(
              () ->
                  Files.readString(folder.resolve("spool/allocations"))
                      .contains("\"hadCgroup\":true"));
      assertThat(node.job(1)).isEqualTo("17");
      Files.delete(cgroup);
      await().atMost(SOON).until(() -> node.job(0).isEmpty() && node.job(1).isEmpty());
      assertThat(node.metrics()).contains("fleetgauge_probe_allocations_ended_total 1.0");
    }
  }

  @Test
  void withoutAProbeTheScriptsEndSoonAndWell() throws Exception {
    Path socket = folder.resolve("s");
    try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      silent.bind(UnixDomainSocketAddress.of(socket)); // takes connections and answers nothing
      Map<String, String> environment = new HashMap<>();
      environment.put("SLURM_JOB_ID", "17");
      environment.put("SLURM_JOB_GPUS", "0");
      for (Path at : new Path[] {socket, folder.resolve("none"), Path.of("/no/such/folder/s")}) {
        environment.put("FLEETGAUGE_SOCKET", at.toString());
        SlurmNode.output(
            List.of("timeout", "20", "sh", SlurmNode.SCRIPTS.resolve("prolog.sh").toString()),
            environment);
      }
      environment.put("SLURM_JOB_ID", "17; rm -r x");
      assertThat(
              SlurmNode.output(
                  List.of("sh", SlurmNode.SCRIPTS.resolve("epilog.sh").toString()), environment))
          .isEmpty();
    }
  }

  @Test
  void theSocketIsPrivateAndTheHttpPortWantsTheToken() throws Exception {
    try (SlurmNode node = new SlurmNode(folder, "")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node.socket)))
          .isEqualTo("rw-------");
      assertThat(folder.resolve("run").toFile().list()).containsExactly("probe.sock");
      String path = "/v1/allocations";
      String body = "{\"id\":\"a\",\"gpus\":[0,\"GPU-x\"],\"owner\":{\"user\":\"ana\"}}";
      assertThat(node.send("POST", path, "", body).statusCode()).isEqualTo(401);
      assertThat(node.send("POST", path, "wrong-wrong-wrong", body).statusCode()).isEqualTo(401);
      assertThat(node.send("GET", path, "", "").statusCode()).isEqualTo(401);
      await("the driver has been read")
          .atMost(SOON)
          .untilAsserted(() -> assertThat(node.job(0)).isNotEqualTo("no series"));
      assertThat(node.send("POST", path, SlurmNode.TOKEN, body).body())
          .contains("\"status\":\"success\"", "\"unknownGpus\":[\"GPU-x\"]");
      assertThat(node.send("POST", path, SlurmNode.TOKEN, "{").body())
          .startsWith("{\"status\":\"error\",\"errorType\":\"bad_data\"");
      assertThat(node.send("POST", path, SlurmNode.TOKEN, "x".repeat(70_000)).statusCode())
          .isEqualTo(413);
      assertThat(node.send("GET", path, SlurmNode.TOKEN, "").body()).contains("\"user\":\"ana\"");
      assertThat(node.send("DELETE", path + "/a", SlurmNode.TOKEN, "").body())
          .contains("\"removed\":true");
      assertThat(node.send("DELETE", path + "/a", SlurmNode.TOKEN, "").body())
          .contains("\"removed\":false");
      for (int i = 0; i < 3; i++) {
        node.curl("-d", body.replace("\"a\"", "\"" + i + "\""), "http://x" + path);
      }
      assertThat(node.curl("-d", body, "http://x" + path))
          .contains("3 allocations, which is attribution.allocations.limit");
      assertThatThrownBy(node::start)
          .as("a second probe on the same socket or folder")
          .isInstanceOf(StartFailure.class);
    }
  }

  @Test
  void aFileThatIsNoSocketIsNotReplaced() throws Exception {
    Files.createDirectory(folder.resolve("run"));
    Files.writeString(folder.resolve("run/probe.sock"), "precious");
    assertThatThrownBy(() -> new SlurmNode(folder, ""))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("is not a socket; choose another path");
    assertThat(folder.resolve("run/probe.sock")).hasContent("precious");
  }

  @Test
  void aGroupMayUseTheSocketWhereItIsConfigured() throws Exception {
    String group = SlurmNode.output(List.of("id", "-gn"), Map.of()).strip();
    try (SlurmNode node = new SlurmNode(folder, "", ", socketGroup: " + group)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(node.socket)))
          .isEqualTo("rw-rw----");
      assertThat(
              PosixFilePermissions.toString(Files.getPosixFilePermissions(node.socket.getParent())))
          .isEqualTo("rwxr-x---");
    }
  }

  private static Map<String, String> job(SlurmNode node, String id, String... more) {
    Map<String, String> environment = new HashMap<>();
    environment.put("FLEETGAUGE_SOCKET", node.socket.toString());
    environment.put("SLURM_JOB_ID", id);
    environment.put("SLURM_JOB_USER", "ana");
    environment.put("SLURM_JOB_ACCOUNT", "phys\"ics");
    environment.put("SLURM_JOB_PARTITION", "gpu");
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    return environment;
  }
}
