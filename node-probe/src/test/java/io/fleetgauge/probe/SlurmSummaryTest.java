package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script for EpilogSlurmctld, with a real shell and curl, over a stand-in for sacctmgr. */
@Tag("slow")
class SlurmSummaryTest {
  private static final String ROW =
      "{\"metric\":{\"Hostname\":\"%s\",\"gpu\":\"%s\"},\"value\":[1000.5,\"%s\"]}";

  private final List<String> queries = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> rows = new HashMap<>();
  private HttpServer api;
  private String warnings = "";

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    api.createContext(
        "/api/v1/query",
        exchange -> {
          String query =
              URLDecoder.decode(exchange.getRequestURI().getRawQuery(), StandardCharsets.UTF_8);
          queries.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + query);
          String found =
              rows.entrySet().stream()
                  .filter(each -> query.contains(each.getKey()))
                  .map(Map.Entry::getValue)
                  .findFirst()
                  .orElse("");
          byte[] body =
              ("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
                      + found
                      + "]}"
                      + warnings
                      + "}")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    api.start();
    Path sacctmgr = folder.resolve("sacctmgr");
    Files.writeString(sacctmgr, "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + folder + "/comments\n");
    Path logger = folder.resolve("logger");
    Files.writeString(logger, "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + folder + "/log\n");
    assertThat(sacctmgr.toFile().setExecutable(true) && logger.toFile().setExecutable(true))
        .isTrue();
    environment.put("PATH", folder + ":" + System.getenv("PATH"));
    environment.put("FLEETGAUGE_QUERY", "http://127.0.0.1:" + api.getAddress().getPort());
    environment.put("SLURM_JOB_ID", "17");
    environment.put("SLURM_JOB_START_TIME", "400");
    environment.put("SLURM_JOB_END_TIME", "1000");
  }

  @AfterEach
  void stop() {
    api.stop(0);
  }

  /** What sacctmgr and the log were told. */
  private String run() throws Exception {
    SlurmNode.output(
        List.of("timeout", "60", "sh", SlurmNode.SCRIPTS.resolve("epilog-slurmctld.sh").toString()),
        environment);
    String told = "";
    for (String file : List.of("comments", "log")) {
      Path at = folder.resolve(file);
      told += Files.exists(at) ? Files.readString(at) : "";
      Files.deleteIfExists(at);
    }
    return told.strip();
  }

  @Test
  void theSummaryIsWhatJobstatsDecodes() throws Exception {
    rows.put(
        "GPU_UTIL",
        String.join(",", ROW.formatted("h1", "0", "98.64"), ROW.formatted("h2", "3", "7")));
    rows.put(
        "FB_USED",
        String.join(
            ",", ROW.formatted("h1", "0", "83314868224"), ROW.formatted("h2", "3", "1048576")));
    rows.put(
        "FB_TOTAL",
        String.join(
            ",", ROW.formatted("h1", "0", "85899345920"), ROW.formatted("h2", "3", "8.5e+10")));
    Files.writeString(folder.resolve("token"), "secret\n");
    environment.put("FLEETGAUGE_QUERY_TOKEN", folder + "/token");
    String command = run();
    String before = "-i update job where jobid=17 set AdminComment=JS1:";
    assertThat(command).startsWith(before);
    byte[] zipped = Base64.getDecoder().decode(command.substring(before.length()));
    try (GZIPInputStream json = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
      assertThat(new JsonObject(new String(json.readAllBytes(), StandardCharsets.UTF_8)))
          .isEqualTo(
              new JsonObject(
                  """
                  {"nodes": {
                    "h1": {"gpu_total_memory": {"0": 85899345920},
                      "gpu_used_memory": {"0": 83314868224}, "gpu_utilization": {"0": 98.6}},
                    "h2": {"gpu_total_memory": {"3": 85000000000},
                      "gpu_used_memory": {"3": 1048576}, "gpu_utilization": {"3": 7.0}}},
                   "total_time": 600, "gpus": 2}
                  """));
    }
    assertThat(queries)
        .hasSize(3)
        .allSatisfy(
            query ->
                assertThat(query)
                    .startsWith("Bearer secret ")
                    .contains("{hpc_job=\"17\"}[600s]", "time=1000"));
  }

  @Test
  void aJobWithoutDataAndAShortOneHaveTheirShortForms() throws Exception {
    assertThat(run()).isEqualTo("-i update job where jobid=17 set AdminComment=JS1:None");
    environment.put("SLURM_JOB_START_TIME", "990");
    environment.put("SLURM_ARRAY_JOB_ID", "17");
    environment.put("SLURM_ARRAY_TASK_ID", "4");
    assertThat(run()).isEqualTo("-i update job where jobid=17_4 set AdminComment=JS1:Short");
  }

  @Test
  void nothingIsWrittenOfAnAnswerThatIsMissingOrNotWhole() throws Exception {
    warnings = ",\"warnings\":[\"1 host is missing\"]";
    assertThat(run())
        .startsWith("-t fleetgauge job 17:")
        .contains("no summary is written", "1 host");
    environment.put("FLEETGAUGE_QUERY", "http://127.0.0.1:1");
    assertThat(run()).startsWith("-t fleetgauge job 17:").contains("no summary is written");
    environment.put("SLURM_JOB_END_TIME", "");
    assertThat(run()).contains("Slurm does not say when");
  }

  @Test
  void withoutAQueryApiItDoesNothing() throws Exception {
    environment.put("FLEETGAUGE_QUERY", "");
    assertThat(run()).isEmpty();
    assertThat(queries).isEmpty();
  }
}
