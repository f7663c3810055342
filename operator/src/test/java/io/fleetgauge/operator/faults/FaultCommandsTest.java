package io.fleetgauge.operator.faults;

import static io.fleetgauge.query.ApiServer.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.ApiServer;
import io.fleetgauge.query.faults.detect.Evidence;
import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.detect.Verdict;
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
class FaultCommandsTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ApiServer api;
  private Path token;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    api = new ApiServer(vertx, folder);
    token = Files.writeString(folder.resolve("token"), "root\n");
    Labels labels = Labels.of("gpu", "3", "job", "train-7", "tenant", "a", "rack", "r1");
    Subject gpu = new Subject("n1", "GPU-3", "", "", labels);
    keep(episode("e1", FaultKind.GPU_LOST, gpu, OptionalLong.empty()), 1);
    Subject job = new Subject("", "", "", "train-7", Labels.of("job", "train-7", "tenant", "a"));
    keep(episode("e2", FaultKind.HANG, job, OptionalLong.of(NOW - 30_000)), 0);
  }

  private static Episode episode(String id, FaultKind kind, Subject of, OptionalLong over) {
    return new Episode(
        id,
        kind,
        kind.severity(),
        of,
        kind == FaultKind.HANG ? "collective" : "",
        true,
        NOW - 120_000,
        NOW - 110_000,
        NOW - 60_000,
        over,
        over.isPresent() ? "the job has ended" : "",
        0,
        "the driver has lost GPU 3",
        List.of(new Evidence("power, watts", 650, Double.NaN)),
        List.of(new Suspect("n1", "GPU-3", 3, "its count is the lowest")),
        "",
        List.of(),
        false);
  }

  private void keep(Episode episode, double value) {
    Labels labels = FaultSeries.episode(episode, FaultSeries.home(episode, "n1"));
    api.fleet.with(new Series(labels, new long[] {NOW - 20_000}, new double[] {value}));
  }

  @AfterEach
  void stop() throws Exception {
    api.close();
  }

  private int run(Object command, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--url", api.http.address("").toString()));
    all.addAll(List.of("--token-file", token.toString()));
    all.addAll(List.of(arguments));
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all.toArray(String[]::new));
  }

  @Test
  void openFaultsAreListedAndThoseThatAreOverWhenTheyAreAskedFor() {
    assertThat(run(new FaultsCommand())).as(err.toString()).isZero();
    assertThat(out.toString()).contains("gpu_lost", "n1 GPU 3", "train-7").doesNotContain("hang");
    assertThat(run(new FaultsCommand(), "--state", "over")).isZero();
    assertThat(out.toString()).contains("hang", "collective");
  }

  @Test
  void aListThatIsCutSaysSo() {
    assertThat(run(new FaultsCommand(), "--state", "all", "--limit", "1")).isZero();
    assertThat(err.toString()).contains("there are more faults than these; raise --limit");
    err.getBuffer().setLength(0);
    assertThat(run(new FaultsCommand(), "--state", "all", "--limit", "2")).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aListIsPrintedAsJson() {
    assertThat(run(new FaultsCommand(), "--format", "json")).as(err.toString()).isZero();
    JsonObject data = new JsonObject(out.toString());
    assertThat(data.getJsonArray("faults").getJsonObject(0).getString("kind"))
        .isEqualTo("gpu_lost");
  }

  @Test
  void aDiagnosisSaysWhatIsSeenSinceWhenAndWhatToDo() {
    assertThat(run(new DiagnoseCommand(), "--job", "train-7")).as(err.toString()).isOne();
    assertThat(out.toString())
        .contains("job train-7: 1 open fault; 1 over")
        .contains("CRITICAL: GPU lost")
        .contains("power, watts: 650.0 before, none now")
        .contains("its count is the lowest")
        .contains(FaultKind.GPU_LOST.action());
  }

  @Test
  void aDiagnosisOfAJobSaysWhatDetectorsThinkOfItAndWhy() {
    Labels owner = Labels.of("job", "train-8", "tenant", "a");
    verdict(owner, new Verdict(FaultKind.HANG, Verdict.State.NONE, "its GPUs work"));
    verdict(owner, Verdict.unknown(FaultKind.STRAGGLER, "its GPUs do different work"));
    assertThat(run(new DiagnoseCommand(), "--job", "train-8")).as(err.toString()).isZero();
    assertThat(out.toString())
        .isEqualTo(
            """
            job train-8: no fault is open
              hang        none: its GPUs work
              straggler   not enough evidence: its GPUs do different work
            """);
    out.getBuffer().setLength(0);
    assertThat(run(new DiagnoseCommand(), "--job", "train-8", "--format", "json")).isZero();
    assertThat(
            new JsonObject(out.toString()).getJsonArray("jobs").getJsonObject(0).getString("job"))
        .isEqualTo("train-8");
  }

  @Test
  void aJobThatDoesNotRunHasNoVerdicts() {
    assertThat(run(new DiagnoseCommand(), "--job", "train-9")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("no verdicts: the job does not run now");
  }

  private void verdict(Labels owner, Verdict of) {
    Labels labels = FaultSeries.verdict(owner.value("job"), owner, "n1", of);
    api.fleet.with(new Series(labels, new long[] {NOW - 20_000}, new double[] {1}));
  }

  @Test
  void aHostWithoutFaultsIsDiagnosedAsThat() {
    assertThat(run(new DiagnoseCommand(), "--host", "n2")).as(err.toString()).isZero();
    assertThat(out.toString()).isEqualTo("host n2: no fault is open\n");
  }

  @Test
  void aDiagnosisOfNothingIsWrongUsage() {
    assertThat(run(new DiagnoseCommand())).isEqualTo(2);
    assertThat(err.toString()).contains("one of --job, --host and --gpu is needed");
  }
}
