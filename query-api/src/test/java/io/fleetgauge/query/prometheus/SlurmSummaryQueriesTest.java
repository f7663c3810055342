package io.fleetgauge.query.prometheus;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The script for Slurm's EpilogSlurmctld asks a query API; Slurm's programs are stand-ins. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class SlurmSummaryQueriesTest {
  private static final int TICKS = 40;
  private static final long TICK = 15_000;

  @TempDir private Path folder;

  private static Series series(String metric, Labels labels, double first, double more) {
    long start = ApiServer.NOW - (TICKS - 1) * TICK;
    return new Series(
        labels.with("__name__", metric).with("Hostname", "n1").with("hpc_job", "17"),
        IntStream.range(0, TICKS).mapToLong(i -> start + i * TICK).toArray(),
        IntStream.range(0, TICKS).mapToDouble(i -> first + i * more).toArray());
  }

  private void program(String name, String text) throws Exception {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text.formatted(folder));
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private JsonNode summary(ApiServer api) throws Exception {
    Path script =
        Path.of(
            System.getProperty("fleetgauge.root"),
            "distribution/src/main/slurm/epilog-slurmctld.sh");
    Files.writeString(folder.resolve("token"), "root\n");
    program("sacctmgr", "echo \"${*##*Comment=}\" >%s/stored\n");
    program("sacct", "cat %s/stored\n");
    program("logger", "echo \"$*\" >>%s/log\n");
    program(
        "scontrol",
        "[ \"$2\" = hostnames ] && echo n1 || echo '     Nodes=n1 CPU_IDs=0-15 Mem=65536 GRES='\n");
    ProcessBuilder run = new ProcessBuilder("sh", script.toString()).inheritIO();
    run.environment()
        .putAll(
            Map.of(
                "PATH",
                folder + ":" + System.getenv("PATH"),
                "FLEETGAUGE_QUERY",
                api.http.address("").toString(),
                "FLEETGAUGE_QUERY_TOKEN",
                folder.resolve("token").toString(),
                "SLURM_JOB_ID",
                "17",
                "SLURM_JOB_START_TIME",
                Long.toString(ApiServer.NOW / 1_000 - 600),
                "SLURM_JOB_END_TIME",
                Long.toString(ApiServer.NOW / 1_000)));
    Path log = folder.resolve("log");
    assertThat(run.start().waitFor()).isZero();
    assertThat(Files.readString(Files.writeString(log, "", CREATE, APPEND))).isEmpty();
    String comment = Files.readString(folder.resolve("stored")).strip();
    byte[] zipped = Base64.getDecoder().decode(comment.substring("JS1:".length()));
    try (GZIPInputStream json = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
      return new ObjectMapper().readTree(json.readAllBytes());
    }
  }

  @Test
  void aSummaryHasWhatTheQueryApiKnowsOfAJob(Vertx vertx) throws Exception {
    try (ApiServer api = new ApiServer(vertx, folder)) {
      for (String gpu : Arrays.asList("0", "1")) {
        Labels of = Labels.of("gpu", gpu, "UUID", "GPU-" + gpu);
        api.fleet.with(
            series("DCGM_FI_DEV_GPU_UTIL", of, 50, 0),
            series("DCGM_FI_DEV_FB_USED", of, 1_000, 10),
            series("DCGM_FI_DEV_FB_TOTAL", of, 81_920, 0),
            series("gpu_owner_cpu_seconds_total", of, 7_000, 30));
      }
      Labels first = Labels.of("slot", "0", "container", "a");
      Labels second = Labels.of("slot", "1", "container", "b");
      api.fleet.with(
          series("gpu_owner_host_memory_bytes", first, 1 << 30, 1 << 20),
          series("gpu_owner_host_memory_bytes", second, 2 << 20, 0));
      JsonNode summary = summary(api);
      JsonNode node = summary.at("/nodes/n1");
      assertThat(summary.path("total_time").asInt()).isEqualTo(600);
      assertThat(summary.path("gpus").asInt()).isEqualTo(2);
      assertThat(node.path("cpus").asInt()).isEqualTo(16);
      assertThat(node.path("total_memory").asLong()).isEqualTo(64L << 30);
      assertThat(node.path("total_time").asDouble())
          .as("39 ticks of 30 s on 2 GPUs, extrapolated to its length")
          .isBetween(39 * 60.0, 40 * 60.0);
      assertThat(node.path("used_memory").asLong())
          .as("the most of both containers at a step")
          .isBetween((1L << 30) + (40L << 20), (1L << 30) + (41L << 20));
      assertThat(node.at("/gpu_utilization/1").asDouble()).isEqualTo(50);
      assertThat(node.at("/gpu_used_memory/0").asLong()).isEqualTo(1_390L << 20);
      assertThat(node.at("/gpu_total_memory/1").asLong()).isEqualTo(80L << 30);
    }
  }
}
