package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Text before and text after: {@code rewrites.txt} has for each rewrite where it fires and where it
 * must not.
 */
class PlannerTest {
  /** A case: a query, how it is asked, and its plan. */
  record Case(int line, boolean instant, String scope, String query, String plan) {
    @Override
    public String toString() {
      return query;
    }
  }

  static Stream<Case> cases() {
    List<String> lines;
    try (var in = PlannerTest.class.getResourceAsStream("rewrites.txt")) {
      lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.startsWith("range ") && !line.startsWith("instant ")) {
        continue;
      }
      boolean instant = line.startsWith("instant ");
      String query = line.substring(line.indexOf(' ') + 1);
      String scope = "";
      if (query.startsWith("scope ")) {
        int end = query.indexOf("} ") + 1;
        scope = query.substring("scope ".length(), end);
        query = query.substring(end + 1);
      }
      StringBuilder plan = new StringBuilder();
      for (int j = i + 1; j < lines.size() && lines.get(j).startsWith("  "); j++) {
        plan.append(lines.get(j).substring(2)).append('\n');
      }
      cases.add(new Case(i + 1, instant, scope, query, plan.toString()));
    }
    return cases.stream();
  }

  private static Planned plan(Case asked, Planner.Mode mode) throws Exception {
    long end = asked.instant ? 60_000 : 3_600_000;
    long step = asked.instant ? 0 : 15_000;
    Query query =
        new Query(
            asked.query,
            Parser.parse(
                asked.query, new ParseOptions(Query.Settings.STOCK.features(), end - 60_000, step)),
            60_000,
            end,
            step,
            Query.Settings.STOCK);
    List<Matcher> scope = asked.scope.isEmpty() ? List.of() : Parser.parseSelector(asked.scope);
    return Planner.plan(query, scope, mode);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aQueryIsRewrittenAsItIsWritten(Case asked) throws Exception {
    assertThat(plan(asked, Planner.Mode.AUTO).plan().toString())
        .as("line %d", asked.line)
        .isEqualTo(asked.plan);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void thePlanRawFetchesEverything(Case asked) throws Exception {
    Planned raw = plan(asked, Planner.Mode.RAW);
    assertThat(raw.cuts()).isEmpty();
    assertThat(raw.plan().toString()).doesNotContain("shards").doesNotContain("merge");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aPartIsReadFromItsTextAsItWasPlanned(Case asked) throws Exception {
    Planned planned = plan(asked, Planner.Mode.AUTO);
    for (Planned.Cut cut : planned.cuts()) {
      assertThat(cut.text().parsed(planned.query().settings().features())).isEqualTo(cut.expr());
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aPlanReadsWhatTheQueryReadsWhereverThatIsEvaluated(Case asked) throws Exception {
    Planned planned = plan(asked, Planner.Mode.AUTO);
    assertThat(planned.reads()).isEqualTo(plan(asked, Planner.Mode.RAW).reads());
    assertThat(planned.isOneRead())
        .isEqualTo(!planned.cuts().isEmpty() && planned.selections().isEmpty());
    if (planned.needsNoSamples()) {
      assertThat(planned.selections()).isEmpty();
      assertThat(planned.cuts()).allMatch(Planned.Cut::rollups);
    }
  }

  @Test
  void someStepsOfAPlanHaveTheSamePartsAtTheirTimes() throws Exception {
    Expr sum = Parser.parse("sum(rate(x[5m]))", ParseOptions.STOCK);
    Query query = new Query("sum(rate(x[5m]))", sum, 0, 100_000, 30_000, Query.Settings.STOCK);
    Planned whole = Planner.plan(query, List.of(), Planner.Mode.AUTO);
    assertThat(whole.steps()).isEqualTo(4);
    assertThat(whole.lastStep()).isEqualTo(90_000);
    Planned some = Planner.atSteps(whole, 30_000, 60_000);
    assertThat(some.steps()).isEqualTo(2);
    assertThat(some.lastStep()).isEqualTo(60_000);
    assertThat(some.cuts()).hasSize(1);
    assertThat(some.cuts().getFirst().text()).isEqualTo(whole.cuts().getFirst().text());
    assertThat(some.cuts().getFirst().grid()).isEqualTo(new Grid(30_000, 30_000, 60_000));
    assertThat(some.reads().getFirst().selection().from()).isEqualTo(30_000 - 300_000);
    assertThat(some.reads().getFirst().selection().to()).isEqualTo(60_000);
  }

  @Test
  void aQueryThatReadsWhatNoSelectorNamesCannotHaveAScope() {
    assertThatThrownBy(
            () -> plan(new Case(0, true, "{tenant=\"a\"}", "sum(info(up))", ""), Planner.Mode.AUTO))
        .isInstanceOf(Exception.class);
    assertThatThrownBy(
            () ->
                Scope.apply(
                    Parser.parse(
                        "info(up)",
                        new ParseOptions(
                            java.util.EnumSet.allOf(io.fleetgauge.promql.expr.Feature.class),
                            0,
                            0)),
                    Parser.parseSelector("{tenant=\"a\"}")))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("group_left");
  }
}
