package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Laws between the two sides of an operator, over random series. */
class MatchingLawsTest {
  private static final long[] TIMES = {10_000, 61_000, 125_000, 179_000};
  private static final List<String> KEYS =
      List.of("", " on (Hostname, gpu)", " ignoring (rack, node)", " ignoring (machine)");

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void sidesOfACommutativeOperatorMayBeSwapped(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    for (long time : TIMES) {
      for (String keys : KEYS) {
        for (String op : List.of("+", "*", "== bool", "!= bool")) {
          assertThat(Runs.instant("power " + op + keys + " util", time, series))
              .isEqualTo(Runs.instant("util " + op + keys + " power", time, series));
        }
        assertThat(Runs.instant("power < bool" + keys + " util", time, series))
            .isEqualTo(Runs.instant("util > bool" + keys + " power", time, series));
      }
      String many = "power * on (Hostname) group_left %s sum by (Hostname, rack) (util)";
      String one = "sum by (Hostname, rack) (util) * on (Hostname) group_right %s power";
      for (String include : List.of("", "()", "(rack)", "(nosuch)")) {
        assertThat(Runs.instant(String.format(many, include), time, series))
            .isEqualTo(Runs.instant(String.format(one, include), time, series));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void andAndUnlessPartTheLeftSideAndOrContainsIt(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    for (long time : TIMES) {
      Map<Labels, Double> left = Runs.instant("power", time, series);
      Map<Labels, Double> right = Runs.instant("util > 150", time, series);
      for (String keys : List.of("", " on (Hostname)", " on (gpu)", " on ()", " ignoring (rack)")) {
        Map<Labels, Double> both = Runs.instant("power and" + keys + " (util > 150)", time, series);
        Map<Labels, Double> none =
            Runs.instant("power unless" + keys + " (util > 150)", time, series);
        Map<Labels, Double> parts = new HashMap<>(both);
        parts.putAll(none);
        assertThat(parts).isEqualTo(left).hasSize(both.size() + none.size());
        Map<Labels, Double> either =
            Runs.instant("power or" + keys + " (util > 150)", time, series);
        assertThat(either).containsAllEntriesOf(left);
        Set<Labels> added = new HashSet<>(either.keySet());
        added.removeAll(left.keySet());
        assertThat(added)
            .isEqualTo(
                Runs.instant("(util > 150) unless" + keys + " power", time, series).keySet());
        assertThat(right.keySet()).containsAll(added);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void aComparisonKeepsWhatItsBoolFormCallsTrue(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    for (long time : TIMES) {
      for (String op : List.of("==", "!=", "<", ">", "<=", ">=")) {
        Map<Labels, Double> kept =
            Runs.instant("power " + op + " on (gpu, node) util", time, series);
        Map<Labels, Double> judged =
            Runs.instant("power " + op + " bool on (gpu, node) util", time, series);
        judged.values().removeIf(value -> value == 0);
        assertThat(kept.keySet()).isEqualTo(judged.keySet());
        assertThat(Runs.instant("power " + op + " 200", time, series).values())
            .allMatch(
                value ->
                    switch (op) {
                      case "==" -> value == 200;
                      case "!=" -> value != 200;
                      case "<" -> value < 200;
                      case ">" -> value > 200;
                      case "<=" -> value <= 200;
                      default -> value >= 200;
                    });
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10})
  void aFillStandsForEachMissingElement(long seed) throws Exception {
    InMemorySeries series = Runs.series(seed);
    for (long time : TIMES) {
      Map<Labels, Double> inner = Runs.instant("power + util", time, series);
      Map<Labels, Double> left = Runs.instant("power + fill_right(0) util", time, series);
      Map<Labels, Double> right = Runs.instant("power + fill_left(0) util", time, series);
      Map<Labels, Double> outer = Runs.instant("power + fill(0) util", time, series);
      assertThat(left).containsAllEntriesOf(inner);
      assertThat(left.keySet()).isEqualTo(Runs.instant("power * 1", time, series).keySet());
      assertThat(right.keySet()).isEqualTo(Runs.instant("util * 1", time, series).keySet());
      Map<Labels, Double> union = new HashMap<>(left);
      union.putAll(right);
      assertThat(outer).isEqualTo(union);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"group_left", "group_right", ""})
  void manyOnBothSidesIsAnErrorWhicheverSideIsCalledMany(String group) {
    InMemorySeries series =
        new InMemorySeries(
            List.of(
                Runs.sample(1, "__name__", "a", "i", "0"),
                Runs.sample(2, "__name__", "a", "i", "1"),
                Runs.sample(3, "__name__", "b", "i", "0"),
                Runs.sample(4, "__name__", "b", "i", "1")));
    assertThatThrownBy(() -> Runs.instant("a + on () " + group + " b", 0, series))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining(
            "many-to-many matching not allowed: matching labels must be unique on" + " one side");
  }
}
