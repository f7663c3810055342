package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.LIMITS;
import static io.fleetgauge.query.answer.TestQuerier.LOOKBACK;
import static io.fleetgauge.query.answer.TestQuerier.RACK_0;
import static io.fleetgauge.query.answer.TestQuerier.RACK_1;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.assertFails;
import static io.fleetgauge.query.answer.TestQuerier.await;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static io.fleetgauge.query.answer.TestQuerier.strictly;
import static io.fleetgauge.query.answer.TestQuerier.uncached;
import static io.fleetgauge.query.answer.TestQuerier.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.runtime.config.TenantLimits;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How PromQL queries are answered: within scope, limits and time, and what answers say. */
@ExtendWith(VertxExtension.class)
class QuerierTest {
  private TestQuerier test;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx);
  }

  // --- answers ---

  @Test
  void anAnswerHasItsCompletenessItsTraceAndItsTimings() throws Exception {
    Reply<Evaluated> reply = test.answer(range(ROOT, "sum by (rack) (power)", START, END));
    assertThat(reply.value().result())
        .isEqualTo(test.expected(range(ROOT, "sum by (rack) (power)", START, END)).result());
    assertThat(reply.warnings()).isEmpty();
    assertThat(reply.completeness())
        .isEqualTo(
            new Completeness(
                6,
                List.of(),
                false,
                test.fleet.epoch(),
                reply.completeness().watermark(),
                List.of()));
    assertThat(reply.completeness().answered()).isEqualTo(6);
    QueryTrace trace = reply.value().trace();
    assertThat(trace.plan()).contains("merge");
    assertThat(trace.estimated().series()).isEqualTo(12);
    assertThat(trace.estimated().samples()).isBetween(2_400L, 2_700L);
    assertThat(trace.samples()).isEqualTo(12 * 200);
    assertThat(trace.steps()).isEqualTo(200);
    assertThat(trace.cachedSteps()).isZero();
    assertThat(trace.shards())
        .extracting(QueryTrace.Shard::name)
        .containsExactlyInAnyOrder("g0", "g1", "g2");
    assertThat(reply.value().stats().samples()).isEqualTo(trace.samples());
    assertThat(reply.value().timings().queued()).isPositive();
    assertThat(reply.value().timings().evaluated()).isPositive();
    assertThat(reply.value().timings().fetched()).isNotNegative();
  }

  @Test
  void aQueryThatReadsNothingNeedsNoShard() throws Exception {
    Reply<Evaluated> reply = test.answer(instant(ROOT, "1 + 1"));
    assertThat(reply.value().result()).isEqualTo(new Answer.Scalar(END, 2));
    assertThat(reply.completeness().expected()).isEqualTo(6);
    assertThat(reply.completeness().isWhole()).isTrue();
    assertThat(test.shards.reads()).isEqualTo(List.of("changes"));
  }

  @Test
  void theRawPlanFetchesSamplesAndGivesTheSameAnswer() throws Exception {
    Ask<Evaluated> ask = range(ROOT, "avg by (rack) (rate(load_total[2m]))", START, END);
    Reply<Evaluated> pushedDown = test.answer(ask);
    Reply<Evaluated> raw = test.answer(with(ask, Planner.Mode.RAW, false, false));
    assertThat(raw.value().result()).isEqualTo(pushedDown.value().result());
    assertThat(test.shards.count("parts")).isEqualTo(1);
    assertThat(test.shards.count("samples")).isEqualTo(1);
    assertThat(raw.value().trace().reasons()).containsValue("the plan raw was requested");
  }

  @Test
  void aPartThatAShardCannotGuaranteeIsEvaluatedFromSamples() throws Exception {
    test.fleet.refuseParts("it has histograms");
    Ask<Evaluated> ask = instant(ROOT, "sum(power)");
    Reply<Evaluated> reply = test.answer(ask);
    assertThat(reply.value().result()).isEqualTo(test.expected(ask).result());
    assertThat(reply.value().trace().reasons())
        .containsEntry("sum(power)", "evaluated from all samples: it has histograms");
    assertThat(test.shards.count("samples")).isEqualTo(1);
  }

  @Test
  void twoSeriesThatBecomeOneOnAShardFailTheQueryWithoutReadingItsSamples() {
    test.fleet.refuseParts(QueryFailure.SAME_LABEL_SET);
    assertFails(
        test.begin(instant(ROOT, "power * 2")),
        QueryFailure.Kind.EXECUTION,
        QueryFailure.SAME_LABEL_SET);
    assertThat(test.shards.count("samples")).isZero();
  }

  @Test
  void whereVectorsAreMatchedTheErrorIsThatOfTheWholeQuery() throws Exception {
    test.fleet.refuseParts(QueryFailure.SAME_LABEL_SET);
    Ask<Evaluated> ask = instant(ROOT, "power + load_total");
    assertThat(test.answer(ask).value().result()).isEqualTo(test.expected(ask).result());
    assertThat(test.shards.count("samples")).isEqualTo(1);
  }

  @Test
  void textThatIsNoQueryFailsAsItsParameterDoes() {
    assertFails(
        test.begin(instant(ROOT, "sum(")),
        QueryFailure.Kind.BAD_DATA,
        "invalid parameter \"query\": 1:5: parse error");
    assertThatThrownBy(() -> test.querier.parsed("sum("))
        .hasMessageStartingWith("invalid parameter \"query\": 1:5: parse error");
  }

  @Test
  void anExpressionThatIsParsedAlreadyIsNotParsedAgain() throws Exception {
    Request.Promql promql =
        new Request.Promql(
            "count(power)", Optional.of(test.querier.parsed("count(power)")), END, END, 0, 300_000);
    assertThat(test.answer(Ask.of(ROOT, promql, 120_000)).value().result())
        .isEqualTo(test.expected(instant(ROOT, "count(power)")).result());
  }

  @Test
  void whereVectorsAreMatchedInsideTheErrorIsThatOfTheWholeQueryToo() throws Exception {
    test.fleet.refuseParts(QueryFailure.SAME_LABEL_SET);
    Ask<Evaluated> ask = instant(ROOT, "sum(power + load_total)");
    assertThat(test.answer(ask).value().result()).isEqualTo(test.expected(ask).result());
    assertThat(test.shards.count("samples")).isEqualTo(1);
  }

  @Test
  void whatShardsSayAboutTheirPartsIsInTheTrace() throws Exception {
    test.fleet.noteParts("from rollups");
    QueryTrace trace = test.answer(instant(ROOT, "sum(power)")).value().trace();
    assertThat(trace.reasons()).containsEntry("sum(power)", "from rollups");
    assertThat(trace.rollupCells()).isEqualTo(6);
  }

  @Test
  void whatASelectionReadsIsNotAskedAgainForAWhile() throws Exception {
    test.answer(instant(ROOT, "sum(power)"));
    QueryTrace trace = test.answer(instant(ROOT, "max(power)")).value().trace();
    assertThat(trace.estimated().series()).isEqualTo(12);
    assertThat(test.shards.count("extents")).isEqualTo(1);
  }

  @Test
  void timingsAddUpToTheTimeThatTheQueryTook() throws Exception {
    for (Ask<Evaluated> ask :
        List.of(instant(ROOT, "power"), range(ROOT, "sum(power)", START, END))) {
      long began = System.nanoTime();
      Evaluated.Timings timings = test.answer(ask).value().timings();
      assertThat(timings.queued() + timings.fetched() + timings.evaluated())
          .isBetween(1L, System.nanoTime() - began);
    }
  }

  @Test
  void whatQueriesDidIsCounted() throws Exception {
    long began = System.nanoTime();
    test.fleet.noteParts("from rollups");
    Ask<Evaluated> range = range(ROOT, "sum(power)", START, END);
    test.answer(range);
    test.answer(range);
    test.answer(range(ROOT, "sum(power)", START, END - STEP));
    test.fleet.refuseParts("it has histograms");
    test.answer(instant(ROOT, "max(power)"));
    test.answer(Ask.of(ROOT, new Request.LabelNames(SeriesFilter.ALL), 120_000));
    test.shards.hold("samples");
    List<Future<Reply<Evaluated>>> equal =
        List.of(test.begin(instant(ROOT, "min(power)")), test.begin(instant(ROOT, "min(power)")));
    test.shards.release();
    for (Future<Reply<Evaluated>> each : equal) {
      await(each);
    }
    Map<String, Double> metrics = test.metrics();
    double seconds = (System.nanoTime() - began) / 1e9;
    assertThat(metrics)
        .containsEntry("query_queries_total", 6.0)
        .containsEntry("query_lookups_total", 1.0)
        .containsEntry("query_rewritten_total", 1.0)
        .containsEntry("query_rollup_cells_total", 6.0)
        .containsEntry("query_fallbacks_total", 2.0)
        .containsEntry("query_recent_hits_total", 1.0)
        .containsEntry("query_queries_joined_total", 1.0)
        .containsEntry("query_extent_hits_total", 4.0)
        .containsEntry("query_extent_misses_total", 4.0);
    assertThat(metrics.get("query_change_rounds_total")).isEqualTo(test.shards.count("changes"));
    assertThat(metrics.get("query_query_seconds_total")).isBetween(0.0, seconds);
    assertThat(metrics.get("query_lookup_seconds_total")).isBetween(0.0, seconds);
  }

  // --- scope ---

  @ParameterizedTest
  @EnumSource
  void aCallerSeesItsScopeOnly(Planner.Mode mode) throws Exception {
    assertThat(answerOf(RACK_0, "count(power)", mode)).isEqualTo(6);
    assertThat(answerOf(ROOT, "count(power)", mode)).isEqualTo(12);
    assertThat(answerOf(RACK_0, "count(power{rack=\"r1\"}) or vector(-1)", mode)).isEqualTo(-1);
    assertThat(answerOf(ROOT.narrowedBy(RACK_1.scope()), "max(power)", mode)).isEqualTo(145);
  }

  private double answerOf(Caller caller, String text, Planner.Mode mode) throws TimeoutException {
    Answer.Result result =
        test.answer(with(instant(caller, text), mode, true, false)).value().result();
    return ((Answer.Vector) result).samples().getFirst().value();
  }

  @Test
  void twoTenantsThatAskTheSameTextAtOnceGetTheirOwnAnswers() throws Exception {
    test.shards.hold("parts");
    Future<Reply<Evaluated>> ofA = test.begin(instant(RACK_0, "max(power)"));
    Future<Reply<Evaluated>> ofB = test.begin(instant(RACK_1, "max(power)"));
    assertThat(test.shards.waiting()).isEqualTo(2);
    test.shards.release();
    assertThat(await(ofA).value().result())
        .isEqualTo(test.expected(instant(RACK_0, "max(power)")).result());
    assertThat(await(ofB).value().result())
        .isEqualTo(test.expected(instant(RACK_1, "max(power)")).result());
    assertThat(test.value(RACK_0, "max(power)")).isEqualTo(137);
    assertThat(test.value(RACK_1, "max(power)")).isEqualTo(145);
  }

  @Test
  void twoTenantsWithEqualScopesShareNothing() throws Exception {
    Caller other = new Caller("c", RACK_0.scope(), false, LIMITS);
    test.value(RACK_0, "max(power)");
    test.value(other, "max(power)");
    assertThat(test.shards.count("parts")).isEqualTo(2);
    test.answer(range(RACK_0, "max(power)", START, END));
    Reply<Evaluated> ofOther = test.answer(range(other, "max(power)", START, END - STEP));
    assertThat(ofOther.value().trace().cachedSteps()).isZero();
  }

  @Test
  void whoMustNotSeeAllHostsDoesNotShareTheWarningsOfOneWhoDoes() throws Exception {
    Caller operator = new Caller("a", RACK_0.scope(), true, LIMITS);
    test.fleet.damage("n3");
    test.shards.hold("parts");
    Future<Reply<Evaluated>> named = test.begin(instant(operator, "count(power)"));
    Future<Reply<Evaluated>> scoped = test.begin(instant(RACK_0, "count(power)"));
    test.shards.release();
    assertThat(await(named).warnings())
        .containsExactly("incomplete result: 1 of 6 hosts are missing: n3");
    assertThat(await(scoped).warnings())
        .containsExactly("incomplete result: hosts that may have data of this scope are missing");
    assertThat(await(scoped).completeness().missing()).isEmpty();
  }

  @Test
  void whoHasAScopeIsToldWhichOfItsHostsAreMissingAndNothingOfOthers() throws Exception {
    Reply<Evaluated> whole = test.answer(instant(RACK_0, "count(power)"));
    assertThat(whole.completeness().expected()).isEqualTo(3);
    assertThat(whole.value().trace().shards()).isEmpty();
    test.fleet.stop("g0");
    test.fleet.stop("g1");
    Reply<Evaluated> scoped = test.answer(uncached(instant(RACK_0, "count(power)")));
    assertThat(scoped.warnings())
        .containsExactly("incomplete result: 1 of 3 hosts are missing: n0");
    assertThat(scoped.completeness().missing()).containsExactly("n0");
    assertThat(scoped.completeness().answered()).isEqualTo(2);
    // A filter of one's own is no secret, and does not share an answer with a scope.
    Caller root = new Caller("a", RACK_0.scope(), true, LIMITS);
    assertThat(test.answer(instant(root, "count(power)")).warnings())
        .containsExactly("incomplete result: 2 of 6 hosts are missing: n0, n3");
  }

  @Test
  void aGapThatConcernsOthersIsNoneForWhoHasAScope() throws Exception {
    test.answer(instant(RACK_0, "count(power)"));
    test.fleet.damage("n3");
    Reply<Evaluated> scoped = test.answer(strictly(uncached(instant(RACK_0, "max(power)"))));
    assertThat(scoped.warnings()).isEmpty();
    assertThat(scoped.completeness().isWhole()).isTrue();
    assertThat(test.answer(instant(ROOT, "max(power)")).warnings()).hasSize(1);
  }

  @Test
  void hostsThatCouldNeverBeAskedMayHaveDataOfAnyScope() throws Exception {
    test.fleet.stop("g0");
    test.fleet.stop("g1");
    Reply<Evaluated> scoped = test.answer(instant(RACK_1, "count(power)"));
    assertThat(scoped.warnings())
        .containsExactly("incomplete result: hosts that may have data of this scope are missing");
    assertThat(scoped.completeness().expected()).isEqualTo(2);
    assertThat(scoped.completeness().missing()).isEmpty();
    assertThat(scoped.completeness().unseen()).isTrue();
  }

  @Test
  void whileItIsNotKnownWhatAScopeSeesNoNumberIsGiven() throws Exception {
    test.shards.hold("hosts");
    Reply<Evaluated> scoped = test.answer(instant(RACK_1, "count(power)"));
    assertThat(scoped.completeness().expected()).isEqualTo(Completeness.UNKNOWN);
    assertThat(scoped.warnings()).isEmpty();
  }

  @Test
  void aSplitTellsAScopeNothingOfTheGateways() throws Exception {
    test.fleet.split();
    assertThat(test.answer(instant(RACK_1, "count(power)")).warnings())
        .containsExactly(
            "the cluster is split, and samples that its other side accepts are missing");
  }

  // --- completeness ---

  @ParameterizedTest
  @EnumSource
  void hostsThatAreMissingAreNamed(Planner.Mode mode) throws Exception {
    test.fleet.damage("n3");
    Reply<Evaluated> reply =
        test.answer(with(range(ROOT, "sum(power)", START, END), mode, true, false));
    assertThat(reply.warnings()).containsExactly("incomplete result: 1 of 6 hosts are missing: n3");
    assertThat(reply.completeness().missing()).containsExactly("n3");
    assertThat(reply.completeness().isWhole()).isFalse();
  }

  @Test
  void aStrictCallerGetsAnErrorInPlaceOfAnIncompleteAnswer() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "count(power)");
    assertThat(test.answer(strictly(ask)).completeness().isWhole()).isTrue();
    test.fleet.damage("n3");
    assertFails(
        test.begin(strictly(uncached(ask))),
        QueryFailure.Kind.UNAVAILABLE,
        "incomplete result: 1 of 6 hosts are missing: n3; a complete result was requested"
            + " (strict)");
    TenantLimits strict = new TenantLimits(1, 20, 200, 100, 100, Duration.ofDays(1), 100, true);
    Ask<Evaluated> byLimits = instant(new Caller("s", List.of(), true, strict), "count(power)");
    assertThat(byLimits.options().strict()).isTrue();
    assertFails(test.begin(byLimits), QueryFailure.Kind.UNAVAILABLE, "(strict)");
  }

  @Test
  void seriesOfUsageCostWhatIsReadOfRecords() throws Exception {
    String query = "sum(job:gpu_seconds:total)";
    test.answer(uncached(instant(ROOT, query)));
    assertThat(test.shards.count("usage")).isEqualTo(1);
    test.shards.pretend(new UsageExtent(0, 0, 1L << 40));
    test.answer(uncached(instant(ROOT, query)));
    assertThat(test.shards.count("heavy usage")).isEqualTo(1);
  }

  @Test
  void strictAndOtherCallersShareOneExecution() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "count(power)");
    test.shards.hold("parts");
    Future<Reply<Evaluated>> one = test.begin(ask);
    Future<Reply<Evaluated>> other = test.begin(strictly(ask));
    assertThat(test.shards.waiting()).isEqualTo(1);
    test.shards.release();
    assertThat(await(one)).isSameAs(await(other));
    test.answer(strictly(ask));
    assertThat(test.shards.count("parts")).isEqualTo(1);
  }

  // --- limits ---

  private static Caller limited(long samples, long series, Duration range, int points) {
    TenantLimits limits = new TenantLimits(1, 20, 200, samples, series, range, points, false);
    return new Caller("few", List.of(), true, limits);
  }

  @Test
  void aQueryOverALimitFailsWithTheLimitTheFiguresAndTheTenant() {
    Duration hour = Duration.ofHours(1);
    Duration ranges = Duration.ofSeconds((END - START) / 1_000);
    assertFails(
        test.begin(
            range(
                limited(1_000_000, 100, ranges.minusSeconds(1), 1_000), "sum(power)", START, END)),
        QueryFailure.Kind.EXECUTION,
        "the query of tenant few is over its limit range: 2985 s of at most 2984 s; reduce the"
            + " query");
    assertFails(
        test.begin(range(limited(1_000_000, 100, ranges, 199), "sum(power)", START, END)),
        QueryFailure.Kind.EXECUTION,
        "over its limit points: 200 of at most 199");
    assertFails(
        test.begin(instant(limited(1_000_000, 11, hour, 1_000), "sum(power)")),
        QueryFailure.Kind.EXECUTION,
        "over its limit series: 12 of at most 11");
    assertFails(
        test.begin(instant(limited(100, 100, hour, 1_000), "max_over_time(power[40m])")),
        QueryFailure.Kind.EXECUTION,
        "over its limit samples: 1920 of at most 100");
    assertThat(test.shards.count("parts")).isZero();
    assertThat(test.querier.running().all()).isEmpty();
  }

  @Test
  void aQueryAtItsLimitsIsAnswered() throws Exception {
    Duration range = Duration.ofMillis(END - START);
    Caller caller = limited(1_000_000, 12, range, 200);
    assertThat(test.answer(range(caller, "sum(power)", START, END)).warnings()).isEmpty();
    // An estimate of 1920 samples.
    Caller few = limited(1_920, 12, Duration.ofHours(1), 1);
    assertThat(test.answer(instant(few, "max_over_time(power[40m])")).warnings()).isEmpty();
  }

  @Test
  void anAggregationOverTheWholeFleetThatNoRollupServesIsRefused(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx, "query:\n  wideSeries: 11\n");
    assertFails(
        test.begin(instant(ROOT, "stddev(power)")),
        QueryFailure.Kind.EXECUTION,
        "the query of tenant root aggregates all hosts series by series: 12 of at most"
            + " query.wideSeries 11; match fewer series, or use an aggregation that rollups serve");
    assertThat(test.answer(instant(ROOT, "sum(power)")).warnings()).isEmpty();
    assertThat(test.answer(instant(RACK_0, "stddev(power)")).warnings()).isEmpty();
    test = new TestQuerier(vertx, "query:\n  wideSeries: 12\n");
    assertThat(test.answer(instant(ROOT, "stddev(power)")).warnings()).isEmpty();
  }

  @Test
  void theCostDecidesWhetherAQueryIsHeavy() throws Exception {
    test.shards.pretend(new Extent(10, 900_000));
    test.answer(instant(ROOT, "stddev(power)"));
    assertThat(test.shards.reads()).contains("parts").doesNotContain("heavy parts");
    Caller caller = limited(1L << 40, 1_000, Duration.ofDays(400), 1_000);
    test.shards.pretend(new Extent(10, 3_000_001));
    Reply<Evaluated> reply = test.answer(instant(caller, "stddev(load_total)"));
    assertThat(reply.value().trace().estimated().isHeavy()).isTrue();
    assertThat(test.shards.reads()).contains("heavy parts");
    // Rollups serve a sum with a fraction of the work.
    test.answer(instant(caller, "sum(load_total)"));
    assertThat(test.shards.count("heavy parts")).isEqualTo(1);
  }

  @Test
  void aWindowThatIsReadAtManyStepsIsHeavyAndItsRateIsNot() throws Exception {
    Caller caller = limited(1L << 40, 1_000, Duration.ofDays(400), 1_000);
    test.shards.pretend(new Extent(1_000, 100_000));
    Reply<Evaluated> reply =
        test.answer(range(caller, "quantile_over_time(0.5, power[30m])", START, END));
    assertThat(reply.value().trace().estimated().work())
        .as("1,000 series, 200 steps, 37 samples in a window")
        .isBetween(7_000_000L, 9_000_000L);
    assertThat(test.shards.reads()).contains("heavy parts");
    assertThat(
            test.answer(range(caller, "rate(power[30m])", START, END))
                .value()
                .trace()
                .estimated()
                .isHeavy())
        .isFalse();
  }

  @Test
  void aQueryWhoseCostIsNotKnownInTimeIsAnsweredByABound() throws Exception {
    test.shards.hold("extents");
    Caller caller = limited(1_000_000, 1, Duration.ofDays(400), 1_000);
    Ask<Evaluated> ask = instant(caller, "count(power)");
    Reply<Evaluated> reply = test.answer(ask);
    assertThat(reply.value().result()).isEqualTo(test.expected(ask).result());
    assertThat(reply.value().trace().estimated().known()).isFalse();
    assertThat(reply.value().trace().estimated().isHeavy()).isFalse();
    test.shards.release();
    assertFails(
        test.begin(uncached(ask)), QueryFailure.Kind.EXECUTION, "over its limit series: 12 of");
  }

  @Test
  void whenHostsDoNotSayTheCostIsWhatItWasAtLeast() throws Exception {
    Caller caller = limited(1L << 40, 10_000, Duration.ofDays(400), 1_000);
    test.shards.pretend(new Extent(100, 4_000_000));
    test.answer(instant(caller, "stddev(power)"));
    test.shards.pretend(new Extent(1, 1));
    test.fleet.damage("n3");
    // At another time, so that it is asked again.
    Ask<Evaluated> later =
        Ask.of(
            caller,
            Request.Promql.of("stddev(power)", END - 1_000_000, END - 1_000_000, 0, LOOKBACK),
            30_000);
    Cost cost = test.answer(later).value().trace().estimated();
    assertThat(cost.known()).isFalse();
    assertThat(cost.isHeavy()).isTrue();
  }

  @Test
  void whatARollupWasExpectedToServeIsHeavyWhenItsSamplesAreRead() throws Exception {
    Caller caller = limited(1L << 40, 1_000, Duration.ofDays(400), 1_000);
    test.shards.pretend(new Extent(10, 4_000_000));
    test.fleet.refuseParts("it has histograms");
    Reply<Evaluated> reply = test.answer(instant(caller, "sum(power)"));
    assertThat(test.shards.reads()).contains("parts", "heavy samples");
    assertThat(reply.value().trace().estimated().isHeavy()).isTrue();
  }

  @Test
  void whatIsBeingEstimatedIsNotAskedTwice() throws Exception {
    test.shards.hold("extents");
    Future<Reply<Evaluated>> first = test.begin(instant(ROOT, "sum(power)"));
    Future<Reply<Evaluated>> second = test.begin(instant(ROOT, "max(power)"));
    test.shards.release();
    await(first);
    await(second);
    assertThat(test.shards.count("extents")).isEqualTo(1);
  }

  @Test
  void heavySamplesAreEvaluatedWithTheSameResult() throws Exception {
    Caller caller = limited(1L << 40, 1_000, Duration.ofDays(400), 1_000);
    test.shards.pretend(new Extent(10, 300_000_000));
    Ask<Evaluated> ask =
        with(range(caller, "sum(power)", START, END), Planner.Mode.RAW, false, false);
    assertThat(test.answer(ask).value().result()).isEqualTo(test.expected(ask).result());
    assertThat(test.shards.reads()).contains("heavy samples");
  }

  @Test
  void theClusterIsSeenThroughTheShards() {
    test.fleet.leave("g2");
    test.fleet.split();
    assertThat(test.querier.cluster())
        .isEqualTo(
            new ClusterState(
                test.fleet.epoch(),
                true,
                List.of(
                    new ClusterState.Gateway("g0", "memory:g0", 2),
                    new ClusterState.Gateway("g1", "memory:g1", 2))));
  }
}
