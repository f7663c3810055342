package io.fleetgauge.gateway.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexSearchTest {
  @TempDir private Path folder;
  private HostWriter writer;

  @BeforeEach
  void fill() {
    writer = new HostWriter(folder, "n1");
    writer.send(1_000, writer.series("up", "rack", "r1"), 1);
    writer.send(2_000, writer.series("up", "rack", "r2"), 1);
    writer.send(3_000, writer.gpu("util", "G1", "a"), 1);
    writer.send(4_000, writer.gpu("util", "G1", "b"), 1);
    writer.send(5_000, writer.gpu("temp", "G1", "b"), 1);
  }

  private static SeriesSearch search(long from, long to, int limit, String... selectors)
      throws Exception {
    List<List<Matcher>> matchers = new ArrayList<>();
    for (String selector : selectors) {
      matchers.add(Parser.parseSelector(selector));
    }
    return new SeriesSearch(from, to, limit, matchers);
  }

  private List<String> values(String label, SeriesSearch search) {
    return writer.store().labelValues(List.of("n1"), label, search, Assertions::fail);
  }

  private List<String> names(SeriesSearch search) {
    return writer.store().labelNames(List.of("n1"), search, Assertions::fail);
  }

  private List<Labels> sets(SeriesSearch search) {
    return writer.store().labelSets(List.of("n1"), search, Assertions::fail);
  }

  @Test
  void namesAreThoseOfSeriesWithASampleInTheTime() throws Exception {
    assertThat(names(search(0, 9_000, 0)))
        .containsExactly("Hostname", "UUID", "__name__", "job", "rack");
    assertThat(names(search(1_001, 2_000, 0))).containsExactly("Hostname", "__name__", "rack");
    assertThat(names(search(0, 9_000, 2))).containsExactly("Hostname", "UUID");
    assertThat(names(search(5_001, 9_000, 0))).isEmpty();
  }

  @Test
  void valuesOfALabelAreThoseWithASampleInTheTime() throws Exception {
    assertThat(values("rack", search(0, 9_000, 0))).containsExactly("r1", "r2");
    assertThat(values("rack", search(1_000, 1_000, 0))).containsExactly("r1");
    assertThat(values("rack", search(1_001, 1_999, 0))).isEmpty();
    assertThat(values("rack", search(0, 9_000, 1))).containsExactly("r1");
    assertThat(values("nosuch", search(0, 9_000, 0))).isEmpty();
    assertThat(values("__name__", search(0, 9_000, 0))).containsExactly("temp", "up", "util");
  }

  @Test
  void valuesOfADimensionAreThoseOfTheOwnersInTheTime() throws Exception {
    assertThat(values("job", search(0, 9_000, 0))).containsExactly("a", "b");
    assertThat(values("job", search(0, 3_999, 0))).containsExactly("a");
    assertThat(values("job", search(4_000, 9_000, 0))).containsExactly("b");
    assertThat(values("job", search(0, 9_000, 0, "temp"))).containsExactly("b");
  }

  @Test
  void severalSelectorsAreAlternatives() throws Exception {
    assertThat(sets(search(0, 9_000, 0, "up{rack=\"r1\"}", "util{job=\"b\"}")))
        .containsExactlyInAnyOrder(
            writer.series("up", "rack", "r1"), writer.gpu("util", "G1", "b"));
    assertThat(sets(search(0, 9_000, 0, "up", "{rack=\"r1\"}"))).hasSize(2);
    assertThat(sets(search(0, 9_000, 3))).hasSize(3).isSorted();
    assertThat(sets(search(0, 9_000, 0))).hasSize(5);
  }

  @Test
  void hostsThatAreNotHereHaveNothing() throws Exception {
    assertThat(writer.store().labelSets(List.of("n2"), search(0, 9_000, 0), Assertions::fail))
        .isEmpty();
  }

  @Test
  void aHostWithMissingSamplesInTheTimeIsReportedByEveryQuestion() throws Exception {
    writer.lane().missing().gap(8_000, 9_000);
    SeriesSearch touching = search(0, 8_000, 0);
    SeriesSearch before = search(0, 7_999, 0);
    for (SeriesSearch search : List.of(touching, before)) {
      List<String> incomplete = new ArrayList<>();
      List<String> hosts = List.of("n1");
      writer.store().labelNames(hosts, search, incomplete::add);
      writer.store().labelValues(hosts, "rack", search, incomplete::add);
      writer.store().labelValues(hosts, "job", search, incomplete::add);
      writer.store().labelSets(hosts, search, incomplete::add);
      writer.store().owners(hosts, search, incomplete::add);
      assertThat(incomplete).hasSize(search == touching ? 5 : 0);
    }
  }

  @Test
  void theExtentIsSeriesAndTicksInTheTime() throws Exception {
    List<Matcher> up = Parser.parseSelector("up");
    assertThat(writer.store().extent(List.of("n1"), new Selection(up, 0, 9_000)).series())
        .isEqualTo(2);
    assertThat(writer.store().extent(List.of("n1", "n2"), new Selection(up, 0, 9_000)).samples())
        .isPositive();
    assertThat(writer.store().extent(List.of("n1"), new Selection(up, 9_000, 10_000)).samples())
        .isZero();
  }
}
