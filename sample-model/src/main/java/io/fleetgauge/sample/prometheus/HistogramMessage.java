package io.fleetgauge.sample.prometheus;

import static io.fleetgauge.sample.wire.ProtobufFields.BYTES;
import static io.fleetgauge.sample.wire.ProtobufFields.FIXED64;
import static io.fleetgauge.sample.wire.ProtobufFields.VARINT;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Histogram.Buckets;
import io.fleetgauge.sample.Histogram.ResetHint;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;

/** Reads native histograms of remote writes; both versions send the same message. */
final class HistogramMessage {
  private final ProtobufFields in;
  private long time;

  HistogramMessage(ProtobufFields in) {
    this.in = in;
  }

  /** Spans and counts of the buckets of one sign, as they are read. */
  private static final class Parts {
    private long[] spans = new long[8];
    private int spanCount;
    private double[] counts = new double[8];
    private int count;
    private double before;

    void span(long offset, long length) {
      if (2 * spanCount + 2 > spans.length) {
        spans = Arrays.copyOf(spans, 2 * spans.length);
      }
      spans[2 * spanCount] = offset;
      spans[2 * spanCount + 1] = length;
      spanCount++;
    }

    void delta(long delta) {
      before += delta;
      count(before);
    }

    void count(double value) {
      if (count == counts.length) {
        counts = Arrays.copyOf(counts, 2 * count);
      }
      counts[count++] = value;
    }

    Buckets buckets() throws BadHistogram {
      int[] indexes = new int[count];
      int next = 0;
      long index = 0;
      for (int i = 0; i < spanCount; i++) {
        index += spans[2 * i];
        for (long j = 0; j < spans[2 * i + 1]; j++) {
          if (next == count || index != (int) index) {
            throw new BadHistogram("a histogram's spans need more buckets than it has");
          }
          indexes[next++] = (int) index++;
        }
      }
      if (next != count) {
        throw new BadHistogram(
            "a histogram's spans have " + next + " buckets, its counts are " + count);
      }
      return new Buckets(indexes, Arrays.copyOf(counts, count));
    }
  }

  /** Time of the histogram that was read last, ms since the epoch. */
  long time() {
    return time;
  }

  /**
   * Reads one message.
   *
   * @param end position after its last byte
   * @throws BadHistogram if it is a message, but no histogram
   * @throws WireException if it is no message
   */
  Histogram read(int end) throws WireException {
    time = 0;
    int schema = 0;
    int hint = 0;
    double count = 0;
    double sum = 0;
    double zeroThreshold = 0;
    double zeroCount = 0;
    Parts positive = new Parts();
    Parts negative = new Parts();
    double[] bounds = new double[0];
    while (in.isBefore(end, "a histogram")) {
      long tag = in.uvar("a field of a histogram");
      int kind = (int) tag & 7;
      switch ((int) (tag >>> 3)) {
        case 1 -> count = number(kind, tag, end, count);
        case 2 -> count = number(kind, tag, end, count);
        case 3 -> sum = number(kind, tag, end, sum);
        case 4 -> schema = kind == VARINT ? (int) in.svar("a schema") : skipped(tag, end, schema);
        case 5 -> zeroThreshold = number(kind, tag, end, zeroThreshold);
        case 6 -> zeroCount = number(kind, tag, end, zeroCount);
        case 7 -> zeroCount = number(kind, tag, end, zeroCount);
        case 8 -> span(kind, tag, end, negative);
        case 9 -> deltas(kind, tag, end, negative);
        case 10 -> counts(kind, tag, end, negative);
        case 11 -> span(kind, tag, end, positive);
        case 12 -> deltas(kind, tag, end, positive);
        case 13 -> counts(kind, tag, end, positive);
        case 14 -> hint = kind == VARINT ? (int) in.uvar("a hint") : skipped(tag, end, hint);
        case 15 -> {
          if (kind == VARINT) {
            time = in.uvar("a histogram's time");
          } else {
            in.skipField(tag, end);
          }
        }
        case 16 -> {
          Parts values = new Parts();
          counts(kind, tag, end, values);
          int before = bounds.length;
          bounds = Arrays.copyOf(bounds, before + values.count);
          System.arraycopy(values.counts, 0, bounds, before, values.count);
        }
        default -> in.skipField(tag, end);
      }
    }
    if (hint < 0 || hint >= ResetHint.values().length) {
      throw new BadHistogram("a histogram's hint is " + hint + ", allowed are 0 to 3");
    }
    try {
      return new Histogram(
          schema,
          ResetHint.values()[hint],
          count,
          sum,
          zeroThreshold,
          zeroCount,
          positive.buckets(),
          negative.buckets(),
          bounds);
    } catch (IllegalArgumentException e) {
      throw new BadHistogram("a histogram is not one: " + e.getMessage());
    }
  }

  private int skipped(long tag, int end, int before) throws WireException {
    in.skipField(tag, end);
    return before;
  }

  private double number(int kind, long tag, int end, double before) throws WireException {
    if (kind == FIXED64) {
      return in.f64("a number of a histogram");
    }
    if (kind == VARINT) {
      return in.uvar("a number of a histogram");
    }
    in.skipField(tag, end);
    return before;
  }

  private void span(int kind, long tag, int end, Parts parts) throws WireException {
    if (kind != BYTES) {
      in.skipField(tag, end);
      return;
    }
    int spanEnd = in.end(end, "a span");
    long offset = 0;
    long length = 0;
    while (in.isBefore(spanEnd, "a span")) {
      long field = in.uvar("a field of a span");
      if (field == (1 << 3 | VARINT)) {
        offset = in.svar("a span's offset");
      } else if (field == (2 << 3 | VARINT)) {
        length = in.uvar("a span's length");
      } else {
        in.skipField(field, spanEnd);
      }
    }
    parts.span(offset, length);
  }

  private void deltas(int kind, long tag, int end, Parts parts) throws WireException {
    if (kind == VARINT) {
      parts.delta(in.svar("a bucket's difference"));
    } else if (kind == BYTES) {
      int listEnd = in.end(end, "a list of differences");
      while (in.isBefore(listEnd, "a list of differences")) {
        parts.delta(in.svar("a bucket's difference"));
      }
    } else {
      in.skipField(tag, end);
    }
  }

  private void counts(int kind, long tag, int end, Parts parts) throws WireException {
    if (kind == FIXED64) {
      parts.count(in.f64("a bucket's count"));
    } else if (kind == BYTES) {
      int listEnd = in.end(end, "a list of numbers");
      while (in.isBefore(listEnd, "a list of numbers")) {
        parts.count(in.f64("a number of a list"));
      }
    } else {
      in.skipField(tag, end);
    }
  }
}
