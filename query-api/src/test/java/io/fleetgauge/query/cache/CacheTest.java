package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class CacheTest {
  private static final long STEP = 15_000;
  private static final long BUCKET = 5_000;

  /** Of the texts of {@link #KEY}. */
  private static final long KEY_BYTES = 2 * (1 + 6 + 6);

  /** Of one series with a point at each step. */
  private static final long EXTENT_BYTES = KEY_BYTES + 200 + 200 + 60 * 16;

  private static final ExtentCache.Key KEY = key("t", "sum(x)");

  private static ExtentCache.Key key(String tenant, String text) {
    return new ExtentCache.Key(tenant, text, text, 300_000, STEP, 0);
  }

  private final Versions versions = new Versions();
  private final ExtentCache extents = new ExtentCache(versions, 1 << 20, 1);

  private boolean isUnchanged(long after, long to, long stamp) {
    return versions.isUnchanged(new ReadTime(after, to, stamp));
  }

  // --- versions ---

  @Test
  void onlyWhatWasReadAndChangedSinceCounts() {
    long stamp = versions.stamp();
    versions.changed(List.of(100L));
    assertThat(isUnchanged(0, 100 * BUCKET, stamp)).isTrue();
    assertThat(isUnchanged(0, 100 * BUCKET + 1, stamp)).isFalse();
    assertThat(isUnchanged(101 * BUCKET, 200 * BUCKET, stamp)).isTrue();
    assertThat(isUnchanged(101 * BUCKET - 1, 200 * BUCKET, stamp)).isFalse();
    assertThat(isUnchanged(0, 200 * BUCKET, versions.stamp())).isTrue();
    versions.allChanged();
    assertThat(isUnchanged(0, 1, stamp)).isFalse();
  }

  @Test
  void theTimeOfSeveralReadsIsThatOfAllTogether() {
    List<SamplesRead> reads =
        List.of(
            new SamplesRead(new Selection(List.of(), 200, 500), 1, 0),
            new SamplesRead(new Selection(List.of(), 100, 400), 1, 0),
            new SamplesRead(new Selection(List.of(), 300, 600), 1, 0));
    assertThat(ReadTime.of(reads, 7)).isEqualTo(new ReadTime(100, 600, 7));
    versions.allChanged();
    assertThat(versions.isUnchanged(ReadTime.of(List.of(), versions.stamp()))).isTrue();
    assertThat(new ReadTime(100, 200, 9).and(new ReadTime(150, 300, 8)))
        .as("valid only while both are")
        .isEqualTo(new ReadTime(100, 300, 8));
  }

  @Test
  void theyAgreeWithAListOfAllChanges() {
    SplittableRandom random = new SplittableRandom(1);
    record Change(long bucket, long stamp) {}
    List<Change> all = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      long bucket = random.nextLong(20_000);
      versions.changed(List.of(bucket));
      all.add(new Change(bucket, versions.stamp()));
      long after = random.nextLong(20_000 * BUCKET);
      long to = after + random.nextLong(5_000 * BUCKET);
      long since = random.nextLong(versions.stamp() + 1);
      boolean unchanged =
          since > 0
              && all.stream()
                  .noneMatch(
                      change ->
                          change.stamp > since
                              && (change.bucket + 1) * BUCKET > after
                              && change.bucket * BUCKET < to);
      assertThat(isUnchanged(after, to, since)).isEqualTo(unchanged);
    }
  }

  @Test
  void aTimeThatPushesAnotherOutCountsForAll() {
    versions.changed(List.of(5L));
    long stamp = versions.stamp();
    versions.changed(List.of(5L + (1 << 18)));
    assertThat(isUnchanged(0, 1, stamp)).isFalse();
  }

  @Test
  void aChangeThatWasReportedBeforeTheReadDoesNotCount() {
    versions.changed(List.of(100L));
    long stamp = versions.stamp();
    versions.changed(List.of(500L));
    assertThat(isUnchanged(100 * BUCKET, 101 * BUCKET, stamp)).isTrue();
    assertThat(isUnchanged(96 * BUCKET, 108 * BUCKET, stamp)).as("a whole minute").isTrue();
    assertThat(isUnchanged(100 * BUCKET, 101 * BUCKET, stamp - 1)).isFalse();
  }

  @Test
  void aReadOfNoTimeIsNeverChanged() {
    long stamp = versions.stamp();
    versions.changed(List.of(100L));
    assertThat(isUnchanged(100 * BUCKET + 10, 100 * BUCKET + 10, stamp)).isTrue();
    assertThat(isUnchanged(100 * BUCKET + 10, 100 * BUCKET + 11, stamp)).isFalse();
  }

  @Test
  void aReadOfMoreThanHalfTheTimeThatIsRememberedIsChangedByAnything() {
    long after = 1_000 * BUCKET;
    long to = after + (1 << 17) * BUCKET;
    long stamp = versions.stamp();
    assertThat(isUnchanged(after, to + 1, stamp)).as("nothing has changed at all").isTrue();
    versions.changed(List.of(1L));
    assertThat(isUnchanged(after, to, stamp)).isTrue();
    assertThat(isUnchanged(after, to + 1, stamp)).isFalse();
  }

  // --- extents ---

  /** Steps from one to another, with the number of the step as value. */
  private AnsweredRange range(long from, long to, String... infos) {
    long[] times = LongStream.rangeClosed(from, to).map(step -> step * STEP).toArray();
    double[] values = LongStream.rangeClosed(from, to).asDoubleStream().toArray();
    return new AnsweredRange(
        from * STEP,
        to * STEP,
        List.of(new Series(Labels.of("a", "b"), times, values)),
        List.of(),
        List.of(infos),
        new ReadTime(from * STEP - 300_000, to * STEP, versions.stamp()),
        true);
  }

  private List<String> found(long from, long to) {
    return extents.find(KEY, from * STEP, to * STEP).stream()
        .map(each -> each.from() / STEP + "-" + each.to() / STEP)
        .toList();
  }

  @Test
  void aWindowThatMovesFindsWhatItHasInCommonWithThatBefore() {
    extents.keep(KEY, range(10, 250), Long.MAX_VALUE / 2);
    assertThat(found(20, 260)).containsExactly("20-59", "60-119", "120-179", "180-239", "240-250");
    assertThat(found(5, 30)).isEmpty();
    extents.keep(KEY, range(251, 260), Long.MAX_VALUE / 2);
    assertThat(found(240, 270)).containsExactly("240-260");
    assertThat(extents.find(key("other", "sum(x)"), 0, 100 * STEP)).isEmpty();
  }

  @Test
  void aWindowThatBeginsAtTheLastStepThatIsKeptFindsIt() {
    extents.keep(KEY, range(10, 50), Long.MAX_VALUE / 2);
    assertThat(found(50, 59)).containsExactly("50-50");
    assertThat(found(51, 59)).isEmpty();
  }

  @Test
  void stepsThatLieBetweenThoseOfOtherQueriesAreKeptForThemselves() {
    long phase = 8_000;
    ExtentCache.Key shifted = new ExtentCache.Key("t", "sum(x)", "sum(x)", 300_000, STEP, phase);
    AnsweredRange answered =
        new AnsweredRange(
            phase,
            140 * STEP + phase,
            List.of(),
            List.of(),
            List.of(),
            new ReadTime(0, 140 * STEP + phase, versions.stamp()),
            true);
    extents.keep(shifted, answered, 130 * STEP + phase);
    assertThat(found(0, 59)).as("steps of the other query").isEmpty();
    assertThat(extents.misses()).isEqualTo(1);
    assertThat(extents.find(shifted, phase, 150 * STEP + phase))
        .extracting(each -> (each.from() - phase) / STEP + "-" + (each.to() - phase) / STEP)
        .containsExactly("0-59", "60-119", "120-130");
    assertThat(extents.find(shifted, phase, 59 * STEP + phase)).hasSize(1);
    assertThat(extents.misses()).as("extents begin at a step of their query").isEqualTo(1);
  }

  @Test
  void aPartHasOnlyTheSeriesThatHaveASampleInIt() {
    extents.keep(KEY, range(0, 10), Long.MAX_VALUE / 2);
    AnsweredRange nothing =
        new AnsweredRange(
            11 * STEP, 50 * STEP, List.of(), List.of(), List.of(), range(0, 50).read(), true);
    extents.keep(KEY, nothing, Long.MAX_VALUE / 2);
    assertThat(found(0, 50)).containsExactly("0-50");
    assertThat(extents.find(KEY, 10 * STEP, 50 * STEP).getFirst().series())
        .isEqualTo(range(10, 10).series());
    assertThat(extents.find(KEY, 11 * STEP, 50 * STEP).getFirst().series()).isEmpty();
  }

  @Test
  void aPartThatOverlapsWhatIsKeptContinuesItWithEachStepOnce() {
    extents.keep(KEY, range(0, 30), Long.MAX_VALUE / 2);
    extents.keep(KEY, range(20, 50), Long.MAX_VALUE / 2);
    assertThat(extents.find(KEY, 0, 59 * STEP))
        .singleElement()
        .extracting(AnsweredRange::series)
        .isEqualTo(range(0, 50).series());
  }

  @Test
  void whatIsNotAdjacentOrNoLongerValidIsNotContinued() {
    extents.keep(KEY, range(0, 10), Long.MAX_VALUE / 2);
    extents.keep(KEY, range(12, 50), Long.MAX_VALUE / 2);
    assertThat(found(0, 50)).as("step 11 was never answered").isEmpty();
    assertThat(found(12, 50)).containsExactly("12-50");
    versions.changed(List.of(12 * STEP / BUCKET));
    extents.keep(KEY, range(51, 55), Long.MAX_VALUE / 2);
    assertThat(found(12, 55)).as("steps from 12 have changed").isEmpty();
    assertThat(found(51, 55)).containsExactly("51-55");
  }

  @Test
  void aShorterAnswerTakesThePlaceOfALongerOneOnlyWhenItIsNewer() {
    extents.keep(KEY, range(10, 50), Long.MAX_VALUE / 2);
    extents.keep(KEY, range(20, 30), Long.MAX_VALUE / 2);
    extents.keep(KEY, range(20, 50), Long.MAX_VALUE / 2);
    assertThat(found(10, 50)).containsExactly("10-50");
    extents.keep(KEY, range(5, 20), Long.MAX_VALUE / 2);
    assertThat(found(5, 50)).as("it begins earlier").containsExactly("5-20");
    versions.changed(List.of(5 * STEP / BUCKET));
    extents.keep(KEY, range(10, 15), Long.MAX_VALUE / 2);
    assertThat(found(10, 20)).containsExactly("10-15");
  }

  @Test
  void somethingIsKeptOfAWindowWhetherItIsStillValidOrNot() {
    assertThat(extents.has(KEY, 0, 500 * STEP)).isFalse();
    extents.keep(KEY, range(130, 140), Long.MAX_VALUE / 2);
    assertThat(extents.has(KEY, 0, 119 * STEP)).isFalse();
    assertThat(extents.has(KEY, 0, 120 * STEP)).as("the same extent").isTrue();
    assertThat(extents.has(KEY, 180 * STEP, 500 * STEP)).isFalse();
    versions.allChanged();
    assertThat(extents.has(KEY, 0, 500 * STEP)).isTrue();
    assertThat(found(0, 500)).isEmpty();
    assertThat(extents.has(KEY, 0, 500 * STEP)).isFalse();
  }

  @Test
  void eachExtentOfAWindowIsCountedAsFoundOrNot() {
    extents.keep(KEY, range(0, 130), Long.MAX_VALUE / 2);
    found(0, 300);
    assertThat(extents.hits()).isEqualTo(3);
    assertThat(extents.misses()).isEqualTo(3);
  }

  @Test
  void itsMemoryIsThatOfTheStepsWhichAreKeptOnceEach() {
    extents.keep(KEY, range(50, 130), Long.MAX_VALUE / 2);
    long three = 3 * (KEY_BYTES + 200 + 200);
    Awaitility.await().until(() -> extents.bytes() == three + 81 * 16);
    extents.keep(key("u", "sum(x)"), range(0, 0), STEP);
    long four = 4 * (KEY_BYTES + 200 + 200);
    Awaitility.await().until(() -> extents.bytes() == four + 82 * 16);
  }

  @Test
  void itsMemoryIsThatOfTheTextsToo() {
    extents.keep(key("t", "x".repeat(50_000)), range(0, 0, "i".repeat(1_000)), STEP);
    long bytes = 2 * (1 + 2 * 50_000) + 200 + 200 + 16 + 2 * 1_000;
    Awaitility.await().until(() -> extents.bytes() == bytes);
    for (int i = 0; i < 20; i++) {
      extents.keep(key("t", "y".repeat(50_000) + i), range(0, 0), STEP);
    }
    Awaitility.await().until(() -> extents.bytes() <= 1 << 20);
  }

  @Test
  void aTenantThatFillsItsShareDoesNotPushOutAnothersAnswers() {
    ExtentCache shared = new ExtentCache(versions, 40_000, 4);
    ExtentCache.Key modest = key("m", "sum(y)");
    shared.keep(modest, range(0, 59), Long.MAX_VALUE / 2);
    Awaitility.await().until(() -> shared.bytes() == EXTENT_BYTES);
    shared.keep(KEY, range(0, 100 * 60 - 1), Long.MAX_VALUE / 2);
    // Extents over the share leave in the background: seven of another tenant fit into its own.
    Awaitility.await().until(() -> shared.bytes() == 8 * EXTENT_BYTES);
    assertThat(shared.has(modest, 0, 59 * STEP)).isTrue();
  }

  @Test
  void aChangeCostsOnlyTheExtentsThatReadIt() {
    extents.keep(KEY, range(0, 239), Long.MAX_VALUE / 2);
    versions.changed(List.of(130 * STEP / BUCKET));
    // The lookback of five minutes reaches from the third extent into the second.
    assertThat(found(0, 239)).isEmpty();
    for (long first : List.of(0L, 60L, 120L, 180L)) {
      extents.keep(KEY, range(first, first + 59), Long.MAX_VALUE / 2);
    }
    versions.changed(List.of(190 * STEP / BUCKET));
    assertThat(found(0, 239)).containsExactly("0-59", "60-119", "120-179");
  }

  @Test
  void stepsBehindTheWatermarkAreNotKept() {
    extents.keep(KEY, range(0, 50), 30 * STEP + 1);
    assertThat(found(0, 50)).containsExactly("0-30");
  }

  @Test
  void aRemarkAboutTheWholeIsKeptOnlyForTheWholeUnlessEveryStepMakesIt() {
    AnsweredRange remarked = range(0, 50, "PromQL info: counter? (1:3)");
    extents.keep(KEY, remarked, Long.MAX_VALUE / 2);
    assertThat(found(10, 50)).containsExactly("10-50");
    ExtentCache.Key other = key("t", "rate(x) or y");
    AnsweredRange unsteady =
        new AnsweredRange(
            0,
            50 * STEP,
            remarked.series(),
            List.of(),
            remarked.infos(),
            new ReadTime(0, 1, versions.stamp()),
            false);
    extents.keep(other, unsteady, Long.MAX_VALUE / 2);
    assertThat(extents.find(other, 0, 50 * STEP)).hasSize(1);
    assertThat(extents.find(other, 10 * STEP, 50 * STEP)).isEmpty();
    assertThat(AnsweredRange.isUniform(remarked.series(), true, true, 0, 50 * STEP, STEP)).isTrue();
    assertThat(AnsweredRange.isUniform(remarked.series(), true, true, 0, 51 * STEP, STEP))
        .isFalse();
    assertThat(AnsweredRange.isUniform(remarked.series(), true, false, 0, 50 * STEP, STEP))
        .isFalse();
  }

  @Test
  void stretchesThatPlaceOneRemarkDifferentlyAreNotJoined() {
    assertThat(
            AnsweredRange.joined(
                List.of(
                    range(0, 9, "PromQL info: counter? (1:3)"),
                    range(10, 19, "PromQL info: counter? (1:9)"))))
        .isEmpty();
    AnsweredRange joined = AnsweredRange.joined(List.of(range(0, 9), range(10, 19))).orElseThrow();
    assertThat(joined.series()).isEqualTo(range(0, 19).series());
  }

  @Test
  void stretchesWithDifferentRemarksAreNotUniformTogether() {
    AnsweredRange plain = range(0, 9);
    AnsweredRange remarked = range(10, 19, "PromQL info: counter? (1:3)");
    assertThat(AnsweredRange.joined(List.of(plain, remarked)).orElseThrow().isUniform()).isFalse();
    assertThat(AnsweredRange.joined(List.of(plain, range(10, 19))).orElseThrow().isUniform())
        .isTrue();
    assertThat(AnsweredRange.joined(List.of(remarked))).containsSame(remarked);
  }
}
