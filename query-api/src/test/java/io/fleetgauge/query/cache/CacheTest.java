package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CacheTest {
  private static final long STEP = 15_000;
  private static final long BUCKET = 5_000;
  private static final ExtentCache.Key KEY = new ExtentCache.Key("t", "sum(x)", 300_000, STEP, 0);

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
    assertThat(
            extents.find(new ExtentCache.Key("other", "sum(x)", 300_000, STEP, 0), 0, 100 * STEP))
        .isEmpty();
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
    ExtentCache.Key other = new ExtentCache.Key("t", "rate(x) or y", 300_000, STEP, 0);
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
}
