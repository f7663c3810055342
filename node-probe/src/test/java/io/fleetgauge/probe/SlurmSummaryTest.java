package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
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

/**
 * The script for EpilogSlurmctld, with a real shell and curl, over stand-ins for Slurm's programs;
 * {@link RealSlurmTest} runs it in Slurm, and {@code SlurmSummaryQueriesTest} over a query API.
 */
@Tag("slow")
class SlurmSummaryTest {
  private static final String ROW =
      "{\"metric\":{\"Hostname\":\"%s\",\"gpu\":\"%s\"},\"value\":[1000.5,\"%s\"]}";

  private static final String OF_HOST =
      "{\"metric\":{\"Hostname\":\"%s\"},\"value\":[1000.5,\"%s\"]}";

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
    program("sacctmgr", "echo \"$*\" >>%1$s/comments; echo \"${*##*Comment=}\" >%1$s/stored");
    program("sacct", "cat %s/stored 2>/dev/null");
    program("logger", "echo \"$*\" >>%s/log");
    program("sleep", "");
    program(
        "scontrol",
        """
        case $* in
          'show -d job 17')
            echo '   JOB_GRES=gpu:2'
            echo '     Nodes=h1 CPU_IDs=0-2,8 Mem=16384 GRES='
            echo '     Nodes=h[2-3] CPU_IDs=1,3 Mem=2000 GRES=gpu:1(IDX:3)'
            ;;
          'show hostnames h1') echo h1 ;;
          'show hostnames h[2-3]') printf 'h2\\nh3\\n' ;;
        esac
        """);
    environment.put("PATH", folder + ":" + System.getenv("PATH"));
    environment.put("FLEETGAUGE_QUERY", "http://127.0.0.1:" + api.getAddress().getPort());
    environment.put("SLURM_JOB_ID", "17");
    environment.put("SLURM_JOB_START_TIME", "400");
    environment.put("SLURM_JOB_END_TIME", "1000");
  }

  private void program(String name, String text) throws Exception {
    Path file = folder.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + text.replace("%1$s", "%s").replace("%s", "" + folder));
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private static JsonObject decoded(String command) throws Exception {
    String before = "-i update job where jobid=17 set AdminComment=JS1:";
    assertThat(command).startsWith(before);
    byte[] zipped = Base64.getDecoder().decode(command.substring(before.length()));
    try (GZIPInputStream json = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
      return new JsonObject(new String(json.readAllBytes(), StandardCharsets.UTF_8));
    }
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
    Files.deleteIfExists(folder.resolve("stored"));
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
    rows.put(
        "cpu_seconds",
        String.join(",", OF_HOST.formatted("h1", "2399.97"), OF_HOST.formatted("h2", "1201.5")));
    rows.put(
        "host_memory",
        String.join(",", OF_HOST.formatted("h1", "1.5e+10"), OF_HOST.formatted("h2", "123456789")));
    Files.writeString(folder.resolve("token"), "secret\n");
    environment.put("FLEETGAUGE_QUERY_TOKEN", folder + "/token");
    JsonObject summary = decoded(run());
    assertThat(summary)
        .isEqualTo(
            new JsonObject(
                """
                {"nodes": {
                  "h1": {"cpus": 4, "total_time": 2400.0,
                    "used_memory": 15000000000, "total_memory": 17179869184,
                    "gpu_total_memory": {"0": 85899345920},
                    "gpu_used_memory": {"0": 83314868224}, "gpu_utilization": {"0": 98.6}},
                  "h2": {"cpus": 2, "total_time": 1200.0,
                    "used_memory": 123456789, "total_memory": 2097152000,
                    "gpu_total_memory": {"3": 85000000000},
                    "gpu_used_memory": {"3": 1048576}, "gpu_utilization": {"3": 7.0}}},
                 "total_time": 600, "gpus": 2}
                """));
    hasTheFieldsThatJobstatsReads(summary);
    assertThat(queries)
        .hasSize(5)
        .allSatisfy(
            query ->
                assertThat(query)
                    .startsWith("Bearer secret ")
                    .contains("{hpc_job=\"17\"}", "[600s", "time=1000"));
  }

  /** Facts about jobstats: the fields that it reads, their types, and those it fails without. */
  private static void hasTheFieldsThatJobstatsReads(JsonObject summary) throws Exception {
    Map<String, String> types = new HashMap<>();
    try (InputStream in = SlurmSummaryTest.class.getResourceAsStream("jobstats-fields.tsv")) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        String[] words = line.split("\t");
        if (!line.startsWith("#")) {
          types.put(words[0], words[1]);
          boolean isInNode = words[0].startsWith("nodes.*.");
          String name = words[0].substring(words[0].lastIndexOf('.') + 1);
          if (words[2].equals("needed") && isInNode && !name.equals("*")) {
            summary
                .getJsonObject("nodes")
                .forEach(
                    node -> assertThat(((JsonObject) node.getValue()).fieldNames()).contains(name));
          }
        }
      }
    }
    checkTypes("", summary, types);
  }

  private static void checkTypes(String at, JsonObject of, Map<String, String> types) {
    for (Map.Entry<String, Object> each : of) {
      boolean isName = at.equals("nodes.") || at.contains("gpu_");
      String path = at + (isName ? "*" : each.getKey());
      String type =
          switch (each.getValue()) {
            case JsonObject inner -> "object";
            case Integer number -> "whole";
            case Long number -> "whole";
            default -> "number";
          };
      assertThat(types).as(path).containsKey(path);
      assertThat(types.get(path)).as(path).isIn(type, type.equals("whole") ? "number" : type);
      if (each.getValue() instanceof JsonObject inner) {
        checkTypes(path + ".", inner, types);
      }
    }
  }

  @Test
  void whatIsNotKnownIsWrittenSoThatJobstatsShowsItAsUnknown() throws Exception {
    rows.put("GPU_UTIL", ROW.formatted("h1.example.org", "0", "50"));
    rows.put("FB_USED", ROW.formatted("h1.example.org", "0", "1048576"));
    rows.put(
        "FB_TOTAL",
        String.join(
            ",",
            ROW.formatted("h1.example.org", "0", "2097152"),
            ROW.formatted("h1.example.org", "1", "2097152"))); // not known how much it used
    JsonObject summary = decoded(run());
    assertThat(summary)
        .isEqualTo(
            new JsonObject(
                """
                {"nodes": {"h1": {"cpus": 4, "used_memory": 0, "total_memory": 0,
                  "gpu_total_memory": {"0": 2097152}, "gpu_used_memory": {"0": 1048576},
                  "gpu_utilization": {"0": 50.0}}},
                 "total_time": 600, "gpus": 1}
                """));
    hasTheFieldsThatJobstatsReads(summary);
  }

  @Test
  void nothingIsWrittenOfAHostThatSlurmDoesNotKnow() throws Exception {
    rows.put("FB_USED", ROW.formatted("h9", "0", "1048576"));
    rows.put("FB_TOTAL", ROW.formatted("h9", "0", "2097152"));
    assertThat(run())
        .isEqualTo("-t fleetgauge job 17: Slurm has no node h9 in this job; no summary is written");
  }

  @Test
  void aSummaryThatSlurmHasNotStoredIsWrittenAgainAndLogged() throws Exception {
    program("sacctmgr", "echo \"$*\" >>%s/comments; echo ' Nothing modified'");
    assertThat(run().lines())
        .containsExactly(
            "-i update job where jobid=17 set AdminComment=JS1:None",
            "-i update job where jobid=17 set AdminComment=JS1:None",
            "-i update job where jobid=17 set AdminComment=JS1:None",
            "-t fleetgauge job 17: the summary is not written:  Nothing modified");
    program("sacctmgr", "echo js1:none >%s/stored");
    assertThat(run()).contains("changes the summary to small letters");
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
