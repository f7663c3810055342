package io.fleetgauge.gateway.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RollupFitTest {
  private static final long STEP = 15_000;
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          300_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "power|energy_.*"),
                  List.of("rack", "tenant"),
                  true,
                  List.of(60_000L, 300_000L)),
              new RollupRules.Rule(
                  Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "power|counter"),
                  List.of("Hostname"),
                  false,
                  List.of(60_000L))));

  private static RollupFit.Outcome fit(String text, long start, long step, int steps)
      throws Exception {
    return fit(text, start, step, steps, RULES, 300_000);
  }

  private static RollupFit.Outcome fit(
      String text, long start, long step, int steps, RollupRules rules, long lookback)
      throws Exception {
    long end = start + (steps - 1) * step;
    Expr expr = Parser.parse(text, new ParseOptions(Set.of(), end - start, step));
    Query query =
        new Query(text, expr, start, end, step, Query.Settings.STOCK.withLookback(lookback));
    return RollupFit.of(
        query, (Expr.Aggregate) expr, new Grid(start, Math.max(1, step), end), rules);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sum(power)",
        "avg by (rack) (power)",
        "min by (rack, tenant) (power)",
        "max by (tenant) (power{rack=\"r1\"})",
        "count(power{tenant=~\"a|b\"})",
        "group by (rack) (power)",
        "sum without (gpu) (power)",
        "sum((power))",
        "sum(power offset 30s)",
        "sum by (rack) (rate(power[1m]))",
        "sum by (rack) (increase(energy_joules[5m]))",
        "sum by (Hostname) (rate(counter[1m]))"
      })
  void whatTheRulesCoverFits(String text) throws Exception {
    RollupFit.Outcome outcome = fit(text, 10 * STEP, STEP, 4);
    assertThat(outcome.obstacle()).isEmpty();
    assertThat(outcome.fit()).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "stddev(power)                      | rollups do not support stddev",
        "quantile(0.5, power)               | rollups do not support quantile",
        "topk(1, power)                     | rollups do not support topk",
        "count_values(\"v\", power)         | rollups do not support count_values",
        "sum(power * 2)                     | rollups cover selectors and their rate and increase",
        "sum(irate(power[1m]))              | rollups cover selectors and their rate and increase",
        "sum(power @ 5)                     | the selector has an @ modifier or extended range"
            + " edges",
        "sum({__name__=~\"power\"})         | the selector does not name exactly one metric",
        "sum({rack=\"r1\"})                 | the selector does not name exactly one metric",
        "sum(other)                         | no rollup rule computes {__name__=\"other\"}",
        "sum(counter)                       | no rollup rule computes {__name__=\"counter\"}",
        "sum(rate(power[2m]))               | no rollup rule computes"
            + " rate({__name__=\"power\"}[2m])",
        "sum(power{gpu=\"0\"})              | the label gpu is not a label of the rollup rule",
        "sum by (gpu) (power)               | the label gpu is not a label of the rollup rule",
        "sum by (Hostname) (power)          | the label Hostname is not a label of the rollup rule",
        "sum(power offset 7s)               | the steps are not multiples of 15000 ms"
      })
  void whatTheyDoNotCoverSaysWhy(String text, String why) throws Exception {
    RollupFit.Outcome outcome = fit(text, 10 * STEP, STEP, 4);
    assertThat(outcome.fit()).isEmpty();
    assertThat(outcome.obstacle()).startsWith(why);
  }

  @Test
  void stepsHaveToBeStepsOfTheRollup() throws Exception {
    assertThat(fit("sum(power)", 10 * STEP + 1, STEP, 4).fit()).isEmpty();
    assertThat(fit("sum(power)", 10 * STEP, STEP + 1, 4).fit()).isEmpty();
    assertThat(fit("sum(power)", 10 * STEP, 4 * STEP, 4).fit()).isPresent();
    assertThat(fit("sum(power)", 10 * STEP, 0, 1).fit()).as("an instant query").isPresent();
    assertThat(fit("sum(power offset 1m)", 10 * STEP, STEP, 4).fit().orElseThrow().first())
        .isEqualTo(6 * STEP);
  }

  @Test
  void theLookbackHasToBeThatOfTheRulesUnlessThereIsAWindow() throws Exception {
    assertThat(fit("sum(power)", STEP, STEP, 2, RULES, 60_000).obstacle())
        .isEqualTo("the lookback is not 300000 ms");
    assertThat(fit("sum(rate(power[1m]))", STEP, STEP, 2, RULES, 60_000).fit()).isPresent();
  }

  @Test
  void withoutRulesNothingFits() throws Exception {
    assertThat(fit("sum(power)", STEP, STEP, 2, RollupRules.NONE, 300_000).obstacle())
        .isEqualTo("there are no rollup rules");
  }

  @Test
  void theCounterOfARateIsNamedForAnnotations() throws Exception {
    assertThat(fit("sum(power)", STEP, STEP, 2).fit().orElseThrow().counter()).isEmpty();
    assertThat(fit("sum(rate(power[1m]))", STEP, STEP, 2).fit().orElseThrow().counter())
        .isEqualTo("power");
  }

  @Test
  void pagesOfManyHostsAreMergedByTheLabelsThatMatter() throws Exception {
    assertThat(coarser("sum(power)")).contains(List.of());
    assertThat(coarser("sum by (rack) (power)")).contains(List.of("rack"));
    assertThat(coarser("sum by (rack) (power{tenant=\"a\"})")).isEmpty();
    assertThat(coarser("sum(power{tenant=\"a\"})")).contains(List.of("tenant"));
    assertThat(coarser("sum without (rack) (power)")).contains(List.of("tenant"));
    assertThat(coarser("sum without (gpu) (power)")).isEmpty();
  }

  private static Optional<List<String>> coarser(String text) throws Exception {
    return fit(text, STEP, STEP, 2).fit().orElseThrow().coarser(RULES);
  }

  @Test
  void theFirstRuleThatMatchesAMetricApplies() {
    assertThat(RULES.of("power").labels()).containsExactly("rack", "tenant");
    assertThat(RULES.of("power").keys())
        .containsExactly(
            new RollupKey("power", RollupShape.Kind.LATEST, 0),
            new RollupKey("power", RollupShape.Kind.RATE, 60_000),
            new RollupKey("power", RollupShape.Kind.INCREASE, 60_000),
            new RollupKey("power", RollupShape.Kind.RATE, 300_000),
            new RollupKey("power", RollupShape.Kind.INCREASE, 300_000));
    assertThat(RULES.of("counter").keys()).hasSize(2);
    assertThat(RULES.of("other").keys()).isEmpty();
    assertThat(RULES.isEmpty()).isFalse();
    assertThat(RollupRules.NONE.isEmpty()).isTrue();
  }

  @Test
  void theHorizonIsTheLookbackOrTheWindow() {
    assertThat(RULES.horizon(new RollupKey("power", RollupShape.Kind.LATEST, 0)))
        .isEqualTo(300_000);
    assertThat(RULES.horizon(new RollupKey("power", RollupShape.Kind.RATE, 60_000)))
        .isEqualTo(60_000);
    assertThat(RULES.horizon()).isEqualTo(300_000);
    RollupRules wide =
        new RollupRules(
            STEP,
            300_000,
            List.of(
                new RollupRules.Rule(
                    Matcher.equal(Labels.NAME, "m"), List.of(), false, List.of(3_600_000L))));
    assertThat(wide.horizon()).isEqualTo(3_600_000);
  }

  @Test
  void keysAreOrderedByMetricThenKindThenWindow() {
    RollupKey a = new RollupKey("a", RollupShape.Kind.RATE, 60_000);
    assertThat(a).isEqualByComparingTo(new RollupKey("a", RollupShape.Kind.RATE, 60_000));
    assertThat(a)
        .isLessThan(new RollupKey("b", RollupShape.Kind.LATEST, 0))
        .isLessThan(new RollupKey("a", RollupShape.Kind.INCREASE, 1))
        .isLessThan(new RollupKey("a", RollupShape.Kind.RATE, 60_001))
        .isGreaterThan(new RollupKey("a", RollupShape.Kind.LATEST, 0));
  }

  @Test
  void everyOperatorHasDecided() {
    for (Aggregation op : Aggregation.values()) {
      assertThat(FoldRows.of(op).isPresent())
          .isEqualTo(
              Set.of(
                      Aggregation.SUM,
                      Aggregation.AVG,
                      Aggregation.MIN,
                      Aggregation.MAX,
                      Aggregation.COUNT,
                      Aggregation.GROUP)
                  .contains(op));
    }
  }
}
