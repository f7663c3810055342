package io.fleetgauge.gateway.store.chunk;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/**
 * Encodes and decodes all values that a series has in a block, which the package's description
 * draws. They are cut into pieces where that takes the fewest bytes. It holds what it works on, so
 * it is not for several threads.
 */
public final class Pieces {
  static final int SAME = 0;
  static final int PIECES = 1;
  static final int CHUNKS = 2;

  private static final int FORM = 3;
  private static final int EXPONENT_AT = 2;
  private static final int EXCEPTIONS = 0x80;

  /** Pieces begin and end at multiples of so many values. */
  static final int STEP = 8;

  /** Most steps of a piece. */
  static final int MAX_STEPS = Chunks.MAX_SAMPLES / STEP;

  private static final int STEPS = MAX_STEPS - 1;
  private static final int DELTA = MAX_STEPS;

  /** Bytes of a piece's head and width. */
  private static final int HEAD_BYTES = 2;

  private final Chunks chunks = new Chunks();
  private final Decimals decimals = new Decimals();

  /** Numbers that are unpacked, or about to be packed. */
  private final long[] scratch = new long[Chunks.MAX_SAMPLES];

  private final byte[] packed = new byte[8 * Chunks.MAX_SAMPLES + Bits.SLACK];

  // By step: extremes of its numbers and of their distances from the number before.
  private long[] least = {};
  private long[] most = {};
  private long[] leastDelta = {};
  private long[] mostDelta = {};

  /** By step: the fewest bytes of all pieces before it. */
  private int[] cost = {};

  /** By step: the first step of the piece that ends before it, and whether it has deltas. */
  private int[] cut = {};

  private boolean[] isDelta = {};

  /** The steps before which pieces end, the last one first. */
  private int[] ends = {};

  // --- writing ---

  /**
   * Writes {@code count} values.
   *
   * @param histograms null when all are numbers; else null where a number stands
   */
  public void encode(double[] values, Histogram[] histograms, int count, WireWriter out) {
    int exponent =
        hasHistogram(histograms, count) ? Decimals.NO_EXPONENT : decimals.find(values, 0, count);
    if (exponent == Decimals.NO_EXPONENT) {
      out.u8(CHUNKS);
      for (int at = 0; at < count; at += Chunks.MAX_SAMPLES) {
        chunks.encode(values, histograms, at, Math.min(Chunks.MAX_SAMPLES, count - at), out);
      }
      return;
    }
    long[] numbers = decimals.numbers;
    int used = count;
    while (used > 1 && numbers[used - 1] == numbers[used - 2]) {
      used--;
    }
    int exceptions = decimals.exceptionCount;
    int form = used == 1 ? SAME : PIECES;
    out.u8(form | exponent << EXPONENT_AT | (exceptions > 0 ? EXCEPTIONS : 0));
    if (exceptions > 0) {
      out.uvar(exceptions);
      int before = 0;
      for (int i = 0; i < exceptions; i++) {
        int at = decimals.exceptions[i];
        out.uvar(at - before);
        Decimals.writeException(values[at], out);
        before = at;
      }
    }
    long base = numbers[0];
    out.svar(base);
    if (form == PIECES) {
      long unit = 0;
      for (int i = 1; i < used; i++) {
        unit = greatestDivisor(unit, numbers[i] - base);
      }
      for (int i = 0; i < count; i++) {
        numbers[i] = (numbers[i] - base) / unit;
      }
      out.uvar(unit);
      encodePieces(numbers, Math.min(count, 1 + steps(used) * STEP), out);
    }
  }

  private static boolean hasHistogram(Histogram[] histograms, int count) {
    if (histograms != null) {
      for (int i = 0; i < count; i++) {
        if (histograms[i] != null) {
          return true;
        }
      }
    }
    return false;
  }

  private static long greatestDivisor(long one, long other) {
    long a = one;
    long b = Math.abs(other);
    while (b != 0) {
      if (a == 1) {
        return 1;
      }
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /** Writes the numbers after the first, in the pieces that take the fewest bytes. */
  private void encodePieces(long[] numbers, int count, WireWriter out) {
    int steps = steps(count);
    measure(numbers, count, steps);
    choose(count, steps);
    // The chain of cuts leads from the end to the beginning.
    int pieces = 0;
    for (int end = steps; end > 0; end = cut[end]) {
      ends[pieces++] = end;
    }
    int from = 0;
    while (pieces > 0) {
      int to = ends[--pieces];
      write(numbers, 1 + from * STEP, Math.min(count, 1 + to * STEP), from, to, out);
      from = to;
    }
  }

  /** Steps of so many numbers, without the first number. */
  private static int steps(int count) {
    return (count - 1 + STEP - 1) / STEP;
  }

  private void measure(long[] numbers, int count, int steps) {
    if (least.length < steps) {
      least = new long[steps];
      most = new long[steps];
      leastDelta = new long[steps];
      mostDelta = new long[steps];
      cost = new int[steps + 1];
      cut = new int[steps + 1];
      isDelta = new boolean[steps + 1];
      ends = new int[steps];
    }
    for (int step = 0; step < steps; step++) {
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      long minDelta = Long.MAX_VALUE;
      long maxDelta = Long.MIN_VALUE;
      int end = Math.min(count, 1 + (step + 1) * STEP);
      for (int i = 1 + step * STEP; i < end; i++) {
        long number = numbers[i];
        long delta = number - numbers[i - 1];
        min = Math.min(min, number);
        max = Math.max(max, number);
        minDelta = Math.min(minDelta, delta);
        maxDelta = Math.max(maxDelta, delta);
      }
      least[step] = min;
      most[step] = max;
      leastDelta[step] = minDelta;
      mostDelta[step] = maxDelta;
    }
  }

  /** Finds, for each step, the pieces before it that take the fewest bytes together. */
  private void choose(int count, int steps) {
    Arrays.fill(cost, 1, steps + 1, Integer.MAX_VALUE);
    cost[0] = 0;
    for (int from = 0; from < steps; from++) {
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      long minDelta = Long.MAX_VALUE;
      long maxDelta = Long.MIN_VALUE;
      int last = Math.min(steps, from + MAX_STEPS);
      for (int to = from + 1; to <= last; to++) {
        min = Math.min(min, least[to - 1]);
        max = Math.max(max, most[to - 1]);
        minDelta = Math.min(minDelta, leastDelta[to - 1]);
        maxDelta = Math.max(maxDelta, mostDelta[to - 1]);
        int length = Math.min(count - 1, to * STEP) - from * STEP;
        int plain = bytes(length, min, max);
        int delta = bytes(length, minDelta, maxDelta);
        int sum = cost[from] + HEAD_BYTES + Math.min(plain, delta);
        if (sum < cost[to]) {
          cost[to] = sum;
          cut[to] = from;
          isDelta[to] = delta < plain;
        }
      }
    }
  }

  private static int bytes(int count, long min, long max) {
    long zigzag = (min << 1) ^ (min >> 63);
    int varint = (70 - Long.numberOfLeadingZeros(zigzag | 1)) / 7;
    return varint + Bits.bytes(count, Bits.width(max - min));
  }

  private void write(long[] numbers, int from, int to, int fromStep, int toStep, WireWriter out) {
    boolean delta = isDelta[toStep];
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    int count = to - from;
    for (int i = 0; i < count; i++) {
      long number = numbers[from + i] - (delta ? numbers[from + i - 1] : 0);
      scratch[i] = number;
      min = Math.min(min, number);
      max = Math.max(max, number);
    }
    int width = Bits.width(max - min);
    out.u8(toStep - fromStep - 1 | (delta ? DELTA : 0)).u8(width).svar(min);
    int length = Bits.bytes(count, width);
    Arrays.fill(packed, 0, length + Bits.SLACK, (byte) 0);
    Bits.pack(scratch, 0, count, min, width, packed, 0);
    out.raw(packed, 0, length);
  }

  // --- reading ---

  /**
   * Reads values into {@code values[to..]}.
   *
   * @param at where they begin
   * @param end where they end
   * @param count how many there are
   * @param needed how many of them, from the first on, are needed; more may be written, up to
   *     {@code count}
   * @param histograms is told of each histogram; null where there can be none
   * @throws IndexOutOfBoundsException if the bytes are not so many values
   */
  public void decode(
      byte[] bytes,
      int at,
      int end,
      int count,
      int needed,
      double[] values,
      int to,
      Chunks.HistogramSink histograms) {
    chunks.at(at);
    int tag = chunks.u8(bytes);
    int exceptionsAt = chunks.position();
    if ((tag & EXCEPTIONS) != 0) {
      skipExceptions(bytes);
    }
    double scale = Decimals.power(tag >>> EXPONENT_AT & 15);
    switch (tag & FORM) {
      case SAME -> Arrays.fill(values, to, to + needed, chunks.svar(bytes) / scale);
      case PIECES -> decodePieces(bytes, end, count, needed, scale, values, to);
      case CHUNKS -> {
        for (int i = 0; i < needed; i += Chunks.MAX_SAMPLES) {
          int length = Math.min(Chunks.MAX_SAMPLES, count - i);
          chunks.decode(bytes, length, values, to + i, histograms);
        }
      }
      default -> throw new IndexOutOfBoundsException("values at byte " + at + " are none");
    }
    if ((tag & EXCEPTIONS) != 0) {
      applyExceptions(bytes, exceptionsAt, needed, values, to);
    }
  }

  private void decodePieces(
      byte[] bytes, int end, int count, int needed, double scale, double[] values, int to) {
    long base = chunks.svar(bytes);
    long unit = chunks.uvar(bytes);
    values[to] = base / scale;
    long now = base;
    int done = 1;
    while (done < needed && chunks.position() < end) {
      int head = chunks.u8(bytes);
      int width = chunks.u8(bytes);
      long least = unit * chunks.svar(bytes);
      int length = Math.min(count - done, ((head & STEPS) + 1) * STEP);
      int position = chunks.position();
      Bits.unpack(bytes, position, length, 0, width, scratch);
      chunks.at(position + Bits.bytes(length, width));
      if ((head & DELTA) != 0) {
        addUp(scratch, length, now, least, unit);
      } else {
        scaleUp(scratch, length, base + least, unit);
      }
      now = scratch[length - 1];
      toDoubles(scratch, length, scale, values, to + done);
      done += length;
    }
    if (done < needed) {
      Arrays.fill(values, to + done, to + needed, now / scale);
    }
  }

  private static void addUp(long[] numbers, int count, long before, long least, long unit) {
    long now = before;
    for (int i = 0; i < count; i++) {
      now += least + unit * numbers[i];
      numbers[i] = now;
    }
  }

  private static void scaleUp(long[] numbers, int count, long base, long unit) {
    for (int i = 0; i < count; i++) {
      numbers[i] = base + unit * numbers[i];
    }
  }

  private static void toDoubles(long[] numbers, int count, double scale, double[] values, int to) {
    if (scale == 1) {
      for (int i = 0; i < count; i++) {
        values[to + i] = numbers[i];
      }
    } else {
      for (int i = 0; i < count; i++) {
        values[to + i] = numbers[i] / scale;
      }
    }
  }

  private void skipExceptions(byte[] bytes) {
    for (long left = chunks.uvar(bytes); left > 0; left--) {
      chunks.uvar(bytes);
      chunks.at(chunks.position() + exceptionBytes(bytes[chunks.position()]));
    }
  }

  private static int exceptionBytes(byte kind) {
    return kind == Decimals.KIND_MARKER ? 1 : 1 + Double.BYTES;
  }

  private void applyExceptions(byte[] bytes, int from, int needed, double[] values, int to) {
    chunks.at(from);
    int place = 0;
    for (long left = chunks.uvar(bytes); left > 0; left--) {
      place += (int) chunks.uvar(bytes);
      if (place >= needed) {
        return;
      }
      int at = chunks.position();
      values[to + place] =
          bytes[at] == Decimals.KIND_MARKER
              ? Staleness.MARKER
              : Double.longBitsToDouble((long) Bits.LONG.get(bytes, at + 1));
      chunks.at(at + exceptionBytes(bytes[at]));
    }
  }
}
