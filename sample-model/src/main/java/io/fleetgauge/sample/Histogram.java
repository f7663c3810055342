package io.fleetgauge.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sample of a native histogram: how many observations fell into each bucket. Immutable; the
 * arrays must not be changed. Counts are fractional, because rates of histograms are.
 *
 * <p>With an exponential schema n (-4 to 8), bucket i covers the observations above {@code
 * 2^((i-1)*2^-n)} up to and with {@code 2^(i*2^-n)}; negative buckets mirror that. With {@link
 * #CUSTOM_SCHEMA}, bucket i ends at {@code customBounds[i]}, and one more is open to +Inf.
 *
 * @param count all observations
 * @param sum of all observations
 * @param zeroThreshold half the width of the bucket around zero
 * @param zeroCount observations in that bucket
 * @param customBounds ascending and finite; empty for exponential schemas
 * @see <a href="https://prometheus.io/docs/specs/native_histograms/">Native Histograms</a>
 */
public record Histogram(
    int schema,
    ResetHint hint,
    double count,
    double sum,
    double zeroThreshold,
    double zeroCount,
    Buckets positive,
    Buckets negative,
    double[] customBounds) {

  /** The schema whose bounds are listed. */
  public static final int CUSTOM_SCHEMA = -53;

  public static final int MIN_EXPONENTIAL_SCHEMA = -4;
  public static final int MAX_EXPONENTIAL_SCHEMA = 8;

  /** Knowledge of whether a histogram continues the one before it. */
  public enum ResetHint {
    UNKNOWN,
    RESET,
    NOT_RESET,
    GAUGE
  }

  /**
   * Buckets of one sign.
   *
   * @param indexes strictly ascending
   * @param counts same length; may be 0
   */
  public record Buckets(int[] indexes, double[] counts) {
    public static final Buckets NONE = new Buckets(new int[0], new double[0]);

    public Buckets {
      if (indexes.length != counts.length) {
        throw new IllegalArgumentException(
            indexes.length + " buckets with " + counts.length + " counts");
      }
      for (int i = 1; i < indexes.length; i++) {
        if (indexes[i] <= indexes[i - 1]) {
          throw new IllegalArgumentException(
              "bucket " + indexes[i] + " follows bucket " + indexes[i - 1]);
        }
      }
    }

    public int size() {
      return indexes.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Buckets that
          && Arrays.equals(indexes, that.indexes)
          && Arrays.equals(counts, that.counts);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(indexes) + Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
      return Arrays.toString(indexes) + Arrays.toString(counts);
    }
  }

  public Histogram {
    boolean custom = schema == CUSTOM_SCHEMA;
    if (!custom && (schema < MIN_EXPONENTIAL_SCHEMA || schema > MAX_EXPONENTIAL_SCHEMA)) {
      throw new IllegalArgumentException(
          "a histogram's schema is -4 to 8, or -53 for custom bounds, and not " + schema);
    }
    if (!custom && customBounds.length > 0) {
      throw new IllegalArgumentException("schema " + schema + " has no custom bounds");
    }
    if (custom && (negative.size() > 0 || zeroCount != 0)) {
      throw new IllegalArgumentException("custom bounds have neither negative nor zero buckets");
    }
  }

  public boolean isCustom() {
    return schema == CUSTOM_SCHEMA;
  }

  /** Which edges of a bucket belong to it; {@code code} is the number that the JSON of it uses. */
  public enum Edges {
    UPPER(0),
    LOWER(1),
    NEITHER(2),
    BOTH(3);

    public final int code;

    Edges(int code) {
      this.code = code;
    }
  }

  /** One bucket with its bounds. */
  public record Bucket(double lower, double upper, double count, Edges edges) {}

  /** The non-empty buckets, from the lowest to the highest. */
  public List<Bucket> buckets() {
    List<Bucket> buckets = new ArrayList<>();
    for (int i = negative.size() - 1; i >= 0; i--) {
      int index = negative.indexes()[i];
      add(buckets, -bound(index), -bound(index - 1), negative.counts()[i], Edges.LOWER);
    }
    add(buckets, -zeroThreshold, zeroThreshold, zeroCount, Edges.BOTH);
    for (int i = 0; i < positive.size(); i++) {
      int index = positive.indexes()[i];
      Edges edges = isCustom() && index == 0 ? Edges.BOTH : Edges.UPPER;
      add(buckets, bound(index - 1), bound(index), positive.counts()[i], edges);
    }
    return buckets;
  }

  private static void add(
      List<Bucket> buckets, double lower, double upper, double count, Edges edges) {
    if (count != 0) {
      buckets.add(new Bucket(lower, upper, count, edges));
    }
  }

  /** The upper bound of the positive bucket {@code index}. */
  public double bound(int index) {
    if (isCustom()) {
      return index < 0
          ? Double.NEGATIVE_INFINITY
          : index < customBounds.length ? customBounds[index] : Double.POSITIVE_INFINITY;
    }
    if (schema < 0) {
      return Math.scalb(1.0, index << -schema);
    }
    int whole = Math.floorDiv(index, 1 << schema);
    int part = Math.floorMod(index, 1 << schema);
    return Math.scalb(Math.pow(2, part / (double) (1 << schema)), whole);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Histogram that
        && schema == that.schema
        && hint == that.hint
        && same(count, that.count)
        && same(sum, that.sum)
        && same(zeroThreshold, that.zeroThreshold)
        && same(zeroCount, that.zeroCount)
        && positive.equals(that.positive)
        && negative.equals(that.negative)
        && Arrays.equals(customBounds, that.customBounds);
  }

  private static boolean same(double a, double b) {
    return Double.doubleToRawLongBits(a) == Double.doubleToRawLongBits(b);
  }

  @Override
  public int hashCode() {
    return 31 * schema + Double.hashCode(count) + 7 * Double.hashCode(sum) + positive.hashCode();
  }
}
