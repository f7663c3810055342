package io.fleetgauge.gateway.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LiveRollupsTest {
  private static final long STEP = 15_000;
  private static final long LOOKBACK = 60_000;
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          LOOKBACK,
          List.of(
              new RollupRules.Rule(
                  Matcher.equal(Labels.NAME, "power"), List.of("rack"), true, List.of())));
  private static final RollupKey POWER = new RollupKey("power", RollupKey.Kind.LATEST, 0);

  private final LiveRollups live = new LiveRollups(RULES);
  private final TreeMap<Long, Double> samples = new TreeMap<>();

  /** One series of the samples there are. */
  private SeriesSource source() {
    return (selection, receiver) -> {
      var some = samples.subMap(selection.from(), false, selection.to(), true);
      if (!some.isEmpty()) {
        receiver.accept(
            new Series(
                Labels.of(Labels.NAME, "power", "rack", "r1"),
                some.keySet().stream().mapToLong(Long::longValue).toArray(),
                some.values().stream().mapToDouble(Double::doubleValue).toArray()));
      }
    };
  }

  private void tick(long time, double value) {
    live.touch(time);
    samples.put(time, value);
  }

  private boolean advance() {
    return live.advance(samples.firstKey(), samples.lastKey(), source());
  }

  /** The sums by step; a step without a page has none. */
  private TreeMap<Long, Double> sums() {
    TreeMap<Long, Double> sums = new TreeMap<>();
    long before = Long.MIN_VALUE;
    for (RollupPage page : live.pages(POWER)) {
      assertThat(page.first()).isGreaterThanOrEqualTo(before);
      before = page.end(STEP);
      for (RollupPage.Group group : page.groups()) {
        for (int i = 0; i < page.steps(); i++) {
          if (group.count()[i] > 0) {
            sums.put(page.first() + i * STEP, group.sum()[i]);
          }
        }
      }
    }
    return sums;
  }

  @Test
  void nothingIsComputedForMetricsThatWereNotSeen() {
    tick(0, 1);
    assertThat(advance()).isFalse();
    assertThat(live.pages(POWER)).isEmpty();
    assertThat(live.keys()).isEmpty();
    live.seen("other");
    assertThat(live.keys()).isEmpty();
    live.seen("power");
    assertThat(live.keys()).containsOnlyKeys(POWER).containsValue(List.of("rack"));
  }

  @Test
  void aStepIsComputedWhenATickHasReachedIt() {
    live.seen("power");
    tick(1_000, 1);
    advance();
    assertThat(sums()).isEmpty();
    tick(STEP, 2);
    advance();
    assertThat(sums()).containsOnlyKeys(STEP).containsValue(2.0);
    tick(2 * STEP - 1, 3);
    advance();
    assertThat(sums()).hasSize(1);
    tick(3 * STEP, 4);
    advance();
    assertThat(sums()).containsEntry(2 * STEP, 3.0).containsEntry(3 * STEP, 4.0);
    assertThat(live.bytes()).isPositive();
  }

  @Test
  void aLateSampleHidesTheStepsThatCanSeeItUntilTheyAreComputedAgain() {
    live.seen("power");
    for (int i = 0; i <= 20; i++) {
      tick(i * STEP, i);
    }
    advance();
    assertThat(sums()).hasSize(21);
    tick(5 * STEP + 1, 99);
    assertThat(sums().keySet())
        .doesNotContain(6 * STEP, 7 * STEP, 8 * STEP, 9 * STEP)
        .contains(5 * STEP, 10 * STEP);
    advance();
    assertThat(sums()).hasSize(21).containsEntry(6 * STEP, 6.0);
    samples.remove(6 * STEP);
    live.touch(6 * STEP);
    advance();
    assertThat(sums()).containsEntry(6 * STEP, 99.0).containsEntry(7 * STEP, 7.0);
  }

  @Test
  void manyStepsAreComputedInSeveralCalls() {
    live.seen("power");
    for (int i = 0; i < 2_000; i++) {
      tick(i * STEP, i);
    }
    assertThat(advance()).isTrue();
    assertThat(sums()).hasSize(960);
    assertThat(advance()).isTrue();
    assertThat(sums()).hasSize(1_920);
    assertThat(advance()).isFalse();
    assertThat(sums()).hasSize(2_000);
    assertThat(advance()).isFalse();
    List<RollupPage> pages = live.pages(POWER);
    assertThat(pages).allSatisfy(page -> assertThat(page.steps()).isLessThanOrEqualTo(960));
  }

  @Test
  void shortPagesAreJoined() {
    live.seen("power");
    for (int i = 0; i < 240; i++) {
      tick(i * STEP, i);
      advance();
    }
    assertThat(live.pages(POWER)).hasSize(2);
    assertThat(sums()).hasSize(240);
  }

  @Test
  void stepsOfABlockAreRemoved() {
    live.seen("power");
    for (int i = 0; i <= 20; i++) {
      tick(i * STEP, i);
    }
    advance();
    live.dropBefore(7 * STEP + 1);
    assertThat(sums().firstKey()).isEqualTo(8 * STEP);
    live.dropBefore(10 * STEP);
    assertThat(sums().firstKey()).isEqualTo(10 * STEP);
    tick(21 * STEP, 21);
    advance();
    assertThat(sums().lastKey()).isEqualTo(21 * STEP);
  }

  @Test
  void droppingBeforeAnythingWasComputedIsNothing() {
    live.dropBefore(1_000);
    live.seen("power");
    tick(STEP, 1);
    advance();
    assertThat(sums()).hasSize(1);
  }

  @Test
  void aReaderKeepsThePagesItHas() {
    live.seen("power");
    for (int i = 0; i <= 20; i++) {
      tick(i * STEP, i);
    }
    advance();
    List<RollupPage> before = new ArrayList<>(live.pages(POWER));
    int steps = before.stream().mapToInt(RollupPage::steps).sum();
    live.dropBefore(10 * STEP);
    tick(22 * STEP, 1);
    advance();
    assertThat(before.stream().mapToInt(RollupPage::steps).sum()).isEqualTo(steps);
  }
}
