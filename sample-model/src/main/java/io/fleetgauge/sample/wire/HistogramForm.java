package io.fleetgauge.sample.wire;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Histogram.Buckets;
import io.fleetgauge.sample.Histogram.ResetHint;

/**
 * A histogram as bytes, wherever one travels.
 *
 * <pre>
 * histogram = schema:svar hint:u8 count:f64 sum:f64 zeroThreshold:f64 zeroCount:f64
 *             positive:buckets negative:buckets bounds
 *             hint   0 unknown, 1 reset, 2 not reset, 3 gauge
 * buckets   = n:uvar (gap:svar count:f64)*n          the gap counts from the index before, the first
 *                                                    from -1; gaps behind the first are above 0
 * bounds    = n:uvar f64*n                           of schema -53 only
 * </pre>
 */
public final class HistogramForm {
  private static final int FEWEST_BYTES_A_BUCKET = 9;

  private HistogramForm() {}

  public static void write(WireWriter out, Histogram histogram) {
    out.svar(histogram.schema()).u8(histogram.hint().ordinal());
    out.f64(histogram.count()).f64(histogram.sum());
    out.f64(histogram.zeroThreshold()).f64(histogram.zeroCount());
    write(out, histogram.positive());
    write(out, histogram.negative());
    out.uvar(histogram.customBounds().length);
    for (double bound : histogram.customBounds()) {
      out.f64(bound);
    }
  }

  private static void write(WireWriter out, Buckets buckets) {
    out.uvar(buckets.size());
    long before = -1;
    for (int i = 0; i < buckets.size(); i++) {
      out.svar(buckets.indexes()[i] - before).f64(buckets.counts()[i]);
      before = buckets.indexes()[i];
    }
  }

  public static Histogram read(WireReader in) throws WireException {
    long schema = in.svar("a histogram's schema");
    int hint = in.uint(ResetHint.values().length - 1, "a histogram's hint");
    double count = in.f64("a histogram's count");
    double sum = in.f64("a histogram's sum");
    double zeroThreshold = in.f64("a histogram's zero threshold");
    double zeroCount = in.f64("a histogram's zero count");
    Buckets positive = readBuckets(in);
    Buckets negative = readBuckets(in);
    double[] bounds = new double[in.count(8, "a histogram's bounds")];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = in.f64("a histogram's bound");
    }
    try {
      return new Histogram(
          Math.toIntExact(schema),
          ResetHint.values()[hint],
          count,
          sum,
          zeroThreshold,
          zeroCount,
          positive,
          negative,
          bounds);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new WireException("a histogram is not one: " + e.getMessage());
    }
  }

  private static Buckets readBuckets(WireReader in) throws WireException {
    int size = in.count(FEWEST_BYTES_A_BUCKET, "a histogram's buckets");
    int[] indexes = new int[size];
    double[] counts = new double[size];
    long index = -1;
    for (int i = 0; i < size; i++) {
      long gap = in.svar("a gap between buckets");
      index += gap;
      if (index != (int) index || i > 0 && gap <= 0) {
        throw new WireException("a histogram's buckets are not in order: a gap of " + gap);
      }
      indexes[i] = (int) index;
      counts[i] = in.f64("a bucket's count");
    }
    return new Buckets(indexes, counts);
  }
}
