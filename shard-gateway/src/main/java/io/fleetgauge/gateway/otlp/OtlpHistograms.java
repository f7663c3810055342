package io.fleetgauge.gateway.otlp;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Histogram.Buckets;
import io.fleetgauge.sample.Histogram.ResetHint;
import io.fleetgauge.sample.Staleness;
import io.opentelemetry.proto.metrics.v1.DataPointFlags;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** Native histograms that stand for histograms of OpenTelemetry. */
final class OtlpHistograms {
  /** Width of the bucket around zero, which the protocol's old versions do not have. */
  private static final double ZERO_THRESHOLD = 1e-128;

  private static final double[] NO_BOUNDS = {};

  private OtlpHistograms() {}

  static boolean isWithoutValue(int flags) {
    return (flags & DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK_VALUE) != 0;
  }

  /** Returns true if an exponential histogram of a scale can be a native one. */
  static boolean isRepresentable(int scale) {
    return scale >= Histogram.MIN_EXPONENTIAL_SCHEMA;
  }

  /** The native histogram of an exponential one, whose scale is {@link #isRepresentable}. */
  static Histogram exponential(ExponentialHistogramDataPoint point) {
    int schema = Math.min(point.getScale(), Histogram.MAX_EXPONENTIAL_SCHEMA);
    int merged = point.getScale() - schema;
    boolean isStale = isWithoutValue(point.getFlags());
    return new Histogram(
        schema,
        ResetHint.UNKNOWN,
        isStale ? 0 : unsigned(point.getCount()),
        isStale ? Staleness.MARKER : point.hasSum() ? point.getSum() : 0,
        ZERO_THRESHOLD,
        unsigned(point.getZeroCount()),
        buckets(point.getPositive(), merged),
        buckets(point.getNegative(), merged),
        NO_BOUNDS);
  }

  /**
   * Buckets whose indexes are those of a coarser scale. The bucket 0 of OpenTelemetry begins at 1,
   * and that of a native histogram ends there.
   */
  private static Buckets buckets(ExponentialHistogramDataPoint.Buckets of, int merged) {
    TreeMap<Integer, Double> counts = new TreeMap<>();
    for (int i = 0; i < of.getBucketCountsCount(); i++) {
      if (of.getBucketCounts(i) != 0) {
        int index = ((of.getOffset() + i) >> Math.min(merged, 31)) + 1;
        counts.merge(index, unsigned(of.getBucketCounts(i)), Double::sum);
      }
    }
    return new Buckets(
        counts.keySet().stream().mapToInt(Integer::intValue).toArray(),
        counts.values().stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** The native histogram with the bounds of one that has explicit ones. */
  static Histogram explicit(HistogramDataPoint point) {
    boolean isStale = isWithoutValue(point.getFlags());
    List<Long> counts = point.getBucketCountsList();
    int[] indexes = new int[counts.size()];
    double[] values = new double[counts.size()];
    int size = 0;
    for (int i = 0; i < counts.size(); i++) {
      if (counts.get(i) != 0) {
        indexes[size] = i;
        values[size++] = unsigned(counts.get(i));
      }
    }
    return new Histogram(
        Histogram.CUSTOM_SCHEMA,
        ResetHint.UNKNOWN,
        isStale ? 0 : unsigned(point.getCount()),
        isStale ? Staleness.MARKER : point.hasSum() ? point.getSum() : 0,
        0,
        0,
        new Buckets(Arrays.copyOf(indexes, size), Arrays.copyOf(values, size)),
        Buckets.NONE,
        point.getExplicitBoundsList().stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** A count, of which the protocol has 64 bits without sign. */
  static double unsigned(long count) {
    return count >= 0 ? count : (count >>> 1) * 2.0;
  }
}
