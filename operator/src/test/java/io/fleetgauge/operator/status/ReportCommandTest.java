package io.fleetgauge.operator.status;

import static io.fleetgauge.query.ApiServer.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
@ExtendWith(VertxExtension.class)
class ReportCommandTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ApiServer api;
  private Path token;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder);
    for (int host = 1; host <= 2; host++) {
      api.fleet.with(
          new Series(
              Labels.of(Labels.NAME, "DCGM_FI_DEV_FB_USED", "UUID", "G" + host)
                  .with(Labels.of("Hostname", "n" + host, "tenant", host == 1 ? "a" : "b"))
                  .with("container", "größe"),
              new long[] {NOW - 60_000, NOW},
              new double[] {1, 2}));
    }
    token = Files.writeString(folder.resolve("token"), "root\n");
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private int report(String... arguments) {
    List<String> all = new ArrayList<>(List.of("gpu-memory"));
    all.addAll(List.of(arguments));
    return new CommandLine(new ReportCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all.toArray(String[]::new));
  }

  private String url() {
    return api.http.address("").toString();
  }

  @Test
  void aReportIsPrintedAsCsvUnlessItIsAskedForOtherwise() {
    assertThat(
            report(
                "--url=" + url() + "/",
                "--token-file=" + token,
                "--from=" + (NOW - 600_000) / 1_000,
                "--to=2026-11-21T22:26:40Z",
                "--by=container,tenant"))
        .isZero();
    assertThat(out.toString())
        .startsWith("container,tenant,from,to,memory_used_bytes,")
        .contains("größe,a,2026-11-21T22:16:40Z,2026-11-21T22:26:40Z,2097152,2097152,1048576,60,")
        .contains("größe,b,");
    assertThat(err.toString()).isEmpty();
    out.getBuffer().setLength(0);
    assertThat(report("--url=" + url(), "--token-file=" + token, "--format=json")).isZero();
    assertThat(out.toString()).startsWith("{\"status\":\"success\"").endsWith("}\n");
  }

  @Test
  void theReportIsThatOfTheToken() throws Exception {
    Files.writeString(token, "a");
    assertThat(report("--url=" + url(), "--token-file=" + token, "--by=tenant")).isZero();
    assertThat(out.toString().lines()).hasSize(2);
    assertThat(out.toString().lines().toList().getLast()).startsWith("a,");
  }

  @Test
  void whatIsMissingIsToldAndStrictlyAnError() {
    api.fleet.damage("n3");
    assertThat(report("--url=" + url(), "--token-file=" + token)).isZero();
    assertThat(err.toString())
        .startsWith("fleetgauge: the report is not complete: hosts=3; answered=2; missing=n3");
    assertThat(report("--url=" + url(), "--token-file=" + token, "--strict")).isEqualTo(1);
    assertThat(err.toString()).contains("responds with status 503: incomplete result");
  }

  @Test
  void withoutAReportItExitsWithOneAndSaysWhy() throws Exception {
    Path empty = Files.writeString(folder.resolve("empty"), " \n");
    Path two = Files.writeString(folder.resolve("two"), "a\nb\n");
    String[][] all = {
      {"--url=" + url(), "--token-file=" + token, "--by=contaner", "status 400: invalid parameter"},
      {"--url=" + url(), "responds with status 401"},
      {"--url=" + url(), "--token-file=" + folder.resolve("none"), "cannot be read"},
      {"--url=" + url(), "--token-file=" + empty, "is empty"},
      {"--url=" + url(), "--token-file=" + two, "is not one token"},
      {"--url=" + url(), "--ca-file=" + token, "--ca-file " + token},
      {"--url=nowhere", "--url nowhere is no address"},
      {"--url=http://127.0.0.1:1", "http://127.0.0.1:1 cannot be reached"},
    };
    for (String[] each : all) {
      err.getBuffer().setLength(0);
      String[] arguments = java.util.Arrays.copyOf(each, each.length - 1);
      assertThat(report(arguments)).as(each[each.length - 1]).isEqualTo(1);
      assertThat(err.toString()).startsWith("fleetgauge: ").contains(each[each.length - 1]);
    }
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void wrongUsageExitsWithTwo() {
    assertThat(report("--nosuch")).isEqualTo(2);
    assertThat(
            new CommandLine(new ReportCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute())
        .isEqualTo(2);
    assertThat(report("--help")).isZero();
    assertThat(out.toString()).contains("--token-file", "--by=NAMES");
  }
}
