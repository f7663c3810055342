package io.fleetgauge.promql.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link SeriesSource} does; each implementation has a test that extends this. */
public abstract class SeriesSourceContract {
  /** The distance of samples, ms, so that sources that know a step can hold them. */
  protected static final long TICK = 1_000;

  /**
   * A source with these series, whose times are multiples of {@link #TICK}, from 0 on. Each has the
   * labels {@code Hostname} and {@code gpu}.
   */
  protected abstract SeriesSource source(List<Series> series) throws Exception;

  /** Whether the source keeps staleness markers. */
  protected boolean keepsMarkers() {
    return true;
  }

  private static Series series(String name, String host, String gpu, double... values) {
    long[] times = new long[values.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = i * TICK;
    }
    return new Series(Labels.of("__name__", name, "Hostname", host, "gpu", gpu), times, values);
  }

  private static List<Series> select(SeriesSource source, long from, long to, Matcher... matchers)
      throws QueryFailure {
    List<Series> found = new ArrayList<>();
    source.select(new Selection(List.of(matchers), from, to), found::add);
    return found;
  }

  /** Its samples after {@code from} up to and with {@code to}; a source may give more. */
  private static String within(Series series, long from, long to) {
    StringBuilder out = new StringBuilder(series.labels().toString());
    for (int i = 0; i < series.size(); i++) {
      if (series.times()[i] > from && series.times()[i] <= to) {
        out.append(' ').append(series.times()[i]).append('=').append(series.values()[i]);
      }
    }
    return out.toString();
  }

  private static Matcher named(String name) {
    return Matcher.equal(Labels.NAME, name);
  }

  @Test
  void aSelectionIsOpenAtItsStartAndClosedAtItsEnd() throws Exception {
    SeriesSource source = source(List.of(series("x", "n1", "0", 1, 2, 3, 4)));
    List<Series> found = select(source, TICK, 2 * TICK, named("x"));
    assertThat(found).hasSize(1);
    assertThat(within(found.getFirst(), TICK, 2 * TICK)).endsWith("} 2000=3.0");
    assertThat(select(source, 3 * TICK, 9 * TICK, named("x"))).isEmpty();
    assertThat(select(source, -5 * TICK, -1, named("x"))).isEmpty();
    assertThat(select(source, -1, 0, named("x"))).hasSize(1);
  }

  @Test
  void everyMatcherHasToMatchAndAnAbsentLabelIsEmpty() throws Exception {
    SeriesSource source =
        source(
            List.of(
                series("x", "n1", "0", 1), series("x", "n2", "1", 2), series("y", "n1", "0", 3)));
    assertThat(select(source, -1, TICK, named("x"))).hasSize(2);
    assertThat(select(source, -1, TICK, named("x"), Matcher.equal("gpu", "1"))).hasSize(1);
    assertThat(select(source, -1, TICK, Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "x|y")))
        .hasSize(3);
    assertThat(
            select(
                source, -1, TICK, named("x"), Matcher.of(Matcher.Kind.NOT_REGEX, "Hostname", "n1")))
        .hasSize(1);
    assertThat(select(source, -1, TICK, named("x"), Matcher.equal("job", ""))).hasSize(2);
    assertThat(select(source, -1, TICK, named("x"), Matcher.of(Matcher.Kind.NOT_EQUAL, "job", "")))
        .isEmpty();
    assertThat(select(source, -1, TICK, named("z"))).isEmpty();
  }

  @Test
  void seriesComeOnceEachInTheOrderOfTheirLabels() throws Exception {
    List<Series> stored = new ArrayList<>();
    for (String host : List.of("n2", "n10", "n1")) {
      for (String gpu : List.of("1", "0", "10")) {
        stored.add(series("x", host, gpu, 1, 2));
        stored.add(series("w", host, gpu, 1, 2));
      }
    }
    List<Series> found =
        select(source(stored), -1, 2 * TICK, Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "w|x"));
    assertThat(found).extracting(Series::labels).isSorted().doesNotHaveDuplicates().hasSize(18);
  }

  @Test
  void stalenessMarkersAreHandedOverWhereTheyAreKept() throws Exception {
    if (keepsMarkers()) {
      SeriesSource source = source(List.of(series("x", "n1", "0", 1, Staleness.MARKER)));
      Series found = select(source, -1, 2 * TICK, named("x")).getFirst();
      assertThat(Staleness.isMarker(found.values()[found.size() - 1])).isTrue();
      assertThat(select(source, 0, TICK, named("x"))).hasSize(1);
    }
  }

  @Test
  void aFailureOfTheReceiverEndsTheSelection() throws Exception {
    SeriesSource source = source(List.of(series("x", "n1", "0", 1), series("x", "n1", "1", 2)));
    QueryFailure failure = new QueryFailure(QueryFailure.Kind.CANCELED, "stop");
    List<Series> seen = new ArrayList<>();
    assertThatThrownBy(
            () ->
                source.select(
                    new Selection(List.of(named("x")), -1, TICK),
                    series -> {
                      seen.add(series);
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(seen).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomSelectionsGiveWhatAPlainMapGives(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    TreeMap<Labels, Series> stored = new TreeMap<>();
    for (int i = 0; i < 30; i++) {
      double[] values = new double[1 + random.nextInt(40)];
      Arrays.setAll(values, none -> random.nextInt(1_000) / 4.0);
      Series one =
          series(
              random.nextBoolean() ? "x" : "y",
              "n" + random.nextInt(4),
              "" + random.nextInt(4),
              values);
      stored.put(one.labels(), one);
    }
    SeriesSource source = source(List.copyOf(stored.values()));
    for (int round = 0; round < 200; round++) {
      long from = random.nextLong(-3, 45) * TICK - random.nextInt(2);
      long to = from + random.nextLong(20) * TICK;
      Matcher matcher =
          Matcher.of(
              random.nextBoolean() ? Matcher.Kind.REGEX : Matcher.Kind.NOT_EQUAL,
              random.nextBoolean() ? "Hostname" : "gpu",
              random.nextBoolean() ? "n1" : "2");
      List<String> wanted =
          stored.values().stream()
              .filter(one -> matcher.matches(one.labels()) && named("x").matches(one.labels()))
              .filter(one -> Arrays.stream(one.times()).anyMatch(at -> at > from && at <= to))
              .map(one -> within(one, from, to))
              .toList();
      assertThat(select(source, from, to, named("x"), matcher).stream())
          .extracting(one -> within(one, from, to))
          .as("from %d to %d, %s", from, to, matcher)
          .isEqualTo(wanted);
    }
  }
}
