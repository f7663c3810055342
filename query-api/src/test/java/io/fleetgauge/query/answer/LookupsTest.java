package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.LIMITS;
import static io.fleetgauge.query.answer.TestQuerier.RACK_0;
import static io.fleetgauge.query.answer.TestQuerier.RACK_1;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.await;
import static io.fleetgauge.query.answer.TestQuerier.equal;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.strictly;
import static io.fleetgauge.query.answer.TestQuerier.within;
import static io.fleetgauge.query.fleet.GpuSeries.labels;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.OwnedSeries;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.usage.series.UsageSelector;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests for anything but PromQL pass the same scope, limits, admission and completeness. */
@ExtendWith(VertxExtension.class)
class LookupsTest {
  private static final Request.Newest NEWEST =
      new Request.Newest(
          List.of(List.of(equal(Labels.NAME, "power"))),
          List.of(List.of(equal(Labels.NAME, "rack:power:sum"))),
          host -> true,
          END - 60_000,
          END,
          NameEscaping.ALLOW_UTF_8,
          false);

  private TestQuerier test;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx);
  }

  private static List<Selection> selections(Matcher... matchers) {
    return List.of(new Selection(List.of(matchers), START - 1, END));
  }

  /** One request of each kind that reads data. */
  static Stream<Request<?>> requests() {
    return Stream.of(
        new Request.LabelNames(SeriesFilter.ALL),
        new Request.LabelValues("rack", SeriesFilter.ALL),
        new Request.SeriesLabels(SeriesFilter.ALL),
        new Request.Samples(selections(equal(Labels.NAME, "power"))),
        NEWEST,
        new Request.Metadata(),
        new Request.HostStates(),
        new Request.OwnerIntervals(SeriesFilter.ALL));
  }

  private static <T> Ask<T> ask(Caller caller, Request<T> request) {
    return Ask.of(caller, request, 120_000);
  }

  private <T> Reply<T> answer(Caller caller, Request<T> request) throws Exception {
    return test.answer(ask(caller, request));
  }

  private static void assertFails(Future<?> answer, QueryFailure.Kind kind, String message) {
    assertThatThrownBy(() -> await(answer))
        .isInstanceOfSatisfying(
            QueryFailure.class, failure -> assertThat(failure.kind()).isEqualTo(kind))
        .hasMessageContaining(message);
  }

  // --- what holds for every request ---

  @ParameterizedTest
  @MethodSource("requests")
  void everyRequestSeesTheScopeOnly(Request<?> request) throws Exception {
    Labels onlyThere = labels("only_r1", 1, 0).with("only_r1", "x");
    test.fleet.add(onlyThere, END, 1);
    test.fleet.metadata("only_r1", new MetricMetadata("gauge", "Of rack r1.", ""));
    String ofRack1 = "(?s).*(r1|n1|n3|n5).*";
    assertThat(text(answer(ROOT, request).value())).matches(ofRack1);
    assertThat(text(answer(RACK_0, request).value())).isNotEmpty().doesNotMatch(ofRack1);
    Caller narrowed = ROOT.narrowedBy(RACK_0.scope());
    assertThat(text(answer(narrowed, request).value())).doesNotMatch(ofRack1);
  }

  /** Everything that a value shows. */
  private static String text(Object value) {
    if (!(value instanceof Request.NewestSamples newest)) {
      return value.toString();
    }
    StringBuilder text = new StringBuilder(newest.reductions().toString());
    newest.families().values().stream()
        .flatMap(List::stream)
        .forEach(
            piece ->
                text.append(
                    new String(
                        piece.lines().bytes(),
                        piece.lines().from(),
                        piece.lines().length(),
                        StandardCharsets.UTF_8)));
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("requests")
  void everyRequestNamesTheHostsThatAreMissing(Request<?> request) throws Exception {
    test.fleet.stop("g0");
    test.fleet.stop("g1");
    Reply<?> reply = answer(ROOT, request);
    assertThat(reply.completeness().missing()).containsExactly("n0", "n3");
    assertThat(reply.completeness().expected()).isEqualTo(6);
    assertThat(reply.warnings())
        .containsExactly("incomplete result: 2 of 6 hosts are missing: n0, n3");
    Reply<?> scoped = answer(RACK_1, request);
    assertThat(scoped.completeness().missing()).isEmpty();
    assertThat(scoped.completeness().expected()).isEqualTo(2);
    assertThat(scoped.warnings())
        .containsExactly("incomplete result: hosts that may have data of this scope are missing");
    assertFails(
        test.begin(strictly(ask(ROOT, request))),
        QueryFailure.Kind.UNAVAILABLE,
        "n3; a complete result was requested (strict)");
  }

  @ParameterizedTest
  @MethodSource("requests")
  void everyRequestWaitsForAPlaceAndGivesItBack(Request<?> request) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      test = new TestQuerier(vertx, "query:\n  maxParallel: 1\n");
      test.shards.hold("parts");
      Future<?> running = test.begin(instant(ROOT, "sum(power)"));
      Future<? extends Reply<?>> waits = test.begin(ask(ROOT, request));
      Cancellation leaves = new Cancellation();
      Future<?> gone = test.querier.answer(ask(ROOT, request), Span.NONE, leaves);
      assertThat(waits.isComplete()).isFalse();
      assertThat(test.querier.running().all().getLast().state())
          .isEqualTo(RunningQuery.State.WAITING);
      assertThat(test.querier.running().all().getLast().text()).isNotEmpty();
      leaves.cancel();
      assertFails(gone, QueryFailure.Kind.CANCELED, "while it waited in the queue");
      test.shards.release();
      await(running);
      assertThat(await(waits).completeness().isWhole()).isTrue();
      assertThat(test.admission.running()).isZero();
      assertThat(test.querier.running().all()).isEmpty();
    } finally {
      vertx.close();
    }
  }

  @ParameterizedTest
  @MethodSource("requests")
  void anOverloadedQueryApiRejectsEveryRequest(Request<?> request) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      test = new TestQuerier(vertx, "query:\n  maxConcurrent: 1\n");
      test.shards.hold("parts");
      test.begin(instant(ROOT, "sum(power)"));
      int reads = test.shards.reads().size();
      assertFails(
          test.begin(ask(ROOT, request)), QueryFailure.Kind.UNAVAILABLE, "was rejected: 1 queries");
      assertThat(test.shards.reads()).hasSize(reads);
    } finally {
      vertx.close();
    }
  }

  @ParameterizedTest
  @MethodSource("requests")
  void everyRequestEndsWhenItsTimeIsOver(Request<?> request) {
    test.shards.hold(
        "labelNames",
        "labelValues",
        "labelSets",
        "samples",
        "newest",
        "metadata",
        "hosts",
        "owners");
    assertFails(
        test.begin(within(ask(ROOT, request), 60)),
        QueryFailure.Kind.TIMEOUT,
        "query timed out in expression evaluation after 60 ms");
    assertThat(test.shards.cancelled()).isNotEmpty();
    assertThat(test.admission.running()).isZero();
  }

  // --- labels ---

  @Test
  void selectorsOfTheCallerAndItsScopeBothApply() throws Exception {
    SeriesFilter filter =
        new SeriesFilter(
            START,
            END,
            0,
            List.of(
                List.of(equal(Labels.NAME, "power"), equal("gpu", "1")),
                List.of(equal("Hostname", "n0"))));
    assertThat(answer(RACK_0, new Request.SeriesLabels(filter)).value())
        .containsExactlyInAnyOrder(
            labels("power", 0, 1),
            labels("power", 2, 1),
            labels("power", 4, 1),
            labels("power", 0, 0),
            labels("load_total", 0, 0),
            labels("load_total", 0, 1));
    assertThat(
            answer(
                    RACK_1,
                    new Request.LabelValues(
                        "Hostname", SeriesFilter.matching(List.of(equal("Hostname", "n0")))))
                .value())
        .isEmpty();
    assertThat(SeriesFilter.matching(List.of())).isSameAs(SeriesFilter.ALL);
  }

  @Test
  void aListIsCutAtTheLimitAndSaysSo() throws Exception {
    SeriesFilter three = new SeriesFilter(START, END, 3, List.of());
    Reply<List<Labels>> cut = answer(ROOT, new Request.SeriesLabels(three));
    assertThat(cut.value()).hasSize(3).isSorted();
    assertThat(cut.warnings()).containsExactly("results truncated due to limit");
    Reply<List<String>> whole = answer(ROOT, new Request.LabelValues("Hostname", three));
    assertThat(whole.value()).containsExactly("n0", "n1", "n2");
    SeriesFilter six = new SeriesFilter(START, END, 6, List.of());
    Reply<List<String>> exactly = answer(ROOT, new Request.LabelValues("Hostname", six));
    assertThat(exactly.value()).hasSize(6);
    assertThat(exactly.warnings()).isEmpty();
    assertThat(answer(ROOT, new Request.OwnerIntervals(three)).value()).hasSize(3);
  }

  @Test
  void aListThatOneShardCutsSaysSoToo() throws Exception {
    List<List<Matcher>> oneHost = List.of(List.of(equal("Hostname", "n0")));
    Reply<List<Labels>> cut =
        answer(ROOT, new Request.SeriesLabels(new SeriesFilter(START, END, 3, oneHost)));
    assertThat(cut.value()).hasSize(3);
    assertThat(cut.warnings()).containsExactly("results truncated due to limit");
    Reply<List<Labels>> whole =
        answer(ROOT, new Request.SeriesLabels(new SeriesFilter(START, END, 4, oneHost)));
    assertThat(whole.value()).hasSize(4);
    assertThat(whole.warnings()).isEmpty();
  }

  private static Caller few(long samples, long series) {
    TenantLimits limits =
        new TenantLimits(1, 20, 200, samples, series, Duration.ofDays(400), 11_001, false);
    return new Caller("few", List.of(), true, limits);
  }

  @Test
  void aListLongerThanTheTenantMayReadFails() throws Exception {
    String over = "the query of tenant few is over its limit series: more than 23 of at most 23";
    assertFails(
        test.begin(ask(few(1_000, 23), new Request.SeriesLabels(SeriesFilter.ALL))),
        QueryFailure.Kind.EXECUTION,
        over);
    SeriesFilter beyond = new SeriesFilter(START, END, 100, List.of());
    assertFails(
        test.begin(ask(few(1_000, 23), new Request.SeriesLabels(beyond))),
        QueryFailure.Kind.EXECUTION,
        over);
    assertThat(answer(few(1_000, 24), new Request.SeriesLabels(SeriesFilter.ALL)).value())
        .hasSize(24);
    assertThat(
            answer(
                    few(1_000, 5),
                    new Request.SeriesLabels(new SeriesFilter(START, END, 5, List.of())))
                .value())
        .hasSize(5);
  }

  // --- samples ---

  @Test
  void samplesAreThoseOfTheSelections() throws Exception {
    Reply<List<List<Series>>> reply =
        answer(
            RACK_1,
            new Request.Samples(
                List.of(
                    selections(equal(Labels.NAME, "power"), equal("gpu", "0")).getFirst(),
                    selections(equal("Hostname", "n0")).getFirst())));
    assertThat(reply.value()).hasSize(2);
    assertThat(reply.value().getFirst())
        .extracting(Series::labels)
        .containsExactly(labels("power", 1, 0), labels("power", 3, 0), labels("power", 5, 0));
    assertThat(reply.value().getLast()).isEmpty();
  }

  @Test
  void samplesOverTheTenantsLimitsFailBeforeTheyAreRead() {
    Request.Samples power = new Request.Samples(selections(equal(Labels.NAME, "power")));
    assertFails(
        test.begin(ask(few(2_399, 100), power)),
        QueryFailure.Kind.EXECUTION,
        "over its limit samples: 2400 of at most 2399");
    assertFails(
        test.begin(ask(few(10_000, 11), power)),
        QueryFailure.Kind.EXECUTION,
        "over its limit series: 12 of at most 11");
    assertThat(test.shards.count("samples")).isZero();
  }

  @Test
  void samplesAtTheTenantsLimitsAreRead() throws Exception {
    Request.Samples power = new Request.Samples(selections(equal(Labels.NAME, "power")));
    assertThat(answer(few(2_400, 12), power).value().getFirst()).hasSize(12);
  }

  @Test
  void moreSamplesThanWereEstimatedFailAfterwards() throws Exception {
    test.shards.pretend(new Extent(1, 1));
    Request.Samples power = new Request.Samples(selections(equal(Labels.NAME, "power")));
    // No shard has more than the limit, all together do.
    assertFails(
        test.begin(ask(few(2_399, 100), power)),
        QueryFailure.Kind.EXECUTION,
        "over its limit samples: 2400 of at most 2399");
    assertThat(answer(few(2_400, 100), power).value().getFirst()).hasSize(12);
  }

  @Test
  void manySamplesAreAHeavyRead() throws Exception {
    Request.Samples power = new Request.Samples(selections(equal(Labels.NAME, "power")));
    answer(few(1L << 40, 1_000), power);
    assertThat(test.shards.count("samples")).isEqualTo(1);
    test.shards.pretend(new Extent(1_000, 3_000_000));
    Request.Samples load = new Request.Samples(selections(equal(Labels.NAME, "load_total")));
    answer(few(1L << 40, 1_000), load);
    assertThat(test.shards.count("heavy samples")).isEqualTo(1);
  }

  // --- newest samples ---

  @Test
  void newestSamplesAndReductionsComeTogether() throws Exception {
    Reply<Request.NewestSamples> reply = answer(ROOT, NEWEST);
    assertThat(reply.value().families()).containsOnlyKeys("power");
    assertThat(reply.value().reductions()).hasSize(1);
    Request.Newest alone =
        new Request.Newest(
            NEWEST.selectors(),
            List.of(),
            "n1"::equals,
            END - 60_000,
            END,
            NameEscaping.ALLOW_UTF_8,
            false);
    Reply<Request.NewestSamples> oneHost = answer(ROOT, alone);
    assertThat(oneHost.value().reductions()).isEmpty();
    assertThat(oneHost.completeness().expected()).isEqualTo(1);
    assertThat(oneHost.value().families().get("power").stream().mapToInt(MetricLines::series).sum())
        .isEqualTo(2);
    assertThat(test.shards.count("reductions")).isEqualTo(1);
  }

  // --- metadata and hosts ---

  @Test
  void metadataIsThatOfVisibleMetricsWithWhatSendersReportFirst() throws Exception {
    MetricMetadata power = new MetricMetadata("gauge", "Power draw.", "watts");
    MetricMetadata load = new MetricMetadata("counter", "Load.", "");
    MetricMetadata seconds = new MetricMetadata("histogram", "Seconds.", "seconds");
    MetricMetadata temperature = new MetricMetadata("gauge", "Said by its sender.", "");
    test.fleet
        .metadata("power", power)
        .metadata("load", load)
        .metadata("seconds", seconds)
        .metadata("DCGM_FI_DEV_GPU_TEMP", temperature)
        .metadata("nosuch", power);
    for (String metric :
        List.of("seconds_bucket", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE")) {
      test.fleet.add(labels(metric, 1, 0), END, 1);
    }
    Map<String, List<MetricMetadata>> all = answer(ROOT, new Request.Metadata()).value();
    assertThat(all)
        .containsEntry("power", List.of(power))
        .containsEntry("load", List.of(load))
        .containsEntry("seconds", List.of(seconds))
        .containsEntry("DCGM_FI_DEV_GPU_TEMP", List.of(temperature))
        .containsKey("DCGM_FI_DEV_POWER_USAGE")
        .doesNotContainKey("nosuch");
    assertThat(answer(RACK_0, new Request.Metadata()).value()).containsOnlyKeys("load", "power");
  }

  @Test
  void whoMustNotSeeAllHostsGetsTheMetadataOfItsTenantsOnly() throws Exception {
    MetricMetadata ofA = new MetricMetadata("gauge", "Said by a.", "");
    MetricMetadata ofB = new MetricMetadata("gauge", "Said by b.", "");
    test.fleet.metadata("a", "power", ofA).metadata("b", "load_total", ofB);
    assertThat(answer(RACK_0, new Request.Metadata()).value())
        .isEqualTo(Map.of("power", List.of(ofA)));
    assertThat(answer(RACK_1, new Request.Metadata()).value())
        .isEqualTo(Map.of("load_total", List.of(ofB)));
    assertThat(answer(ROOT, new Request.Metadata()).value())
        .isEqualTo(Map.of("power", List.of(ofA), "load_total", List.of(ofB)));
  }

  @Test
  void aMetricIsVisibleByTheSeriesThatItsSenderMakesOfIt() throws Exception {
    MetricMetadata said = new MetricMetadata("summary", "Said.", "");
    test.fleet.metadata("requests", said).metadata("size", said);
    test.fleet.add(labels("requests_count", 0, 0), END, 1);
    test.fleet.add(labels("size_sum", 0, 0), END, 1);
    assertThat(answer(ROOT, new Request.Metadata()).value())
        .containsEntry("requests", List.of(said))
        .doesNotContainKey("size");
  }

  @Test
  void hostsAreThoseOfWhichTheCallerSeesASeries() throws Exception {
    assertThat(answer(ROOT, new Request.HostStates()).value())
        .extracting(HostState::name)
        .containsExactly("n0", "n1", "n2", "n3", "n4", "n5");
    assertThat(test.shards.count("labelValues")).isZero();
    assertThat(answer(RACK_1, new Request.HostStates()).value())
        .extracting(HostState::name)
        .containsExactly("n1", "n3", "n5");
  }

  @Test
  void ownersAreListedForTheSeriesThatMatch() throws Exception {
    SeriesFilter filter =
        new SeriesFilter(START, END, 0, List.of(List.of(equal(Labels.NAME, "power"))));
    List<OwnedSeries> owned = answer(RACK_0, new Request.OwnerIntervals(filter)).value();
    assertThat(owned)
        .extracting(OwnedSeries::identity)
        .contains(labels("power", 4, 1).without("job"))
        .hasSize(6);
    assertThat(owned.getFirst().intervals())
        .containsExactly(new OwnedSeries.Interval(Labels.of("job", "j0"), START, END));
  }

  // --- cost ---

  private Cost cost(Request<?> request, String held) {
    test.shards.hold(held);
    test.begin(ask(ROOT, request));
    Cost cost = test.querier.running().all().getFirst().cost();
    test.shards.release();
    return cost;
  }

  @Test
  void aLookupOfLabelsIsLightAndItsCostNeedsNoRequest() {
    Cost cost = cost(new Request.LabelNames(SeriesFilter.ALL), "labelNames");
    assertThat(cost).isEqualTo(Cost.bound(61));
    assertThat(cost(new Request.LabelValues("rack", SeriesFilter.ALL), "labelValues"))
        .isEqualTo(cost);
    assertThat(cost(new Request.Metadata(), "metadata")).isEqualTo(Cost.bound(7));
    assertThat(cost(new Request.HostStates(), "hosts")).isEqualTo(Cost.bound(7));
    assertThat(test.shards.count("extents")).isZero();
  }

  @Test
  void whatAScrapeCostsFollowsFromTheSeriesThatItFoundTheLastTime() {
    assertThat(cost(NEWEST, "newest")).isEqualTo(Cost.bound(24_001));
    assertThat(cost(NEWEST, "newest")).isEqualTo(new Cost(12, 12, 97));
    Request.SeriesLabels series = new Request.SeriesLabels(SeriesFilter.ALL);
    assertThat(cost(series, "labelSets")).isEqualTo(Cost.bound(24_001));
    assertThat(cost(series, "labelSets").series()).isEqualTo(24);
    // What was found is known to lookups of labels too.
    assertThat(cost(new Request.LabelNames(SeriesFilter.ALL), "labelNames").series()).isEqualTo(24);
  }

  @Test
  void aScrapeOfALargeFleetIsHeavy() throws Exception {
    for (int host = 6; host < 760; host++) {
      test.fleet.host("n" + host, "g" + host % 3);
    }
    answer(ROOT, NEWEST);
    assertThat(test.shards.count("heavy newest")).isEqualTo(1);
    answer(ROOT, NEWEST);
    assertThat(test.shards.count("newest")).as("twelve series are few").isEqualTo(1);
  }

  @Test
  void aScopeByTheLabelClassLeavesOutSeriesOfUsage() throws Exception {
    List<Matcher> selector = List.of(Matcher.equal("__name__", "job:gpu_seconds:total"));
    Caller byRack = Caller.of("a", List.of("{rack=\"r0\"}"), LIMITS);
    assertThat(UsageSelector.of(byRack.scoped(selector))).isPresent();
    Caller byClass = Caller.of("a", List.of("{rack=\"r0\",class!=\"x\"}"), LIMITS);
    assertThat(UsageSelector.of(byClass.scoped(selector))).isEmpty();
  }

  @Test
  void aCallerIsNarrowedByItsFilterOnly() throws Exception {
    assertThat(ROOT.narrowedBy(List.of())).isSameAs(ROOT);
    Caller narrowed = RACK_0.narrowedBy(List.of(equal("gpu", "0")));
    assertThat(narrowed.scope()).containsExactly(equal("rack", "r0"), equal("gpu", "0"));
    assertThat(narrowed.seesAllHosts()).isFalse();
    assertThat(Caller.of("a|b", List.of("{rack=\"r0\"}"), LIMITS))
        .isEqualTo(new Caller("a|b", List.of(equal("rack", "r0")), false, LIMITS));
    assertThat(Caller.of("a|b", List.of("{rack=\"r0\"}", ""), LIMITS).seesAllHosts()).isTrue();
    assertThat(Caller.of("a", List.of(), LIMITS).seesAllHosts()).isTrue();
    assertThat(Caller.of("a|b", List.of(), LIMITS).tenants()).containsExactly("a", "b");
  }
}
