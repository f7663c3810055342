package io.fleetgauge.gateway.store.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkTest {
  private static final double OTHER_NAN = Double.longBitsToDouble(0xfff8_1234_5678_9abcL);

  private final Chunks chunks = new Chunks();

  /** Another one, which finds nothing in its arrays that the writer left in its own. */
  private final Chunks reader = new Chunks();

  @Test
  void theFormatsAreHeldByTheirBytes() {
    assertThat(hex(4, 4, 4, 4)).isEqualTo("0008");
    assertThat(hex(0.25, 0.25)).isEqualTo("1032");
    assertThat(hex(-3)).isEqualTo("0005");
    // Base 5, then 0 2 1 3 in two bits each.
    assertThat(hex(5, 7, 6, 8)).isEqualTo("01020ad8");
    // First 1000, then steps of 100 and 0 0 1 0 in one bit each.
    assertThat(hex(1000, 1100, 1200, 1301, 1401)).isEqualTo("0201d00fc80104");
    // A marker in second place and a NaN in third.
    assertThat(hex(7, Staleness.MARKER, OTHER_NAN, 7, 7))
        .isEqualTo("8002" + "0100" + "0201bc9a78563412f8ff" + "0e");
    assertThat(hex(-0.0, Math.PI)).startsWith("03").hasSize(2 * (1 + 1 + 8 + 9));
    assertThat(hex(Math.PI, Math.PI, Math.PI)).isEqualTo("0309182d4454fb21094000");
  }

  @Test
  void timesThatAreRegularCostNothingMore() {
    long[] times = new long[100];
    Arrays.setAll(times, i -> 1_700_000_000_000L + 15_000L * i);
    WireWriter few = new WireWriter();
    chunks.encodeTimes(times, 0, 2, few);
    WireWriter many = new WireWriter();
    chunks.encodeTimes(times, 0, 100, many);
    assertThat(HexFormat.of().formatHex(many.toBytes()))
        .isEqualTo("0080a0abfef962b0ea01")
        .isEqualTo(HexFormat.of().formatHex(few.toBytes()));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whatIsDecodedIsWhatWasEncoded(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 3_000; round++) {
      double[] values = new double[1 + random.nextInt(Chunks.MAX_SAMPLES)];
      IntToDoubleFunction kind = kind(random);
      int oddOnes = random.nextInt(4);
      for (int i = 0; i < values.length; i++) {
        values[i] =
            oddOnes > 0 && random.nextInt(5 * oddOnes) == 0 ? odd(random) : kind.applyAsDouble(i);
      }
      assertThat(bits(roundTrip(values))).isEqualTo(bits(values));
    }
  }

  private static IntToDoubleFunction kind(SplittableRandom random) {
    long base = random.nextLong(1L << random.nextInt(1, 53));
    long step = random.nextLong(1L << random.nextInt(1, 30));
    double tens = Math.pow(10, random.nextInt(12));
    return switch (random.nextInt(8)) {
      case 0 -> i -> base;
      case 1 -> i -> base - random.nextInt(100);
      case 2 -> i -> (double) base + i * step + random.nextInt(10);
      case 3 -> i -> Math.rint(random.nextDouble() * 700 * tens) / tens;
      case 4 -> i -> random.nextDouble();
      case 5 -> i -> Double.longBitsToDouble(random.nextLong());
      case 6 -> i -> Math.sqrt(base + i / 8);
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
      Double.MAX_VALUE,
      1e21,
      0.1
    };
    return odd[random.nextInt(odd.length)];
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void timesComeBackWhateverTheirDistances(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 1_000; round++) {
      long[] times = new long[1 + random.nextInt(Chunks.MAX_SAMPLES)];
      long now = random.nextLong(-1L << 50, 1L << 50);
      long spread = 1 + random.nextLong(1L << random.nextInt(40));
      for (int i = 0; i < times.length; i++) {
        now += 1 + random.nextLong(spread);
        times[i] = now;
      }
      WireWriter out = new WireWriter();
      chunks.encodeTimes(times, 0, times.length, out);
      byte[] bytes = Arrays.copyOf(out.array(), out.size() + Bits.SLACK);
      long[] read = new long[times.length];
      reader.at(0).decodeTimes(bytes, times.length, read, 0);
      assertThat(read).isEqualTo(times);
      assertThat(reader.position()).isEqualTo(out.size());
    }
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
    double[] values = {1.5, Staleness.MARKER, Staleness.MARKER};
    WireWriter out = new WireWriter();
    chunks.encode(values, new Histogram[] {null, histogram, null}, 0, 3, out);
    Histogram[] found = new Histogram[3];
    double[] read = new double[3];
    byte[] bytes = Arrays.copyOf(out.array(), out.size() + Bits.SLACK);
    reader.at(0).decode(bytes, 3, read, 0, (index, each) -> found[index] = each);
    assertThat(bits(read)).isEqualTo(bits(values));
    assertThat(found).containsExactly(null, histogram, null);
    reader.at(0).skip(bytes, 3);
    assertThat(reader.position()).isEqualTo(out.size());
  }

  @Test
  void aListOfHistogramsThatHasNoneCostsNothing() {
    double[] values = {4, 4, 4};
    WireWriter out = new WireWriter();
    chunks.encode(values, new Histogram[3], 0, 3, out);
    assertThat(HexFormat.of().formatHex(out.toBytes())).isEqualTo(hex(values));
  }

  /** What a loop over single bits reads, as the twin of the reading by eight bytes. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 7, 8, 13, 31, 33, 56, 57})
  void packedNumbersAreWhereTheDrawingSaysBitByBit(int width) {
    SplittableRandom random = new SplittableRandom(width);
    long[] numbers = new long[128];
    Arrays.setAll(numbers, i -> -9 + (width == 0 ? 0 : random.nextLong() >>> 64 - width));
    byte[] bytes = new byte[3 + Bits.bytes(128, width) + Bits.SLACK];
    Bits.pack(numbers, 0, 128, -9, width, bytes, 3);
    for (int i = 0; i < 128; i++) {
      long plain = 0;
      for (int bit = 0; bit < width; bit++) {
        int at = 24 + i * width + bit;
        plain |= (long) (bytes[at >> 3] >> (at & 7) & 1) << bit;
      }
      assertThat(plain - 9).isEqualTo(numbers[i]);
    }
    long[] read = new long[128];
    Bits.unpack(bytes, 3, 128, -9, width, read);
    assertThat(read).isEqualTo(numbers);
  }

  private String hex(double... values) {
    roundTrip(values);
    WireWriter out = new WireWriter();
    chunks.encode(values, null, 0, values.length, out);
    return HexFormat.of().formatHex(out.toBytes());
  }

  private double[] roundTrip(double[] values) {
    WireWriter out = new WireWriter();
    out.u8(99);
    chunks.encode(values, null, 0, values.length, out);
    byte[] bytes = Arrays.copyOf(out.array(), out.size() + Bits.SLACK);
    Arrays.fill(bytes, out.size(), bytes.length, (byte) 0xff);
    double[] read = new double[values.length + 1];
    reader.at(1).decode(bytes, values.length, read, 1, null);
    assertThat(reader.position()).isEqualTo(out.size());
    reader.at(1).skip(bytes, values.length);
    assertThat(reader.position()).isEqualTo(out.size());
    return Arrays.copyOfRange(read, 1, read.length);
  }

  private static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }
}
