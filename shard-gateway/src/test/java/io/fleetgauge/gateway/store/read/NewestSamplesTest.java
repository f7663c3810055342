package io.fleetgauge.gateway.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewestSamplesTest {
  @TempDir private Path folder;
  private HostWriter writer;
  private Labels up;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
    up = writer.series("up");
  }

  private NewestSamples<Labels> of(String selector) throws Exception {
    return new NewestSamples<>(
        writer.lane().view(), List.of(Parser.parseSelector(selector)), labels -> labels);
  }

  private static Map<Labels, String> read(NewestSamples<Labels> samples, long after, long to) {
    Map<Labels, String> found = new TreeMap<>();
    samples.read(after, to, (labels, time, value) -> found.put(labels, time + ": " + value));
    return found;
  }

  @Test
  void theNewestSampleOfTheTimeIsRead() throws Exception {
    writer.send(1_000, up, 1);
    writer.send(2_000, up, 2);
    NewestSamples<Labels> samples = of("up");
    assertThat(samples.size()).isEqualTo(1);
    assertThat(read(samples, 0, 9_000)).isEqualTo(Map.of(up, "2000: 2.0"));
    assertThat(read(samples, 1_999, 2_000)).isEqualTo(Map.of(up, "2000: 2.0"));
    assertThat(read(samples, 2_000, 9_000)).isEmpty();
    assertThat(read(samples, 0, 1_999)).isEqualTo(Map.of(up, "1000: 1.0"));
    assertThat(read(samples, 0, 999)).isEmpty();
  }

  @Test
  void aSeriesThatEndedHasNoNewestSample() throws Exception {
    writer.send(1_000, up, 1);
    writer.send(2_000, up, Staleness.MARKER);
    assertThat(read(of("up"), 0, 9_000)).isEmpty();
    assertThat(read(of("up"), 0, 1_500)).isEqualTo(Map.of(up, "1000: 1.0"));
  }

  @Test
  void histogramsAreLeftOut() throws Exception {
    writer.send(1_000, up, HostWriter.histogram(3));
    assertThat(read(of("up"), 0, 9_000)).isEmpty();
    assertThat(read(of("up"), 0, 1_000)).isEmpty();
  }

  @Test
  void newSamplesAreSeenByWhatWasFoundBefore() throws Exception {
    writer.send(1_000, up, 1);
    NewestSamples<Labels> samples = of("up");
    writer.send(2_000, up, 2);
    assertThat(samples.isOf(writer.lane().view())).isTrue();
    assertThat(read(samples, 0, 9_000)).isEqualTo(Map.of(up, "2000: 2.0"));
  }

  @Test
  void aNewSeriesMakesItOutOfDate() throws Exception {
    writer.send(1_000, up, 1);
    NewestSamples<Labels> samples = of("up");
    writer.send(1_000, writer.series("other"), 1);
    assertThat(samples.isOf(writer.lane().view())).isFalse();
    HostWriter other = new HostWriter(folder, "n2");
    assertThat(samples.isOf(other.lane().view())).isFalse();
  }

  @Test
  void aChangeOfOwnerMakesItOutOfDateAndIsReadRightAllTheSame() throws Exception {
    Labels a = writer.gpu("util", "G1", "a");
    Labels b = writer.gpu("util", "G1", "b");
    writer.send(1_000, a, 1);
    NewestSamples<Labels> all = of("util");
    NewestSamples<Labels> onlyA = of("util{job=\"a\"}");
    NewestSamples<Labels> onlyB = of("util{job=\"b\"}");
    assertThat(read(all, 0, 9_000)).isEqualTo(Map.of(a, "1000: 1.0"));
    assertThat(read(onlyA, 0, 9_000)).isEqualTo(Map.of(a, "1000: 1.0"));
    assertThat(read(onlyB, 0, 9_000)).isEmpty();
    writer.send(2_000, b, 2);
    assertThat(all.isOf(writer.lane().view())).isFalse();
    Map<Labels, String> both = Map.of(a, "1000: 1.0", b, "2000: 2.0");
    assertThat(read(all, 0, 9_000)).isEqualTo(both);
    assertThat(read(of("util"), 0, 9_000)).isEqualTo(both);
    assertThat(read(of("util"), 1_000, 9_000)).isEqualTo(Map.of(b, "2000: 2.0"));
    assertThat(read(onlyA, 0, 9_000)).isEqualTo(Map.of(a, "1000: 1.0"));
    assertThat(read(of("util{job=\"b\"}"), 0, 9_000)).isEqualTo(Map.of(b, "2000: 2.0"));
  }

  @Test
  void twoOwnersAtOneTimeAreReadAsOneSetOfSeries() throws Exception {
    Labels a = writer.gpu("util", "G1", "a");
    Labels b = writer.gpu("util", "G1", "b");
    for (int tick = 1; tick < 4; tick++) {
      writer.send(tick * 1_000L, new Labels[] {a, b}, new double[] {tick, 10 * tick}, null);
    }
    NewestSamples<Labels> samples = of("util");
    assertThat(samples.size()).isEqualTo(1);
    assertThat(read(samples, 0, 9_000)).isEqualTo(Map.of(a, "3000: 3.0", b, "3000: 30.0"));
    assertThat(read(samples, 0, 2_000)).isEqualTo(Map.of(a, "2000: 2.0", b, "2000: 20.0"));
  }

  @Test
  void samplesInBlocksAreFoundToo() throws Exception {
    writer.send(1_000, up, 7);
    writer.sealAll(10 * HostWriter.BLOCK_MILLIS);
    assertThat(read(of("up"), 0, 9_000)).isEqualTo(Map.of(up, "1000: 7.0"));
    writer.restart();
    assertThat(read(of("up"), 0, 9_000)).isEqualTo(Map.of(up, "1000: 7.0"));
  }

  @Test
  void nothingMatchesNothing() throws Exception {
    writer.send(1_000, up, 7);
    assertThat(of("nosuch").size()).isZero();
    assertThat(read(of("nosuch"), 0, 9_000)).isEmpty();
  }
}
