package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineTest {
  private static final Query.Settings SETTINGS = Query.Settings.STOCK.withMaxSamples(1_000_000);
  private static final Optional<QueryFailure> CANCELLED =
      Optional.of(new QueryFailure(QueryFailure.Kind.CANCELED, "left"));

  private static final List<Series> STORED =
      List.of(
          series("power", "gpu", "0", 0, 100, 15, 110, 30, 120, 45, 130),
          series("power", "gpu", "1", 0, 200, 15, 210, 30, Staleness.MARKER),
          series("energy_total", "gpu", "0", 0, 0, 15, 150, 30, 300, 45, 20));

  @Test
  void aSampleIsSeenUntilTheLookbackHasPassed() throws Exception {
    assertThat(instant("power{gpu=\"0\"}", 344_999)).hasToString("[power{gpu=\"0\"} 130.0]");
    assertThat(instant("power{gpu=\"0\"}", 345_000)).isEmpty();
  }

  @Test
  void aMarkerEndsASeriesAtOnce() throws Exception {
    assertThat(instant("sum(power)", 29_999)).hasToString("[{} 320.0]");
    assertThat(instant("sum(power)", 30_000)).hasToString("[{} 120.0]");
    assertThat(instant("count_over_time(power{gpu=\"1\"}[1m])", 30_000))
        .hasToString("[{gpu=\"1\"} 2.0]");
  }

  @Test
  void windowsAreOpenOnTheLeft() throws Exception {
    assertThat(instant("count_over_time(power{gpu=\"0\"}[30s])", 30_000))
        .hasToString("[{gpu=\"0\"} 2.0]");
    assertThat(instant("rate(energy_total[15s])", 30_000)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "power > 115 | [power{gpu=\"0\"} 130.0]",
        "115 < power | [power{gpu=\"0\"} 130.0]",
        "power > bool 500 | [{gpu=\"0\"} 0.0]",
        "power * 2 + 1 | [{gpu=\"0\"} 261.0]",
        "-power | [{gpu=\"0\"} -130.0]",
        "power offset 30s | [power{gpu=\"0\"} 110.0, power{gpu=\"1\"} 210.0]",
        "power @ 0 | [power{gpu=\"0\"} 100.0, power{gpu=\"1\"} 200.0]",
        "increase(energy_total[1m]) | [{gpu=\"0\"} 320.0]",
        "last_over_time(power{gpu=\"1\"}[1m]) | [power{gpu=\"1\"} 210.0]",
        "absent_over_time(power{gpu=\"7\",a=~\"b\"}[1m]) | [{gpu=\"7\"} 1.0]",
        "absent_over_time(power[1m]) | []",
        "sum without (gpu) (power) | [{} 130.0]",
        "power @ 0 - power @ 15 | [{gpu=\"0\"} -10.0, {gpu=\"1\"} -10.0]",
        "power @ 0 > on (gpu) (power @ 15 - 15) | [{gpu=\"0\"} 100.0, {gpu=\"1\"} 200.0]",
        "clamp_max(power @ 0, 150) | [{gpu=\"0\"} 100.0, {gpu=\"1\"} 150.0]",
        "vector(time()) | [{} 45.0]",
        "power * scalar(energy_total) | [{gpu=\"0\"} 2600.0]",
        "absent(power{gpu=\"9\"}) | [{gpu=\"9\"} 1.0]",
        "power and energy_total | [power{gpu=\"0\"} 130.0]",
        "power @ 0 unless energy_total | [power{gpu=\"1\"} 200.0]",
        "energy_total or power @ 0 | [energy_total{gpu=\"0\"} 20.0, power{gpu=\"1\"} 200.0]",
        "power @ 0 / on () group_left sum(power @ 0) | [{gpu=\"0\"} 0.3333333333333333,"
            + " {gpu=\"1\"} 0.6666666666666666]",
        "avg by (gpu) (power @ 0) | [{gpu=\"0\"} 100.0, {gpu=\"1\"} 200.0]"
      })
  void anInstantQueryAnswers(String query, String answer) throws Exception {
    assertThat(instant(query, 45_000)).hasToString(answer);
  }

  @Test
  void aRangeQueryAnswersAtEachStepInOrderOfLabels() throws Exception {
    Answer answer = run(range("power / 10", 0, 60_000, 20_000, SETTINGS.withLookback(30_000)));
    assertThat(((Answer.Matrix) answer.result()).series())
        .containsExactly(
            new Series(
                Labels.of("gpu", "0"),
                new long[] {0, 20_000, 40_000, 60_000},
                new double[] {10, 11, 12, 13}),
            new Series(Labels.of("gpu", "1"), new long[] {0, 20_000}, new double[] {20, 21}));
  }

  @Test
  void rateOfWhatIsNotNamedLikeACounterIsRemarkedOn() throws Exception {
    Answer answer = run(at("sum(rate(power[1m]))", 45_000));
    assertThat(answer.infos())
        .containsExactly(
            "PromQL info: metric might not be a counter, name does not end in"
                + " _total/_sum/_count/_bucket: \"power\" (1:10)");
    assertThat(run(at("rate(energy_total[1m])", 45_000)).infos()).isEmpty();
  }

  @Test
  void seriesThatBecomeEqualAreAnErrorWhereTheyMeet() {
    assertThatThrownBy(() -> run(at("rate({gpu=\"0\"}[1m])", 45_000)))
        .isInstanceOf(QueryFailure.class)
        .hasMessage("vector cannot contain metrics with the same labelset");
  }

  @Test
  void moreSamplesThanAllowedAreAnErrorThatSaysTheLimit() {
    assertThatThrownBy(() -> run(range("power", 0, 1_000_000, 1, SETTINGS.withMaxSamples(5_000))))
        .hasMessageContaining("the limit is 5000");
  }

  @Test
  void aCancelledQueryEnds() throws Exception {
    assertThatThrownBy(() -> Engine.run(at("power", 0), EngineTest::select, () -> CANCELLED))
        .isInstanceOfSatisfying(
            QueryFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(QueryFailure.Kind.CANCELED));
  }

  @Test
  void aRangeQueryRefusesWhatHasNoValueAtAStep() {
    assertThatThrownBy(() -> run(range("a[5m]", 0, 10, 1, SETTINGS)))
        .hasMessage(
            "invalid expression type \"range vector\" for range query, must be Scalar or instant"
                + " Vector");
  }

  private static List<String> instant(String query, long time) throws Exception {
    List<String> lines = new ArrayList<>();
    for (Answer.Sample sample : ((Answer.Vector) run(at(query, time)).result()).samples()) {
      lines.add(sample.labels() + " " + sample.value());
    }
    return lines;
  }

  private static Query at(String query, long time) throws Exception {
    return new Query(query, Parser.parse(query), time, time, 0, SETTINGS);
  }

  private static Query range(String query, long start, long end, long step, Query.Settings settings)
      throws Exception {
    return new Query(query, Parser.parse(query), start, end, step, settings);
  }

  private static Answer run(Query query) throws QueryFailure {
    return Engine.run(query, EngineTest::select, StopSign.NEVER);
  }

  private static void select(Selection selection, SeriesSource.Receiver receiver)
      throws QueryFailure {
    for (Series series : STORED) {
      if (selection.matchers().stream().allMatch(matcher -> matcher.matches(series.labels()))) {
        int from = Series.firstAfter(series.times(), 0, series.size(), selection.from());
        int to = Series.firstAfter(series.times(), 0, series.size(), selection.to());
        if (from < to) {
          receiver.accept(
              new Series(
                  series.labels(),
                  Arrays.copyOfRange(series.times(), from, to),
                  Arrays.copyOfRange(series.values(), from, to)));
        }
      }
    }
  }

  private static Series series(
      String name, String label, String value, double... secondsAndValues) {
    long[] times = new long[secondsAndValues.length / 2];
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = (long) (secondsAndValues[2 * i] * 1000);
      values[i] = secondsAndValues[2 * i + 1];
    }
    return new Series(Labels.of(Labels.NAME, name, label, value), times, values);
  }
}
