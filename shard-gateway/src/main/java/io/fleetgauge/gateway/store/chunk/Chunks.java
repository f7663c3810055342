package io.fleetgauge.gateway.store.chunk;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.HistogramForm;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;

/**
 * Encodes and decodes chunks, which the package's description draws. It holds what it works on, so
 * it is not for several threads.
 */
public final class Chunks {
  /** Maximum samples of a chunk. */
  public static final int MAX_SAMPLES = 128;

  static final int SAME = 0;
  static final int FRAME = 1;
  static final int DELTA = 2;
  static final int XOR = 3;
  static final int MIXED = 4;

  private static final int EXCEPTIONS = 0x80;
  private static final int NUMBER = 0;
  private static final int HISTOGRAM = 1;

  private final long[] numbers = new long[MAX_SAMPLES];
  private final byte[] scratch = new byte[8 + XorBits.maxBytes(MAX_SAMPLES) + Bits.SLACK];
  private final Decimals decimals = new Decimals();
  private int position;

  // --- writing ---

  /**
   * Writes {@code count} samples from {@code from} on.
   *
   * @param histograms null when all are numbers; else null where a number stands
   */
  public void encode(double[] values, Histogram[] histograms, int from, int count, WireWriter out) {
    if (histograms != null && hasHistogram(histograms, from, count)) {
      encodeMixed(values, histograms, from, count, out);
      return;
    }
    int exponent = decimals.find(values, from, count);
    if (exponent == Decimals.NO_EXPONENT) {
      encodeXor(values, from, count, out);
    } else {
      encodeIntegers(exponent, values, from, count, out);
    }
  }

  private static boolean hasHistogram(Histogram[] histograms, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (histograms[i] != null) {
        return true;
      }
    }
    return false;
  }

  private void encodeIntegers(int exponent, double[] values, int from, int count, WireWriter out) {
    long[] numbers = decimals.numbers;
    long min = numbers[0];
    long max = min;
    long minDelta = Long.MAX_VALUE;
    long maxDelta = Long.MIN_VALUE;
    for (int i = 1; i < count; i++) {
      long number = numbers[i];
      long delta = number - numbers[i - 1];
      min = Math.min(min, number);
      max = Math.max(max, number);
      minDelta = Math.min(minDelta, delta);
      maxDelta = Math.max(maxDelta, delta);
    }
    int width = Bits.width(max - min);
    int deltaWidth = count == 1 ? 0 : Bits.width(maxDelta - minDelta);
    if (width == 0) {
      tag(SAME, exponent, values, from, out);
      out.svar(min);
    } else if (deltaWidth + 1 < width) {
      tag(DELTA, exponent, values, from, out);
      out.u8(deltaWidth).svar(numbers[0]).svar(minDelta);
      for (int i = count - 1; i > 0; i--) {
        numbers[i] -= numbers[i - 1];
      }
      packed(numbers, 1, count, minDelta, deltaWidth, out);
    } else {
      tag(FRAME, exponent, values, from, out);
      out.u8(width).svar(min);
      packed(numbers, 0, count, min, width, out);
    }
  }

  private void tag(int form, int exponent, double[] values, int from, WireWriter out) {
    int count = decimals.exceptionCount;
    out.u8(form | exponent << 3 | (count > 0 ? EXCEPTIONS : 0));
    if (count > 0) {
      out.u8(count);
      for (int i = 0; i < count; i++) {
        out.u8(decimals.exceptions[i]);
        Decimals.writeException(values[from + decimals.exceptions[i]], out);
      }
    }
  }

  private void packed(long[] plain, int from, int to, long base, int width, WireWriter out) {
    int length = Bits.bytes(to - from, width);
    Arrays.fill(scratch, 0, length + Bits.SLACK, (byte) 0);
    Bits.pack(plain, from, to, base, width, scratch, 0);
    out.raw(scratch, 0, length);
  }

  private void encodeXor(double[] values, int from, int count, WireWriter out) {
    Arrays.fill(scratch, (byte) 0);
    Bits.LONG.set(scratch, 0, Double.doubleToRawLongBits(values[from]));
    int length = XorBits.write(values, from, from + count, scratch, 8);
    out.u8(XOR).uvar(length).raw(scratch, 0, length);
  }

  private static void encodeMixed(
      double[] values, Histogram[] histograms, int from, int count, WireWriter out) {
    WireWriter samples = new WireWriter();
    for (int i = from; i < from + count; i++) {
      if (histograms[i] == null) {
        samples.u8(NUMBER).f64(values[i]);
      } else {
        HistogramForm.write(samples.u8(HISTOGRAM), histograms[i]);
      }
    }
    out.u8(MIXED).uvar(samples.size()).raw(samples.array(), 0, samples.size());
  }

  /** Writes {@code count} ascending times from {@code from} on. */
  public void encodeTimes(long[] times, int from, int count, WireWriter out) {
    long min = count == 1 ? 0 : Long.MAX_VALUE;
    long max = count == 1 ? 0 : Long.MIN_VALUE;
    for (int i = 1; i < count; i++) {
      numbers[i] = times[from + i] - times[from + i - 1];
      min = Math.min(min, numbers[i]);
      max = Math.max(max, numbers[i]);
    }
    int width = Bits.width(max - min);
    out.u8(width).svar(times[from]).svar(min);
    packed(numbers, 1, count, min, width, out);
  }

  // --- reading ---

  /** The position of the next read. */
  public int position() {
    return position;
  }

  /** Sets the position of the next read. */
  public Chunks at(int newPosition) {
    position = newPosition;
    return this;
  }

  /**
   * Reads a chunk of {@code count} samples into {@code values[to..]} and moves behind it.
   *
   * @param histograms is told of each histogram; null where there can be none
   * @throws IndexOutOfBoundsException if the bytes are no chunk of that many samples
   */
  public void decode(byte[] bytes, int count, double[] values, int to, HistogramSink histograms) {
    int tag = bytes[position++] & 0xff;
    int exceptionsAt = position;
    if ((tag & EXCEPTIONS) != 0) {
      skipExceptions(bytes);
    }
    double scale = Decimals.power(tag >>> 3 & 15);
    switch (tag & 7) {
      case SAME -> Arrays.fill(values, to, to + count, svar(bytes) / scale);
      case FRAME -> {
        int width = bytes[position++];
        long base = svar(bytes);
        Bits.unpack(bytes, position, count, base, width, numbers);
        position += Bits.bytes(count, width);
        toDoubles(numbers, count, scale, values, to);
      }
      case DELTA -> {
        int width = bytes[position++];
        long first = svar(bytes);
        long base = svar(bytes);
        Bits.unpack(bytes, position, count - 1, base, width, numbers);
        position += Bits.bytes(count - 1, width);
        fromDeltas(numbers, first, count, scale, values, to);
      }
      case XOR -> {
        int length = (int) uvar(bytes);
        long first = (long) Bits.LONG.get(bytes, position);
        values[to] = Double.longBitsToDouble(first);
        XorBits.read(bytes, position + 8, first, count - 1, values, to + 1);
        position += length;
      }
      case MIXED -> decodeMixed(bytes, count, values, to, histograms);
      default ->
          throw new IndexOutOfBoundsException("a chunk at byte " + (exceptionsAt - 1) + " is none");
    }
    if ((tag & EXCEPTIONS) != 0) {
      int behind = position;
      position = exceptionsAt;
      applyExceptions(bytes, values, to);
      position = behind;
    }
  }

  /** Skips a chunk of {@code count} samples. */
  public void skip(byte[] bytes, int count) {
    int tag = bytes[position++] & 0xff;
    if ((tag & EXCEPTIONS) != 0) {
      skipExceptions(bytes);
    }
    switch (tag & 7) {
      case SAME -> svar(bytes);
      case FRAME -> {
        int width = bytes[position++];
        svar(bytes);
        position += Bits.bytes(count, width);
      }
      case DELTA -> {
        int width = bytes[position++];
        svar(bytes);
        svar(bytes);
        position += Bits.bytes(count - 1, width);
      }
      case XOR, MIXED -> {
        int length = (int) uvar(bytes);
        position += length;
      }
      default ->
          throw new IndexOutOfBoundsException("a chunk before byte " + position + " is none");
    }
  }

  /** Receives histograms. */
  @FunctionalInterface
  public interface HistogramSink {
    /**
     * @param index where in the values it belongs
     */
    void accept(int index, Histogram histogram);
  }

  private void skipExceptions(byte[] bytes) {
    int count = bytes[position++];
    for (int i = 0; i < count; i++) {
      position += bytes[position + 1] == Decimals.KIND_MARKER ? 2 : 10;
    }
  }

  private void applyExceptions(byte[] bytes, double[] values, int to) {
    int count = bytes[position++];
    for (int i = 0; i < count; i++) {
      int at = to + bytes[position];
      if (bytes[position + 1] == Decimals.KIND_MARKER) {
        values[at] = Staleness.MARKER;
        position += 2;
      } else {
        values[at] = Double.longBitsToDouble((long) Bits.LONG.get(bytes, position + 2));
        position += 10;
      }
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

  private static void fromDeltas(
      long[] deltas, long first, int count, double scale, double[] values, int to) {
    long now = first;
    if (scale == 1) {
      values[to] = now;
      for (int i = 1; i < count; i++) {
        now += deltas[i - 1];
        values[to + i] = now;
      }
    } else {
      values[to] = now / scale;
      for (int i = 1; i < count; i++) {
        now += deltas[i - 1];
        values[to + i] = now / scale;
      }
    }
  }

  private void decodeMixed(
      byte[] bytes, int count, double[] values, int to, HistogramSink histograms) {
    int length = (int) uvar(bytes);
    WireReader in = new WireReader(bytes, position, position + length);
    try {
      for (int i = 0; i < count; i++) {
        if (in.uint(HISTOGRAM, "the kind of a sample") == NUMBER) {
          values[to + i] = in.f64("a double");
        } else {
          values[to + i] = Staleness.MARKER;
          histograms.accept(to + i, HistogramForm.read(in));
        }
      }
      in.end("the chunk");
    } catch (WireException e) {
      throw new IndexOutOfBoundsException(e.getMessage());
    }
    position += length;
  }

  /** Reads {@code count} times into {@code times[to..]} and moves after them. */
  public void decodeTimes(byte[] bytes, int count, long[] times, int to) {
    int width = bytes[position++];
    long now = svar(bytes);
    long base = svar(bytes);
    Bits.unpack(bytes, position, count - 1, base, width, numbers);
    position += Bits.bytes(count - 1, width);
    times[to] = now;
    for (int i = 1; i < count; i++) {
      now += numbers[i - 1];
      times[to + i] = now;
    }
  }

  /** Reads a byte from 0 to 255. */
  public int u8(byte[] bytes) {
    return bytes[position++] & 0xff;
  }

  /** Reads a zigzag varint. */
  public long svar(byte[] bytes) {
    long zigzag = uvar(bytes);
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  /** Reads an unsigned varint. */
  public long uvar(byte[] bytes) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = bytes[position++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}
