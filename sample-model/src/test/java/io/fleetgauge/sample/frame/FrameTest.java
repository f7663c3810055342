package io.fleetgauge.sample.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.wire.HistogramForm;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameTest {
  private static final double[] SPECIAL = {
    0.0,
    -0.0,
    1,
    -1,
    0.1,
    1e300,
    Double.MIN_VALUE,
    9007199254740992.0,
    -9007199254740992.0,
    9007199254740994.0,
    Double.NaN,
    Double.longBitsToDouble(0x7ff8000000000001L),
    Double.longBitsToDouble(0xfff8dead00000000L),
    Staleness.MARKER,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY
  };

  private static final Histogram EXPONENTIAL =
      new Histogram(
          2,
          Histogram.ResetHint.NOT_RESET,
          12,
          -0.5,
          1e-3,
          2,
          new Histogram.Buckets(new int[] {-3, 0, 7}, new double[] {1, 0, 4.5}),
          new Histogram.Buckets(new int[] {5}, new double[] {4.5}),
          new double[0]);
  private static final Histogram CUSTOM =
      new Histogram(
          Histogram.CUSTOM_SCHEMA,
          Histogram.ResetHint.GAUGE,
          3,
          Double.NaN,
          0,
          0,
          new Histogram.Buckets(new int[] {0, 2}, new double[] {1, 2}),
          Histogram.Buckets.NONE,
          new double[] {0.5, 1});

  @Test
  void histogramsTravelAmongNumbers() throws WireException {
    Labels[] series = new Labels[5];
    for (int i = 0; i < series.length; i++) {
      series[i] = Labels.of(Labels.NAME, "m" + i);
    }
    Tick tick =
        new Tick.Builder()
            .add(series[0], 1)
            .add(series[1], EXPONENTIAL)
            .add(series[2], Staleness.MARKER)
            .add(series[3], CUSTOM)
            .add(series[4], 0.5)
            .at(1000);
    byte[] bytes = new FrameEncoder("n1", 1).encode(tick);
    Frame.Tick decoded = (Frame.Tick) new FrameDecoder(bytes).next();
    assertThat(decoded.histograms()).containsExactly(null, EXPONENTIAL, null, CUSTOM, null);
    assertThat(decoded.values()[0]).isEqualTo(1);
    assertThat(Staleness.isMarker(decoded.values()[2])).isTrue();
    assertThat(decoded.values()[4]).isEqualTo(0.5);
  }

  @Test
  void theBytesOfAHistogramAreTheOnesThatAreDrawn() {
    WireWriter out = new WireWriter();
    HistogramForm.write(out, CUSTOM);
    assertThat(hex(out.toBytes()))
        .isEqualTo(
            // schema, hint, count, sum, zero bucket
            "69"
                + "03"
                + "0000000000000840"
                + "000000000000f87f"
                + "0000000000000000"
                + "0000000000000000"
                // buckets 0 and 2, none below zero, two bounds
                + "02"
                + "02000000000000f03f"
                + "040000000000000040"
                + "00"
                + "02"
                + "000000000000e03f"
                + "000000000000f03f");
  }

  @Test
  void theBytesOfARunAreTheOnesThatAreDrawn() {
    FrameEncoder encoder = new FrameEncoder("n1", 0x1122334455667788L);
    Labels load = Labels.of(Labels.NAME, "load", "cpu", "0");
    Labels temp = Labels.of(Labels.NAME, "temp");
    byte[] first = encoder.encode(new Tick(1000, List.of(load, temp), new double[] {-3, 0.5}));
    byte[] second = encoder.encode(new Tick(2000, List.of(temp), new double[] {Staleness.MARKER}));
    assertThat(hex(first))
        .isEqualTo(
            // header, then host, run, sequence, time
            "46470101"
                + "40000000"
                + "75d1363c"
                + "026e31"
                + "8877665544332211"
                + "01"
                + "d00f"
                // from 0: 5 strings
                + "0005"
                + "085f5f6e616d655f5f"
                + "046c6f6164"
                + "03637075"
                + "0130"
                + "0474656d70"
                // from 0: 2 label sets
                + "0002"
                + "0200010203"
                + "010004"
                // one run of series: gap 0, length 2; kinds integer, double; -3; 0.5
                + "010002"
                + "04"
                + "05"
                + "000000000000e03f");
    assertThat(hex(second))
        .isEqualTo(
            "46470101"
                + "16000000"
                + "860b51c9"
                + "026e31"
                + "8877665544332211"
                + "02"
                + "a01f"
                + "0500"
                + "0200"
                + "010101"
                + "02");
  }

  /**
   * Two runs of series and every kind of sample in one frame: encoder and decoder cannot change the
   * order of the columns together.
   */
  @Test
  void theBytesOfATickWithTwoRunsOfSeriesAreTheOnesThatAreDrawn() throws WireException {
    FrameEncoder encoder = new FrameEncoder("n1", 0x1122334455667788L);
    List<Labels> series = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d", "e", "f")) {
      series.add(Labels.of(Labels.NAME, name));
    }
    encoder.encode(new Tick(1000, series, new double[] {0, 0, 0, 0, 0, 0}));
    byte[] second =
        encoder.encode(
            new Tick.Builder()
                .add(series.get(0), 1)
                .add(series.get(1), 0.25)
                .add(series.get(3), 300)
                .add(series.get(4), Staleness.MARKER)
                .add(series.get(5), CUSTOM)
                .at(2000));
    String drawn =
        // header, then host, run, sequence, time
        "46470101"
            + "6b000000"
            + "c83523c2"
            + "026e31"
            + "8877665544332211"
            + "02"
            + "a01f"
            // no string and no label set is new
            + "0700"
            + "0600"
            // two runs of series: gap 0 and length 2, gap 1 and length 3
            + "02"
            + "0002"
            + "0103"
            // integer, double, integer, stale, histogram; 1 and 300; 0.25
            + "8403"
            + "02"
            + "d804"
            + "000000000000d03f"
            // the histogram
            + "6903"
            + "0000000000000840"
            + "000000000000f87f"
            + "0000000000000000"
            + "0000000000000000"
            + "02"
            + "02000000000000f03f"
            + "040000000000000040"
            + "00"
            + "02"
            + "000000000000e03f"
            + "000000000000f03f";
    assertThat(hex(second)).isEqualTo(drawn);
    Frame.Tick decoded = (Frame.Tick) new FrameDecoder(HexFormat.of().parseHex(drawn)).next();
    assertThat(decoded.ids()).containsExactly(0, 1, 3, 4, 5);
    assertThat(decoded.values()).startsWith(1, 0.25, 300);
    assertThat(Staleness.isMarker(decoded.values()[3])).isTrue();
    assertThat(decoded.histograms()).containsExactly(null, null, null, null, CUSTOM);
    assertThat(decoded.sequence()).isEqualTo(2);
    assertThat(decoded.time()).isEqualTo(2000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_121})
  void whatIsDecodedIsWhatWasEncodedBitForBit(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    FrameEncoder encoder = new FrameEncoder("host-é", 1 + random.nextLong(1L << 62));
    RunDictionary dictionary = new RunDictionary();
    for (int round = 0; round < 200; round++) {
      Tick tick = tick(random, 1_700_000_000_000L + round * 15_000L);
      byte[] bytes = encoder.encode(tick);
      Frame.Tick frame = (Frame.Tick) new FrameDecoder(bytes).next();
      assertThat(dictionary.covers(frame)).isTrue();
      dictionary.add(frame);
      dictionary.add(frame);
      assertThat(frame.host()).isEqualTo("host-é");
      assertThat(frame.run()).isEqualTo(encoder.run());
      assertThat(frame.sequence()).isEqualTo(round + 1);
      assertThat(frame.time()).isEqualTo(tick.time());
      assertThat(byLabels(frame, dictionary)).isEqualTo(byLabels(tick));
    }
    RunDictionary fromScratch = new RunDictionary();
    fromScratch.add(new FrameDecoder(encoder.dictionary()).next());
    assertThat(fromScratch.size()).isEqualTo(dictionary.size());
    for (int i = 0; i < dictionary.size(); i++) {
      assertThat(fromScratch.series(i)).isEqualTo(dictionary.series(i));
    }
  }

  @Test
  void aReceiverThatMissedTheBeginningKnowsThatItDid() throws WireException {
    FrameEncoder encoder = new FrameEncoder("n1", 5);
    encoder.encode(new Tick(1, List.of(Labels.of("a", "b")), new double[] {1}));
    byte[] second = encoder.encode(new Tick(2, List.of(Labels.of("c", "d")), new double[] {1}));
    RunDictionary dictionary = new RunDictionary();
    Frame frame = new FrameDecoder(second).next();
    assertThat(dictionary.covers(frame)).isFalse();
    dictionary.add(new FrameDecoder(encoder.dictionary()).next());
    assertThat(dictionary.covers(frame)).isTrue();
  }

  @Test
  void framesOneBehindTheOtherAreReadInTurn() throws WireException {
    FrameEncoder encoder = new FrameEncoder("n1", 5);
    WireWriter body = new WireWriter();
    for (int i = 0; i < 3; i++) {
      byte[] bytes = encoder.encode(new Tick(i, List.of(Labels.of("a", "b")), new double[] {i}));
      body.raw(bytes, 0, bytes.length);
    }
    FrameDecoder decoder = new FrameDecoder(body.toBytes());
    for (int i = 1; i <= 3; i++) {
      assertThat(((Frame.Tick) decoder.next()).sequence()).isEqualTo(i);
    }
    assertThat(decoder.hasNext()).isFalse();
  }

  @Test
  void aSeriesThatStandsTwiceInATickIsRefusedByTheEncoder() {
    Labels labels = Labels.of("a", "b");
    assertThatThrownBy(
            () ->
                new FrameEncoder("n1", 1)
                    .encode(new Tick(1, List.of(labels, labels), new double[] {1, 2})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("{a=\"b\"}");
  }

  @Test
  void labelsBeyondTheLimitsAreRefusedWithTheLimit() {
    String tooLong = "x".repeat(FrameDecoder.MAX_SYMBOL_LENGTH + 1);
    assertRefused(Labels.of("a", tooLong), "allowed are 16384");
    String[] many = new String[2 * (FrameDecoder.MAX_LABELS + 1)];
    for (int i = 0; i < many.length; i++) {
      many[i] = "l" + i;
    }
    assertRefused(Labels.of(many), "allowed are 0 to 256");
  }

  private static void assertRefused(Labels labels, String why) {
    byte[] frame = new FrameEncoder("n1", 1).encode(new Tick(1, List.of(labels), new double[] {1}));
    assertThatThrownBy(() -> new FrameDecoder(frame).next())
        .isInstanceOf(WireException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aSteadyTickCostsAboutAByteAndAHalfForASmallInteger() {
    FrameEncoder encoder = new FrameEncoder("n1", 5);
    Tick.Builder builder = new Tick.Builder();
    for (int i = 0; i < 1000; i++) {
      builder.add(Labels.of(Labels.NAME, "m", "i", "" + i), i % 60);
    }
    encoder.encode(builder.at(1));
    assertThat(encoder.encode(builder.at(2)).length).isLessThan(1300);
  }

  static Tick tick(SplittableRandom random, long time) {
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < 40; i++) {
      if (random.nextInt(3) > 0) {
        double value =
            switch (random.nextInt(3)) {
              case 0 -> random.nextInt(-1000, 1000);
              case 1 -> random.nextDouble();
              default -> SPECIAL[random.nextInt(SPECIAL.length)];
            };
        tick.add(
            Labels.of(Labels.NAME, "m" + i % 7, "i", "" + i, "job", "j" + random.nextInt(3)),
            value);
      }
    }
    return tick.at(time);
  }

  private static Map<Labels, Long> byLabels(Frame.Tick frame, RunDictionary dictionary) {
    Map<Labels, Long> bits = new HashMap<>();
    for (int i = 0; i < frame.ids().length; i++) {
      bits.put(dictionary.series(frame.ids()[i]), Double.doubleToRawLongBits(frame.values()[i]));
    }
    return bits;
  }

  private static Map<Labels, Long> byLabels(Tick tick) {
    Map<Labels, Long> bits = new HashMap<>();
    for (int i = 0; i < tick.size(); i++) {
      bits.put(tick.series().get(i), Double.doubleToRawLongBits(tick.values()[i]));
    }
    return bits;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  static List<byte[]> framesOf(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    FrameEncoder encoder = new FrameEncoder("n1", 77);
    List<byte[]> frames = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      frames.add(encoder.encode(tick(random, 1_700_000_000_000L + i)));
    }
    frames.add(Arrays.copyOf(encoder.dictionary(), encoder.dictionary().length));
    return frames;
  }
}
