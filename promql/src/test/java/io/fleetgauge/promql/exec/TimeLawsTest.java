package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When an expression is evaluated: offset, {@code @}, the steps of queries and subqueries. */
class TimeLawsTest {
  /** Expressions with the place of a modifier. */
  private static final List<String> SHIFTED =
      List.of(
          "power%s",
          "{__name__=~\"power|util\",gpu=\"0\"}%s",
          "rate(requests_total[1m]%s)",
          "last_over_time(power[30s]%s)",
          "sum by (rack) (util%s)",
          "topk(2, power%s)",
          "max_over_time(power[1m:15s]%s)",
          "count_over_time((power > 100)[90s:7s]%s)",
          "rate(requests_total[1m:]%s)",
          "absent(power{gpu=\"9\"}%s)",
          "power%s smoothed",
          "increase(requests_total[1m]%s anchored)");

  private static String text(String expression, String modifier) {
    return String.format(java.util.Locale.ROOT, expression, modifier);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anOffsetIsTheAnswerOfThatTimeAndAnAtThatOfItsTime(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 25; round++) {
      long time = random.nextLong(0, 200_000);
      long offset = random.nextLong(-60_000, 60_000);
      long fixed = random.nextLong(0, 200_000);
      String back = " offset " + (offset < 0 ? "-" : "") + Math.abs(offset) + "ms";
      String at = " @ " + fixed / 1000 + "." + String.format("%03d", fixed % 1000);
      for (String expression : SHIFTED) {
        String plain = text(expression, "");
        assertThat(Runs.instant(text(expression, back), time, series))
            .as("%s at %d", text(expression, back), time)
            .isEqualTo(Runs.instant(plain, time - offset, series));
        assertThat(Runs.instant(text(expression, at), time, series))
            .as("%s at %d", text(expression, at), time)
            .isEqualTo(Runs.instant(plain, fixed, series));
        assertThat(Runs.instant(text(expression, at + back), time, series))
            .isEqualTo(Runs.instant(plain, fixed - offset, series))
            .isEqualTo(Runs.instant(text(expression, back + at), 0, series));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5})
  void startAndEndAreThoseOfTheQueryAtEveryStep(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    for (String expression : SHIFTED) {
      Map<Labels, Double> first = Runs.instant(text(expression, ""), 50_000, series);
      Map<Labels, Double> last = Runs.instant(text(expression, ""), 121_000, series);
      var atStart = Runs.range(text(expression, " @ start()"), 50_000, 121_000, 9_000, series);
      var atEnd = Runs.range(text(expression, " @ end()"), 50_000, 121_000, 9_000, series);
      assertThat(atStart).hasSize(first.isEmpty() ? 0 : 8);
      assertThat(atEnd).hasSize(last.isEmpty() ? 0 : 8);
      assertThat(atStart.values()).as(expression).allMatch(first::equals);
      assertThat(atEnd.values()).as(expression).allMatch(last::equals);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {6, 7})
  void eachStepOfARangeQueryIsTheInstantQueryOfThatTime(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    for (String expression : SHIFTED) {
      for (long step : new long[] {1_000, 7_000, 60_000}) {
        String text = text(expression, " offset 3s");
        var range = Runs.range(text, 20_000, 190_000, step, series);
        for (long time = 20_000; time <= 190_000; time += step) {
          assertThat(range.getOrDefault(time, Map.of()))
              .as("%s at %d", text, time)
              .isEqualTo(Runs.instant(text, time, series));
        }
        assertThat(range.keySet()).allMatch(time -> (time - 20_000) % step == 0);
      }
    }
  }

  /** What {@code FUNCTION((E)[range:step])} folds: E at the multiples of step in the window. */
  private static Map<Labels, Double> folded(
      String inner,
      long time,
      long range,
      long step,
      BinaryOperator<Double> fold,
      boolean count,
      InMemorySeries series)
      throws Exception {
    Map<Labels, Double> all = new HashMap<>();
    for (long at = Math.floorDiv(time - range, step) * step + step; at <= time; at += step) {
      for (var sample : Runs.instant(inner, at, series).entrySet()) {
        all.merge(sample.getKey().with(Labels.NAME, ""), count ? 1.0 : sample.getValue(), fold);
      }
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 9, 10})
  void aSubqueryFoldsTheAnswersAtTheMultiplesOfItsStep(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    SplittableRandom random = new SplittableRandom(seed);
    List<String> inners =
        List.of("power", "rate(requests_total[1m])", "sum by (rack) (util)", "power > 150");
    Map<String, BinaryOperator<Double>> folds =
        Map.of(
            "max_over_time", Math::max,
            "min_over_time", Math::min,
            "count_over_time", Double::sum,
            "last_over_time", (earlier, later) -> later);
    for (int round = 0; round < 12; round++) {
      long time = random.nextLong(-30_000, 220_000);
      long step = 1 + random.nextLong(20_000);
      long range = step + random.nextLong(60_000);
      for (String inner : inners) {
        for (var fold : folds.entrySet()) {
          String text = fold.getKey() + "((" + inner + ")[" + range + "ms:" + step + "ms])";
          Map<Labels, Double> got = new HashMap<>();
          Runs.instant(text, time, series)
              .forEach((labels, value) -> got.put(labels.with(Labels.NAME, ""), value));
          boolean count = fold.getKey().startsWith("count");
          assertThat(got)
              .as("%s at %d", text, time)
              .isEqualTo(folded(inner, time, range, step, fold.getValue(), count, series));
        }
      }
    }
  }

  @Test
  void aSubqueryWithoutAStepHasTheDefaultStep() throws Exception {
    InMemorySeries series = Runs.series(1);
    for (long time : new long[] {59_999, 60_000, 119_999, 120_000, 185_000}) {
      for (String inner : List.of("power", "rate(requests_total[1m])")) {
        assertThat(Runs.instant("count_over_time((" + inner + ")[2m:])", time, series))
            .isEqualTo(Runs.instant("count_over_time((" + inner + ")[2m:1m])", time, series));
      }
    }
  }

  /** A query of a minute's steps asks a subquery's inner expression on one grid for all of them. */
  @Test
  void subqueriesOfARangeQueryAreThoseOfItsSteps() throws Exception {
    InMemorySeries series = Runs.series(2);
    String text = "sum_over_time(sum by (rack) (power)[45s:10s] offset 5s)";
    Map<Long, Map<Labels, Double>> wanted = new TreeMap<>();
    for (long time = 0; time <= 200_000; time += 11_000) {
      Map<Labels, Double> one = Runs.instant(text, time, series);
      if (!one.isEmpty()) {
        wanted.put(time, one);
      }
    }
    assertThat(Runs.range(text, 0, 200_000, 11_000, series)).isEqualTo(wanted);
  }
}
