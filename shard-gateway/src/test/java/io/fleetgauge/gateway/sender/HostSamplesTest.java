package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostSamplesTest {
  private static final long START = 1_800_000_000_000L;
  private static final Range ALL = new Range(START - 1, START + 60_000);

  @TempDir Path folder;
  private HostWriter writer;

  @BeforeEach
  void write() {
    RollupRules rules =
        new RollupRules(
            15_000,
            300_000,
            List.of(
                new RollupRules.Rule(
                    Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "watts"),
                    List.of("rack"),
                    true,
                    List.of())));
    writer = new HostWriter(folder, "h", HostWriter.limits(100), rules);
  }

  private HostSamples samples(boolean hasRollups, boolean hasOwners, String... match)
      throws Exception {
    List<List<Matcher>> selectors = new ArrayList<>();
    for (String each : match) {
      selectors.add(Parser.parseSelector(each));
    }
    return new HostSamples(
        writer.store(),
        new SenderSettings(
            "r",
            URI.create("http://127.0.0.1/"),
            Version.V1,
            Map.of(),
            selectors,
            hasRollups,
            hasOwners,
            Relabelling.NONE,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            100,
            4,
            1_000,
            AccessSettings.NONE));
  }

  private static List<String> shown(HostSamples.Read read) {
    return read.series().stream()
        .map(
            each ->
                each.labels()
                    + " "
                    + Arrays.toString(Arrays.stream(each.times()).map(t -> t - START).toArray())
                    + " "
                    + Arrays.toString(each.values()))
        .toList();
  }

  @Test
  void onlyTheSelectedSeriesAreRead() throws Exception {
    writer.send(START, writer.series("a"), 1);
    writer.send(START, writer.series("b"), 2);
    writer.send(START, writer.series("c"), 3);
    assertThat(shown(samples(false, true, "a").read("h", ALL)))
        .containsExactly("a{Hostname=\"h\"} [0] [1.0]");
    assertThat(samples(false, true, "a", "{__name__=~\"c|d\"}").read("h", ALL).series())
        .extracting(each -> each.labels().metric())
        .containsExactly("a", "c");
    assertThat(samples(false, true).read("h", ALL).series()).hasSize(3);
    assertThat(samples(false, true).read("h", ALL).isComplete()).isTrue();
  }

  @Test
  void withoutOwnersTheSeriesOfAGpuIsOne() throws Exception {
    writer.send(START, writer.gpu("a", "u", "j1"), 1);
    writer.send(START + 1_000, writer.gpu("a", "u", "j2"), 2);
    assertThat(shown(samples(false, false).read("h", ALL)))
        .containsExactly("a{Hostname=\"h\", UUID=\"u\"} [0, 1000] [1.0, 2.0]");
    assertThat(samples(false, true).read("h", ALL).series()).hasSize(2);
  }

  @Test
  void ofLateSamplesOnlyTheseAreRead() throws Exception {
    writer.send(START, writer.gpu("a", "u", "j1"), 1);
    writer.send(START, writer.series("b"), 2);
    writer.send(START + 1_000, writer.series("b"), 3);
    writer.send(START + 2_000, writer.series("b"), 4);
    LateSeries late = new LateSeries();
    late.add(START, Set.of(writer.series("a", "UUID", "u")));
    late.add(START + 2_000, Set.of(writer.series("b")));
    assertThat(shown(samples(true, true).read("h", late)))
        .containsExactly(
            "a{Hostname=\"h\", UUID=\"u\", job=\"j1\"} [0] [1.0]",
            "b{Hostname=\"h\"} [2000] [4.0]");
  }

  @Test
  void nativeHistogramsAreRead() throws Exception {
    writer.send(START, writer.series("a"), HostWriter.histogram(3));
    List<Series> read = samples(false, true).read("h", ALL).series();
    assertThat(read.getFirst().histograms()).containsExactly(HostWriter.histogram(3));
    writer.send(START + 1_000, writer.series("a"), Staleness.MARKER);
    Series ended = samples(false, true).read("h", ALL).series().getFirst();
    assertThat(ended.histograms()[1].sum()).isNaN();
    assertThat(Staleness.isMarker(ended.histograms()[1].sum())).isTrue();
  }

  @Test
  void rollupsAreSeriesWithTheLabelsOfTheirGroup() throws Exception {
    for (int i = 0; i < 3; i++) {
      writer.send(START + 1, writer.series("watts", "n", "" + i, "rack", "r"), 10 + i);
    }
    writer.send(START + 16_000, writer.series("b"), 1);
    Range range = new Range(START, START + 15_000);
    assertThat(shown(samples(true, true, "{__name__=~\".+:.+\"}").read("h", range)))
        .containsExactly(
            "watts:count{Hostname=\"h\", rack=\"r\"} [15000] [3.0]",
            "watts:max{Hostname=\"h\", rack=\"r\"} [15000] [12.0]",
            "watts:min{Hostname=\"h\", rack=\"r\"} [15000] [10.0]",
            "watts:sum{Hostname=\"h\", rack=\"r\"} [15000] [33.0]");
    assertThat(samples(false, true).read("h", range).series()).hasSize(3);
    assertThat(samples(true, true).read("h", new Range(START, START + 14_999)).series()).hasSize(3);
  }

  @Test
  void requestsHaveSoManySamplesAtMostAndASeriesStaysInOrder() {
    Series a = new Series(Labels.of("n", "a"), new long[] {1, 2, 3}, new double[3]);
    Series b = new Series(Labels.of("n", "b"), new long[] {1, 2}, new double[2]);
    assertThat(HostSamples.split(List.of(a, b), 2).stream().map(HostSamples::count))
        .containsExactly(2, 2, 1);
    assertThat(HostSamples.split(List.of(a, b), 100)).containsExactly(List.of(a, b));
    assertThat(HostSamples.split(List.of(), 100)).isEmpty();
  }
}
