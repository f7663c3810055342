package io.fleetgauge.operator.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.script.ScriptException;
import io.fleetgauge.promql.script.TestSeries;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.Slots;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BackfillTest {
  private static final long MINUTE = 60_000;
  private static final int MINUTES = 2_100;

  private static final String RULES =
      """
      groups:
      - name: g
        interval: 1m
        query_offset: 30s
        labels: {source: rule}
        rules:
        - {record: 'node:t:max', expr: max by (node) (t)}
        - {record: 'all:t:max', expr: 'max(node:t:max)', labels: {source: ''}}
        - {alert: Hot, expr: t > 1}
      """;

  private static RuleGroup group(String yaml) throws InvalidRules {
    return new RuleFileReader(ParseOptions.STOCK, TemplateCheck.NONE, MINUTE)
        .read("", "rules.yaml", yaml.getBytes(StandardCharsets.UTF_8))
        .getFirst();
  }

  private static TestSeries series() throws ScriptException {
    TestSeries series = new TestSeries();
    Random random = new Random(11);
    for (int node = 0; node < 3; node++) {
      StringBuilder line = new StringBuilder("t{node=\"" + node + "\"}");
      for (int at = 0; at < MINUTES; at++) {
        line.append(random.nextInt(10) == 0 ? " stale" : " " + random.nextInt(100));
      }
      series.load(line.toString(), 0, MINUTE);
    }
    return series;
  }

  private static Answer.Result ask(TestSeries series, Expr expr, long start, long end, long step)
      throws QueryFailure {
    Query query = new Query(expr.toString(), expr, start, end, step, Query.Settings.STOCK);
    return Engine.run(query, series, StopCheck.NEVER).result();
  }

  private static List<Series> range(
      TestSeries series, String query, long start, long end, long step) throws CommandFailure {
    try {
      Answer.Result result = ask(series, Parser.parse(query), start, end, step);
      return ((Answer.Matrix) result).series();
    } catch (ParseException | QueryFailure e) {
      throw new CommandFailure(e.getMessage());
    }
  }

  private static void addTo(TreeSet<String> texts, Labels labels, long time, double value) {
    texts.add(labels + " " + time + " " + Double.doubleToRawLongBits(value));
  }

  @Test
  void aRangeIsFilledWithTheSamplesThatAnEvaluationAtTheTimeWrites() throws Exception {
    RuleGroup group = group(RULES);
    long first = Slots.at(group, 5 * MINUTE);
    long last = first + (MINUTES - 20) * MINUTE;

    TreeSet<String> evaluated = new TreeSet<>();
    TestSeries live = series();
    GroupState state = GroupState.initial(group);
    for (long slot = first; slot <= last; slot += MINUTE) {
      List<DerivedSample> written = new ArrayList<>();
      GroupEvaluation.Outcome outcome =
          GroupEvaluation.evaluate(
                  group,
                  state,
                  slot,
                  (expr, time) -> {
                    try {
                      return CompletableFuture.completedFuture(
                          new GroupEvaluation.QueryAnswer(
                              ask(live, expr, time, time, 0), List.of()));
                    } catch (QueryFailure e) {
                      return CompletableFuture.failedFuture(e);
                    }
                  },
                  samples -> {
                    samples.forEach(s -> live.put(s.labels(), s.time(), s.value(), s.histogram()));
                    written.addAll(samples);
                    return CompletableFuture.completedFuture(null);
                  },
                  new GroupEvaluation.Settings(Labels.EMPTY, "", MINUTE, 0, RuleGroup.Partial.KEEP))
              .toCompletableFuture()
              .join();
      state = outcome.after();
      written.addAll(outcome.samples());
      for (DerivedSample sample : written) {
        if (!sample.labels().metric().startsWith("ALERTS")) {
          addTo(evaluated, sample.labels(), sample.time(), sample.value());
        }
      }
    }

    TreeSet<String> filled = new TreeSet<>();
    TestSeries past = series();
    Backfill.Result done =
        new Backfill(
                (query, start, end, step) -> range(past, query, start, end, step),
                all -> {
                  for (Series series : all) {
                    for (int i = 0; i < series.size(); i++) {
                      past.put(series.labels(), series.times()[i], series.values()[i], null);
                      addTo(filled, series.labels(), series.times()[i], series.values()[i]);
                    }
                  }
                },
                0,
                Labels.EMPTY)
            .fill(group, first, last);

    assertThat(filled).isEqualTo(evaluated);
    assertThat(done.rules()).isEqualTo(2);
    assertThat(done.samples()).isEqualTo(filled.size());
  }

  @Test
  void twoResultsOfOneLabelSetEndTheFilling() throws Exception {
    RuleGroup group =
        group("groups: [{name: g, rules: [{record: r, expr: t, labels: {node: ''}}]}]");
    TestSeries past = series();
    Backfill backfill =
        new Backfill(
            (query, start, end, step) -> range(past, query, start, end, step),
            all -> {},
            0,
            Labels.EMPTY);

    assertThatThrownBy(() -> backfill.fill(group, 0, 10 * MINUTE))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("rule r of rules.yaml;g: vector contains metrics with the same");
  }

  @Test
  void allResultsGetTheLabelsOfATenantsScope() throws Exception {
    RuleGroup group = group("groups: [{name: g, rules: [{record: r, expr: t}]}]");
    TestSeries past = series();
    List<Series> written = new ArrayList<>();
    new Backfill(
            (query, start, end, step) -> range(past, query, start, end, step),
            written::addAll,
            0,
            Labels.of("tenant", "atlas"))
        .fill(group, 0, 10 * MINUTE);
    assertThat(written)
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.labels().value("tenant")).isEqualTo("atlas"));
  }
}
