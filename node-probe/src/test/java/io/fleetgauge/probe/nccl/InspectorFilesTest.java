package io.fleetgauge.probe.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectorFilesTest {
  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));
  private static final String UUID = "1c3e7a5b-0d2f-4b6a-9c8e-112233445566";
  private static final String OF_230 =
      "version=\"v5.1\",slurm_job_id=\"7\",node=\"n1\",gpu=\"GPU0\",comm_name=\"%s\",n_nodes=\"1\","
          + "nranks=\"8\",collective=\"AllReduce\",message_size=\"%s\",algo_proto=\"Ring_ll\"";

  @TempDir private Path folder;
  private long now = 1_800_000_000_000L;

  private InspectorFiles files() {
    return new InspectorFiles(
        folder,
        () -> List.of(new GpuIdentity(Labels.of("gpu", "3", "UUID", "GPU-" + UUID), 3, List.of())),
        CORE,
        () -> now);
  }

  private void write(String name, String... lines) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, String.join("\n", lines) + "\n");
    Files.setLastModifiedTime(file, FileTime.fromMillis(now));
  }

  private Map<String, Double> read(InspectorFiles of) {
    Readings out = new Readings();
    of.read(Set.of(CORE), out);
    Tick tick = out.of(CORE).at(0);
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels series = tick.series().get(i);
      assertThat(series.metric()).isEqualTo("nccl_bus_bandwidth_bytes_per_second");
      assertThat(series.value("UUID")).isEqualTo("GPU-" + UUID);
      assertThat(series.value("gpu")).isEqualTo("3");
      values.put(series.value("communicator"), tick.values()[i]);
    }
    return values;
  }

  private static String bandwidth(String communicator, String size, double value) {
    return "nccl_bus_bandwidth_gbs{" + OF_230.formatted(communicator, size) + "} " + value;
  }

  @Test
  void theLargestMessagesOfEachCommunicatorCount() throws IOException {
    write(
        "nccl_inspector_metrics_" + UUID + ".prom",
        bandwidth("DP Group 0", "512-513MB", 100),
        bandwidth("DP Group 0", "4-5GB", 400),
        "nccl_collective_exec_time_microseconds{" + OF_230.formatted("DP Group 0", "4-5GB") + "} 9",
        bandwidth("TP", "8-9KB", 2));
    Map<String, Double> read = read(files());
    assertThat(read).containsOnlyKeys("DP Group 0", "TP");
    assertThat(read.get("DP Group 0")).isCloseTo(400e9, within(1.0));
    assertThat(read.get("TP")).isCloseTo(2e9, within(1.0));
  }

  @Test
  void theFormOf229HasTheIdOfTheCommunicator() throws IOException {
    write(
        "nccl_inspector_metrics_" + UUID + ".prom",
        "nccl_bus_bandwidth_gbs{comm_id=\"0x9f8a\",hostname=\"n1\",rank=\"2\",slurm_job=\"x\","
            + "slurm_job_id=\"7\",nranks=\"8\",n_nodes=\"1\",gpu_device_id=\"GPU2\","
            + "collective=\"AllReduce\",coll_sn=\"3\",timestamp=\"x\",message_size=\"4.00GB\"} 100",
        "nccl_bus_bandwidth_gbs{comm_id=\"0x9f8a\",hostname=\"n1\",rank=\"2\",slurm_job=\"x\","
            + "slurm_job_id=\"7\",nranks=\"8\",n_nodes=\"1\",gpu_device_id=\"GPU2\",collective=\"AllReduce\",coll_sn=\"4\",timestamp=\"x\",message_size=\"4.00GB\"}"
            + " 400");
    Map<String, Double> read = read(files());
    assertThat(read).containsOnlyKeys(RasAnswer.id(0x9f8a));
    assertThat(read.get(RasAnswer.id(0x9f8a)))
        .as("the geometric mean, as the inspector makes it since then")
        .isCloseTo(200e9, within(1.0));
  }

  @Test
  void filesOfOtherGpusAndOldOnesTellNothing() throws IOException {
    InspectorFiles files = files();
    write("nccl_inspector_metrics_" + UUID.replace('1', '2') + ".prom", bandwidth("a", "1-2GB", 1));
    assertThat(read(files)).isEmpty();
    write("nccl_inspector_metrics_" + UUID + ".prom", bandwidth("a", "1-2GB", 1));
    assertThat(read(files)).hasSize(1);
    now += Duration.ofMinutes(6).toMillis();
    assertThat(read(files)).isEmpty();
  }

  @Test
  void aFileThatIsBeingWrittenIsAsItWasBefore() throws IOException {
    InspectorFiles files = files();
    String name = "nccl_inspector_metrics_" + UUID + ".prom";
    write(name, bandwidth("a", "1-2GB", 1));
    assertThat(read(files)).hasSize(1);
    now += 1_000;
    Files.writeString(folder.resolve(name), "nccl_bus_bandwidth_gbs{comm_name=\"a");
    assertThat(read(files)).hasSize(1);
    Files.writeString(folder.resolve(name), "\0\0{{\n");
    assertThat(read(files)).hasSize(1);
  }

  @Test
  void withoutAFolderThereIsNothing() throws IOException {
    Files.delete(folder);
    assertThat(read(files())).isEmpty();
  }
}
