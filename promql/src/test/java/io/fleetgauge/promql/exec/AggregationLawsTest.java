package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Aggregations that pick elements, and those with a parameter, at its edges. */
class AggregationLawsTest {
  private static final int COUNT = 200;

  /** Series with few different values, so that there are many ties, and with NaN. */
  private static InMemorySeries ties(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Series> all = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      double value = random.nextInt(12) == 0 ? Double.NaN : random.nextInt(-3, 5);
      all.add(Runs.sample(value, "__name__", "x", "gpu", "" + i, "rack", "r" + i % 3));
    }
    return new InMemorySeries(all);
  }

  private static int rank(double a, double b, boolean top) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return Boolean.compare(Double.isNaN(a), Double.isNaN(b));
    }
    return top ? Double.compare(b, a) : Double.compare(a, b);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theFirstOfEachGroupAreThoseOfItsSortedValues(long seed) throws Exception {
    InMemorySeries series = ties(seed);
    Map<Labels, Double> all = Runs.instant("x", 0, series);
    for (int k : new int[] {1, 2, 5, 60, 66, 67, 1_000}) {
      for (String op : List.of("topk", "bottomk")) {
        Map<Labels, Double> picked = Runs.instant(op + " by (rack) (" + k + ", x)", 0, series);
        picked.forEach((labels, value) -> assertThat(all).containsEntry(labels, value));
        for (String rack : List.of("r0", "r1", "r2")) {
          List<Double> sorted =
              all.entrySet().stream()
                  .filter(one -> one.getKey().value("rack").equals(rack))
                  .map(Map.Entry::getValue)
                  .sorted((a, b) -> rank(a, b, op.equals("topk")))
                  .limit(k)
                  .toList();
          // They come in the order of their rank.
          assertThat(
                  picked.entrySet().stream()
                      .filter(one -> one.getKey().value("rack").equals(rack))
                      .map(Map.Entry::getValue))
              .as("%s(%d) of %s", op, k, rack)
              .containsExactlyElementsOf(sorted);
        }
      }
    }
  }

  @Test
  void ofEqualValuesAlwaysTheSameArePicked() throws Exception {
    for (String query : List.of("topk(7, x)", "bottomk(7, x)", "limitk(7, x)")) {
      Map<Labels, Double> once = Runs.instant(query, 0, ties(5));
      assertThat(once).hasSize(7);
      assertThat(Runs.instant(query, 0, ties(5))).isEqualTo(once);
      assertThat(Runs.range(query, 0, 0, 1_000, ties(5)).get(0L)).isEqualTo(once);
    }
  }

  @ParameterizedTest
  @CsvSource({"topk, 0", "bottomk, 0.99", "limitk, -1", "topk, -1e300", "limitk, -Inf"})
  void aCountBelowOnePicksNothing(String op, String count) throws Exception {
    assertThat(Runs.instant(op + "(" + count + ", x)", 0, ties(1))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"topk, NaN, NaN", "bottomk, Inf, +Inf", "limitk, 1e19, 10000000000000000000"})
  void aCountThatIsNoWholeNumberOfSixtyFourBitsFailsOnlyWhereThereAreSamples(
      String op, String count, String shown) throws Exception {
    assertThatThrownBy(() -> Runs.instant(op + "(" + count + ", x)", 0, ties(1)))
        .isInstanceOf(QueryFailure.class)
        .hasMessage("Scalar value " + shown + " overflows int64");
    assertThat(Runs.instant(op + "(" + count + ", nosuch)", 0, ties(1))).isEmpty();
  }

  @Test
  void limitkIsTheFirstSeriesOfEachGroup() throws Exception {
    Map<Labels, Double> all = Runs.instant("x", 0, ties(1));
    Map<String, Integer> taken = new HashMap<>();
    Map<Labels, Double> wanted = new HashMap<>();
    all.forEach(
        (labels, value) -> {
          if (taken.merge(labels.value("rack"), 1, Integer::sum) <= 4) {
            wanted.put(labels, value);
          }
        });
    assertThat(Runs.instant("limitk by (rack) (4, x)", 0, ties(1))).isEqualTo(wanted).hasSize(12);
  }

  @Test
  void aRatioAndItsComplementShareTheSeriesAndAGreaterRatioTakesMore() throws Exception {
    Set<Labels> all = Runs.instant("x", 0, ties(1)).keySet();
    Set<Labels> before = Set.of();
    for (int eighths = 0; eighths <= 8; eighths++) {
      double ratio = eighths / 8.0;
      Set<Labels> share = Runs.instant("limit_ratio(" + ratio + ", x)", 0, ties(1)).keySet();
      Set<Labels> rest = Runs.instant("limit_ratio(" + (ratio - 1) + ", x)", 0, ties(1)).keySet();
      Set<Labels> both = new HashSet<>(share);
      if (eighths < 8) { // a ratio of -0 is one of 0, and no complement
        both.addAll(rest);
        assertThat(both).isEqualTo(all).hasSize(share.size() + rest.size());
      }
      assertThat(share).containsAll(before);
      assertThat((double) share.size()).isBetween(COUNT * ratio - 40, COUNT * ratio + 40);
      before = share;
    }
    assertThat(before).isEqualTo(all);
    assertThatThrownBy(() -> Runs.instant("limit_ratio(NaN, x)", 0, ties(1)))
        .hasMessage("Ratio value NaN is NaN");
  }

  private static final InMemorySeries VALUES =
      new InMemorySeries(
          List.of(
              Runs.sample(1, "__name__", "v", "i", "0"),
              Runs.sample(2, "__name__", "v", "i", "1"),
              Runs.sample(4, "__name__", "v", "i", "2"),
              Runs.sample(8, "__name__", "v", "i", "3"),
              Runs.sample(Double.NaN, "__name__", "n", "i", "0"),
              Runs.sample(3, "__name__", "n", "i", "1"),
              Runs.sample(Double.POSITIVE_INFINITY, "__name__", "w", "i", "0"),
              Runs.sample(-0.0, "__name__", "w", "i", "1"),
              Runs.sample(0, "__name__", "w", "i", "2"),
              Runs.sample(Double.NaN, "__name__", "w", "i", "3"),
              Runs.sample(1e21, "__name__", "w", "i", "4"),
              Runs.sample(0.1, "__name__", "w", "i", "5"),
              Runs.sample(0.1, "__name__", "w", "i", "6")));

  @ParameterizedTest
  @CsvSource({
    "0, v, 1",
    "1, v, 8",
    "0.5, v, 3",
    "0.25, v, 1.75",
    "-0.01, v, -Infinity",
    "1.01, v, Infinity",
    "NaN, v, NaN",
    "Inf, v, Infinity",
    "-Inf, v, -Infinity",
    "0, n, NaN",
    "1, n, 3",
    "0.5, v{i='2'}, 4"
  })
  void aQuantileLiesBetweenTheNeighboursOfItsRankAndOutsideZeroToOneIsInfinite(
      String quantile, String of, double value) throws Exception {
    assertThat(Runs.instant("quantile(" + quantile + ", " + of.replace('\'', '"') + ")", 0, VALUES))
        .containsExactly(Map.entry(Labels.EMPTY, value));
    assertThat(Runs.instant("quantile(" + quantile + ", nosuch)", 0, VALUES)).isEmpty();
  }

  @Test
  void eachValueIsCountedUnderItsText() throws Exception {
    Map<String, Double> counts = new HashMap<>();
    Runs.instant("count_values(\"value\", w)", 0, VALUES)
        .forEach((labels, count) -> counts.put(labels.value("value"), count));
    assertThat(counts)
        .isEqualTo(
            Map.of(
                "+Inf",
                1.0,
                "-0",
                1.0,
                "0",
                1.0,
                "NaN",
                1.0,
                "1000000000000000000000",
                1.0,
                "0.1",
                2.0));
  }

  @Test
  void theLabelOfAValueReplacesThatOfTheGroup() throws Exception {
    assertThat(Runs.instant("count_values by (i) (\"i\", v)", 0, VALUES))
        .isEqualTo(
            Map.of(
                Labels.of("i", "1"),
                1.0,
                Labels.of("i", "2"),
                1.0,
                Labels.of("i", "4"),
                1.0,
                Labels.of("i", "8"),
                1.0));
    assertThat(Runs.instant("count_values without (i) (\"x y\", v > 2)", 0, VALUES))
        .isEqualTo(Map.of(Labels.of("x y", "4"), 1.0, Labels.of("x y", "8"), 1.0));
  }

  /** Laws between operators, over random series. */
  @ParameterizedTest
  @ValueSource(longs = {6, 7, 8})
  void operatorsAgreeWithEachOther(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    Map<String, String> equal =
        Map.of(
            "sum by (rack) (power)", "sum by (rack) (sum by (rack, gpu) (power))",
            "count by (rack) (power)", "sum by (rack) (group by (rack, gpu, node) (power))",
            "max by (rack) (power)", "quantile by (rack) (1, power)",
            "min by (rack) (power)", "quantile by (rack) (0, power)",
            "max (power)", "sum(topk(1, power))",
            "min (power)", "sum(bottomk(1, power))",
            "sum without (gpu, node, machine, Hostname) (power)", "sum by (rack) (power)",
            "-sum(power)", "sum(-power)",
            "count(power)", "sum(count_values(\"v\", power))",
            "count(power > 100) + count(power <= 100)", "count(power)");
    for (var laws : equal.entrySet()) {
      var left = Runs.range(laws.getKey(), 20_000, 170_000, 10_000, series);
      assertThat(left).as(laws.getKey()).isNotEmpty();
      var right = Runs.range(laws.getValue(), 20_000, 170_000, 10_000, series);
      assertThat(right.keySet()).containsAll(left.keySet());
      left.forEach(
          (time, values) ->
              values.forEach(
                  (labels, value) ->
                      assertThat(right.get(time).get(labels))
                          .as("%s at %d", laws, time)
                          .isCloseTo(
                              value, org.assertj.core.data.Percentage.withPercentage(1e-9))));
    }
  }
}
