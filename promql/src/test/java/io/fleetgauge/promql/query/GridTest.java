package io.fleetgauge.promql.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GridTest {
  private static final Expr.Selector X =
      new Expr.Selector(List.of(Matcher.equal("__name__", "x")), Expr.Shift.NONE, TextSpan.NONE);

  private static Query query(long start, long end, long step, long maxSamples) {
    return new Query("x", X, start, end, step, Query.Settings.STOCK.withMaxSamples(maxSamples));
  }

  private static List<Long> times(Grid grid) {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < grid.size(); i++) {
      times.add(grid.time(i));
    }
    return times;
  }

  @Test
  void aGridHasItsStartAndNoStepAfterItsEnd() {
    assertThat(times(new Grid(10, 5, 24))).containsExactly(10L, 15L, 20L);
    assertThat(times(new Grid(10, 5, 25))).containsExactly(10L, 15L, 20L, 25L);
    assertThat(times(new Grid(10, 5, 9))).isEmpty();
    assertThat(new Grid(10, 5, 24).last()).isEqualTo(20);
    assertThat(times(new Grid(10, 5, 24).first())).containsExactly(10L);
    assertThat(times(query(7, 7, 0, 100).grid())).containsExactly(7L);
  }

  @Test
  void atAndOffsetMoveTheTimeOfAnExpression() {
    Query query = query(100, 200, 10, 100);
    assertThat(Grid.lookAt(query, Expr.Shift.NONE, 150)).isEqualTo(150);
    assertThat(Grid.lookAt(query, new Expr.Shift(Optional.empty(), 30), 150)).isEqualTo(120);
    assertThat(Grid.lookAt(query, new Expr.Shift(Optional.empty(), -30), 150)).isEqualTo(180);
    assertThat(Grid.lookAt(query, new Expr.Shift(Optional.of(new Expr.At.Time(7)), 3), 150))
        .isEqualTo(4);
    assertThat(Grid.lookAt(query, new Expr.Shift(Optional.of(new Expr.At.Start()), 0), 150))
        .isEqualTo(100);
    assertThat(Grid.lookAt(query, new Expr.Shift(Optional.of(new Expr.At.End()), 1), 150))
        .isEqualTo(199);
  }

  /** From the start of the first window, which is open, to the end of the last. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aSubqueryHasTheMultiplesOfItsStepInItsWindows(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 500; round++) {
      long start = random.nextLong(-500, 500);
      long outerStep = 1 + random.nextLong(40);
      Grid outer = new Grid(start, outerStep, start + outerStep * random.nextInt(6));
      long range = 1 + random.nextLong(100);
      long step = 1 + random.nextLong(30);
      long offset = random.nextLong(-50, 50);
      Expr.Subquery subquery =
          new Expr.Subquery(
              X, range, step, new Expr.Shift(Optional.empty(), offset), TextSpan.NONE);
      TreeSet<Long> wanted = new TreeSet<>();
      for (long at = outer.start() - offset - range + 1; at <= outer.end() - offset; at++) {
        if (Math.floorMod(at, step) == 0) {
          wanted.add(at);
        }
      }
      assertThat(times(Grid.of(query(start, outer.end(), outerStep, 10_000), outer, subquery)))
          .isEqualTo(List.copyOf(wanted));
    }
  }

  @Test
  void aSubqueryWithMoreStepsThanSamplesAreAllowedIsRefused() throws Exception {
    Grid outer = new Grid(1_000, 1, 1_000);
    Expr.Subquery subquery = new Expr.Subquery(X, 100, 1, Expr.Shift.NONE, TextSpan.NONE);
    assertThat(Grid.of(query(1_000, 1_000, 0, 100), outer, subquery).size()).isEqualTo(100);
    assertThatThrownBy(() -> Grid.of(query(1_000, 1_000, 0, 99), outer, subquery))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("the limit is 99");
  }

  @Test
  void aSubqueryWithoutAStepHasThatOfTheSettings() throws Exception {
    Grid outer = new Grid(120_000, 1, 120_000);
    Expr.Subquery subquery = new Expr.Subquery(X, 120_000, 0, Expr.Shift.NONE, TextSpan.NONE);
    assertThat(times(Grid.of(query(120_000, 120_000, 0, 100), outer, subquery)))
        .containsExactly(60_000L, 120_000L);
  }
}
