package io.fleetgauge.gateway.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RollupFoldTest {
  private static final long STEP = 15_000;
  private static final int STEPS = 3;
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.equal(Labels.NAME, "power"),
                  List.of("rack", "tenant"),
                  true,
                  List.of())));

  private static RollupFit fit(String text) throws Exception {
    Expr expr = Parser.parse(text, new ParseOptions(Set.of(), (STEPS - 1) * STEP, STEP));
    Query query = new Query(text, expr, 0, (STEPS - 1) * STEP, STEP, Query.Settings.STOCK);
    return RollupFit.of(query, (Expr.Aggregate) expr, new Grid(0, STEP, (STEPS - 1) * STEP), RULES)
        .fit()
        .orElseThrow();
  }

  private static RollupPage.Group group(
      String rack, String tenant, int[] count, double[] sum, double[] min, double[] max) {
    return new RollupPage.Group(
        Labels.of("rack", rack, "tenant", tenant), count, sum, null, null, min, max);
  }

  /** Two series of r1 and a, one of r1 and b that begins at the second step, one of r2 and a. */
  private static RollupPage page(List<String> others) {
    return new RollupPage(
        0,
        STEPS,
        others,
        List.of(
            group(
                "r1",
                "a",
                new int[] {2, 2, 2},
                new double[] {30, 32, 34},
                new double[] {10, 11, 12},
                new double[] {20, 21, 22}),
            group(
                "r1",
                "b",
                new int[] {0, 1, 1},
                new double[] {0, 5, 6},
                new double[] {0, 5, 6},
                new double[] {0, 5, 6}),
            group(
                "r2",
                "a",
                new int[] {1, 1, 0},
                new double[] {100, 101, 0},
                new double[] {100, 101, 0},
                new double[] {100, 101, 0})));
  }

  /** By group: the counts, then the numbers. */
  private static Map<String, String> result(RollupFold fold) {
    Map<String, String> found = new TreeMap<>();
    for (Partial partial : fold.partials()) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < partial.count().length; i++) {
        text.append(text.isEmpty() ? "" : " ").append(partial.count()[i]);
        if (partial.numbers().length > 0 && partial.count()[i] > 0) {
          text.append(':').append((long) partial.numbers()[0][i]);
        }
      }
      found.put(partial.group().toString(), text.toString());
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "sum(power)                     | {}             | 3:130 4:138 3:40",
        "avg(power)                     | {}             | 3:130 4:138 3:40",
        "min(power)                     | {}             | 3:10 4:5 3:6",
        "max(power)                     | {}             | 3:100 4:101 3:22",
        "count(power)                   | {}             | 3 4 3",
        "group(power)                   | {}             | 3 4 3",
        "sum by (rack) (power{rack=\"r2\"}) | {rack=\"r2\"}  | 1:100 1:101 0",
        "sum by (tenant) (power{tenant!=\"a\"}) | {tenant=\"b\"} | 0 1:5 1:6",
        "max(power{rack=\"r1\"})        | {}             | 2:20 3:21 3:22"
      })
  void groupsThatMatchAreMerged(String text, String group, String row) throws Exception {
    RollupFold fold = new RollupFold(fit(text), STEPS);
    assertThat(fold.add(page(List.of("gpu")), 0, 1, STEPS, 0)).isTrue();
    assertThat(result(fold)).isEqualTo(Map.of(group, row));
    assertThat(fold.matchedAny()).isTrue();
    assertThat(fold.cells()).isPositive();
  }

  @Test
  void stepsAreTakenWithAStrideAndPutWhereTheyBelong() throws Exception {
    RollupFold fold = new RollupFold(fit("sum by (rack) (power{rack=\"r1\"})"), 4);
    assertThat(fold.add(page(List.of()), 0, 2, 2, 1)).isTrue();
    assertThat(result(fold)).isEqualTo(Map.of("{rack=\"r1\"}", "0 2:30 3:40 0"));
  }

  @Test
  void pagesAndPartialsOfSamplesAddUp() throws Exception {
    RollupFit fit = fit("sum(power)");
    RollupFold first = new RollupFold(fit, STEPS);
    first.add(page(List.of()), 0, 1, STEPS, 0);
    RollupFold both = new RollupFold(fit, STEPS);
    both.add(page(List.of()), 0, 1, 2, 0);
    List<Partial> last = new RollupFoldTest().lastStep(fit);
    assertThat(both.add(last, 2)).isTrue();
    assertThat(result(both)).isEqualTo(result(first));
    assertThat(both.cells()).isLessThan(first.cells());
  }

  private List<Partial> lastStep(RollupFit fit) {
    RollupFold fold = new RollupFold(fit, 1);
    fold.add(page(List.of()), 2, 1, 1, 0);
    return fold.partials();
  }

  @Test
  void aWithoutThatKeepsOtherLabelsCannotBeAnswered() throws Exception {
    RollupFit without = fit("sum without (tenant) (power)");
    assertThat(new RollupFold(without, STEPS).add(page(List.of("gpu")), 0, 1, STEPS, 0)).isFalse();
    RollupFold fits = new RollupFold(without, STEPS);
    assertThat(fits.add(page(List.of()), 0, 1, STEPS, 0)).isTrue();
    assertThat(result(fits)).containsOnlyKeys("{rack=\"r1\"}", "{rack=\"r2\"}");
    RollupFold named = new RollupFold(fit("sum without (tenant, gpu) (power)"), STEPS);
    assertThat(named.add(page(List.of("gpu")), 0, 1, STEPS, 0)).isTrue();
  }

  @Test
  void groupsWithoutAValueAreLeftOut() throws Exception {
    RollupFold fold = new RollupFold(fit("sum by (rack) (power)"), 1);
    fold.add(page(List.of()), 2, 1, 1, 0);
    assertThat(result(fold)).containsOnlyKeys("{rack=\"r1\"}");
    RollupFold none = new RollupFold(fit("sum by (rack) (power{rack=\"r9\"})"), STEPS);
    none.add(page(List.of()), 0, 1, STEPS, 0);
    assertThat(none.partials()).isEmpty();
    assertThat(none.matchedAny()).isFalse();
    assertThat(none.cells()).isZero();
  }
}
