package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.LIMITS;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.equal;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static io.fleetgauge.query.answer.TestQuerier.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.promql.usage.series.UsageMetric;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way of asking answers by the names of dcgm-exporter 4.9. */
@ExtendWith(VertxExtension.class)
class AliasesTest {
  private static final String UTIL = "DCGM_FI_DEV_GPU_UTIL";
  private static final String RATIO = "DCGM_FI_DEV_GPU_UTIL_RATIO";
  private static final Caller RACK_0 = scoped("{rack=\"r0\"}");

  private TestQuerier test;
  private TestQuerier explicit;

  private static Caller scoped(String scope) {
    try {
      return new Caller("a", Parser.parseSelector(scope), false, LIMITS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Series series(String metric, int host, double factor, String... more) {
    long[] times = new long[60];
    double[] values = new double[60];
    for (int i = 0; i < times.length; i++) {
      times[i] = END - (59 - i) * STEP;
      double stored = (host * 17 + i * 7) % 101;
      values[i] = factor == 0 ? stored : stored / factor;
    }
    Labels labels =
        Labels.of(
                "__name__",
                metric,
                "Hostname",
                "n" + host,
                "rack",
                "r" + host % 2,
                "pod",
                "p" + host)
            .with(Labels.of(more));
    return new Series(labels, times, values);
  }

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx);
    explicit = new TestQuerier(vertx);
    for (int host = 0; host < 4; host++) {
      test.fleet.with(series(UTIL, host, 0));
      explicit.fleet.with(series(UTIL, host, 0, "hostname", "n" + host));
      explicit.fleet.with(series(RATIO, host, 100, "hostname", "n" + host));
    }
    // One host has an exporter of that version itself.
    test.fleet.with(series(RATIO, 5, 100, "hostname", "n5"));
    explicit.fleet.with(series(RATIO, 5, 100, "hostname", "n5"));
  }

  private static <T> Ask<T> ask(Caller caller, Request<T> request) {
    return Ask.of(caller, request, 120_000);
  }

  private static List<Matcher> selector(String text) throws Exception {
    return Parser.parseSelector(text);
  }

  private static SeriesFilter filter(String... selectors) throws Exception {
    List<List<Matcher>> all = new ArrayList<>();
    for (String text : selectors) {
      all.add(selector(text));
    }
    return new SeriesFilter(START, END, 0, all);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        RATIO,
        "sum(" + RATIO + ")",
        "avg by (hostname) (" + RATIO + ")",
        "max by (Hostname) (" + RATIO + " > 0.5)",
        "topk(2, " + RATIO + ")",
        "sum by (rack) (avg_over_time(" + RATIO + "[5m]))",
        "quantile(0.9, " + RATIO + ")",
        RATIO + " * on (hostname) group_left () count by (hostname) (" + RATIO + ")",
        "{__name__=~\"" + RATIO + "|nothing\", hostname=~\"n[0-2]|n5\"}",
        "max_over_time(sum(" + RATIO + ")[10m:1m])",
        "delta(" + RATIO + "[5m] offset 1m)",
        "absent(" + RATIO + "{hostname=\"n9\"})",
        "count(" + RATIO + "{hostname!=\"n1\"}) by (rack)",
        "stddev without (hostname, pod) (" + RATIO + ")"
      })
  void aQueryIsAnsweredAsIfSeriesWereStoredSoInEveryMode(String text) throws Exception {
    for (Caller caller : List.of(ROOT, RACK_0)) {
      for (Planner.Mode mode : Planner.Mode.values()) {
        for (boolean cached : new boolean[] {true, true, false}) {
          for (Ask<Evaluated> ask :
              List.of(instant(caller, text), range(caller, text, END - 40 * STEP, END))) {
            assertThat(test.answer(with(ask, mode, cached, false)).value().result().toString())
                .as(mode + " " + cached)
                .isEqualTo(
                    explicit
                        .answer(with(ask, Planner.Mode.RAW, false, false))
                        .value()
                        .result()
                        .toString());
          }
        }
      }
    }
  }

  @Test
  void aScopeIsOfStoredLabelsWhateverAliasesSay() throws Exception {
    for (String scope : List.of("{hostname=\"n1\"}", "{exported_pod=\"p1\"}")) {
      Caller caller = scoped(scope);
      for (String text :
          List.of(
              "count(" + UTIL + "{hostname=~\".*\"})",
              "count(" + UTIL + "{exported_pod=\"p1\"})",
              "count(" + RATIO + "{hostname=\"n1\",exported_pod=\"p1\"})")) {
        assertThat(test.answer(instant(caller, text)).value().result().toString())
            .as(scope + " " + text)
            .doesNotContain("value=");
      }
      assertThat(test.answer(ask(caller, new Request.SeriesLabels(filter(RATIO)))).value())
          .isEmpty();
    }
    String mine = "{__name__=\"" + UTIL + "\",rack=\"r0\"}";
    assertThat(test.value(scoped(mine), "count(" + RATIO + ")")).isEqualTo(2);
    assertThat(
            test.answer(instant(scoped("{__name__!=\"" + UTIL + "\",rack=~\".+\"}"), RATIO))
                .value()
                .result()
                .toString())
        .contains("Hostname=\"n5\"")
        .doesNotContain("Hostname=\"n1\"");
  }

  @Test
  void aScopeAndAMatcherOfTheSameTextHaveAnswersOfTheirOwn() throws Exception {
    String grouped = "count by (hostname) (" + UTIL + "{rack=\"r1\"})";
    Caller scopedByLabel = ROOT.narrowedBy(List.of(equal("hostname", "n1")));
    Ask<Evaluated> narrow = range(scopedByLabel, grouped, END - 40 * STEP, END);
    Ask<Evaluated> asked =
        range(
            ROOT,
            "count by (hostname) (" + UTIL + "{hostname=\"n1\",rack=\"r1\"})",
            END - 40 * STEP,
            END);
    for (int i = 0; i < 2; i++) {
      assertThat(test.answer(asked).value().result().toString()).contains("hostname=\"n1\"");
      assertThat(test.answer(narrow).value().result().toString()).doesNotContain("n1");
    }
  }

  @Test
  void seriesNamesAndValuesAreThoseThatAreSeen() throws Exception {
    SeriesFilter ratio = filter(RATIO);
    assertThat(test.answer(ask(ROOT, new Request.SeriesLabels(ratio))).value())
        .isEqualTo(explicit.answer(ask(ROOT, new Request.SeriesLabels(ratio))).value())
        .hasSize(5);
    assertThat(test.answer(ask(ROOT, new Request.LabelNames(ratio))).value())
        .containsExactly("Hostname", "__name__", "hostname", "pod", "rack");
    for (String label : List.of("__name__", "hostname", "Hostname", "rack", "pod")) {
      assertThat(test.answer(ask(ROOT, new Request.LabelValues(label, ratio))).value())
          .as(label)
          .isEqualTo(explicit.answer(ask(ROOT, new Request.LabelValues(label, ratio))).value());
    }
    assertThat(
            test.answer(ask(RACK_0, new Request.LabelValues("exported_pod", filter(UTIL)))).value())
        .containsExactly("p0", "p2");
    assertThat(
            test.answer(ask(ROOT, new Request.LabelValues("hostname", SeriesFilter.ALL))).value())
        .containsExactly("n0", "n1", "n2", "n3", "n4", "n5");
    assertThat(
            test.answer(ask(ROOT, new Request.SeriesLabels(filter(UTIL + "{exported_pod=\"p3\"}"))))
                .value())
        .containsExactly(series(UTIL, 3, 0, "exported_pod", "p3").labels());
  }

  @Test
  void theListOfAllNamesHasWhatIsStoredAndAliasesWhereTheyAreNamed() throws Exception {
    assertThat(
            test.answer(ask(ROOT, new Request.LabelValues(Labels.NAME, SeriesFilter.ALL))).value())
        .as("as Prometheus lists them, and series of usage; one host has stored the newer name")
        .filteredOn(name -> UsageMetric.named(name).isEmpty())
        .containsExactly(UTIL, RATIO, "load_total", "power");
    assertThat(
            test.answer(ask(ROOT, new Request.LabelValues(Labels.NAME, filter("{rack=\"r0\"}"))))
                .value())
        .containsExactly(UTIL, "load_total", "power");
    assertThat(test.answer(ask(ROOT, new Request.LabelValues(Labels.NAME, filter(RATIO)))).value())
        .containsExactly(RATIO);
  }

  @Test
  void metadataOfAnAliasHasItsUnitAndHelp() throws Exception {
    assertThat(test.answer(ask(ROOT, new Request.Metadata())).value().get(RATIO))
        .containsExactly(
            new MetricMetadata(
                "gauge", "Share of time with at least one kernel running, 0 to 1.", "ratio"));
  }

  @Test
  void samplesAreThoseThatAreSeen() throws Exception {
    Request.Samples samples =
        new Request.Samples(
            List.of(
                new Selection(selector(RATIO + "{hostname!=\"n2\"}"), START, END),
                new Selection(selector("power{Hostname=\"n0\"}"), START, END)));
    for (Caller caller : List.of(ROOT, RACK_0)) {
      List<List<Series>> found = test.answer(ask(caller, samples)).value();
      List<List<Series>> expected = explicit.answer(ask(caller, samples)).value();
      assertThat(found.getFirst()).isEqualTo(expected.getFirst()).isNotEmpty();
      assertThat(found.getLast()).hasSize(2);
    }
  }

  private List<String> federated(Caller caller, boolean gzip, String... selectors)
      throws Exception {
    Request.Newest newest =
        new Request.Newest(
            filter(selectors).selectors(),
            List.of(),
            host -> true,
            END - 60_000,
            END,
            NameEscaping.ALLOW_UTF_8,
            gzip);
    List<String> lines = new ArrayList<>();
    test.answer(ask(caller, newest)).value().families().values().stream()
        .flatMap(List::stream)
        .forEach(
            piece ->
                new String(
                        piece.lines().bytes(),
                        piece.lines().from(),
                        piece.lines().length(),
                        StandardCharsets.UTF_8)
                    .lines()
                    .forEach(lines::add));
    return lines;
  }

  @Test
  void aFederatedAliasIsALineWithItsNameAndUnit() throws Exception {
    double stored = (17 + 59 * 7) % 101;
    assertThat(federated(ROOT, false, RATIO, "{__name__=~\"" + RATIO + "\"}"))
        .hasSize(5)
        .contains(
            RATIO
                + "{Hostname=\"n1\",hostname=\"n1\",pod=\"p1\",rack=\"r1\",instance=\"\"} "
                + stored / 100
                + " "
                + END);
    assertThat(federated(RACK_0, false, RATIO))
        .hasSize(2)
        .allMatch(line -> line.contains("rack=\"r0\""));
  }
}
