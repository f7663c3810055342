package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a frame may not have, and the error that says so. */
class FrameLimitsTest {
  private static byte[] frame(int kind, WireWriter body) {
    WireWriter out = new WireWriter();
    out.u8('F').u8('G').u8(1).u8(kind).u32(body.size()).u32(0);
    out.raw(body.array(), 0, body.size());
    out.setU32(8, FrameFormat.check(out.array(), 0, body.size()));
    return out.toBytes();
  }

  private static WireWriter start() {
    return new WireWriter().string("n1").u64(5);
  }

  /** A tick up to its additions: sequence 1, time 0. */
  private static WireWriter tick() {
    return start().uvar(1).svar(0);
  }

  /** A tick with two label sets, up to its present series. */
  private static WireWriter twoSeries() {
    return tick().uvar(0).uvar(2).string("a").string("b").uvar(0).uvar(2).uvar(0).uvar(0);
  }

  static Stream<Arguments> badBodies() {
    return Stream.of(
        bad(1, new WireWriter().string("").u64(5), "the host's name is empty"),
        bad(1, new WireWriter().string("n1").u64(0), "the run is 0"),
        bad(1, start().uvar(0), "the sequence is 0, it counts from 1"),
        bad(1, start().uvar(-1), "the sequence is -1, it counts from 1"),
        bad(
            1,
            start().uvar((1L << 62) + 1),
            "the sequence is 4611686018427387905, the largest is 4611686018427387904"),
        bad(1, tick().uvar((1 << 20) + 1), "the number of known strings"),
        bad(1, tick().uvar(0).uvar(0).uvar((1 << 18) + 1), "the number of known label sets"),
        bad(1, tick().uvar(0).uvar(5).u8(0), "the number of strings"),
        bad(1, tick().uvar(0).uvar(0).uvar(0).uvar(9).u8(0), "the number of label sets"),
        bad(
            1,
            tick().uvar(0).uvar(1).string("a").uvar(0).uvar(1).uvar(1).uvar(0).uvar(1),
            "a string's number at byte 33 is 1, allowed are 0 to 0"),
        bad(
            1,
            tick().uvar(0).uvar(0).uvar(0).uvar(1).uvar(1).uvar(0).uvar(0),
            "allowed are 0 to -1"),
        bad(1, twoSeries().uvar(1).uvar(0).uvar(0).u8(0), "a run of series is empty"),
        bad(1, twoSeries().uvar(1).uvar(3).uvar(1).u8(0), "a gap between runs of series"),
        bad(1, twoSeries().uvar(1).uvar(1).uvar(2).u8(0), "the length of a run of series"),
        bad(1, twoSeries().uvar(1).uvar(0).uvar(2), "2 samples, but 0 bytes are left for them"),
        bad(1, twoSeries().uvar(1).uvar(0).uvar(2).u8(0), "an integer at byte"),
        bad(1, twoSeries().uvar(1).uvar(0).uvar(1).u8(1), "a double at byte"),
        bad(1, twoSeries().uvar(1).uvar(0).uvar(1).u8(3), "a histogram's schema at byte"),
        bad(1, twoSeries().uvar(0).u8(0), "1 bytes are left after the frame at byte"),
        bad(2, start().uvar(1).uvar(0).uvar(0).uvar(0), "a dictionary frame must begin at 0"),
        bad(2, start().uvar(0).uvar(0).uvar(1).uvar(0), "a dictionary frame must begin at 0"),
        bad(3, start(), "the frame at byte 0 is of the unknown kind 3"),
        bad(0, start(), "the frame at byte 0 is of the unknown kind 0"));
  }

  private static Arguments bad(int kind, WireWriter body, String message) {
    return Arguments.of(message, frame(kind, body));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badBodies")
  void aBodyThatIsNoneIsAnErrorThatSaysWhy(String message, byte[] frame) {
    FrameDecoder decoder = new FrameDecoder(frame);
    assertThatThrownBy(decoder::next)
        .isInstanceOf(WireException.class)
        .hasMessageContaining(message);
    assertThat(decoder.position()).isZero();
    assertThat(decoder.hasNext()).isTrue();
  }

  @Test
  void theSmallestFramesAreRead() throws WireException {
    Frame.Tick tick =
        (Frame.Tick)
            new FrameDecoder(frame(1, tick().uvar(0).uvar(0).uvar(0).uvar(0).uvar(0))).next();
    assertThat(tick.ids()).isEmpty();
    assertThat(tick.values()).isEmpty();
    assertThat(tick.histograms()).isNull();
    Frame dictionary = new FrameDecoder(frame(2, start().uvar(0).uvar(0).uvar(0).uvar(0))).next();
    assertThat(dictionary.additions().symbols()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 71, 'no frame at byte 0: it begins with 71, 71'",
    "1, 70, 'no frame at byte 0: it begins with 70, 70'",
    "2, 2, 'the frame at byte 0 has version 2, this program reads 1'",
    "7, 127, 'the frame at byte 0 says 2130706'",
    "7, 255, 'the frame at byte 0 says 4278190'",
    "6, 255, ' bytes of body, '",
    "8, 0, 'the frame at byte 0 is damaged: wrong checksum'"
  })
  void aHeaderThatIsNoneIsAnErrorThatSaysWhy(int at, int value, String message) {
    byte[] frame = frame(1, tick().uvar(0).uvar(0).uvar(0).uvar(0).uvar(0));
    frame[at] = (byte) (frame[at] == value ? value + 1 : value);
    assertThatThrownBy(() -> new FrameDecoder(frame).next())
        .isInstanceOf(WireException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aBodyAboveTheLimitIsRefusedEvenIfItsBytesAreThere() {
    byte[] large = new byte[12 + FrameDecoder.MAX_BODY_BYTES + 1];
    byte[] header = {'F', 'G', 1, 1, 1, 0, 0, 1};
    System.arraycopy(header, 0, large, 0, header.length);
    assertThatThrownBy(() -> new FrameDecoder(large).next())
        .isInstanceOf(WireException.class)
        .hasMessage(
            "the frame at byte 0 says 16777217 bytes of body, 16777217 are left and 16777216"
                + " are allowed");
    large[4] = 0;
    assertThatThrownBy(() -> new FrameDecoder(large).next()).hasMessageContaining("checksum");
  }

  /** An empty string is one byte of the frame, and an empty label set too. */
  @ParameterizedTest
  @CsvSource({"0, 1048577", "1048576, 1", "600000, 600000"})
  void moreStringsThanADictionaryHoldsAreRefusedBeforeMemoryIsTakenForThem(int known, int count) {
    assertThatItTakesLittleMemory(
        frame(1, tick().uvar(known).uvar(count).raw(new byte[count + 9], 0, count + 9)));
  }

  @ParameterizedTest
  @CsvSource({"0, 262145", "262144, 1", "200000, 200000"})
  void moreLabelSetsThanADictionaryHoldsAreRefusedBeforeMemoryIsTakenForThem(int known, int count) {
    WireWriter body = tick().uvar(0).uvar(0).uvar(known).uvar(count);
    assertThatItTakesLittleMemory(frame(1, body.raw(new byte[count + 9], 0, count + 9)));
  }

  private static void assertThatItTakesLittleMemory(byte[] frame) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    FrameDecoder decoder = new FrameDecoder(frame);
    long before = threads.getCurrentThreadAllocatedBytes();
    Throwable refusal = catchThrowable(decoder::next);
    long taken = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(refusal)
        .isInstanceOf(WireException.class)
        .hasMessage("the dictionary of run 5 grows above 262144 label sets or 1048576 strings");
    assertThat(taken).isLessThan(1_000_000);
  }

  @Test
  void theSecondFrameIsNamedByItsPlace() throws WireException {
    byte[] first = frame(2, start().uvar(0).uvar(0).uvar(0).uvar(0));
    byte[] both = Arrays.copyOf(first, first.length + 12);
    FrameDecoder decoder = new FrameDecoder(both);
    decoder.next();
    assertThat(decoder.position()).isEqualTo(first.length);
    assertThatThrownBy(decoder::next)
        .hasMessage("no frame at byte " + first.length + ": it begins with 0, 0");
  }

  @Test
  void theHostIsReadWithoutTheRest() throws WireException {
    assertThat(FrameDecoder.host(frame(9, start()))).isEqualTo("n1");
    assertThatThrownBy(() -> FrameDecoder.host(new byte[11]))
        .isInstanceOf(WireException.class)
        .hasMessage("no frame: 11 bytes");
    assertThatThrownBy(() -> FrameDecoder.host(new byte[12])).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> FrameDecoder.host(new byte[13]))
        .hasMessage("the host's name is empty");
  }

  @Test
  void aRunNeedsAHostAndANumber() {
    assertThatThrownBy(() -> new FrameEncoder("", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a run needs a host and a number other than 0, got \"\" and 1");
    assertThatThrownBy(() -> new FrameEncoder("n1", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a run needs a host and a number other than 0, got \"n1\" and 0");
  }

  @Test
  void theEncoderNumbersLabelSetsAndTicksFromTheFirst() {
    FrameEncoder encoder = new FrameEncoder("n1", -3);
    assertThat(encoder.run()).isEqualTo(-3);
    assertThat(encoder.sequence()).isZero();
    assertThat(encoder.number(Labels.of("a", "1"))).isZero();
    assertThat(encoder.number(Labels.of("a", "2"))).isEqualTo(1);
    assertThat(encoder.number(Labels.of("a", "1"))).isZero();
    assertThat(encoder.seriesCount()).isEqualTo(2);
    encoder.encode(new Tick(0, List.of(Labels.of("a", "2")), new double[] {1}));
    assertThat(encoder.sequence()).isEqualTo(1);
    assertThat(encoder.seriesCount()).isEqualTo(2);
  }

  @Test
  void theEncoderCountsTheBytesOfItsDictionary() {
    FrameEncoder encoder = new FrameEncoder("n1", 1);
    int empty = encoder.dictionary().length;
    assertThat(encoder.dictionaryBytes()).isZero();
    List<Tick> ticks =
        List.of(
            new Tick(0, List.of(Labels.of("a", "1", "b", "1")), new double[] {1}),
            new Tick(0, List.of(Labels.of("a", "1"), Labels.of("b", "a")), new double[] {1, 2}),
            new Tick(0, List.of(Labels.of("c", "\u00e4\u20ac\ud83d\ude00")), new double[] {1}),
            new Tick(0, List.of(Labels.of("a", "x".repeat(200), "d", "")), new double[] {1}));
    for (Tick tick : ticks) {
      long most = encoder.dictionaryBytesWith(tick);
      encoder.encode(tick);
      assertThat(encoder.dictionaryBytes())
          .isEqualTo(encoder.dictionary().length - empty)
          .isLessThanOrEqualTo(most);
      assertThat(encoder.dictionaryBytesWith(tick)).isEqualTo(encoder.dictionaryBytes());
    }
  }

  @Test
  void aFrameAboveTheLimitIsNotEncoded() {
    FrameEncoder encoder = new FrameEncoder("n1", 1);
    String value = "x".repeat(FrameDecoder.MAX_SYMBOL_LENGTH - 8);
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < 1_025; i++) {
      tick.add(Labels.of("a", String.format("%08d", i) + value), 1);
    }
    assertThatThrownBy(() -> encoder.encode(tick.at(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("a frame of 168\\d{5} bytes; at most 16777216 are allowed");
  }

  @Test
  void labelsAtTheLimitsAreRead() throws WireException {
    String longest = "x".repeat(FrameDecoder.MAX_SYMBOL_LENGTH);
    String[] most = new String[2 * FrameDecoder.MAX_LABELS];
    for (int i = 0; i < most.length; i++) {
      most[i] = "l" + i;
    }
    List<Labels> series = List.of(Labels.of("a", longest), Labels.of(most));
    byte[] frame = new FrameEncoder("n1", 1).encode(new Tick(1, series, new double[] {1, 2}));
    RunDictionary dictionary = new RunDictionary();
    dictionary.add(new FrameDecoder(frame).next());
    assertThat(dictionary.series(0)).isEqualTo(series.get(0));
    assertThat(dictionary.series(1)).isEqualTo(series.get(1));
  }

  @Test
  void aDecodedTickEncodesToTheBytesThatItCameFrom() throws WireException {
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.RESET,
            1,
            2,
            0,
            0,
            new Histogram.Buckets(new int[] {3}, new double[] {1}),
            Histogram.Buckets.NONE,
            new double[0]);
    FrameEncoder encoder = new FrameEncoder("n1", 9);
    Tick.Builder mixed = new Tick.Builder();
    for (int i = 0; i < 9; i++) {
      mixed.add(Labels.of("i", "" + i), i / 2.0);
    }
    mixed.add(Labels.of("h", "1"), histogram);
    for (byte[] frame : List.of(encoder.encode(mixed.at(5)), encoder.encode(mixed.at(6)))) {
      Frame.Tick tick = (Frame.Tick) new FrameDecoder(frame).next();
      assertThat(FrameEncoder.encode(tick)).isEqualTo(frame);
    }
    for (byte[] frame : FrameTest.framesOf(8, 30).subList(0, 30)) {
      Frame.Tick tick = (Frame.Tick) new FrameDecoder(frame).next();
      assertThat(FrameEncoder.encode(tick)).isEqualTo(frame);
    }
  }
}
