package io.fleetgauge.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeriesTest {
  private static final Labels A = Labels.of(Labels.NAME, "a");
  private static final Labels B = Labels.of(Labels.NAME, "b");
  private static final Histogram HISTOGRAM =
      new Histogram(
          0,
          Histogram.ResetHint.UNKNOWN,
          3,
          4,
          0,
          0,
          new Histogram.Buckets(new int[] {1}, new double[] {3}),
          Histogram.Buckets.NONE,
          new double[0]);

  /** The plain twin is a sorted map that the second source is put into first. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aUnionHasEverySampleOfBothAndOfTwoAtOneTimeThatOfTheFirst(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 500; round++) {
      Series a = series(random, 0);
      Series b = series(random, 1_000);
      TreeMap<Long, Integer> from = new TreeMap<>();
      TreeMap<Long, Double> values = new TreeMap<>();
      for (int i = 0; i < b.size(); i++) {
        values.put(b.times()[i], b.values()[i]);
        from.put(b.times()[i], i + 1_000);
      }
      for (int i = 0; i < a.size(); i++) {
        values.put(a.times()[i], a.values()[i]);
        from.put(a.times()[i], i);
      }
      Series union = Series.union(a, b);
      assertThat(union.labels()).isEqualTo(A);
      assertThat(union.times()).containsExactly(longs(values));
      int at = 0;
      for (var each : from.entrySet()) {
        boolean ofA = each.getValue() < 1_000;
        Series source = ofA ? a : b;
        int i = ofA ? each.getValue() : each.getValue() - 1_000;
        assertThat(Double.doubleToRawLongBits(union.values()[at]))
            .isEqualTo(Double.doubleToRawLongBits(source.values()[i]));
        Histogram expected = source.histograms() == null ? null : source.histograms()[i];
        assertThat(union.histograms() == null ? null : union.histograms()[at]).isEqualTo(expected);
        at++;
      }
    }
  }

  private static long[] longs(TreeMap<Long, Double> values) {
    return values.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  private static Series series(SplittableRandom random, int from) {
    int size = random.nextInt(6);
    long[] times = new long[size];
    double[] values = new double[size];
    Histogram[] histograms = random.nextInt(3) == 0 ? new Histogram[size] : null;
    long time = 0;
    for (int i = 0; i < size; i++) {
      time += 1 + random.nextInt(3);
      times[i] = time;
      values[i] = from + i;
      if (histograms != null && random.nextBoolean()) {
        values[i] = Staleness.MARKER;
        histograms[i] = HISTOGRAM;
      }
    }
    return new Series(A, times, values, histograms);
  }

  @Test
  void neighboursOfOneLabelSetAreJoinedAndOthersStay() {
    Series one = new Series(A, new long[] {1, 3}, new double[] {1, 3});
    Series two = new Series(A, new long[] {2}, new double[] {2});
    Series other = new Series(B, new long[] {1}, new double[] {9});
    assertThat(Series.joinEqual(List.of(one, two, other)))
        .containsExactly(new Series(A, new long[] {1, 2, 3}, new double[] {1, 2, 3}), other);
    assertThat(Series.joinEqual(List.of())).isEmpty();
  }

  @Test
  void theFirstIndexAfterATimeIsFoundAsByCounting() {
    SplittableRandom random = new SplittableRandom(5);
    for (int round = 0; round < 2_000; round++) {
      long[] times = random.longs(random.nextInt(8), 0, 20).sorted().distinct().toArray();
      int from = times.length == 0 ? 0 : random.nextInt(times.length);
      long time = random.nextInt(-1, 21);
      int expected = from;
      while (expected < times.length && times[expected] <= time) {
        expected++;
      }
      assertThat(Series.firstAfter(times, from, times.length, time)).isEqualTo(expected);
    }
  }

  @Test
  void seriesAreEqualWhenEveryBitIs() {
    Series zero = new Series(A, new long[] {1}, new double[] {0.0});
    assertThat(zero).isEqualTo(new Series(A, new long[] {1}, new double[] {0.0}));
    assertThat(zero).hasSameHashCodeAs(new Series(A, new long[] {1}, new double[] {-0.0}));
    assertThat(zero).isNotEqualTo(new Series(A, new long[] {1}, new double[] {-0.0}));
    assertThat(zero).isNotEqualTo(new Series(A, new long[] {2}, new double[] {0.0}));
    assertThat(zero).isNotEqualTo(new Series(B, new long[] {1}, new double[] {0.0}));
    Series stale = new Series(A, new long[] {1}, new double[] {Staleness.MARKER});
    assertThat(stale).isNotEqualTo(new Series(A, new long[] {1}, new double[] {Double.NaN}));
    assertThat(stale)
        .isNotEqualTo(
            new Series(
                A, new long[] {1}, new double[] {Staleness.MARKER}, new Histogram[] {HISTOGRAM}));
  }

  @Test
  void aSeriesNeedsASampleForEachTime() {
    assertThatThrownBy(() -> new Series(A, new long[2], new double[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 values")
        .hasMessageContaining("2 times");
    assertThatThrownBy(() -> new Series(A, new long[1], new double[1], new Histogram[2]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTickKeepsWhatWasAddedInOrderHoweverMuch() {
    Tick.Builder builder = new Tick.Builder();
    List<Labels> series = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      series.add(Labels.of(Labels.NAME, "m" + i));
      if (i % 70 == 69) {
        builder.add(series.get(i), HISTOGRAM);
      } else {
        builder.add(series.get(i), i);
      }
    }
    Tick tick = builder.at(42);
    assertThat(tick.time()).isEqualTo(42);
    assertThat(tick.series()).isEqualTo(series);
    assertThat(tick.size()).isEqualTo(200).isEqualTo(tick.histograms().length);
    for (int i = 0; i < 200; i++) {
      boolean isHistogram = i % 70 == 69;
      assertThat(tick.histograms()[i]).isEqualTo(isHistogram ? HISTOGRAM : null);
      assertThat(Staleness.isMarker(tick.values()[i])).isEqualTo(isHistogram);
      if (!isHistogram) {
        assertThat(tick.values()[i]).isEqualTo(i);
      }
    }
    assertThat(new Tick.Builder().add(A, 1).at(1).histograms()).isNull();
  }

  @Test
  void aTickNeedsAValueForEachSeries() {
    assertThatThrownBy(() -> new Tick(1, List.of(A), new double[2]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 values for 1 series");
  }

  @Test
  void onlyOneBitPatternIsTheStalenessMarker() {
    assertThat(Staleness.isMarker(Staleness.MARKER)).isTrue();
    assertThat(Staleness.isMarker(Double.NaN)).isFalse();
    assertThat(Staleness.isMarker(Staleness.MARKER + 1)).isFalse();
    assertThat(Staleness.isMarker(0)).isFalse();
  }

  @Test
  void aWholeNumberTravelsAsAnIntegerAndComesBackWithItsBits() {
    double[] whole = {0, 1, -1, 9007199254740992.0, -9007199254740992.0, 1e15};
    double[] others = {-0.0, 0.5, 9007199254740994.0, Double.NaN, Double.POSITIVE_INFINITY, 1e300};
    assertThat(Arrays.stream(whole)).allMatch(WholeNumber::is);
    assertThat(Arrays.stream(others)).noneMatch(WholeNumber::is);
    for (double value : whole) {
      assertThat(Double.doubleToRawLongBits((double) (long) value))
          .isEqualTo(Double.doubleToRawLongBits(value));
    }
  }
}
