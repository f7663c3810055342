package io.fleetgauge.operator.report;

import static io.fleetgauge.query.ApiServer.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.ApiServer;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.FaultKind;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
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
  private static final long HOUR = 3_600_000;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ApiServer api;
  private Path token;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder);
    for (int host = 1; host <= 2; host++) {
      Labels gpu =
          Labels.of("UUID", "G" + host, "Hostname", "n" + host, "tenant", host == 1 ? "a" : "b")
              .with(Labels.of("container", "größe", "hpc_job", "77" + host, "user", "u" + host));
      for (int minute = 0; minute < 60; minute++) {
        long time = NOW - HOUR + minute * 60_000L;
        // n1 waits at high power and then works, n2 works and then does nothing.
        boolean first = minute < 30;
        add(gpu, "DCGM_FI_DEV_FB_USED", time, minute == 59 ? 2 : 1);
        add(gpu, "gpu_allocated", time, 1);
        add(gpu, "DCGM_FI_DEV_GPU_UTIL", time, first == (host == 2) ? 80 : 0);
        add(gpu, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", time, 700);
        add(gpu, "DCGM_FI_DEV_POWER_USAGE", time, host == 1 ? 360 : 60);
      }
    }
    token = Files.writeString(folder.resolve("token"), "root\n");
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private void add(Labels gpu, String metric, long time, double value) {
    api.fleet.add(gpu.with(Labels.NAME, metric), time, value);
  }

  private int report(String... arguments) {
    return run("usage", arguments);
  }

  private int run(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(arguments));
    return new CommandLine(new ReportCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all.toArray(String[]::new));
  }

  private String url() {
    return api.http.address("").toString();
  }

  /** The output, without blanks beside each other. */
  private String printed() {
    return out.toString().replaceAll(" +", " ");
  }

  private int hour(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--url=" + url(), "--token-file=" + token));
    all.addAll(List.of("--from=" + (NOW - HOUR) / 1_000, "--to=2026-11-21T22:26:40Z"));
    return run(command, all.toArray(String[]::new));
  }

  @Test
  void aReportIsPrintedAsATableUnlessItIsAskedForOtherwise() {
    assertThat(hour("usage", "--by=container,tenant")).as(err.toString()).isZero();
    assertThat(printed())
        .startsWith("CONTAINER TENANT GPU H BUSY EXEC-IDLE IDLE UNKNOWN KWH ACTIVITY PEAK MEM\n")
        .contains("größe a 1.00 0.50 0.50 0.00 0.00 0.36 40 % 2.0 MiB\n")
        .contains("größe b 1.00 0.50 0.00 0.50 0.00 0.06 40 % 2.0 MiB\n")
        .contains("\n 2.00 1.00 0.50 0.50 0.00 0.42 40 % 2.0 MiB\n")
        .contains("From 2026-11-21T21:26:40Z to 2026-11-21T22:26:40Z; the last line is the total.")
        .contains("Busy is allocated time with an activity of at least 5 %;");
    assertThat(err.toString()).isEmpty();
    out.getBuffer().setLength(0);
    assertThat(hour("usage", "--by=container,tenant", "--format=csv")).isZero();
    assertThat(out.toString())
        .startsWith("container,tenant,from,to,gpu_hours_allocated,")
        .contains("größe,a,2026-11-21T21:26:40Z,2026-11-21T22:26:40Z,1,0.5,0.5,0,0,3600,1800,");
    out.getBuffer().setLength(0);
    assertThat(hour("usage", "--format=json")).isZero();
    assertThat(out.toString()).startsWith("{\"status\":\"success\"").endsWith("}\n");
  }

  @Test
  void idleBeginsWithTheMostWastedHoursAndEnergyWithTheMostKwh() {
    assertThat(hour("idle")).as(err.toString()).isZero();
    assertThat(printed())
        .startsWith("JOB USER TENANT WASTED GPU H SHARE IDLE EXEC-IDLE GPU H PEAK MEM\n")
        .contains("771 u1 a 0.50 50 % 0.00 0.50 1.00 2.0 MiB\n");
    out.getBuffer().setLength(0);
    assertThat(hour("idle", "--busy=0.9", "--by=tenant", "--limit=1")).isZero();
    assertThat(printed().lines().toList().get(1)).startsWith("a 1.00 100 %");
    out.getBuffer().setLength(0);
    assertThat(hour("energy", "--by=host")).isZero();
    assertThat(printed())
        .startsWith(
            "HOST KWH ESTIMATED GPU H W A GPU\nn1 0.36 0.36 1.00 360\nn2 0.06 0.06 1.00 60\n");
    out.getBuffer().setLength(0);
    assertThat(hour("energy", "--by=host", "--format=json")).isZero();
    assertThat(new JsonObject(out.toString()).getJsonArray("rows")).hasSize(2);
  }

  @Test
  void aJobIsToldWithItsHangsAndItsEffectiveTime() {
    Subject job =
        new Subject("", "", "", "771", Labels.of("job", "771", "hpc_job", "771", "tenant", "a"));
    hang("e1", job, NOW - HOUR + 600_000, OptionalLong.of(NOW - HOUR + 1_200_000));
    hang("e2", job, NOW - HOUR + 900_000, OptionalLong.of(NOW - HOUR + 1_500_000));
    assertThat(hour("job", "--job=771")).as(err.toString()).isZero();
    assertThat(printed())
        .startsWith("job 771: user u1; tenant a\n")
        .contains(
            "allocated 1.00 GPU h: busy 0.50 (50 %), execution-idle 0.50 (50 %), idle 0.00 (0 %),"
                + " unknown 0.00 (0 %)\n")
        .as("both hangs together are 15 minutes")
        .contains("hung 0.25 GPU h")
        .contains(
            "effective training time ratio 0.500 = (1.00 allocated - 0.25 hang - 0.25 idle) / 1.00"
                + " GPU h\n")
        .contains("energy 0.36 kWh, of it estimated 0.36\n")
        .contains("fault 2026-11-21 21:46:40 over hang");
    out.getBuffer().setLength(0);
    assertThat(hour("job", "--job=771", "--format=json")).isZero();
    JsonObject document = new JsonObject(out.toString());
    assertThat(document.getJsonObject("effective").getDouble("training_time_ratio")).isEqualTo(0.5);
    assertThat(document.getJsonArray("hangs")).hasSize(1);
    out.getBuffer().setLength(0);
    assertThat(hour("job", "--job=no\"such\\")).isZero();
    assertThat(out.toString()).contains("nothing was used");
    assertThat(hour("job")).as("without --job").isEqualTo(2);
  }

  private void hang(String id, Subject of, long since, OptionalLong over) {
    Episode episode =
        new Episode(
            id,
            FaultKind.HANG,
            FaultKind.HANG.severity(),
            of,
            "collective",
            true,
            since,
            since,
            over.getAsLong(),
            over,
            "it goes on",
            0,
            "its GPUs wait",
            List.of(),
            List.of(),
            "",
            List.of(),
            false);
    Labels labels = FaultSeries.episode(episode, FaultSeries.home(episode, "n1"));
    api.fleet.with(new Series(labels, new long[] {over.getAsLong()}, new double[] {0}));
  }

  @Test
  void theReportIsThatOfTheToken() throws Exception {
    Files.writeString(token, "a");
    assertThat(hour("usage", "--by=tenant", "--format=csv")).isZero();
    assertThat(out.toString().lines()).hasSize(2);
    assertThat(out.toString().lines().toList().getLast()).startsWith("a,");
  }

  @Test
  void whatIsMissingIsToldAndStrictlyAnError() {
    api.fleet.damage("n3");
    assertThat(report("--url=" + url(), "--token-file=" + token, "--format=csv")).isZero();
    assertThat(err.toString())
        .startsWith("fleetgauge: the report is not complete: hosts=3; answered=2; missing=n3");
    assertThat(report("--url=" + url(), "--token-file=" + token)).isZero();
    assertThat(err.toString()).contains("fleetgauge: incomplete result: 1 of 3 hosts are missing");
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
