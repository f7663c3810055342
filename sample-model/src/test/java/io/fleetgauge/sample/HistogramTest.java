package io.fleetgauge.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Histogram.Bucket;
import io.fleetgauge.sample.Histogram.Buckets;
import io.fleetgauge.sample.Histogram.Edges;
import io.fleetgauge.sample.Histogram.ResetHint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {
  private static Histogram exponential(int schema, Buckets positive, Buckets negative) {
    return new Histogram(
        schema, ResetHint.UNKNOWN, 10, 1, 0.001, 2, positive, negative, new double[0]);
  }

  private static Histogram custom(double[] bounds, int... indexes) {
    double[] counts = new double[indexes.length];
    java.util.Arrays.fill(counts, 1);
    return new Histogram(
        Histogram.CUSTOM_SCHEMA,
        ResetHint.UNKNOWN,
        indexes.length,
        0,
        0,
        0,
        new Buckets(indexes, counts),
        Buckets.NONE,
        bounds);
  }

  /** Bucket i of schema n ends at 2 to the power of i times 2 to the power of minus n. */
  @ParameterizedTest
  @ValueSource(ints = {-4, -1, 0, 1, 3, 8})
  void boundsOfAnExponentialSchemaGrowByItsFactor(int schema) {
    Histogram histogram = exponential(schema, Buckets.NONE, Buckets.NONE);
    double factor = Math.pow(2, Math.pow(2, -schema));
    int range = schema < 0 ? 20 : 20 << schema;
    for (int i = -range; i < range; i++) {
      assertThat(histogram.bound(i + 1) / histogram.bound(i))
          .as("bucket %s of schema %s", i, schema)
          .isCloseTo(factor, org.assertj.core.data.Offset.offset(1e-9 * factor));
    }
    assertThat(histogram.bound(0)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 2", "0, -1, 0.5", "0, 10, 1024", "-1, 1, 4", "-4, 2, 4294967296", "1, 2, 2"})
  void powersOfTwoAreExactBounds(int schema, int index, double bound) {
    assertThat(exponential(schema, Buckets.NONE, Buckets.NONE).bound(index)).isEqualTo(bound);
  }

  @Test
  void customBoundsEndAtInfinityOnBothSides() {
    Histogram histogram = custom(new double[] {0.5, 1}, 0, 1, 2);
    assertThat(histogram.bound(-1)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(histogram.bound(0)).isEqualTo(0.5);
    assertThat(histogram.bound(1)).isEqualTo(1);
    assertThat(histogram.bound(2)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(histogram.buckets())
        .containsExactly(
            new Bucket(Double.NEGATIVE_INFINITY, 0.5, 1, Edges.BOTH),
            new Bucket(0.5, 1, 1, Edges.UPPER),
            new Bucket(1, Double.POSITIVE_INFINITY, 1, Edges.UPPER));
  }

  @Test
  void bucketsGoFromTheLowestToTheHighestAndEmptyOnesAreLeftOut() {
    Histogram histogram =
        exponential(
            0,
            new Buckets(new int[] {0, 1, 3}, new double[] {1, 0, 3}),
            new Buckets(new int[] {1, 2}, new double[] {4, 5}));
    assertThat(histogram.buckets())
        .containsExactly(
            new Bucket(-4, -2, 5, Edges.LOWER),
            new Bucket(-2, -1, 4, Edges.LOWER),
            new Bucket(-0.001, 0.001, 2, Edges.BOTH),
            new Bucket(0.5, 1, 1, Edges.UPPER),
            new Bucket(4, 8, 3, Edges.UPPER));
  }

  @Test
  void histogramsAreEqualWhenEveryBitIs() {
    Histogram one = exponential(0, Buckets.NONE, Buckets.NONE);
    assertThat(one).isEqualTo(exponential(0, Buckets.NONE, Buckets.NONE));
    assertThat(one).hasSameHashCodeAs(exponential(0, Buckets.NONE, Buckets.NONE));
    assertThat(one).isNotEqualTo(exponential(1, Buckets.NONE, Buckets.NONE));
    assertThat(one)
        .isNotEqualTo(exponential(0, new Buckets(new int[] {1}, new double[] {0}), Buckets.NONE));
    assertThat(custom(new double[] {1}, 0)).isNotEqualTo(custom(new double[] {2}, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {-5, 9, -52, 100})
  void aSchemaThatPrometheusDoesNotHaveIsRefused(int schema) {
    assertThatThrownBy(() -> exponential(schema, Buckets.NONE, Buckets.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(String.valueOf(schema));
  }

  @Test
  void aHistogramThatContradictsItsSchemaIsRefused() {
    assertThatThrownBy(
            () ->
                new Histogram(
                    0, ResetHint.UNKNOWN, 1, 1, 0, 0, Buckets.NONE, Buckets.NONE, new double[] {1}))
        .hasMessageContaining("no custom bounds");
    assertThatThrownBy(
            () ->
                new Histogram(
                    Histogram.CUSTOM_SCHEMA,
                    ResetHint.UNKNOWN,
                    1,
                    1,
                    0,
                    1,
                    Buckets.NONE,
                    Buckets.NONE,
                    new double[] {1}))
        .hasMessageContaining("neither negative nor zero buckets");
    assertThatThrownBy(() -> new Buckets(new int[] {1, 1}, new double[2]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Buckets(new int[] {1}, new double[2]))
        .hasMessageContaining("1 buckets with 2 counts");
  }
}
