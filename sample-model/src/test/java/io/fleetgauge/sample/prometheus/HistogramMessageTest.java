package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Histogram.ResetHint;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each field of the message of a native histogram, in each form that protobuf allows for it. */
class HistogramMessageTest {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final WireWriter out = new WireWriter();
  private long time;

  private HistogramMessageTest tag(int field, int kind) {
    out.uvar((long) field << 3 | kind);
    return this;
  }

  private HistogramMessageTest varint(int field, long value) {
    tag(field, VARINT).out.uvar(value);
    return this;
  }

  private HistogramMessageTest zigzag(int field, long value) {
    tag(field, VARINT).out.svar(value);
    return this;
  }

  private HistogramMessageTest number(int field, double value) {
    tag(field, FIXED64).out.f64(value);
    return this;
  }

  private HistogramMessageTest bytes(int field, WireWriter content) {
    tag(field, BYTES).out.uvar(content.size()).raw(content.array(), 0, content.size());
    return this;
  }

  private HistogramMessageTest span(int field, long offset, long length) {
    return bytes(field, new WireWriter().u8(8).svar(offset).u8(16).uvar(length));
  }

  private static WireWriter deltas(long... deltas) {
    WireWriter list = new WireWriter();
    for (long delta : deltas) {
      list.svar(delta);
    }
    return list;
  }

  private static WireWriter doubles(double... numbers) {
    return new WireWriter().f64s(numbers, numbers.length);
  }

  private Histogram read() throws WireException {
    byte[] bytes = out.toBytes();
    HistogramMessage message = new HistogramMessage(new ProtobufFields(bytes, bytes.length));
    Histogram read = message.read(bytes.length);
    time = message.time();
    return read;
  }

  private void assertRefused(String message) {
    assertThatThrownBy(this::read).isInstanceOf(WireException.class).hasMessageContaining(message);
  }

  @Test
  void anEmptyMessageIsAnEmptyHistogram() throws WireException {
    assertThat(read())
        .isEqualTo(
            new Histogram(
                0,
                ResetHint.UNKNOWN,
                0,
                0,
                0,
                0,
                Histogram.Buckets.NONE,
                Histogram.Buckets.NONE,
                new double[0]));
    assertThat(time).isZero();
  }

  @Test
  void aHistogramOfWholeCountsHasAllItsFields() throws WireException {
    varint(1, 12).number(3, -1.5).zigzag(4, -3).number(5, 0.001).varint(6, 2);
    span(8, -2, 1).bytes(9, deltas(5));
    span(11, 1, 2).span(11, 3, 1).bytes(12, deltas(4, -3, 0));
    varint(14, 2).varint(15, -7);
    Histogram read = read();
    assertThat(read)
        .isEqualTo(
            new Histogram(
                -3,
                ResetHint.NOT_RESET,
                12,
                -1.5,
                0.001,
                2,
                new Histogram.Buckets(new int[] {1, 2, 6}, new double[] {4, 1, 1}),
                new Histogram.Buckets(new int[] {-2}, new double[] {5}),
                new double[0]));
    assertThat(time).isEqualTo(-7);
  }

  @Test
  void aHistogramOfFractionalCountsHasAllItsFields() throws WireException {
    number(2, 1.5).number(3, 2).zigzag(4, 8).number(5, 0.5).number(7, 0.25);
    span(8, 0, 2).bytes(10, doubles(0.5, 0.25));
    span(11, -4, 1).bytes(13, doubles(0.75));
    Histogram read = read();
    assertThat(read.count()).isEqualTo(1.5);
    assertThat(read.zeroCount()).isEqualTo(0.25);
    assertThat(read.schema()).isEqualTo(8);
    assertThat(read.negative())
        .isEqualTo(new Histogram.Buckets(new int[] {0, 1}, new double[] {0.5, 0.25}));
    assertThat(read.positive())
        .isEqualTo(new Histogram.Buckets(new int[] {-4}, new double[] {0.75}));
  }

  @Test
  void customBoundsAreReadPackedAndOneByOne() throws WireException {
    zigzag(4, -53).bytes(16, doubles(1, 2)).number(16, 3).bytes(16, doubles()).number(16, 4);
    span(11, 0, 5).bytes(12, deltas(1, 1, 1, 1, 1));
    Histogram read = read();
    assertThat(read.customBounds()).containsExactly(1, 2, 3, 4);
    assertThat(read.positive().counts()).containsExactly(1, 2, 3, 4, 5);
    assertThat(read.isCustom()).isTrue();
  }

  @Test
  void listsOfBucketsAreReadPackedAndOneByOneAlike() throws WireException {
    span(8, 0, 3).bytes(9, deltas(3)).zigzag(9, -1).bytes(9, deltas(2));
    span(11, 0, 3).number(13, 0.5).bytes(13, doubles(1.5)).number(13, 2.5);
    Histogram read = read();
    assertThat(read.negative().counts()).containsExactly(3, 2, 4);
    assertThat(read.positive().counts()).containsExactly(0.5, 1.5, 2.5);
  }

  @Test
  void aHistogramHasMoreSpansAndBucketsThanWereExpected() throws WireException {
    long[] counts = new long[300];
    for (int i = 0; i < 100; i++) {
      span(11, 1, 3);
    }
    Arrays.fill(counts, 1);
    bytes(12, deltas(counts));
    Histogram read = read();
    assertThat(read.positive().size()).isEqualTo(300);
    for (int i = 0; i < 300; i++) {
      assertThat(read.positive().indexes()[i]).isEqualTo(1 + i + i / 3);
      assertThat(read.positive().counts()[i]).isEqualTo(i + 1);
    }
  }

  @ParameterizedTest
  @EnumSource(ResetHint.class)
  void theHintIsItsNumber(ResetHint hint) throws WireException {
    assertThat(varint(14, hint.ordinal()).read().hint()).isEqualTo(hint);
  }

  @ParameterizedTest
  @CsvSource({"4, 4", "-1, -1"})
  void anotherHintIsRefused(long hint, String shown) {
    varint(14, hint);
    assertRefused("a histogram's hint is " + shown + ", allowed are 0 to 3");
  }

  @Test
  void theLastOfARepeatedFieldCounts() throws WireException {
    varint(1, 1).number(2, 2.5).number(3, 1).number(3, 7).varint(15, 1).varint(15, 9);
    assertThat(read().count()).isEqualTo(2.5);
    assertThat(read().sum()).isEqualTo(7);
    assertThat(time).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 1000})
  void aFieldOfAnotherKindThanItsOwnIsSkipped(int field) throws WireException {
    Histogram empty = read();
    tag(field, FIXED32).out.u32(-1);
    assertThat(read()).isEqualTo(empty);
    assertThat(time).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 14, 15, 17})
  void bytesInPlaceOfANumberAreSkipped(int field) throws WireException {
    Histogram empty = read();
    bytes(field, new WireWriter().u32(-1));
    assertThat(read()).isEqualTo(empty);
    assertThat(time).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 10, 11, 12, 13, 16})
  void aListThatEndsInsideAnItemIsRefused(int field) {
    bytes(field, new WireWriter().u8(0x80));
    varint(14, 1).varint(14, 1).varint(14, 1).varint(14, 1).varint(14, 1);
    assertRefused("");
  }

  @Test
  void aListThatIsLongerThanItsMessageIsRefused() {
    tag(12, BYTES).out.uvar(100).u8(0);
    assertRefused("the length of a list of differences at byte 1 is 100, allowed are 0 to 2");
  }

  @Test
  void spansAndCountsMustBeAsMany() {
    span(11, 0, 2).bytes(12, deltas(1));
    assertRefused("a histogram's spans need more buckets than it has");
  }

  @Test
  void countsWithoutSpansAreRefused() {
    span(11, 0, 1).bytes(12, deltas(1, 1, 1));
    assertRefused("a histogram's spans have 1 buckets, its counts are 3");
  }

  @Test
  void aSpanOfManyBucketsTakesNoMemory() {
    span(11, 0, Long.MAX_VALUE).bytes(12, deltas(1));
    assertRefused("a histogram's spans need more buckets than it has");
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 31, 1L << 40, -(1L << 31) - 1, Long.MIN_VALUE})
  void aBucketWhoseIndexIsNoIntIsRefused(long offset) {
    span(11, offset, 1).bytes(12, deltas(1));
    assertRefused("a histogram's spans need more buckets than it has");
  }

  @Test
  void bucketsThatGoBackAreRefused() {
    span(11, 5, 1).span(11, -3, 1).bytes(12, deltas(1, 1));
    assertRefused("a histogram is not one: bucket 3 follows bucket 5");
  }

  @Test
  void aSpanMayHaveFieldsThatAreNotKnown() throws WireException {
    WireWriter span = new WireWriter().u8(8).svar(3).u8(16).uvar(1).u8(24).uvar(7);
    bytes(11, span).bytes(12, deltas(2));
    assertThat(read().positive().indexes()).containsExactly(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {-5, 9, -54, 1 << 20})
  void aSchemaThatDoesNotExistIsRefused(int schema) {
    zigzag(4, schema);
    assertRefused("a histogram's schema is -4 to 8, or -53 for custom bounds, and not " + schema);
  }

  @Test
  void customBoundsNeedTheirSchemaAndHaveNoOtherBuckets() {
    number(16, 1);
    assertRefused("a histogram is not one: schema 0 has no custom bounds");
    zigzag(4, -53).varint(6, 1);
    assertRefused("custom bounds have neither negative nor zero buckets");
  }

  @Test
  void aWireTypeThatDoesNotExistIsRefused() {
    tag(20, 3);
    assertRefused("a field of the unknown wire type 3");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedBytesAreAHistogramOrAWireException(long seed) throws WireException {
    varint(1, 12).number(3, -1.5).zigzag(4, -3).number(5, 0.001).varint(6, 2);
    span(8, -2, 2).bytes(9, deltas(5, 1));
    span(11, 1, 2).span(11, 3, 1).bytes(12, deltas(4, -3, 0));
    varint(14, 2).varint(15, 1_700_000_000_000L);
    byte[] good = out.toBytes();
    SplittableRandom random = new SplittableRandom(seed);
    int refused = 0;
    for (int round = 0; round < 30_000; round++) {
      byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length + 1));
      for (int hits = random.nextInt(4); hits > 0 && bytes.length > 0; hits--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        new HistogramMessage(new ProtobufFields(bytes, bytes.length)).read(bytes.length);
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
  }
}
