package io.fleetgauge.gateway.store;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.config.StoreSettings;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerChangesTest {
  private static final long START = 4 * BLOCK_MILLIS;
  private static final double END = Staleness.MARKER;

  @TempDir private Path folder;
  private HostWriter writer;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
  }

  private Labels util(String job) {
    return writer.gpu("util", "G1", job);
  }

  private WriteOutcome send(long tick, String job, double value) {
    return writer.send(START + tick, util(job), value);
  }

  /** The samples of each job by tick; a staleness marker is the text "end". */
  private Map<String, Map<Long, String>> read() throws Exception {
    Map<String, Map<Long, String>> found = new TreeMap<>();
    for (Series series :
        writer
            .store()
            .select(
                List.of("n1"),
                new Selection(Parser.parseSelector("util"), 0, Long.MAX_VALUE),
                1 << 20,
                Assertions::fail,
                StopCheck.NEVER)) {
      Map<Long, String> samples = new TreeMap<>();
      for (int i = 0; i < series.size(); i++) {
        double value = series.values()[i];
        samples.put(
            series.times()[i] - START, Staleness.isMarker(value) ? "end" : "" + (long) value);
      }
      found.merge(
          series.labels().value("job"),
          samples,
          (a, b) -> {
            a.putAll(b);
            return a;
          });
    }
    return found;
  }

  private void assertOneSeries() {
    assertThat(writer.store().seriesCount()).isEqualTo(1);
  }

  @Test
  void aChangeOfOwnerAddsNoSeriesAndEachOwnerHasItsSamples() throws Exception {
    send(0, "a", 1);
    send(1, "a", 2);
    send(2, "b", 3);
    send(3, "", 4);
    send(4, "a", 5);
    assertThat(read())
        .isEqualTo(
            Map.of(
                "a", Map.of(0L, "1", 1L, "2", 4L, "5"), "b", Map.of(2L, "3"), "", Map.of(3L, "4")));
    assertOneSeries();
  }

  @Test
  void aMarkerBeforeTheNewOwnersSampleEndsTheOldOne() throws Exception {
    send(0, "a", 1);
    send(1, "a", END);
    assertThat(send(1, "b", 2).kept()).isEqualTo(1);
    send(2, "b", 3);
    assertThat(read())
        .isEqualTo(Map.of("a", Map.of(0L, "1", 1L, "end"), "b", Map.of(1L, "2", 2L, "3")));
    assertOneSeries();
  }

  @Test
  void aMarkerAfterTheNewOwnersSampleEndsTheOldOneToo() throws Exception {
    send(0, "a", 1);
    send(1, "b", 2);
    assertThat(send(1, "a", END).kept()).isEqualTo(1);
    assertThat(send(1, "a", END).kept()).as("the same marker again").isEqualTo(1);
    assertThat(writer.store().counts().repeated.sum()).isEqualTo(1);
    assertThat(read()).isEqualTo(Map.of("a", Map.of(0L, "1", 1L, "end"), "b", Map.of(1L, "2")));
    assertOneSeries();
  }

  @Test
  void aMarkerOfAnOwnerThatNeverWasChangesNothing() throws Exception {
    send(0, "a", 1);
    assertThat(send(1, "c", END).refused()).isZero();
    assertThat(read()).isEqualTo(Map.of("a", Map.of(0L, "1")));
    assertOneSeries();
  }

  @Test
  void aLateSampleGoesToTheOwnerOfItsTime() throws Exception {
    send(0, "a", 1);
    send(10, "b", 2);
    send(20, "b", 3);
    assertThat(send(5, "a", 9).kept()).isEqualTo(1);
    assertThat(send(15, "b", 8).kept()).isEqualTo(1);
    assertThat(read())
        .isEqualTo(
            Map.of("a", Map.of(0L, "1", 5L, "9"), "b", Map.of(10L, "2", 15L, "8", 20L, "3")));
    assertOneSeries();
  }

  @Test
  void aLateSampleOfAnotherOwnerGetsAnIntervalUpToTheNextSample() throws Exception {
    send(0, "a", 1);
    send(10, "a", 2);
    assertThat(send(5, "b", 9).kept()).isEqualTo(1);
    assertThat(send(6, "b", 8).kept()).isEqualTo(1);
    assertThat(read())
        .isEqualTo(Map.of("a", Map.of(0L, "1", 10L, "2"), "b", Map.of(5L, "9", 6L, "8")));
    assertOneSeries();
  }

  @Test
  void aLateSampleOfAnotherOwnerAtTheTimeOfASampleIsKeptInASeriesOfItsOwn() throws Exception {
    send(0, "a", 1);
    send(5, "a", 2);
    send(10, "a", 3);
    assertThat(send(5, "b", 9).kept()).isEqualTo(1);
    assertThat(read())
        .isEqualTo(Map.of("a", Map.of(0L, "1", 5L, "2", 10L, "3"), "b", Map.of(5L, "9")));
    assertThat(writer.store().seriesCount()).isEqualTo(2);
  }

  @Test
  void theEndOfAnOwnerStaysItsOwnWhenSamplesOfAnotherOneComeFromTheTimeBetween() throws Exception {
    send(0, "a", 1);
    send(10, "a", END);
    send(10, "c", 2);
    send(5, "b", 9);
    send(7, "a", 8);
    assertThat(read())
        .isEqualTo(
            Map.of(
                "a", Map.of(0L, "1", 7L, "8", 10L, "end"),
                "b", Map.of(5L, "9"),
                "c", Map.of(10L, "2")));
    assertOneSeries();
  }

  @Test
  void twoOwnersInOneTickAreBothKeptAndStaySoAfterARestart() throws Exception {
    Labels[] both = {util("a"), util("b")};
    for (int tick = 0; tick < 10; tick++) {
      writer.send(START + tick, both, new double[] {tick, 10 * tick}, null);
    }
    Map<String, Map<Long, String>> before = read();
    assertThat(before.get("a")).hasSize(10);
    assertThat(before.get("b")).hasSize(10).containsEntry(9L, "90");
    writer.sealAll(START + 3 * BLOCK_MILLIS);
    writer.restart();
    assertThat(read()).isEqualTo(before);
    assertThat(writer.store().seriesCount()).isEqualTo(2);
    long later = 3 * BLOCK_MILLIS;
    writer.send(START + later, both, new double[] {1, 2}, null);
    assertThat(read().get("b")).containsEntry(later, "2");
    assertThat(writer.store().seriesCount()).isEqualTo(2);
  }

  @Test
  void aSeparateSeriesAboveALimitIsRefused() {
    writer = new HostWriter(folder, "n1", HostWriter.limits(1), RollupRules.NONE);
    Labels[] both = {util("a"), util("b")};
    WriteOutcome outcome = writer.send(START, both, new double[] {1, 2}, null);
    assertThat(outcome.overLimit()).isEqualTo(1);
    assertThat(outcome.leavesOut(0)).isFalse();
    assertThat(outcome.leavesOut(1)).isTrue();
    outcome = writer.append(Lane.Source.JOURNAL, START, both, new double[] {1, 2}, null);
    assertThat(outcome.refused()).isZero();
  }

  @Test
  void intervalsComeBackFromSeveralBlocksAsOneHistory() throws Exception {
    String[] jobs = {"a", "a", "b", "", "b", "b", "c", "c"};
    for (int half = 0; half < jobs.length; half++) {
      for (int tick = 0; tick < 20; tick++) {
        send(half * BLOCK_MILLIS / 2 + tick * 30_000, jobs[half], half);
      }
    }
    Map<String, Map<Long, String>> before = read();
    writer.sealAll(START + 10 * BLOCK_MILLIS);
    assertThat(read()).isEqualTo(before);
    writer.restart();
    assertThat(read()).isEqualTo(before);
    assertOneSeries();
    send(10 * BLOCK_MILLIS, "c", 1);
    assertOneSeries();
    writer.lane().dropBlocks(START + 2 * BLOCK_MILLIS);
    assertThat(read()).containsOnlyKeys("b", "c");
  }

  @Test
  void theEndOfAnOwnerThatCameAfterItsBlockWasWrittenIsKept() throws Exception {
    send(0, "a", 1);
    send(BLOCK_MILLIS - 1, "b", 2);
    send(3 * BLOCK_MILLIS, "b", 3);
    writer.sealAll(START + 3 * BLOCK_MILLIS);
    send(3 * BLOCK_MILLIS + 1, "c", 4);
    send(3 * BLOCK_MILLIS + 1, "b", END);
    writer.sealAll(START + 9 * BLOCK_MILLIS);
    Map<String, Map<Long, String>> before = read();
    assertThat(before.get("b")).containsEntry(3 * BLOCK_MILLIS + 1, "end");
    writer.restart();
    assertThat(read()).isEqualTo(before);
  }

  @Test
  void aTenantsSeriesAreCountedByItsNewestOwner() {
    Labels blue = writer.series("util", "UUID", "G1", "tenant", "blue");
    Labels red = writer.series("util", "UUID", "G1", "tenant", "red");
    writer =
        new HostWriter(
            folder,
            "n1",
            new StoreLimits(
                HostWriter.MEMORY,
                1,
                HostWriter.MEMORY,
                HostWriter.MEMORY.dividedBy(2),
                HostWriter.MEMORY,
                10,
                1,
                10),
            RollupRules.NONE);
    writer.send(START, blue, 1);
    assertThat(writer.send(START, writer.series("x", "tenant", "blue"), 1).overLimit())
        .isEqualTo(1);
    writer.send(START + 1, red, 1);
    assertThat(writer.send(START, writer.series("x", "tenant", "blue"), 1).kept()).isEqualTo(1);
    assertThat(writer.send(START, writer.series("x", "tenant", "red"), 1).overLimit()).isEqualTo(1);
  }

  @Test
  void theOwnerLabelsThatAreConfiguredByDefaultAreThoseOfThisTest() {
    assertThat(Dimensions.DEFAULT.names())
        .containsExactlyInAnyOrderElementsOf(
            StoreSettings.defaults(folder, HostWriter.MEMORY).ownerLabels());
  }

  /** Every pod of a node has other values of these labels. */
  @Test
  void aThousandOwnersByEachOfTheOwnerLabelsAddNoSeries() throws Exception {
    int tick = 0;
    for (String label : Dimensions.DEFAULT.names()) {
      for (int owner = 0; owner < 1_000; owner++) {
        writer.send(START + tick, writer.series("util", "UUID", "G1", label, label + owner), tick);
        tick++;
      }
    }
    assertOneSeries();
    for (String label :
        List.of("hpc_job", "user", "account", "pod_uid", "exported_pod", "exported_container")) {
      List<Series> found =
          writer
              .store()
              .select(
                  List.of("n1"),
                  new Selection(
                      Parser.parseSelector("{" + label + "=\"" + label + "77\"}"),
                      0,
                      Long.MAX_VALUE),
                  10,
                  Assertions::fail,
                  StopCheck.NEVER);
      assertThat(found).hasSize(1);
      assertThat(found.getFirst().size()).isEqualTo(1);
    }
  }

  @Test
  void histogramsChangeOwnersLikeNumbers() throws Exception {
    writer.send(START, util("a"), HostWriter.histogram(2));
    writer.send(START + 1, util("a"), END);
    writer.send(START + 1, util("b"), HostWriter.histogram(3));
    var found =
        writer
            .store()
            .select(
                List.of("n1"),
                new Selection(Parser.parseSelector("util{job=\"b\"}"), 0, Long.MAX_VALUE),
                10,
                Assertions::fail,
                StopCheck.NEVER);
    assertThat(found.getFirst().histograms()).containsExactly(HostWriter.histogram(3));
    assertOneSeries();
  }
}
