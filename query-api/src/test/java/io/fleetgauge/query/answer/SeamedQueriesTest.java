package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.LIMITS;
import static io.fleetgauge.query.answer.TestQuerier.RACK_0;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.STEPS;
import static io.fleetgauge.query.answer.TestQuerier.assertFails;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static io.fleetgauge.query.answer.TestQuerier.strictly;
import static io.fleetgauge.query.answer.TestQuerier.uncached;
import static io.fleetgauge.query.answer.TestQuerier.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.config.SourceSettings.Holds;
import io.fleetgauge.query.fleet.GpuSeries;
import io.fleetgauge.query.fleet.Stores;
import io.fleetgauge.query.seam.SeamedSource;
import io.fleetgauge.query.store.FakeStore;
import io.fleetgauge.query.store.ForeignStore;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Queries over gateways and a store that has what is older, or what they do not have. */
@ExtendWith(VertxExtension.class)
class SeamedQueriesTest {
  private static final long OLDEST = START - STEPS * STEP;
  private static final Caller OF_JOB =
      new Caller("c", List.of(Matcher.equal("job", "j0")), false, LIMITS);

  private Vertx vertx;
  private FakeStore there;
  private ForeignStore store;
  private TestQuerier test;

  @BeforeEach
  void start(Vertx ours) throws Exception {
    vertx = ours;
    there = new FakeStore(vertx);
    for (int host = 0; host < 6; host++) {
      for (int gpu = 0; gpu < 2; gpu++) {
        for (String metric : List.of("power", "load_total")) {
          there.add(GpuSeries.series(metric, host, gpu, OLDEST, STEP, STEPS));
        }
      }
    }
  }

  @AfterEach
  void stop() {
    if (store != null) {
      store.close();
    }
  }

  private void reads(SourceSettings settings) throws Exception {
    store = new ForeignStore(vertx, settings, vertx.createSharedWorkerExecutor("store"));
    test =
        new TestQuerier(
            vertx,
            shards -> {
              SeamedSource seamed =
                  new SeamedSource(
                      shards,
                      shards,
                      List.of(store),
                      vertx.createSharedWorkerExecutor("store"),
                      () -> END,
                      System::nanoTime);
              return new Stores(seamed, shards, seamed);
            });
  }

  private static Map<Long, Double> points(Reply<Evaluated> reply) {
    Map<Long, Double> points = new TreeMap<>();
    Series series = ((Answer.Matrix) reply.value().result()).series().getFirst();
    for (int i = 0; i < series.size(); i++) {
      points.put(series.times()[i], series.values()[i]);
    }
    return points;
  }

  private static Ask<Evaluated> across(Caller caller, String text) {
    return range(caller, text, START - 20 * STEP, START + 40 * STEP);
  }

  // --- after the seams ---

  @Test
  void aQueryAfterAllSeamsAsksNoStoreAndIsPlannedAsEver() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    test.answer(range(ROOT, "sum(rate(power[5m]))", START + 21 * STEP, END));
    assertThat(test.shards.count("parts")).isEqualTo(1);
    assertThat(test.shards.count("samples")).isZero();
    assertThat(there.count("/label/Hostname/values")).as("hosts are asked for once").isEqualTo(1);
    assertThat(there.count("/read") + there.count("/query_range")).isZero();
  }

  @Test
  void aQueryOfAHostAsksTheStoreByTheSeamOfThisHost() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    test.fleet.host("young", "g0", "g1");
    test.fleet.with(
        new Series(
            Labels.of("__name__", "power", "Hostname", "young"),
            new long[] {END - STEP, END},
            new double[] {1, 1}));
    test.answer(instant(ROOT, "power{Hostname=\"n1\"}"));
    assertThat(there.count("/read")).isZero();
    test.answer(instant(ROOT, "power{Hostname=\"young\"}"));
    assertThat(there.count("/read")).isEqualTo(1);
  }

  /** What is known of hosts is learned while queries are answered as if they had older samples. */
  @Test
  void aNewHostOfWhichTheStoreHasNothingOlderMakesNoQueryAskIt() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    there.hasNothingOlder();
    Ask<Evaluated> ask =
        uncached(range(ROOT, "power{Hostname=\"n1\"}", START - 20 * STEP, START + STEP));
    test.answer(ask);
    assertThat(there.count("/read")).isPositive();
    await()
        .atMost(Duration.ofMinutes(10))
        .until(
            () -> {
              long before = there.count("/read");
              test.answer(ask);
              return there.count("/read") == before;
            });
    assertThat(there.count("group by (Hostname) (last_over_time({Hostname=\"n0\"}[")).isEqualTo(1);
  }

  // --- across the seams ---

  @Test
  void stepsAcrossTheSeamsHaveTheSamplesOfBoth() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    Reply<Evaluated> reply = test.answer(across(ROOT, "count(count_over_time(power[5m]))"));
    assertThat(points(reply))
        .hasSize(61)
        .allSatisfy((time, hosts) -> assertThat(hosts).isEqualTo(12));
    reply = test.answer(across(ROOT, "sum(count_over_time(power[5m]))"));
    assertThat(points(reply)).allSatisfy((time, samples) -> assertThat(samples).isEqualTo(12 * 20));
    assertThat(reply.completeness().isWhole()).isTrue();
  }

  @Test
  void stepsAfterTheSeamsAreKeptAndThoseOfTheStoreAreNot() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    test.value(ROOT, "count(power)");
    test.answer(across(ROOT, "max(power)"));
    long before = there.count("/read");
    Reply<Evaluated> again = test.answer(across(ROOT, "max(power)"));
    assertThat(again.value().trace().cachedSteps()).isGreaterThan(0);
    assertThat(there.count("/read")).isGreaterThan(before);
    assertThat(points(again)).hasSize(61);
  }

  // --- push-down ---

  private static final String RESULT =
      """
      {"status":"success","data":{"resultType":"matrix","result":[
        {"metric":{%s},"values":[[%d,"7"]]}]}}
      """;

  private Ask<Evaluated> before(Caller caller, String text) {
    return range(caller, text, OLDEST + 50 * STEP, OLDEST + 60 * STEP);
  }

  @Test
  void stepsBeforeAllSeamsAreEvaluatedByTheStoreThatIsSaidToDoSo() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels().withPushDown());
    there.evaluate(RESULT.formatted("", (OLDEST + 50 * STEP) / 1_000));
    Reply<Evaluated> reply = test.answer(before(ROOT, "sum(power) / sum(rate(load_total[5m]))"));
    assertThat(points(reply)).containsExactly(Map.entry(OLDEST + 50 * STEP, 7.0));
    assertThat(there.count("/read")).isZero();
    assertThat(there.requests().stream().filter(each -> each.contains("/query_range ")).findFirst())
        .get(InstanceOfAssertFactories.STRING)
        .contains("sum({__name__=\"power\"})")
        .contains("{__name__=\"load_total\"}[5m]")
        .contains("step=15");
    assertThat(reply.value().trace().reasons().values())
        .anyMatch(each -> each.contains("evaluated by the source old"));
  }

  @Test
  void aQueryThatTheStoreRefusesIsEvaluatedFromItsSamples() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels().withPushDown());
    assertThat(points(test.answer(before(ROOT, "count(power)"))).values())
        .hasSize(11)
        .containsOnly(12.0);
    assertThat(there.count("/read")).isEqualTo(1);
  }

  /** A sum does not say whose samples are in it. */
  @Test
  void nothingIsPushedDownForACallerWithAScope() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels().withPushDown());
    there.evaluate(RESULT.formatted("", (OLDEST + 50 * STEP) / 1_000));
    assertThat(points(test.answer(before(RACK_0, "count(power)"))).values())
        .hasSize(11)
        .containsOnly(6.0);
    assertThat(there.count("/query_range")).isZero();
  }

  @Test
  void aResultThatCannotBeOneIsNotUsed() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels().withPushDown());
    for (String result :
        List.of(
            RESULT.formatted("\"rack\":\"r1\"", (OLDEST + 50 * STEP) / 1_000),
            RESULT.formatted("", (OLDEST + 50 * STEP) / 1_000 + 1),
            RESULT.formatted("", (OLDEST + 49 * STEP) / 1_000))) {
      there.evaluate(result);
      assertThat(points(test.answer(before(ROOT, "count by (rack) (power{rack=\"r0\"})"))).values())
          .hasSize(11)
          .containsOnly(6.0);
    }
  }

  @Test
  void aRawPlanPushesNothingDown() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels().withPushDown());
    there.evaluate(RESULT.formatted("", (OLDEST + 50 * STEP) / 1_000));
    test.answer(with(before(ROOT, "count(power)"), Planner.Mode.RAW, false, false));
    assertThat(there.count("/query_range")).isZero();
  }

  // --- what is missing ---

  @Test
  void aStoreThatDoesNotAnswerIsNamedAndIsAnErrorWhereStrictnessIsAsked() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    test.answer(instant(ROOT, "count(power)"));
    there.down(true);
    for (Ask<Evaluated> ask : List.of(across(ROOT, "count(power)"), before(ROOT, "count(power)"))) {
      Reply<Evaluated> reply = test.answer(ask);
      assertThat(reply.completeness().sources()).containsExactly("old");
      assertThat(reply.warnings())
          .anyMatch(each -> each.contains("the source old responded with status 503"));
      assertFails(test.begin(strictly(ask)), QueryFailure.Kind.UNAVAILABLE, "the source old");
    }
    assertThat(test.answer(instant(ROOT, "count(power)")).completeness().isWhole()).isTrue();
  }

  /** An alert does not wait for a store that has nothing to do with it. */
  @Test
  void aStoreThatIsGoneFromTheStartIsMissedOnlyWhereItIsNeeded() throws Exception {
    there.down(true);
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    assertThat(test.answer(instant(ROOT, "count(power)")).completeness().isWhole()).isTrue();
    assertThat(test.answer(across(ROOT, "count(power)")).completeness().sources())
        .containsExactly("old");
  }

  // --- scopes ---

  @Test
  void aScopeIsSentAndWhatIsOutsideOfItIsDropped() throws Exception {
    reads(there.settings(Holds.OLDER).withOwnerLabels());
    there.ignoreMatchers();
    Reply<Evaluated> reply = test.answer(across(RACK_0, "count(power)"));
    assertThat(points(reply).values()).containsOnly(6.0);
    assertThat(reply.warnings()).anyMatch(each -> each.contains("were not asked for"));
    Reply<List<String>> values =
        test.answer(Ask.of(RACK_0, new Request.LabelValues("Hostname", SeriesFilter.ALL), 120_000));
    assertThat(values.value()).containsExactly("n0", "n2", "n4");
  }

  @Test
  void aScopeByALabelOfOwnersGetsNothingOfAStoreWithoutTheseLabels() throws Exception {
    reads(there.settings(Holds.OLDER));
    for (String text : List.of("count(power)", "count(power{rack=\"r0\"})")) {
      Reply<Evaluated> reply = test.answer(across(OF_JOB, text));
      assertThat(reply.completeness().sources()).containsExactly("old");
      assertThat(reply.warnings()).anyMatch(each -> each.contains("has no labels of owners"));
      assertThat(points(reply).keySet()).allMatch(time -> time >= START);
    }
    assertThat(there.count("/read")).isZero();
    assertThat(there.count("/query_range")).isZero();
  }

  // --- other series ---

  @Test
  void otherSeriesAreReadAtAllTimes() throws Exception {
    Labels slurm = Labels.of("__name__", "slurm_jobs", "partition", "a");
    there.add(new Series(slurm, new long[] {END - STEP, END}, new double[] {3, 4}));
    reads(there.settings(Holds.OTHER));
    assertThat(test.value(ROOT, "slurm_jobs")).isEqualTo(4);
    assertThat(test.value(ROOT, "count(power)")).isEqualTo(12);
    assertThat(test.value(ROOT, "slurm_jobs + ignoring (partition) sum(power)")).isNotNaN();
  }

  @Test
  void lookupsHaveWhatEitherHas() throws Exception {
    Labels gone = Labels.of("__name__", "power", "Hostname", "gone", "rack", "r9");
    there.add(new Series(gone, new long[] {OLDEST}, new double[] {1}));
    reads(there.settings(Holds.OLDER));
    assertThat(
            test.answer(Ask.of(ROOT, new Request.LabelValues("rack", SeriesFilter.ALL), 120_000))
                .value())
        .containsExactly("r0", "r1", "r9");
    SeriesFilter recent = new SeriesFilter(START + STEP, END, 0, List.of());
    Reply<List<String>> values =
        test.answer(Ask.of(ROOT, new Request.LabelValues("Hostname", recent), 120_000));
    assertThat(values.value()).contains("gone", "n0");
  }
}
