package io.fleetgauge.gateway.store.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PiecesTest {
  private static final double OTHER_NAN = Double.longBitsToDouble(0xfff8_1234_5678_9abcL);

  private final Pieces pieces = new Pieces();

  /** Another one, which finds nothing in its arrays that the writer left in its own. */
  private final Pieces reader = new Pieces();

  @Test
  void theFormIsHeldByItsBytes() {
    assertThat(hex(4, 4, 4, 4)).isEqualTo("0008");
    assertThat(hex(0.25, 0.25)).isEqualTo("0832");
    // Base 5, unit 1; one piece of 0 2 1 3 in two bits each.
    assertThat(hex(5, 5, 7, 6, 8)).isEqualTo("010a01" + "0002" + "00" + "d8");
    // Pages of 4,096 bytes: 1 and 2 of them more.
    assertThat(hex(8192, 12288, 16384)).isEqualTo("01808001" + "8020" + "1000" + "02");
    // The four after the step are the same as the one before them.
    assertThat(hex(0, 7, 7, 7, 7)).isEqualTo("010007" + "0000" + "02");
    // A marker in second place and a NaN in third.
    assertThat(hex(7, Staleness.MARKER, OTHER_NAN, 7, 7))
        .isEqualTo("8002" + "0100" + "0101bc9a78563412f8ff" + "0e");
    assertThat(hex(Math.PI, Math.PI)).isEqualTo("020309182d4454fb21094000");
  }

  /** One piece of all of them would take 960 bytes. */
  @Test
  void valuesThatStandStillForAWhileTakeAPieceOfTheirOwn() {
    double[] values = new double[240];
    SplittableRandom random = new SplittableRandom(1);
    Arrays.setAll(values, i -> i / 60 % 2 == 0 ? random.nextLong(1L << 32) : 0);
    WireWriter out = new WireWriter();
    pieces.encode(values, null, values.length, out);
    assertThat(out.size()).isLessThan(120 * 4 + 100);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void whatIsDecodedIsWhatWasEncoded(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      double[] values = new double[1 + random.nextInt(random.nextBoolean() ? 20 : 700)];
      IntToDoubleFunction kind = kind(random);
      IntToDoubleFunction other = kind(random);
      int stretch = 1 + random.nextInt(60);
      int oddOnes = random.nextInt(4);
      for (int i = 0; i < values.length; i++) {
        values[i] =
            oddOnes > 0 && random.nextInt(15 * oddOnes) == 0
                ? odd(random)
                : (i / stretch % 3 == 0 ? other : kind).applyAsDouble(i);
      }
      WireWriter out = new WireWriter();
      out.u8(99);
      pieces.encode(values, null, values.length, out);
      byte[] bytes = Arrays.copyOf(out.array(), out.size() + Bits.SLACK);
      Arrays.fill(bytes, out.size(), bytes.length, (byte) 0xff);
      double[] read = new double[values.length + 1];
      reader.decode(bytes, 1, out.size(), values.length, values.length, read, 1, null);
      assertThat(bits(Arrays.copyOfRange(read, 1, read.length))).isEqualTo(bits(values));
      int needed = 1 + random.nextInt(values.length);
      double[] some = new double[values.length];
      reader.decode(bytes, 1, out.size(), values.length, needed, some, 0, null);
      assertThat(bits(Arrays.copyOf(some, needed))).isEqualTo(bits(Arrays.copyOf(values, needed)));
      if ((bytes[1] & 3) == Pieces.PIECES) {
        assertThat(bits(plain(Arrays.copyOfRange(bytes, 1, out.size()), values.length)))
            .isEqualTo(bits(values));
      }
    }
  }

  /** The drawing, read bit by bit. */
  private static double[] plain(byte[] bytes, int count) {
    double[] values = new double[count];
    WireReader in = new WireReader(bytes);
    try {
      int tag = in.u8("tag");
      double[] odd = new double[count];
      boolean[] isOdd = new boolean[count];
      int at = 0;
      for (long left = (tag & 0x80) == 0 ? 0 : in.uvar("n"); left > 0; left--) {
        at += (int) in.uvar("distance");
        isOdd[at] = true;
        odd[at] = in.u8("kind") == 0 ? Staleness.MARKER : in.f64("bits");
      }
      double scale = Math.pow(10, tag >> 2 & 15);
      long base = in.svar("base");
      long unit = in.uvar("unit");
      long[] numbers = new long[count];
      numbers[0] = base;
      int done = 1;
      while (in.left() > 0) {
        int head = in.u8("head");
        int width = in.u8("width");
        long least = in.svar("least");
        int end = Math.min(count, done + 8 * ((head & 15) + 1));
        byte[] packed = in.raw(((end - done) * width + 7) / 8, "bits");
        for (int bit = 0; done < end; done++) {
          long more = 0;
          for (int i = 0; i < width; i++, bit++) {
            more |= (long) (packed[bit >> 3] >> (bit & 7) & 1) << i;
          }
          numbers[done] = ((head & 16) == 0 ? base : numbers[done - 1]) + unit * (least + more);
        }
      }
      for (int i = 0; i < count; i++) {
        numbers[i] = i < done ? numbers[i] : numbers[i - 1];
        values[i] = isOdd[i] ? odd[i] : numbers[i] / scale;
      }
      return values;
    } catch (WireException e) {
      throw new AssertionError(e);
    }
  }

  private static IntToDoubleFunction kind(SplittableRandom random) {
    long base = random.nextLong(1L << random.nextInt(1, 53));
    long step = random.nextLong(1L << random.nextInt(1, 30));
    double tens = Math.pow(10, random.nextInt(12));
    return switch (random.nextInt(9)) {
      case 0 -> i -> base;
      case 1 -> i -> base - random.nextInt(100);
      case 2 -> i -> (double) base + i * step + random.nextInt(10);
      case 3 -> i -> Math.rint(random.nextDouble() * 700 * tens) / tens;
      case 4 -> i -> random.nextDouble();
      case 5 -> i -> Double.longBitsToDouble(random.nextLong());
      case 6 -> i -> Math.sqrt(base + i / 8);
      case 7 -> i -> 4_096.0 * (base % 1_000 + random.nextInt(1_000));
      default -> i -> (random.nextBoolean() ? 1 : -1) * 9007199254740992.0 + i;
    };
  }

  private static double odd(SplittableRandom random) {
    double[] odd = {
      Staleness.MARKER,
      OTHER_NAN,
      Double.NaN,
      -0.0,
      0.0,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.MIN_VALUE,
      1e21,
      0.1
    };
    return odd[random.nextInt(odd.length)];
  }

  @Test
  void histogramsStandBesideNumbers() {
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            3,
            6.5,
            0.001,
            1,
            new Histogram.Buckets(new int[] {1, 4}, new double[] {1, 1}),
            Histogram.Buckets.NONE,
            new double[0]);
    double[] values = new double[200];
    Arrays.fill(values, Staleness.MARKER);
    Histogram[] histograms = new Histogram[values.length];
    histograms[150] = histogram;
    WireWriter out = new WireWriter();
    pieces.encode(values, histograms, values.length, out);
    byte[] bytes = Arrays.copyOf(out.array(), out.size() + Bits.SLACK);
    Histogram[] found = new Histogram[values.length];
    double[] read = new double[values.length];
    reader.decode(bytes, 0, out.size(), 200, 200, read, 0, (index, each) -> found[index] = each);
    assertThat(bits(read)).isEqualTo(bits(values));
    assertThat(found).isEqualTo(histograms);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void anyBytesAreDecodedOrRefused(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[1 + random.nextInt(60) + Bits.SLACK];
      random.nextBytes(bytes);
      int count = 1 + random.nextInt(300);
      try {
        reader.decode(
            bytes,
            0,
            bytes.length - Bits.SLACK,
            count,
            count,
            new double[count],
            0,
            (index, histogram) -> {});
      } catch (IndexOutOfBoundsException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(1, 19_999);
    assertThatThrownBy(() -> reader.decode(new byte[] {3, 0}, 0, 2, 1, 1, new double[1], 0, null))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("values at byte 0 are none");
  }

  private String hex(double... values) {
    WireWriter out = new WireWriter();
    pieces.encode(values, null, values.length, out);
    return HexFormat.of().formatHex(out.toBytes());
  }

  private static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }
}
