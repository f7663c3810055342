package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.query.fleet.NewestRead;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(VertxExtension.class)
class AliasedNewestTest {
  private static final Predicate<String> ALL = labels -> true;

  private static Series series(String metric, String host, double... values) {
    long[] times = new long[values.length];
    Arrays.setAll(times, i -> 1_000L * (i + 1));
    return new Series(Labels.of(Labels.NAME, metric, "Hostname", host), times, values);
  }

  private static AliasedNewest of(Predicate<String> hosts, boolean gzip, Series... found) {
    AliasedNewest newest = new AliasedNewest(hosts, NameEscaping.ALLOW_UTF_8, gzip);
    newest.add(List.of(found));
    return newest;
  }

  private static String text(MetricLines lines) {
    GzipPiece piece = lines.lines();
    return new String(piece.bytes(), piece.from(), piece.length(), StandardCharsets.UTF_8);
  }

  private static Map<String, String> texts(Map<String, List<MetricLines>> families) {
    Map<String, String> texts = new TreeMap<>();
    families.forEach(
        (name, pieces) ->
            texts.put(
                name, String.join("", pieces.stream().map(AliasedNewestTest::text).toList())));
    return texts;
  }

  @ParameterizedTest
  @EnumSource
  void linesAreThoseOfAGatewayThatStoresTheSeriesSo(NameEscaping escaping, Vertx vertx)
      throws Exception {
    Series[] stored = {
      series("power", "n1", 1, 2.5), series("power", "n\"1\\", 7), series("a.b", "n1", 1e300)
    };
    MemoryFleet fleet = new MemoryFleet().host("n1", "g1").host("n\"1\\", "g1").with(stored);
    NewestRead read =
        new NewestRead(
            List.of(List.of(Matcher.of(Matcher.Kind.REGEX, Labels.NAME, ".+"))),
            0,
            10_000,
            escaping,
            false,
            100,
            1 << 20);
    ReadOptions options = new ReadOptions(Load.OWN, 600_000, new Cancellation());
    Map<String, List<MetricLines>> written =
        new MemoryShards(vertx, fleet)
            .newest(read, host -> true, options)
            .await(10, TimeUnit.MINUTES)
            .value();
    AliasedNewest seen = new AliasedNewest(ALL, escaping, false);
    seen.add(List.of(stored[0], stored[2], stored[1]));
    // Gateways order by host, and here the order is that of the series.
    assertThat(texts(seen.families()).keySet()).isEqualTo(texts(written).keySet());
    texts(seen.families())
        .forEach(
            (name, text) ->
                assertThat(text.lines())
                    .containsExactlyInAnyOrderElementsOf(
                        texts(written).get(name).lines().toList()));
  }

  @Test
  void ofTwoSeriesWithOneLabelSetTheFirstCounts() {
    Map<String, List<MetricLines>> families =
        of(ALL, false, series("power", "n1", 1), series("power", "n1", 2)).families();
    assertThat(texts(families))
        .containsExactly(Map.entry("power", "power{Hostname=\"n1\",instance=\"\"} 1 1000\n"));
    assertThat(families.get("power").getFirst().series()).isEqualTo(1);
  }

  @Test
  void aSeriesWhoseNewestSampleSaysThatItHasEndedHasNoLine() {
    Series ended = series("power", "n1", 1, Staleness.MARKER);
    Series none = series("load", "n1");
    assertThat(of(ALL, false, ended, none).families()).isEmpty();
  }

  @Test
  void onlyTheSeriesOfTheHostsThatAreMeantAreWritten() {
    Map<String, List<MetricLines>> families =
        of(
                labels -> labels.contains("n2"),
                false,
                series("power", "n1", 1),
                series("power", "n2", 2),
                series("load", "n1", 3))
            .families();
    assertThat(texts(families))
        .containsExactly(Map.entry("power", "power{Hostname=\"n2\",instance=\"\"} 2 1000\n"));
  }

  @Test
  void packedLinesAreTheSameAndSayHowLongTheyAre() throws Exception {
    Series[] found = {series("power", "n1", 1), series("power", "n2", 2)};
    String plain = texts(of(ALL, false, found).families()).get("power");
    GzipPiece piece = of(ALL, true, found).families().get("power").getFirst().lines();
    assertThat(piece.plainLength()).isEqualTo(plain.length());
    byte[] unpacked = new byte[plain.length()];
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(piece.bytes(), piece.from(), piece.length());
      assertThat(inflater.inflate(unpacked)).isEqualTo(plain.length());
    }
    assertThat(new String(unpacked, StandardCharsets.UTF_8)).isEqualTo(plain);
  }
}
