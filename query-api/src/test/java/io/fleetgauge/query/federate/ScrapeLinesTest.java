package io.fleetgauge.query.federate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ScrapeLinesTest {
  private static final String PLAIN = "a 1\n";

  private static SortedMap<String, List<MetricLines>> families() {
    byte[] line = PLAIN.getBytes(StandardCharsets.UTF_8);
    MetricLines piece =
        new MetricLines("a", 1, new GzipPiece(line, 0, line.length, line.length, 0));
    return new TreeMap<>(Map.of("a", List.of(piece, piece)));
  }

  private static SortedMap<String, ExpositionLines> reductions() {
    ExpositionLines lines = new ExpositionLines(16);
    lines.add(
        "x:b:sum".getBytes(StandardCharsets.UTF_8), " ".getBytes(StandardCharsets.UTF_8), 2, 7);
    return new TreeMap<>(Map.of("x:b:sum", lines));
  }

  private static ScrapeLines lines(String limits) throws Exception {
    QueryConfig config = QueryConfig.read("the test", "federate: {" + limits + "}");
    return ScrapeLines.of(families(), reductions(), config, NameEscaping.UNDERSCORES);
  }

  @Test
  void linesOfGatewaysAndReductionsComeByNameEachAfterItsType() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    lines("").write(out, false);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("# TYPE a untyped\na 1\na 1\n# TYPE x:b:sum untyped\nx:b:sum 2 7\n");
  }

  @Test
  void seriesAndBytesAreLimited() throws Exception {
    assertThat(lines("maxSeries: 3")).isNotNull();
    assertThatThrownBy(() -> lines("maxSeries: 2"))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.EXECUTION))
        .hasMessageContaining("a scrape of 3 series and 20 bytes")
        .hasMessageContaining("federate.maxSeries 2");
  }
}
