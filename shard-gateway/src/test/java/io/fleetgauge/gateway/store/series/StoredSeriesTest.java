package io.fleetgauge.gateway.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.run.LaneColumns;
import io.fleetgauge.gateway.store.run.RunFormat;
import io.fleetgauge.gateway.store.run.SampleReader;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Series in memory, compared with sorted maps. */
class StoredSeriesTest {
  private final LaneColumns columns = new LaneColumns(1_800_000);
  private final SampleReader reader = new SampleReader();

  private record Value(double number, Histogram histogram) {}

  private StoredSeries series() {
    return new StoredSeries(Labels.of("a", "b"), null, 0, columns.list());
  }

  private TreeMap<Long, Value> read(StoredSeries series, long after, long to) {
    series.read(after, to, reader);
    TreeMap<Long, Value> found = new TreeMap<>();
    for (int i = 0; i < reader.size(); i++) {
      Histogram histogram = reader.histograms() == null ? null : reader.histograms()[i];
      double number = histogram == null ? reader.values()[i] : 0;
      assertThat(found.put(reader.times()[i], new Value(number, histogram))).isNull();
    }
    long[] times = Arrays.copyOf(reader.times(), reader.size());
    assertThat(times).isSorted();
    return found;
  }

  /** Series that share ticks, miss some, come back, have histograms and late samples. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void whatIsReadIsWhatWasAppended(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<StoredSeries> all = new ArrayList<>();
    List<TreeMap<Long, Value>> models = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(series());
      models.add(new TreeMap<>());
    }
    long time = 1_000_000;
    for (int tick = 0; tick < 700; tick++) {
      time += random.nextInt(20) == 0 ? 1 + random.nextInt(100_000) : 5_000;
      for (int i = 0; i < all.size(); i++) {
        if (i > 0 && random.nextInt(i == 1 ? 100 : 4) == 0) {
          continue; // the first series has every tick
        }
        StoredSeries series = all.get(i);
        TreeMap<Long, Value> model = models.get(i);
        Histogram histogram =
            i == 5 && random.nextInt(5) == 0 ? HostWriter.histogram(2 + random.nextInt(5)) : null;
        double number = histogram == null ? random.nextInt(100) : 0;
        long late = time - 1 - random.nextInt(50_000);
        if (i == 4 && random.nextInt(10) == 0 && !model.isEmpty() && !model.containsKey(late)) {
          if (late < series.newest()) {
            series.addLate(late, number, histogram);
            model.put(late, new Value(number, histogram));
          }
        } else {
          series.append(columns, time, number, histogram);
          model.put(time, new Value(number, histogram));
          assertThat(series.newest()).isEqualTo(time);
          assertThat(series.newestIs(number, histogram)).isTrue();
          assertThat(series.newestIs(number + 1, histogram)).isFalse();
        }
      }
      if (random.nextInt(100) == 0) {
        all.get(random.nextInt(all.size())).seal(columns);
      }
    }
    for (int question = 0; question < 300; question++) {
      int i = random.nextInt(all.size());
      long after = 1_000_000 + random.nextLong(time - 900_000);
      long to = after + random.nextLong(1_000_000);
      TreeMap<Long, Value> expected = new TreeMap<>(models.get(i).subMap(after + 1, to + 1));
      assertThat(read(all.get(i), after, to)).isEqualTo(expected);
      long narrow = after + 1 + random.nextInt(8_000);
      assertThat(all.get(i).hasSampleIn(after + 1, narrow, reader))
          .isEqualTo(!models.get(i).subMap(after + 1, narrow + 1).isEmpty());
    }
    for (int i = 0; i < all.size(); i++) {
      assertThat(read(all.get(i), Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(models.get(i));
      for (long edge : List.of(models.get(i).firstKey(), models.get(i).lastKey())) {
        assertThat(all.get(i).hasSampleIn(edge, edge, reader)).isTrue();
        assertThat(read(all.get(i), edge - 1, edge)).hasSize(1);
      }
      assertThat(all.get(i).hasSampleIn(models.get(i).lastKey() + 1, Long.MAX_VALUE, reader))
          .isFalse();
      assertThat(all.get(i).hasSampleIn(0, models.get(i).firstKey() - 1, reader)).isFalse();
    }
  }

  @Test
  void aSeriesWithoutSamplesIsEmpty() {
    StoredSeries series = series();
    assertThat(series.state().memoryIsEmpty()).isTrue();
    assertThat(series.newest()).isEqualTo(Long.MIN_VALUE);
    assertThat(read(series, Long.MIN_VALUE, Long.MAX_VALUE)).isEmpty();
    assertThat(series.hasSampleIn(Long.MIN_VALUE + 1, Long.MAX_VALUE, reader)).isFalse();
    assertThat(series.payloadBytes()).isZero();
    series.append(columns, 1, 1, null);
    assertThat(series.state().memoryIsEmpty()).isFalse();
    series.seal(columns);
    assertThat(series.state().memoryIsEmpty()).isFalse();
    assertThat(series.payloadBytes()).isPositive();
  }

  @Test
  void theNewestSampleIsReplacedBeforeItsTickIsPublished() {
    StoredSeries series = series();
    series.append(columns, 1, 1, null);
    series.append(columns, 2, 2, null);
    series.replaceNewest(5, null);
    assertThat(read(series, 0, 9))
        .isEqualTo(new TreeMap<>(Map.of(1L, new Value(1, null), 2L, new Value(5, null))));
    assertThat(series.newestIs(5, null)).isTrue();
    Histogram histogram = HostWriter.histogram(3);
    series.replaceNewest(0, histogram);
    assertThat(read(series, 1, 9)).containsEntry(2L, new Value(0, histogram));
    series.replaceNewest(7, null);
    assertThat(read(series, 1, 9)).containsEntry(2L, new Value(7, null));
  }

  @Test
  void aReaderKeepsWhatItHasSeen() {
    StoredSeries series = series();
    for (int i = 0; i < 100; i++) {
      series.append(columns, i, i, null);
    }
    StoredSeries.State before = series.state();
    int size = before.size();
    for (int i = 100; i < 300; i++) {
      series.append(columns, i, i, null);
    }
    series.addLate(-5, 1, null);
    reader.clear();
    StoredSeries.readMemory(before, Long.MIN_VALUE, 99, reader);
    assertThat(reader.size()).isEqualTo(100);
    assertThat(before.size()).isGreaterThanOrEqualTo(size);
  }

  @Test
  void labelsUnderAnOwnerAreTheIdentityAndTheOwner() {
    StoredSeries series = series();
    Labels owner = Labels.of("job", "x");
    assertThat(series.labels(owner)).isEqualTo(Labels.of("a", "b", "job", "x"));
    assertThat(series.labels(owner)).isSameAs(series.labels(owner));
    assertThat(series.labels(Labels.EMPTY)).isEqualTo(Labels.of("a", "b"));
  }

  /** As package run draws it: distance of the column, head, values. */
  @Test
  void runsAreHeldByTheirBytes() {
    StoredSeries series = series();
    for (int i = 0; i < 70; i++) {
      series.append(columns, i * 1_000, 7, null);
    }
    series.seal(columns);
    byte[] bytes = series.state().packed.bytes();
    assertThat(HexFormat.of().formatHex(bytes, 0, series.state().packed.length()))
        .isEqualTo("003f000e" + "0205000e");
    WireWriter out = new WireWriter();
    RunFormat.write(out, -1, 5, 3);
    assertThat(HexFormat.of().formatHex(out.toBytes())).isEqualTo("018205");
    assertThat(RunFormat.count(0x82)).isEqualTo(3);
    assertThat(RunFormat.hasOffset(0x82)).isTrue();
    assertThat(RunFormat.hasOffset(0x02)).isFalse();
  }
}
