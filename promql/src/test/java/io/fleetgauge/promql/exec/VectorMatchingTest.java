package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the elements of two vectors are matched, and when that is ambiguous. */
class VectorMatchingTest {
  private static final InMemorySeries STORED =
      new InMemorySeries(
          List.of(
              series("a", 1, "h", "1", "g", "0"),
              series("a", 2, "h", "1", "g", "1"),
              series("a", 3, "h", "2", "g", "0"),
              series("b", 10, "h", "1", "g", "0"),
              series("b", 20, "h", "2", "g", "0"),
              series("b", 30, "h", "3", "g", "0"),
              series("c", 100, "h", "1", "zone", "x"),
              series("c", 200, "h", "2", "zone", "y"),
              series("d", 7, "h", "1", "g", "0")));

  private static Series series(String name, double value, String... labels) {
    String[] all = new String[labels.length + 2];
    all[0] = "__name__";
    all[1] = name;
    System.arraycopy(labels, 0, all, 2, labels.length);
    // The series d begins only at the second step of a range query.
    long time = name.equals("d") ? 20_000 : 0;
    return new Series(Labels.of(all), new long[] {time}, new double[] {value});
  }

  private static Query query(String text, long start, long end, long step) throws Exception {
    Expr expr = Parser.parse(text, new ParseOptions(Feature.ALL, 0, 0));
    return new Query(text, expr, start, end, step, Query.Settings.STOCK);
  }

  private static String run(String text) throws Exception {
    Answer answer = Engine.run(query(text, 0, 0, 0), STORED, StopCheck.NEVER);
    return ((Answer.Vector) answer.result())
        .samples().stream()
            .map(one -> one.labels() + " " + one.value())
            .collect(Collectors.joining(", "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "a + b | {g=\"0\", h=\"1\"} 11.0, {g=\"0\", h=\"2\"} 23.0",
        "a + on (h, g) b | {g=\"0\", h=\"1\"} 11.0, {g=\"0\", h=\"2\"} 23.0",
        "a{g=\"0\"} + on (h) b | {h=\"1\"} 11.0, {h=\"2\"} 23.0",
        "a{g=\"0\"} + ignoring (g) b | {h=\"1\"} 11.0, {h=\"2\"} 23.0",
        "a > b | ''",
        "a < b | a{g=\"0\", h=\"1\"} 1.0, a{g=\"0\", h=\"2\"} 3.0",
        "a < bool b | {g=\"0\", h=\"1\"} 1.0, {g=\"0\", h=\"2\"} 1.0",
        "a{g=\"0\"} < on (h) b | {h=\"1\"} 1.0, {h=\"2\"} 3.0",
        "a * on (h) group_left c | {g=\"0\", h=\"1\"} 100.0, {g=\"0\", h=\"2\"} 600.0,"
            + " {g=\"1\", h=\"1\"} 200.0",
        "a * on (h) group_left (zone) c | {g=\"0\", h=\"1\", zone=\"x\"} 100.0,"
            + " {g=\"0\", h=\"2\", zone=\"y\"} 600.0, {g=\"1\", h=\"1\", zone=\"x\"} 200.0",
        "c * on (h) group_right (zone) a | {g=\"0\", h=\"1\", zone=\"x\"} 100.0,"
            + " {g=\"0\", h=\"2\", zone=\"y\"} 600.0, {g=\"1\", h=\"1\", zone=\"x\"} 200.0",
        "a * ignoring (g, zone) group_left c | {g=\"0\", h=\"1\"} 100.0,"
            + " {g=\"0\", h=\"2\"} 600.0, {g=\"1\", h=\"1\"} 200.0",
        "a and b | a{g=\"0\", h=\"1\"} 1.0, a{g=\"0\", h=\"2\"} 3.0",
        "a and on (h) c{zone=\"x\"} | a{g=\"0\", h=\"1\"} 1.0, a{g=\"1\", h=\"1\"} 2.0",
        "a unless b | a{g=\"1\", h=\"1\"} 2.0",
        "a unless on (h) c{zone=\"x\"} | a{g=\"0\", h=\"2\"} 3.0",
        "b or c | b{g=\"0\", h=\"1\"} 10.0, b{g=\"0\", h=\"2\"} 20.0, b{g=\"0\", h=\"3\"} 30.0,"
            + " c{h=\"1\", zone=\"x\"} 100.0, c{h=\"2\", zone=\"y\"} 200.0",
        "b or on (h) c | b{g=\"0\", h=\"1\"} 10.0, b{g=\"0\", h=\"2\"} 20.0,"
            + " b{g=\"0\", h=\"3\"} 30.0",
        "a + nosuch | ''",
        "nosuch or a{h=\"2\"} | a{g=\"0\", h=\"2\"} 3.0",
        "b + on (h) fill (0) c | {h=\"1\"} 110.0, {h=\"2\"} 220.0, {h=\"3\"} 30.0",
        "c + on (h) fill_left (5) b | {h=\"1\"} 110.0, {h=\"2\"} 220.0, {h=\"3\"} 35.0",
      })
  void elementsMeetByTheirMatchingLabels(String text, String result) throws Exception {
    assertThat(run(text).split(", (?=\\{|[a-d]\\{)"))
        .as(text)
        .containsExactlyInAnyOrder(
            result.equals("''") ? new String[] {""} : result.split(", (?=\\{|[a-d]\\{)"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "b + on (g) a{h=\"1\",g=\"0\"} | many-to-one matching must be explicit",
        "a + on (h) b | many-to-one matching must be explicit (group_left/group_right)",
        "c * on (h) a | many-to-many matching not allowed: matching labels must be unique",
        "a + on (g) group_left b | many-to-many matching not allowed: matching labels must be"
            + " unique",
        "a * on () group_left c | many-to-many matching not allowed: matching labels must be"
            + " unique",
      })
  void ambiguousMatchesAreErrors(String text, String message) {
    assertThatThrownBy(() -> run(text))
        .as(text)
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining(message);
  }

  @Test
  void aMatchIsAmbiguousOnlyAtStepsWhereBothArePresent() throws Exception {
    // At 0 s there is no d, so that the two a of host 1 meet nothing.
    Query early = query("a{h=\"1\"} + on (h) d", 0, 10_000, 10_000);
    Answer.Matrix matrix = (Answer.Matrix) Engine.run(early, STORED, StopCheck.NEVER).result();
    assertThat(matrix.series()).isEmpty();
    Query later = query("a{h=\"1\"} + on (h) d", 0, 20_000, 10_000);
    assertThatThrownBy(() -> Engine.run(later, STORED, StopCheck.NEVER))
        .isInstanceOf(QueryFailure.class);
  }

  @Test
  void labelsThatTheOneSideGivesMayMakeElementsEqual() {
    assertThatThrownBy(() -> run("a * on (h) group_left (g) (c * 0 + 1)"))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("multiple matches for labels: grouping labels must ensure unique");
  }
}
