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
import io.fleetgauge.sample.wire.WireException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteReadReaderTest {
  private static final Labels A = Labels.of(Labels.NAME, "a", "job", "é");
  private static final Labels B = Labels.of(Labels.NAME, "b");
  private static final Histogram HISTOGRAM =
      new Histogram(
          2,
          Histogram.ResetHint.NOT_RESET,
          3,
          1.5,
          0.1,
          1,
          new Buckets(new int[] {-1, 4}, new double[] {1, 1}),
          Buckets.NONE,
          new double[0]);

  private static ReadBudget much() {
    return new ReadBudget(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private static byte[] frames(List<List<Series>> results) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < results.size(); i++) {
      for (Series each : results.get(i)) {
        RemoteRead.frames(each, i, (bytes, length) -> out.write(bytes, 0, length));
      }
    }
    return out.toByteArray();
  }

  private static List<List<Series>> chunks(byte[] body, int queries) throws WireException {
    RemoteReadReader reader = new RemoteReadReader(queries, much());
    reader.chunks(body);
    return reader.series();
  }

  /** Regular and irregular times, numbers of every kind. */
  private static Series random(Labels labels, SplittableRandom random) {
    int size = random.nextInt(1, 700);
    long[] times = new long[size];
    double[] values = new double[size];
    long time = random.nextLong(-5, 1_800_000_000_000L);
    double value = random.nextInt(1_000);
    for (int i = 0; i < size; i++) {
      times[i] = time;
      time +=
          switch (random.nextInt(8)) {
            case 0 -> random.nextLong(1, 10);
            case 1 -> random.nextLong(1, 100_000);
            case 2 -> random.nextLong(1, 1L << 40);
            default -> 15_000;
          };
      values[i] = value;
      value =
          switch (random.nextInt(6)) {
            case 0 -> random.nextDouble();
            case 1 -> Double.longBitsToDouble(random.nextLong());
            case 2 -> Staleness.MARKER;
            case 3 -> value;
            default -> random.nextInt(1_000);
          };
    }
    return new Series(labels, times, values);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsWrittenAsChunksIsReadBitForBit(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    List<List<Series>> results =
        List.of(
            List.of(random(A, random), random(B, random)), List.of(), List.of(random(A, random)));
    assertThat(chunks(frames(results), 3)).isEqualTo(results);
  }

  @Test
  void whatIsWrittenAsSamplesIsReadBitForBit() throws WireException {
    Series numbers = random(A, new SplittableRandom(9));
    Series mixed =
        new Series(
            B,
            new long[] {-1, 5, 9},
            new double[] {1, Staleness.MARKER, Staleness.MARKER},
            new Histogram[] {null, HISTOGRAM, null});
    List<List<Series>> results = List.of(List.of(numbers), List.of(mixed), List.of());
    RemoteReadReader reader = new RemoteReadReader(3, much());
    reader.samples(RemoteRead.samples(results));
    assertThat(reader.series()).isEqualTo(results);
  }

  @Test
  void aRequestIsReadAsItWasWritten() throws WireException {
    List<Query> queries =
        List.of(
            new Query(-5, 7, List.of(new Matcher(Comparison.NOT_REGEX, "é", "a.*"))),
            new Query(0, 1, List.of(new Matcher(Comparison.EQUAL, "__name__", "up"))));
    RemoteRead.Request chunks = RemoteRead.read(RemoteRead.request(queries, true));
    assertThat(chunks.queries()).isEqualTo(queries);
    assertThat(chunks.chunks()).isTrue();
    assertThat(RemoteRead.read(RemoteRead.request(queries, false)).chunks()).isFalse();
  }

  @Test
  void chunksOfOneSeriesAreJoinedInOrderOfTimeAndOfOneTimeTheFirstSampleCounts()
      throws WireException {
    Series late = new Series(A, new long[] {30, 40}, new double[] {3, 4});
    Series early = new Series(A, new long[] {10, 30}, new double[] {1, 9});
    assertThat(chunks(frames(List.of(List.of(late, early))), 1))
        .containsExactly(List.of(new Series(A, new long[] {10, 30, 40}, new double[] {1, 3, 4})));
  }

  @Test
  void aDamagedFrameIsFoundByItsCheck() {
    byte[] body = frames(List.of(List.of(random(A, new SplittableRandom(1)))));
    body[body.length - 3] ^= 4;
    assertThatThrownBy(() -> chunks(body, 1))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void aResultOfAQueryThatWasNotAskedIsRefused() {
    byte[] body = frames(List.of(List.of(), List.of(random(A, new SplittableRandom(1)))));
    assertThatThrownBy(() -> chunks(body, 1)).isInstanceOf(WireException.class);
  }

  @Test
  void moreSamplesOrLabelsThanMayBeReadAreRefused() {
    Series series = new Series(A, new long[] {1, 2, 3}, new double[] {1, 2, 3});
    byte[] chunks = frames(List.of(List.of(series)));
    byte[] samples = RemoteRead.samples(List.of(List.of(series)));
    for (ReadBudget tight :
        List.of(new ReadBudget(2, 1_000), new ReadBudget(100, 20), new ReadBudget(2, 20))) {
      assertThatThrownBy(() -> new RemoteReadReader(1, tight).chunks(chunks))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("more than");
    }
    assertThatThrownBy(() -> new RemoteReadReader(1, new ReadBudget(2, 1_000)).samples(samples))
        .isInstanceOf(WireException.class);
  }

  @Test
  void anyBytesAreReadOrRefused() {
    SplittableRandom random = new SplittableRandom(77);
    List<byte[]> whole = new ArrayList<>();
    whole.add(frames(List.of(List.of(random(A, random), random(B, random)))));
    whole.add(RemoteRead.samples(List.of(List.of(random(A, random)))));
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = whole.get(i % 2);
      byte[] damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      for (int j = random.nextInt(4); j > 0 && damaged.length > 0; j--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      RemoteReadReader reader = new RemoteReadReader(1, new ReadBudget(100_000, 100_000));
      try {
        if (i % 2 == 0) {
          reader.chunks(damaged);
        } else {
          reader.samples(damaged);
        }
        reader.series();
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
  }

  @Test
  void anyChunkIsReadOrRefused() {
    SplittableRandom random = new SplittableRandom(78);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      SampleList samples = new SampleList(new ReadBudget(1_000, 1_000));
      try {
        XorChunkReader.read(bytes, 0, bytes.length, samples);
        samples.series(A);
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
  }
}
