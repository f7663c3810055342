package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.runtime.doctor.ExaminedProcess;
import io.fleetgauge.runtime.doctor.Finding;
import io.fleetgauge.runtime.doctor.Findings;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What doctor looks at on a node, with a driver that a script plays. */
@Tag("slow")
class NodeChecksTest {
  @TempDir private Path folder;

  private static String said(String yaml, BiConsumer<NodeChecks, Findings> check) throws Exception {
    Findings findings = new Findings();
    check.accept(new NodeChecks(ProbeConfig.read("the test", yaml)), findings);
    StringBuilder said = new StringBuilder();
    for (Finding each : findings.all()) {
      said.append(each.outcome().text).append(' ').append(each.text()).append('\n');
      assertThat(each.advice().isEmpty())
          .as(each.text())
          .isEqualTo(
              each.outcome() == Finding.Outcome.OK || each.outcome() == Finding.Outcome.SKIPPED);
    }
    return said.toString();
  }

  @Test
  void gpusAreCountedThroughTheLibraryOfTheDriver() throws Exception {
    StandIn driver = new StandIn(folder);
    driver.begin(2);
    String gpus = "gpu: {library: %s%s}\n";
    assertThat(said(gpus.formatted(driver.library, ""), NodeChecks::gpus))
        .startsWith("ok 2 GPUs, driver ");
    assertThat(said(gpus.formatted(driver.library, ", expected: 8"), NodeChecks::gpus))
        .startsWith("failure 2 GPUs")
        .contains("gpu.expected is 8");
    driver.answerOfLibrary("init", NvmlReturn.LIB_RM_VERSION_MISMATCH);
    assertThat(said(gpus.formatted(driver.library, ""), NodeChecks::gpus))
        .contains("failure the driver cannot be used: the library and the kernel module have");
    driver.answerOfLibrary("init", 0);
  }

  @Test
  void aLibraryThatIsMissingIsAFailureWhereGpusAreExpected() throws Exception {
    assertThat(said("gpu: {library: /none.so, expected: 1}\n", NodeChecks::gpus))
        .startsWith("failure the library /none.so of gpu.library cannot be loaded");
    assertThat(said("gpu: {enabled: false}\n", NodeChecks::gpus)).startsWith("skipped");
  }

  @Test
  void theKernelsClockAndLogAreLookedAt() throws Exception {
    assertThat(said("", NodeChecks::clock)).matches("(?s)(ok|warning|skipped) .*clock.*");
    assertThat(said("gpu: {kernelLog: /none}\n", NodeChecks::kernelLog))
        .startsWith("warning gpu.kernelLog /none cannot be read");
    Path log = Files.writeString(folder.resolve("kmsg"), "");
    assertThat(said("gpu: {kernelLog: %s}\n".formatted(log), NodeChecks::kernelLog))
        .startsWith("ok");
  }

  @Test
  void aKubeletHasToAcceptConnections() throws Exception {
    Path socket = folder.resolve("kubelet.sock");
    String yaml = "attribution: {kubelet: {socket: %s}}\n".formatted(socket);
    assertThat(said(yaml, NodeChecks::kubelet)).startsWith("skipped there is no socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      assertThat(said(yaml, NodeChecks::kubelet)).startsWith("ok");
    }
    assertThat(said(yaml, NodeChecks::kubelet)).startsWith("failure the kubelet's socket");
  }

  @Test
  void exportersHaveToAcceptConnections() throws Exception {
    String yaml;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      yaml =
          "scrape: {app: {url: \"http://127.0.0.1:%d/metrics\"}}\n"
              .formatted(server.getLocalPort());
      assertThat(said(yaml, NodeChecks::exporters)).startsWith("ok the exporter app");
    }
    assertThat(said(yaml, NodeChecks::exporters))
        .startsWith("warning the exporter app cannot be reached");
  }

  @Test
  void whoListensAtARasPortHasToBeAJobOfNccl() throws Exception {
    String yaml;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      yaml =
          "nccl: {ras: {addresses: [\"127.0.0.1:%d\"], timeout: 1s}}\n"
              .formatted(server.getLocalPort());
      assertThat(said(yaml, NodeChecks::ras)).startsWith("warning the RAS port 127.0.0.1:");
    }
    assertThat(said(yaml, NodeChecks::ras)).startsWith("skipped no process listens at");
    assertThat(said("nccl: {ras: {enabled: false}}\n", NodeChecks::ras)).isEmpty();
  }

  @Test
  void gatewaysSpoolAndTokenOfTheConfigurationAreExamined() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "t");
    ExaminedProcess examined =
        new ProbeExamination()
            .read(
                "the test",
                "gateways: [\"http://g1:9500\"]\ntokenFile: %s\nspool: {folder: %s}\n"
                    .formatted(token, folder));
    assertThat(examined.gateways()).hasToString("[http://g1:9500]");
    assertThat(examined.secrets().getFirst().file()).isEqualTo(token);
    assertThat(examined.folders().getFirst().path()).isEqualTo(folder);
    assertThat(examined.clusterPort()).isEmpty();
  }
}
