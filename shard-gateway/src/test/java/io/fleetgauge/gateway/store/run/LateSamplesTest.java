package io.fleetgauge.gateway.store.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.sample.Histogram;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LateSamplesTest {
  private static final Histogram HISTOGRAM = HostWriter.histogram(3);

  @Test
  void aSampleAfterTheLastOneIsAddedToTheSameObject() {
    LateSamples first = LateSamples.with(null, 10, 1, null);
    LateSamples second = LateSamples.with(first, 20, 2, null);
    assertThat(second).isSameAs(first);
    assertThat(second.size()).isEqualTo(2);
    assertThat(second.histograms).isNull();
    assertThat(second.bytes()).isEqualTo(64);
  }

  @Test
  void aSampleBetweenOthersLeavesTheObjectThatReadersHaveAsItWas() {
    LateSamples before = LateSamples.with(LateSamples.with(null, 10, 1, null), 30, 3, null);
    LateSamples after = LateSamples.with(before, 20, 2, null);
    assertThat(after).isNotSameAs(before);
    assertThat(before.size()).isEqualTo(2);
    assertThat(Arrays.copyOf(before.times, 2)).containsExactly(10, 30);
    assertThat(Arrays.copyOf(after.times, 3)).containsExactly(10, 20, 30);
    assertThat(Arrays.copyOf(after.values, 3)).containsExactly(1, 2, 3);
  }

  @Test
  void theFirstHistogramMakesRoomForHistograms() {
    LateSamples numbers = LateSamples.with(null, 10, 1, null);
    LateSamples mixed = LateSamples.with(numbers, 20, 0, HISTOGRAM);
    assertThat(mixed).isNotSameAs(numbers);
    assertThat(Arrays.copyOf(mixed.histograms, 2)).containsExactly(null, HISTOGRAM);
    assertThat(LateSamples.with(mixed, 30, 0, HISTOGRAM)).isSameAs(mixed);
  }

  /** Compared with a sorted map. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void samplesAreInOrderWhateverTheOrderOfArrival(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    LateSamples late = null;
    TreeMap<Long, Double> model = new TreeMap<>();
    TreeMap<Long, Histogram> histograms = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      long time = random.nextInt(10_000);
      if (model.putIfAbsent(time, (double) i) == null) {
        Histogram histogram = random.nextInt(10) == 0 ? HISTOGRAM : null;
        histograms.put(time, HISTOGRAM);
        if (histogram == null) {
          histograms.remove(time);
        }
        late = LateSamples.with(late, time, i, histogram);
      }
      long probe = random.nextInt(10_000);
      assertThat(late.indexOf(probe)).isEqualTo(model.headMap(probe).size());
    }
    assertSame(late, model, histograms);
    long cut = random.nextInt(10_000);
    assertSame(late.from(cut), new TreeMap<>(model.tailMap(cut)), histograms);
    assertThat(late.from(10_001)).isNull();
    assertThat(late.from(model.firstKey()).size()).isEqualTo(model.size());
  }

  private static void assertSame(
      LateSamples late, TreeMap<Long, Double> model, Map<Long, Histogram> histograms) {
    int size = late.size();
    assertThat(Arrays.stream(late.times).limit(size)).containsExactlyElementsOf(model.keySet());
    assertThat(Arrays.stream(late.values).limit(size)).containsExactlyElementsOf(model.values());
    for (int i = 0; i < size; i++) {
      Histogram there = late.histograms == null ? null : late.histograms[i];
      assertThat(there).isEqualTo(histograms.get(late.times[i]));
    }
  }
}
