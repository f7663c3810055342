package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.serve.RollupSteps.Run;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which steps have rollups, and which have to be computed from samples. */
class RollupStepsTest {
  private static final long STEP = 15_000;
  private static final long START = 4 * HostWriter.BLOCK_MILLIS;
  private static final RollupKey POWER = new RollupKey("power", RollupShape.Kind.LATEST, 0);
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          60_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.equal(Labels.NAME, "power"), List.of("rack"), true, List.of())));

  @TempDir private Path folder;
  private HostWriter writer;
  private final List<Integer> found = new ArrayList<>();

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1", HostWriter.limits(10), RULES);
  }

  private void send(long from, long to) {
    for (long tick = from; tick < to; tick++) {
      writer.send(START + tick * STEP, writer.series("power", "rack", "r1"), tick);
    }
  }

  /** Steps of a grid from the start on; the indexes of those found are noted. */
  private List<Run> read(long stride, int from, int to) {
    found.clear();
    Grid grid = new Grid(START, stride * STEP, START + 1_000 * stride * STEP);
    return RollupSteps.read(
        writer.lane(),
        RULES,
        POWER,
        grid,
        new Run(from, to),
        Integer.MAX_VALUE,
        (page, first, width, count, at) -> {
          for (int i = 0; i < count; i++) {
            assertThat(page.first() + (first + (long) i * width) * STEP)
                .isEqualTo(grid.time(at + i));
            found.add(at + i);
          }
          return true;
        });
  }

  @Test
  void stepsThatTicksHaveReachedAreFoundOnceAndInOrder() {
    send(0, 200);
    assertThat(read(1, 0, 200)).isEmpty();
    assertThat(found).hasSize(200).isSorted().doesNotHaveDuplicates();
    assertThat(read(1, 50, 60)).isEmpty();
    assertThat(found).containsExactly(50, 51, 52, 53, 54, 55, 56, 57, 58, 59);
  }

  @Test
  void aGridMayTakeEveryFewSteps() {
    send(0, 200);
    assertThat(read(7, 0, 28)).isEmpty();
    assertThat(found).hasSize(28);
  }

  @Test
  void stepsBeyondTheNewestTickAreMissingAsLongAsASampleIsNear() {
    send(0, 10);
    assertThat(read(1, 5, 20)).containsExactly(new Run(10, 13));
    assertThat(found).containsExactly(5, 6, 7, 8, 9);
  }

  @Test
  void aLateSampleMakesNoStepMissing() {
    send(0, 20);
    writer.send(START + 5 * STEP + 1, writer.series("power", "rack", "r1"), 1);
    assertThat(read(1, 0, 20)).isEmpty();
    assertThat(found).hasSize(20);
  }

  @Test
  void whereTooManyStepsWouldBeComputedThereAreNone() {
    send(0, 20);
    Grid grid = new Grid(START, STEP, START + 100 * STEP);
    Run all = new Run(0, 20);
    RollupSteps.Receiver receiver = (page, first, stride, count, at) -> true;
    assertThat(RollupSteps.read(writer.lane(), RULES, POWER, grid, all, 19, receiver)).isNull();
    assertThat(RollupSteps.read(writer.lane(), RULES, POWER, grid, all, 20, receiver)).isEmpty();
    assertThat(RollupSteps.read(writer.lane(), RULES, POWER, grid, all, 0, receiver)).isEmpty();
  }

  @Test
  void nothingIsTakenOfATimeWithMissingSamples() {
    send(0, 20);
    writer.lane().missing().gap(START + 5 * STEP, START + 5 * STEP + 1);
    assertThat(read(1, 6, 20)).containsExactly(new Run(6, 20));
    assertThat(found).isEmpty();
    assertThat(read(1, 10, 20)).as("the gap is beyond the lookback").isEmpty();
  }

  @Test
  void stepsOfBlocksAreFoundToo() throws Exception {
    long ticks = 3 * HostWriter.BLOCK_MILLIS / STEP;
    send(0, ticks);
    writer.sealAll(START + ticks * STEP);
    assertThat(read(1, 0, (int) ticks)).isEmpty();
    assertThat(found).hasSize((int) ticks).doesNotHaveDuplicates();
    writer.restart();
    long sealed = 2 * HostWriter.BLOCK_MILLIS / STEP;
    assertThat(read(1, 10, (int) sealed)).isEmpty();
    assertThat(found).hasSize((int) sealed - 10);
    assertThat(writer.store().computedRollupUse().misses()).as("of blocks").isPositive();
  }

  @Test
  void stepsThatWouldNeedExpiredSamplesAreMissing() throws Exception {
    long ticks = 4 * HostWriter.BLOCK_MILLIS / STEP;
    send(0, ticks);
    writer.sealAll(START + ticks * STEP);
    writer.lane().dropBlocks(START + HostWriter.BLOCK_MILLIS);
    int cut = (int) (HostWriter.BLOCK_MILLIS / STEP);
    assertThat(read(1, cut, cut + 20)).containsExactly(new Run(cut, cut + 4));
    assertThat(found).hasSize(16);
  }

  @Test
  void theReceiverMayEndIt() {
    send(0, 20);
    Grid grid = new Grid(START, STEP, START + 100 * STEP);
    List<RollupPage> pages = new ArrayList<>();
    assertThat(
            RollupSteps.read(
                writer.lane(),
                RULES,
                POWER,
                grid,
                new Run(0, 20),
                Integer.MAX_VALUE,
                (page, first, stride, count, at) -> {
                  pages.add(page);
                  return false;
                }))
        .isNull();
    assertThat(pages).hasSize(1);
  }

  @Test
  void theRollupsOfAHostWithoutTheMetricAreEmpty() {
    writer.send(START, writer.series("other"), 1);
    assertThat(read(1, 0, 3)).as("beyond the newest tick").containsExactly(new Run(1, 3));
    assertThat(found).containsExactly(0);
    assertThat(writer.lane().rollups(POWER, START, START, 0).orElseThrow())
        .allMatch(page -> page.groups().isEmpty())
        .hasSize(1);
  }
}
