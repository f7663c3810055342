package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Histogram.Buckets;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.RemoteRead.Comparison;
import io.fleetgauge.sample.prometheus.RemoteRead.Matcher;
import io.fleetgauge.sample.prometheus.RemoteRead.Query;
import io.fleetgauge.sample.prometheus.RemoteRead.Request;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteReadTest {
  private static final Labels LABELS = Labels.of(Labels.NAME, "up", "job", "é");

  // --- requests ---

  @Test
  void aRequestIsReadWithEveryFieldAndUnknownOnesAreSkipped() throws WireException {
    WireWriter matcher = new WireWriter();
    matcher.uvar(1 << 3).uvar(2);
    matcher.uvar(2 << 3 | 2).string("job");
    matcher.uvar(3 << 3 | 2).string("a.*");
    matcher.uvar(9 << 3 | 5).u32(1);
    WireWriter query = new WireWriter();
    query.uvar(1 << 3).uvar(-5);
    query.uvar(2 << 3).uvar(1_000);
    query.uvar(3 << 3 | 2).uvar(matcher.size()).raw(matcher.array(), 0, matcher.size());
    query.uvar(4 << 3 | 2).string("hints");
    WireWriter request = new WireWriter();
    request.uvar(1 << 3 | 2).uvar(query.size()).raw(query.array(), 0, query.size());
    request.uvar(7 << 3 | 1).u64(1);
    assertThat(RemoteRead.read(request.toBytes()))
        .isEqualTo(
            new Request(
                List.of(new Query(-5, 1_000, List.of(new Matcher(Comparison.REGEX, "job", "a.*")))),
                false,
                true));
  }

  /** Prometheus takes the first kind of the list that it knows: 0 samples, 1 chunks. */
  @ParameterizedTest
  @CsvSource({
    "'', false, true",
    "1000, false, true",
    "1001, true, true",
    "10011000, true, true",
    "10001001, false, true",
    "10071001, true, true",
    "1007, false, false",
    "12020100, true, true",
    "12020700, false, true"
  })
  void theFirstKnownKindOfAnswerIsTaken(String hex, boolean chunks, boolean known)
      throws WireException {
    Request request = RemoteRead.read(HexFormat.of().parseHex(hex));
    assertThat(request.chunks()).isEqualTo(chunks);
    assertThat(request.known()).isEqualTo(known);
  }

  @Test
  void aMatcherOfAnUnknownTypeIsRefused() {
    byte[] bytes = HexFormat.of().parseHex("0a041a020804");
    assertThatThrownBy(() -> RemoteRead.read(bytes))
        .isInstanceOf(WireException.class)
        .hasMessage("a matcher of the unknown type 4");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedRequestsAreReadOrRefusedAndNothingElse(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] good =
        HexFormat.of().parseHex("0a15080110e8071a0e0802120361626312056162636465" + "1001");
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = Arrays.copyOf(good, random.nextInt(good.length + 1));
      for (int flips = random.nextInt(4); flips > 0 && bad.length > 0; flips--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      try {
        RemoteRead.read(bad);
      } catch (WireException e) {
        assertThat(e).hasMessageMatching("(?s).+");
      }
    }
  }

  // --- samples ---

  /** What is written as an answer is, as far as its series go, a remote write of version 1. */
  @Test
  void samplesAndHistogramsAreTheTimeSeriesOfRemoteWrite() throws WireException {
    Histogram histogram =
        new Histogram(
            2,
            Histogram.ResetHint.NOT_RESET,
            12,
            -0.5,
            1e-3,
            2,
            new Buckets(new int[] {-3, -2, 7}, new double[] {1, 0, 4.5}),
            new Buckets(new int[] {5}, new double[] {4.5}),
            new double[0]);
    Series series =
        new Series(
            LABELS,
            new long[] {-1, 2, 3},
            new double[] {1.5, Staleness.MARKER, Staleness.MARKER},
            new Histogram[] {null, histogram, null});
    WireReader answer = new WireReader(RemoteRead.samples(List.of(List.of(series), List.of())));
    List<byte[]> results = messages(answer, 1);
    assertThat(results).hasSize(2);
    assertThat(results.get(1)).isEmpty();
    List<String> read = new ArrayList<>();
    new RemoteWriteReader(
            RemoteWriteReader.Version.V1, results.getFirst(), results.getFirst().length)
        .read(
            new RemoteWriteReader.Sink() {
              @Override
              public boolean series(RemoteWriteReader reader) {
                read.add(reader.describe());
                return true;
              }

              @Override
              public void sample(long time, double value) {
                read.add(time + " " + (Staleness.isMarker(value) ? "stale" : value));
              }

              @Override
              public void histogram(long time, Histogram found) {
                read.add(time + " " + found.equals(histogram));
              }

              @Override
              public void badHistogram(String why) {
                read.add(why);
              }

              @Override
              public void unwanted(int samples, int histograms) {}

              @Override
              public void exemplars(int count) {
                assertThat(count).isZero();
              }

              @Override
              public void metadata(String metric, MetricMetadata metadata) {}
            });
    assertThat(read).containsExactly("{__name__=\"up\", job=\"é\"}", "-1 1.5", "3 stale", "2 true");
  }

  // --- chunks ---

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void chunksDecodeToTheSamplesBitForBit(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int size : new int[] {0, 1, 2, 3, 119, 120, 121, 1_000}) {
      Series series = series(random, size);
      List<byte[]> frames = new ArrayList<>();
      RemoteRead.frames(series, 7, (bytes, length) -> frames.add(Arrays.copyOf(bytes, length)));
      assertThat(frames).isNotEmpty();
      Decoded decoded = new Decoded();
      for (byte[] frame : frames) {
        decoded.read(frame);
      }
      assertThat(decoded.queries).containsOnly(7L);
      assertThat(decoded.times).isEqualTo(Arrays.stream(series.times()).boxed().toList());
      assertThat(bits(decoded.values.stream().mapToDouble(Double::doubleValue).toArray()))
          .containsExactly(bits(series.values()));
      assertThat(decoded.samplesOfChunks).allMatch(count -> count <= XorChunk.MOST);
    }
  }

  @Test
  void aLongSeriesHasSeveralFramesEachWithItsLabels() throws WireException {
    SplittableRandom random = new SplittableRandom(9);
    int size = 300_000;
    long[] times = new long[size];
    double[] values = new double[size];
    for (int i = 0; i < size; i++) {
      times[i] = 1_000L * i + random.nextInt(500);
      values[i] = random.nextDouble();
    }
    Series series = new Series(LABELS, times, values);
    Decoded decoded = new Decoded();
    List<Integer> lengths = new ArrayList<>();
    RemoteRead.frames(
        series,
        0,
        (bytes, length) -> {
          lengths.add(length);
          try {
            decoded.read(Arrays.copyOf(bytes, length));
          } catch (WireException e) {
            throw new IllegalStateException(e);
          }
        });
    assertThat(lengths).hasSizeGreaterThan(2).allMatch(length -> length < 1.1 * (1 << 20));
    assertThat(decoded.labelSets).hasSameSizeAs(lengths).containsOnly("__name__=up job=é ");
    assertThat(decoded.times).isEqualTo(Arrays.stream(times).boxed().toList());
  }

  /** Bytes worked out by hand from Prometheus's description of the XOR encoding. */
  @Test
  void theBytesOfAChunkArePrometheuss() {
    XorChunk chunk = new XorChunk();
    chunk.clear();
    chunk.add(1_000, 1);
    chunk.add(16_000, 1);
    chunk.add(31_000, 1);
    assertThat(HexFormat.of().formatHex(chunk.toBytes()))
        .isEqualTo(
            // 3 samples; time 1000 zigzag; 1.0; difference 15000; value same, 0 and same: 000
            "0003" + "d00f" + "3ff0000000000000" + "9875" + "00");
    chunk.clear();
    chunk.add(0, 0);
    chunk.add(0, 1);
    assertThat(HexFormat.of().formatHex(chunk.toBytes()))
        .isEqualTo(
            // 1 ^ 0 = 0x3ff0...: 11, 2 leading zeros (00010), 10 bits (001010), 1111111111
            "0002" + "00" + "0000000000000000" + "00" + "c457fe");
  }

  private static Series series(SplittableRandom random, int size) {
    long[] times = new long[size];
    double[] values = new double[size];
    long time = random.nextLong(-1_000_000, 1L << 42);
    double value = 1;
    long[] jumps = {15_000, 15_000, 15_001, 8_000, 70_000, 500_000, 1L << 33};
    for (int i = 0; i < size; i++) {
      time += jumps[random.nextInt(jumps.length)];
      times[i] = time;
      value =
          switch (random.nextInt(6)) {
            case 0 -> value;
            case 1 -> value + 1;
            case 2 -> random.nextDouble();
            case 3 -> Staleness.MARKER;
            case 4 -> Double.longBitsToDouble(random.nextLong());
            default -> -value;
          };
      values[i] = value;
    }
    return new Series(LABELS, times, values);
  }

  private static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }

  private static List<byte[]> messages(WireReader in, int field) throws WireException {
    List<byte[]> messages = new ArrayList<>();
    while (in.left() > 0) {
      assertThat(in.uvar("a tag")).isEqualTo(field << 3 | 2);
      messages.add(in.raw(in.uint(in.left(), "a length"), "a message"));
    }
    return messages;
  }

  /** A plain reader of frames, and of chunks bit by bit. */
  private static final class Decoded {
    final List<Long> times = new ArrayList<>();
    final List<Double> values = new ArrayList<>();
    final List<Long> queries = new ArrayList<>();
    final List<Integer> samplesOfChunks = new ArrayList<>();
    final List<String> labelSets = new ArrayList<>();

    void read(byte[] frame) throws WireException {
      WireReader in = new WireReader(frame);
      int length = in.uint(in.left(), "the length");
      int check = Integer.reverseBytes(in.u32("the check"));
      byte[] message = in.raw(length, "the message");
      in.end("the frame");
      CRC32C crc = new CRC32C();
      crc.update(message);
      assertThat(check).isEqualTo((int) crc.getValue());
      WireReader body = new WireReader(message);
      assertThat(body.uvar("a tag")).isEqualTo(1 << 3 | 2);
      series(new WireReader(body.raw(body.uint(body.left(), "a length"), "a series")));
      assertThat(body.uvar("a tag")).isEqualTo(2 << 3);
      queries.add(body.uvar("the query"));
      body.end("the message");
    }

    private void series(WireReader in) throws WireException {
      StringBuilder labels = new StringBuilder();
      while (in.left() > 0) {
        long tag = in.uvar("a tag");
        WireReader part = new WireReader(in.raw(in.uint(in.left(), "a length"), "a part"));
        if (tag == (1 << 3 | 2)) {
          part.uvar("a tag");
          labels.append(part.string("a name")).append('=');
          part.uvar("a tag");
          labels.append(part.string("a value")).append(' ');
        } else {
          assertThat(tag).isEqualTo(2 << 3 | 2);
          part.uvar("a tag");
          long first = part.uvar("the first time");
          part.uvar("a tag");
          long last = part.uvar("the last time");
          part.uvar("a tag");
          assertThat(part.uvar("the encoding")).isEqualTo(1);
          part.uvar("a tag");
          int from = times.size();
          chunk(part.raw(part.uint(part.left(), "a length"), "a chunk"));
          assertThat(times.get(from)).isEqualTo(first);
          assertThat(times.getLast()).isEqualTo(last);
        }
      }
      labelSets.add(labels.toString());
    }

    private byte[] bytes;
    private int bit;

    private void chunk(byte[] chunk) {
      bytes = chunk;
      bit = 16;
      int count = (chunk[0] & 255) << 8 | chunk[1] & 255;
      samplesOfChunks.add(count);
      long time = uvar();
      time = time >>> 1 ^ -(time & 1);
      long value = bits(64);
      add(time, value);
      long difference = 0;
      int leading = 0;
      int trailing = 0;
      for (int i = 1; i < count; i++) {
        difference = i == 1 ? uvar() : difference + change();
        time += difference;
        if (bits(1) == 1) {
          if (bits(1) == 1) {
            leading = (int) bits(5);
            int length = (int) bits(6);
            trailing = 64 - leading - (length == 0 ? 64 : length);
          }
          value ^= bits(64 - leading - trailing) << trailing;
        }
        add(time, value);
      }
    }

    private void add(long time, long value) {
      times.add(time);
      values.add(Double.longBitsToDouble(value));
    }

    private long change() {
      int[] widths = {14, 17, 20, 64};
      if (bits(1) == 0) {
        return 0;
      }
      int at = 0;
      while (at < 3 && bits(1) == 1) {
        at++;
      }
      long number = bits(widths[at]);
      return at < 3 && number > 1L << widths[at] - 1 ? number - (1L << widths[at]) : number;
    }

    private long uvar() {
      long number = 0;
      for (int shift = 0; ; shift += 7) {
        long next = bits(8);
        number |= (next & 127) << shift;
        if (next < 128) {
          return number;
        }
      }
    }

    private long bits(int width) {
      long number = 0;
      for (int i = 0; i < width; i++, bit++) {
        number = number << 1 | bytes[bit >> 3] >> 7 - (bit & 7) & 1;
      }
      return number;
    }
  }
}
