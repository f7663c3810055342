package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.await;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static io.fleetgauge.query.answer.TestQuerier.uncached;
import static io.fleetgauge.query.answer.TestQuerier.with;
import static io.fleetgauge.query.fleet.GpuSeries.labels;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 4 for caches and single-flight: they change the time of an answer, never the answer. */
@ExtendWith(VertxExtension.class)
class CachingTest {
  /** Its last step is between samples, so that one more sample there changes it. */
  private static final Ask<Evaluated> LATER_RANGE =
      range(ROOT, "sum(power)", START + 5_000, END + 5_000);

  private static final Ask<Evaluated> LATER =
      Ask.of(ROOT, Request.Promql.of("sum(power)", END + 5_000, END + 5_000, 0, 300_000), 120_000);

  private TestQuerier test;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx);
    // The shards say where they are, so that what is read afterwards is kept.
    test.value(ROOT, "count(power)");
  }

  private long reads() {
    return test.shards.count("parts") + test.shards.count("samples");
  }

  private long cached(Reply<Evaluated> reply) {
    return reply.value().trace().cachedSteps();
  }

  // --- whole answers ---

  @Test
  void anEqualQueryGetsTheSameAnswerWhileNothingHasChanged() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "sum(power)");
    Reply<Evaluated> first = test.answer(ask);
    long before = reads();
    assertThat(test.answer(ask)).isSameAs(first);
    assertThat(reads()).isEqualTo(before);
    test.answer(instant(ROOT, "sum(power) "));
    assertThat(reads()).as("another text").isEqualTo(before + 1);
  }

  @Test
  void aSampleThatTheQueryReadsMakesItEvaluatedAgain() throws Exception {
    long added = 0;
    for (Ask<Evaluated> ask : List.of(LATER, LATER_RANGE)) {
      Answer.Result before = test.answer(ask).value().result();
      added++;
      test.fleet.add(labels("power", 0, 0), END + added, 1_000 * added);
      Answer.Result after = test.answer(ask).value().result();
      assertThat(after).isEqualTo(test.expected(ask).result()).isNotEqualTo(before);
    }
  }

  @Test
  void aSampleOfAnotherTimeDoesNot() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "sum(power)");
    Reply<Evaluated> first = test.answer(ask);
    test.fleet.add(labels("power", 0, 0), START, 5);
    test.fleet.add(labels("power", 0, 0), END + 10_000, 5);
    assertThat(test.answer(ask)).isSameAs(first);
  }

  @Test
  void aCallerThatWantsNoCachedAnswerGetsAFreshOneThatIsNotKept() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "sum(power)");
    test.answer(uncached(ask));
    long before = reads();
    test.answer(uncached(ask));
    test.answer(ask);
    assertThat(reads()).isEqualTo(before + 2);
    Ask<Evaluated> range = range(ROOT, "sum(power)", START, END);
    test.answer(uncached(range));
    assertThat(cached(test.answer(range))).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anIncompleteAnswerIsNotKept(Planner.Mode mode) throws Exception {
    for (Ask<Evaluated> ask :
        List.of(instant(ROOT, "sum(power)"), range(ROOT, "max(power)", START, END))) {
      Ask<Evaluated> planned = with(ask, mode, true, false);
      test.fleet.damage("n3");
      assertThat(test.answer(planned).completeness().missing()).containsExactly("n3");
      long before = reads();
      assertThat(test.answer(planned).completeness().missing()).containsExactly("n3");
      assertThat(reads()).isEqualTo(before + 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerFromReplicasIsNotKeptSinceChangesThereAreNotCounted(Planner.Mode mode)
      throws Exception {
    for (Ask<Evaluated> ask :
        List.of(instant(ROOT, "sum(power)"), range(ROOT, "max(power)", START, END))) {
      Ask<Evaluated> planned = with(ask, mode, true, false);
      test.shards.hedge(true);
      assertThat(test.answer(planned).completeness().isWhole()).isTrue();
      test.shards.hedge(false);
      long before = reads();
      Reply<Evaluated> second = test.answer(planned);
      assertThat(reads()).isEqualTo(before + 1);
      assertThat(cached(second)).isZero();
    }
  }

  @Test
  void anEqualQueryThatComesAfterASampleHasItAndOneThatComesBeforeJoins() throws Exception {
    test.shards.hold("parts");
    Future<Reply<Evaluated>> first = test.begin(LATER);
    Future<Reply<Evaluated>> joins = test.begin(LATER);
    assertThat(test.shards.waiting()).isEqualTo(1);
    test.fleet.add(labels("power", 0, 0), END + 1_000, 5_000);
    Future<Reply<Evaluated>> later = test.begin(LATER);
    assertThat(test.shards.waiting()).isEqualTo(2);
    test.shards.release();
    assertThat(await(joins)).isSameAs(await(first));
    assertThat(await(later).value().result())
        .isEqualTo(test.expected(LATER).result())
        .isNotEqualTo(await(first).value().result());
  }

  /** What was read before a change must not be taken for valid after it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aChangeThatIsReportedWhileAQueryReadsMakesItsAnswerStale(boolean instant) throws Exception {
    Ask<Evaluated> ask = instant ? LATER : LATER_RANGE;
    Ask<Evaluated> other = instant(ROOT, "min(power)");
    test.answer(other);
    test.shards.hold("parts");
    Future<Reply<Evaluated>> old = test.begin(ask);
    test.fleet.add(labels("power", 0, 0), END, 5_000);
    test.fleet.add(labels("power", 0, 0), END + 1_000, 5_000);
    // This one makes the shards report the change.
    Future<Reply<Evaluated>> reporting = test.begin(other);
    test.shards.release();
    Answer.Result before = await(old).value().result();
    await(reporting);
    Answer.Result after = test.answer(ask).value().result();
    assertThat(after).isEqualTo(test.expected(ask).result()).isNotEqualTo(before);
    // Nor are its steps, in another window.
    Ask<Evaluated> window = range(ROOT, "sum(power)", START + 5_000 + 7 * STEP, END + 5_000);
    assertThat(test.answer(window).value().result()).isEqualTo(test.expected(window).result());
  }

  @Test
  void aChangeThatIsReportedWhileNewStepsAreReadMakesThemStale() throws Exception {
    Ask<Evaluated> other = instant(ROOT, "min(power)");
    test.answer(other);
    test.answer(range(ROOT, "sum(power)", START + 5_000, END + 5_000 - 10 * STEP));
    test.shards.hold("parts");
    Future<Reply<Evaluated>> old = test.begin(LATER_RANGE);
    test.fleet.add(labels("power", 0, 0), END + 1_000, 5_000);
    // This one makes the shards report the change.
    Future<Reply<Evaluated>> reporting = test.begin(other);
    test.shards.release();
    Reply<Evaluated> before = await(old);
    assertThat(cached(before)).isEqualTo(190);
    await(reporting);
    Answer.Result after = test.answer(LATER_RANGE).value().result();
    assertThat(after)
        .isEqualTo(test.expected(LATER_RANGE).result())
        .isNotEqualTo(before.value().result());
  }

  @Test
  void aHostThatMovesMakesAllAnswersStale() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "sum(power)");
    test.answer(ask);
    test.fleet.host("n0", "g1", "g0");
    long before = reads();
    test.answer(ask);
    assertThat(reads()).isEqualTo(before + 1);
    // By the new table it is kept again.
    test.answer(ask);
    assertThat(reads()).isEqualTo(before + 1);
  }

  @Test
  void anAnswerByATableThatChangesMeanwhileIsNotKept() throws Exception {
    Ask<Evaluated> ask = instant(ROOT, "sum(power)");
    test.shards.hold("parts");
    Future<Reply<Evaluated>> old = test.begin(ask);
    test.fleet.host("n0", "g1", "g0");
    test.shards.release();
    await(old);
    long before = reads();
    test.answer(ask);
    assertThat(reads()).isEqualTo(before + 1);
  }

  // --- single-flight ---

  @Test
  void equalQueriesAtOnceAreExecutedOnce() throws Exception {
    test.shards.hold("parts");
    List<Future<Reply<Evaluated>>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(test.begin(range(ROOT, "sum(power)", START, END)));
    }
    assertThat(test.shards.waiting()).isEqualTo(1);
    assertThat(test.querier.running().all()).hasSize(1);
    test.shards.release();
    for (Future<Reply<Evaluated>> each : all) {
      assertThat(await(each)).isSameAs(await(all.getFirst()));
    }
  }

  @Test
  void queriesThatDifferInAnythingTheAnswerDependsOnAreExecutedEach() throws Exception {
    Request.Promql other = Request.Promql.of("sum(power)", START, END, STEP, 60_000);
    List<Ask<Evaluated>> different =
        List.of(
            range(ROOT, "sum(power)", START, END),
            range(ROOT, "sum(power)", START + STEP, END),
            range(ROOT, "sum(power)", START, END - STEP),
            Ask.of(ROOT, Request.Promql.of("sum(power)", START, END, 2 * STEP, 300_000), 120_000),
            Ask.of(ROOT, other, 120_000),
            with(range(ROOT, "sum(power)", START, END), Planner.Mode.RAW, true, false),
            range(ROOT.narrowedBy(TestQuerier.RACK_0.scope()), "sum(power)", START, END));
    test.shards.hold("parts", "samples");
    List<Future<Reply<Evaluated>>> all = different.stream().map(test::begin).toList();
    assertThat(test.shards.waiting()).isEqualTo(different.size());
    test.shards.release();
    for (int i = 0; i < all.size(); i++) {
      assertThat(await(all.get(i)).value().result())
          .isEqualTo(test.expected(different.get(i)).result());
    }
  }

  // --- extents ---

  @Test
  void aWindowThatMovesOnReadsOnlyItsNewSteps() throws Exception {
    test.answer(range(ROOT, "sum(power)", START, END - 10 * STEP));
    Ask<Evaluated> moved = range(ROOT, "sum(power)", START + 5 * STEP, END);
    Reply<Evaluated> reply = test.answer(moved);
    assertThat(reply.value().result()).isEqualTo(test.expected(moved).result());
    assertThat(cached(reply)).isEqualTo(185);
    assertThat(reply.value().trace().steps()).isEqualTo(195);
    Ask<Evaluated> inside = range(ROOT, "sum(power)", START + 50 * STEP, END - 20 * STEP);
    long before = reads();
    Reply<Evaluated> known = test.answer(inside);
    assertThat(known.value().result()).isEqualTo(test.expected(inside).result());
    assertThat(reads()).isEqualTo(before);
    assertThat(known.completeness().expected()).isEqualTo(6);
    assertThat(known.completeness().epoch()).isEqualTo(test.fleet.epoch());
  }

  @Test
  void aWindowThatMovesOnAsksTheShardsOnceForItsNewStepsAndForWhatChanged() throws Exception {
    test.answer(range(ROOT, "sum(power)", START, END - 10 * STEP));
    long rounds = test.shards.count("changes");
    long reads = reads();
    Ask<Evaluated> moved = range(ROOT, "sum(power)", START, END - 5 * STEP);
    assertThat(cached(test.answer(moved))).isEqualTo(190);
    assertThat(reads()).isEqualTo(reads + 1);
    // A sample that came before the query: the cached steps with it are not valid any more.
    test.fleet.add(labels("power", 0, 0), START + 30 * STEP, 1_000);
    Ask<Evaluated> again = range(ROOT, "sum(power)", START, END);
    assertThat(test.answer(again).value().result()).isEqualTo(test.expected(again).result());
    assertThat(test.shards.count("changes")).isEqualTo(rounds);
  }

  @Test
  void aWindowWhoseNewStepsAReplicaReadAsksTheOwnersWhatChanged() throws Exception {
    test.answer(range(ROOT, "sum(power)", START, END - 10 * STEP));
    test.fleet.add(labels("power", 0, 0), START + 30 * STEP, 1_000);
    long rounds = test.shards.count("changes");
    test.shards.hedge(true);
    Ask<Evaluated> moved = range(ROOT, "sum(power)", START, END);
    assertThat(test.answer(moved).value().result()).isEqualTo(test.expected(moved).result());
    assertThat(test.shards.count("changes")).isEqualTo(rounds + 1);
  }

  @Test
  void newStepsThatLackAHostAreNotJoinedWithStepsThatHaveIt() throws Exception {
    test.answer(range(ROOT, "sum(power)", START, END - 10 * STEP));
    test.fleet.damage("n3");
    Ask<Evaluated> moved = range(ROOT, "sum(power)", START, END);
    for (int i = 0; i < 2; i++) {
      Reply<Evaluated> reply = test.answer(moved);
      assertThat(reply.completeness().missing()).containsExactly("n3");
      assertThat(cached(reply)).isZero();
    }
  }

  @Test
  void aWindowThatGrowsAgainAndAgainReadsItsNewStepsOnly() throws Exception {
    long to = END - 30 * STEP;
    test.answer(range(ROOT, "sum(power)", START, to));
    for (int i = 0; i < 10; i++) {
      to += STEP;
      // As in a live fleet, the newest time changes between refreshes.
      test.fleet.add(labels("power", 0, 0), to, i);
      Ask<Evaluated> ask = range(ROOT, "sum(power)", START, to);
      Reply<Evaluated> reply = test.answer(ask);
      assertThat(reply.value().result()).isEqualTo(test.expected(ask).result());
      assertThat(reply.value().trace().steps() - cached(reply)).isEqualTo(1);
    }
  }

  @Test
  void aChangeInThePastCostsOnlyTheExtentsThatReadIt() throws Exception {
    // Extents begin after 20, 80 and 140 steps of the range; each is read for itself.
    test.answer(range(ROOT, "sum(power)", START, START + 19 * STEP));
    for (int first : List.of(20, 80, 140)) {
      test.answer(range(ROOT, "sum(power)", START + first * STEP, START + (first + 59) * STEP));
    }
    test.fleet.add(labels("power", 0, 0), END - 30 * STEP - 1, 7);
    Ask<Evaluated> other = range(ROOT, "sum(power)", START, END - STEP);
    Reply<Evaluated> reply = test.answer(other);
    assertThat(reply.value().result()).isEqualTo(test.expected(other).result());
    assertThat(cached(reply)).isEqualTo(140);
    assertThat(reply.value().trace().steps()).isEqualTo(199);
  }

  @Test
  void stepsThatAreKeptAreAnsweredOnlyAfterTheShardsSaidWhatChanged() throws Exception {
    test.answer(range(ROOT, "sum(power)", START + 5_000, END));
    for (int i = 1; i <= 3; i++) {
      test.fleet.add(labels("power", 0, 0), START + 30 * STEP + i, 1_000 * i);
      // Another window, so that no whole answer of it is kept.
      Ask<Evaluated> window = range(ROOT, "sum(power)", START + 5_000, END - i * STEP);
      assertThat(test.answer(window).value().result()).isEqualTo(test.expected(window).result());
    }
  }

  @Test
  void aQueryOfWhichNothingIsKeptDoesNotAskTheShardsWhatChanged() throws Exception {
    long before = test.shards.count("changes");
    test.answer(range(ROOT, "sum(power)", START, END));
    test.answer(range(ROOT, "max(power)", START, END));
    assertThat(test.shards.count("changes")).isEqualTo(before);
  }

  @Test
  void whenTheTableHasChangedRangesAreKeptByTheNewOne() throws Exception {
    test.fleet.host("n0", "g1", "g0");
    test.answer(range(ROOT, "sum(power)", START, END - STEP));
    Reply<Evaluated> reply = test.answer(range(ROOT, "sum(power)", START, END));
    assertThat(cached(reply)).isEqualTo(199);
  }

  @Test
  void aWindowWithTwoGapsIsFilledAndOneWithThreeIsReadAsAWhole() throws Exception {
    // The first half of each of three extents is kept.
    for (int first : List.of(20, 80, 140)) {
      test.answer(range(ROOT, "sum(power)", START + first * STEP, START + (first + 29) * STEP));
    }
    Ask<Evaluated> twoGaps = range(ROOT, "sum(power)", START + 20 * STEP, START + 139 * STEP);
    Ask<Evaluated> threeGaps = range(ROOT, "sum(power)", START + 20 * STEP, END);
    Reply<Evaluated> whole = test.answer(threeGaps);
    assertThat(cached(whole)).isZero();
    assertThat(whole.value().result()).isEqualTo(test.expected(threeGaps).result());
    test.fleet.add(labels("power", 0, 0), START + 200 * STEP, 1);
    test.fleet.host("n0", "g1", "g0"); // so that everything is read anew
    test.answer(instant(ROOT, "sum(power)"));
    for (int first : List.of(20, 80)) {
      test.answer(range(ROOT, "sum(power)", START + first * STEP, START + (first + 29) * STEP));
    }
    Reply<Evaluated> filled = test.answer(twoGaps);
    assertThat(cached(filled)).isEqualTo(60);
    assertThat(filled.value().result()).isEqualTo(test.expected(twoGaps).result());
    assertThat(test.answer(twoGaps)).as("it is kept as a whole").isSameAs(filled);
  }

  @Test
  void stepsWithoutARemarkAreKeptHoweverSparseTheyAre() throws Exception {
    String text = "power > 144"; // of one GPU, at every fifth step
    test.answer(range(ROOT, text, START, END - 10 * STEP));
    Ask<Evaluated> moved = range(ROOT, text, START + 5 * STEP, END);
    Reply<Evaluated> reply = test.answer(moved);
    assertThat(reply.value().result()).isEqualTo(test.expected(moved).result());
    assertThat(cached(reply)).isEqualTo(185);
  }

  @Test
  void aRemarkThatSomeStepsMakeIsNotMadeOfOthers() throws Exception {
    // A series that begins late: rate remarks that its name is not that of a counter.
    for (int step = 50; step < 70; step++) {
      test.fleet.add(labels("late", 0, 0), START + step * STEP, step);
    }
    test.value(ROOT, "count(power)"); // so that the shards have reported them
    String text = "rate(late[1m])";
    assertThat(test.answer(range(ROOT, text, START + 20 * STEP, START + 75 * STEP)).value().infos())
        .isNotEmpty();
    Ask<Evaluated> before = range(ROOT, text, START + 20 * STEP, START + 40 * STEP);
    assertThat(test.expected(before).infos()).isEmpty();
    assertThat(test.answer(before).value().infos()).isEmpty();
  }

  @Test
  void anInfoAboutHistogramsIsNotMadeOfStepsThatHaveNone() throws Exception {
    for (int step = 0; step < 200; step++) {
      test.fleet.add(labels("latency", 0, 0), START + step * STEP, step);
    }
    test.fleet.with(
        new Series(
            labels("latency", 0, 1),
            new long[] {START},
            new double[] {Double.NaN},
            new Histogram[] {histogram(1)}));
    test.value(ROOT, "count(power)"); // so that the shards have reported them
    Ask<Evaluated> all = range(ROOT, "max(latency)", START, END);
    assertThat(test.answer(all).value().infos()).isEqualTo(test.expected(all).infos()).hasSize(1);
    Ask<Evaluated> later = range(ROOT, "max(latency)", START + 60 * STEP, START + 100 * STEP);
    assertThat(test.answer(later).value().infos())
        .isEqualTo(test.expected(later).infos())
        .isEmpty();
  }

  @Test
  void aRangeWithHistogramsIsNotPutTogetherOfKeptSteps() throws Exception {
    long[] times = LongStream.rangeClosed(0, 199).map(step -> START + step * STEP).toArray();
    double[] values = new double[times.length];
    Arrays.fill(values, Double.NaN);
    Histogram[] histograms = new Histogram[times.length];
    for (int i = 0; i < times.length; i++) {
      histograms[i] = histogram(i);
    }
    test.fleet.with(new Series(labels("latency", 0, 0), times, values, histograms));
    Ask<Evaluated> first = range(ROOT, "latency", START, END - 10 * STEP);
    Ask<Evaluated> moved = range(ROOT, "latency", START + 5 * STEP, END);
    test.answer(with(first, Planner.Mode.RAW, true, false));
    Reply<Evaluated> reply = test.answer(with(moved, Planner.Mode.RAW, true, false));
    assertThat(cached(reply)).isZero();
    assertThat(reply.value().result().toString())
        .isEqualTo(test.expected(moved).result().toString());
  }

  private static Histogram histogram(int count) {
    return new Histogram(
        0,
        Histogram.ResetHint.UNKNOWN,
        count,
        count,
        0.001,
        0,
        new Histogram.Buckets(new int[] {1}, new double[] {count}),
        Histogram.Buckets.NONE,
        new double[0]);
  }

  @Test
  void anAnswerForWhichNothingWasReadIsKept() throws Exception {
    assertThat(test.answer(instant(ROOT, "1 + 1"))).isSameAs(test.answer(instant(ROOT, "1 + 1")));
  }

  @Test
  void stepsAfterTheWatermarkAreNotKept() throws Exception {
    test.fleet.watermark(END - 20 * STEP);
    test.answer(instant(ROOT, "sum(power)")); // so that the watermark is known
    test.answer(instant(ROOT, "sum(power)"));
    test.answer(range(ROOT, "max(power)", START, END - STEP));
    Reply<Evaluated> reply = test.answer(range(ROOT, "max(power)", START, END));
    assertThat(cached(reply)).isEqualTo(180);
    assertThat(reply.completeness().watermark()).isEqualTo(END - 20 * STEP);
  }

  @Test
  void aQueryThatLooksAtItsRangeIsNotPutTogether() throws Exception {
    String text = "sum(power @ end())";
    test.answer(range(ROOT, text, START, END - STEP));
    Ask<Evaluated> moved = range(ROOT, text, START, END);
    Reply<Evaluated> reply = test.answer(moved);
    assertThat(cached(reply)).isZero();
    assertThat(reply.value().result()).isEqualTo(test.expected(moved).result());
  }

  @Test
  void annotationsOfCachedStepsAreThoseOfTheWhole() throws Exception {
    String text = "rate(power[2m])";
    test.answer(range(ROOT, text, START + 20 * STEP, END - 10 * STEP));
    Ask<Evaluated> moved = range(ROOT, text, START + 25 * STEP, END);
    Reply<Evaluated> reply = test.answer(moved);
    Answer whole = test.expected(moved);
    assertThat(reply.value().result()).isEqualTo(whole.result());
    assertThat(reply.value().infos()).isEqualTo(whole.infos()).isNotEmpty();
    assertThat(cached(reply)).isPositive();
  }

  @Test
  void annotationsHavePositionsInTheTextThatWasAsked() throws Exception {
    test.answer(range(ROOT, "rate(power[2m])", START + 20 * STEP, END - 10 * STEP));
    Ask<Evaluated> spaced = range(ROOT, "  rate( power[2m])", START + 25 * STEP, END - 20 * STEP);
    assertThat(test.answer(spaced).value().infos())
        .isEqualTo(test.expected(spaced).infos())
        .isNotEmpty();
  }

  /** The caches against evaluation over all samples, while samples come late and hosts move. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_123})
  void whateverIsAskedWhateverChangesTheAnswerIsThatOfNow(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> texts =
        List.of(
            "sum by (rack) (power)",
            "max(load_total) - min(load_total)",
            "rate(load_total[2m])",
            "power > 120",
            "topk(2, power)",
            "sum(power offset 1m)",
            "count(power @ " + (START + 50 * STEP) / 1_000 + ")",
            "power and on (Hostname) load_total > 100");
    for (int i = 0; i < 250; i++) {
      switch (random.nextInt(5)) {
        case 0 -> {
          int host = random.nextInt(6);
          long time = START + random.nextLong(END - START);
          test.fleet.add(labels("power", host, 0), time, random.nextInt(200));
        }
        case 1 -> {
          if (random.nextInt(10) == 0) {
            String host = "n" + random.nextInt(6);
            int owner = random.nextInt(3);
            test.fleet.host(host, "g" + owner, "g" + (owner + 1) % 3);
          }
          test.fleet.watermark(START + random.nextLong(END - START));
        }
        default -> check(randomRange(random, texts));
      }
    }
  }

  private static Ask<Evaluated> randomRange(SplittableRandom random, List<String> texts) {
    String text = texts.get(random.nextInt(texts.size()));
    if (random.nextInt(5) == 0) {
      return instant(ROOT, text);
    }
    long from = START + random.nextInt(150) * STEP;
    long to = from + random.nextLong(END - from);
    // Some windows are not on the same steps as the others.
    long phase = random.nextInt(3) == 0 ? 7_000 : 0;
    return range(ROOT, text, from + phase, Math.max(from + phase, to));
  }

  private void check(Ask<Evaluated> ask) throws TimeoutException, Exception {
    Answer expected = test.expected(ask);
    Reply<Evaluated> reply = test.answer(ask);
    assertThat(reply.value().result()).as("%s", ask.request()).isEqualTo(expected.result());
    assertThat(reply.value().infos()).isEqualTo(expected.infos());
    assertThat(reply.warnings()).isEqualTo(expected.warnings());
  }
}
