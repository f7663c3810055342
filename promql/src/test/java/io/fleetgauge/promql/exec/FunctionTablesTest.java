package io.fleetgauge.promql.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.InMemorySeries;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions of single elements, dates and labels against tables of known answers. */
class FunctionTablesTest {
  private static final InMemorySeries NONE = new InMemorySeries(List.of());

  @ParameterizedTest
  @CsvSource({
    "abs(vector(-2.5)), 2.5",
    "abs(vector(-Inf)), Infinity",
    "ceil(vector(-2.5)), -2",
    "ceil(vector(2.1)), 3",
    "floor(vector(-2.5)), -3",
    "floor(vector(2.9)), 2",
    "round(vector(2.5)), 3",
    "round(vector(-2.5)), -2",
    "'round(vector(27), 5)', 25",
    "'round(vector(27.5), 5)', 30",
    "'round(vector(0.15), 0.1)', 0.2",
    "'round(vector(7), 0)', NaN",
    "sgn(vector(-7)), -1",
    "sgn(vector(7)), 1",
    "sgn(vector(0)), 0",
    "sgn(vector(NaN)), NaN",
    "sqrt(vector(16)), 4",
    "sqrt(vector(-1)), NaN",
    "exp(vector(0)), 1",
    "exp(vector(-Inf)), 0",
    "ln(vector(1)), 0",
    "ln(vector(0)), -Infinity",
    "ln(vector(-1)), NaN",
    "log2(vector(1024)), 10",
    "log2(vector(0.125)), -3",
    "log10(vector(1000)), 3",
    "deg(vector(pi())), 180",
    "rad(vector(180)) - pi(), 0",
    "sin(vector(0)), 0",
    "cos(vector(0)), 1",
    "tan(vector(0)), 0",
    "asin(vector(2)), NaN",
    "acos(vector(1)), 0",
    "atan(vector(Inf)) * 2 - pi(), 0",
    "sinh(vector(0)), 0",
    "cosh(vector(0)), 1",
    "tanh(vector(Inf)), 1",
    "asinh(vector(0)), 0",
    "acosh(vector(0.5)), NaN",
    "atanh(vector(1)), Infinity",
    "atanh(vector(-1)), -Infinity",
    "'clamp(vector(5), 1, 3)', 3",
    "'clamp(vector(0), 1, 3)', 1",
    "'clamp(vector(2), 1, 3)', 2",
    "'clamp(vector(2), NaN, 3)', NaN",
    "'clamp_min(vector(-Inf), 1)', 1",
    "'clamp_max(vector(Inf), 1)', 1",
    "'clamp_max(vector(NaN), 1)', NaN",
    "vector(7) % 4, 3",
    "vector(-7) % 4, -3",
    "vector(7) % 0, NaN",
    "vector(1) / 0, Infinity",
    "vector(0) / 0, NaN",
    "vector(2) ^ 10, 1024",
    "vector(1) atan2 0 - pi() / 2, 0"
  })
  void aFunctionOfAnElementHasItsKnownValue(String query, double value) throws Exception {
    assertThat(Runs.instant(query, 0, NONE).values()).as(query).containsExactly(value);
  }

  @Test
  void aClampWhoseBoundsAreTheWrongWayRoundIsEmpty() throws Exception {
    assertThat(Runs.instant("clamp(vector(2), 3, 1)", 0, NONE)).isEmpty();
  }

  /** Dates as seconds since the epoch. */
  @ParameterizedTest
  @CsvSource({
    // seconds; minute, hour, day of week, of month, of year, days in month, month, year
    "0, '0, 0, 4, 1, 1, 31, 1, 1970'",
    "-1, '59, 23, 3, 31, 365, 31, 12, 1969'",
    "951782399, '59, 23, 1, 28, 59, 29, 2, 2000'",
    "951782400, '0, 0, 2, 29, 60, 29, 2, 2000'",
    "951868800, '0, 0, 3, 1, 61, 31, 3, 2000'",
    "978307199, '59, 23, 0, 31, 366, 31, 12, 2000'",
    "4107542400, '0, 0, 1, 1, 60, 31, 3, 2100'",
    "1136239445, '4, 22, 1, 2, 2, 31, 1, 2006'",
    "1709251199.9, '59, 23, 4, 29, 60, 29, 2, 2024'"
  })
  void aDateHasItsKnownParts(String seconds, String parts) throws Exception {
    double[] wanted = Stream.of(parts.split(", ")).mapToDouble(Double::parseDouble).toArray();
    List<String> functions =
        List.of(
            "minute",
            "hour",
            "day_of_week",
            "day_of_month",
            "day_of_year",
            "days_in_month",
            "month",
            "year");
    for (int i = 0; i < wanted.length; i++) {
      String query = functions.get(i) + "(vector(" + seconds + "))";
      assertThat(Runs.instant(query, 0, NONE).values()).as(query).containsExactly(wanted[i]);
      // Without an argument, the date is that of the step.
      if (!seconds.contains(".")) {
        long time = Long.parseLong(seconds) * 1_000;
        assertThat(Runs.instant(functions.get(i) + "()", time, NONE).values())
            .containsExactly(wanted[i]);
      }
    }
  }

  private static final InMemorySeries NODES =
      new InMemorySeries(
          List.of(
              Runs.sample(1, "__name__", "x", "node", "n-10", "rack", "r1"),
              Runs.sample(2, "__name__", "x", "node", "n-9", "rack", "r2")));

  private static String labels(String query) throws Exception {
    return Runs.instant(query.replace('\'', '"'), 0, NODES).keySet().stream()
        .map(Labels::toString)
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "label_replace(x, 'n', '$1', 'node', 'n-(.)') -> x{n=\"9\", node=\"n-9\", rack=\"r2\"}"
            + " x{node=\"n-10\", rack=\"r1\"}",
        "label_replace(x, 'rack', '', 'node', 'n-10') -> x{node=\"n-10\"}"
            + " x{node=\"n-9\", rack=\"r2\"}",
        "label_replace(x, 'rack', 'z', 'nosuch', '') -> x{node=\"n-10\", rack=\"z\"}"
            + " x{node=\"n-9\", rack=\"z\"}",
        "label_replace(x, '__name__', 'y', 'rack', 'r1') -> x{node=\"n-9\", rack=\"r2\"}"
            + " y{node=\"n-10\", rack=\"r1\"}",
        "label_replace(x, 'n', '${first}$1', 'node', '(?P<first>.)-9') ->"
            + " x{n=\"nn\", node=\"n-9\", rack=\"r2\"} x{node=\"n-10\", rack=\"r1\"}",
        "label_join(x, 'at', '/', 'rack', 'node') -> x{at=\"r1/n-10\", node=\"n-10\", rack=\"r1\"}"
            + " x{at=\"r2/n-9\", node=\"n-9\", rack=\"r2\"}",
        "label_join(x, 'rack', '-', 'nosuch') -> x{node=\"n-10\"} x{node=\"n-9\"}",
        "label_join(x, 'é', '', 'rack') -> x{node=\"n-10\", rack=\"r1\", é=\"r1\"}"
            + " x{node=\"n-9\", rack=\"r2\", é=\"r2\"}",
        "sort_by_label(x, 'node') -> x{node=\"n-9\", rack=\"r2\"} x{node=\"n-10\", rack=\"r1\"}",
        "sort_by_label_desc(x, 'node') -> x{node=\"n-10\", rack=\"r1\"}"
            + " x{node=\"n-9\", rack=\"r2\"}",
        "sort_desc(x) -> x{node=\"n-9\", rack=\"r2\"} x{node=\"n-10\", rack=\"r1\"}",
        "sort(x) -> x{node=\"n-10\", rack=\"r1\"} x{node=\"n-9\", rack=\"r2\"}",
        "absent(nosuch{a='b',c='d',c!='e'}) -> {a=\"b\"}",
        "absent(x) -> ~~"
      })
  void labelsAreThoseOfTheTable(String query, String labels) throws Exception {
    assertThat(labels(query)).isEqualTo(labels);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "label_join(x, 'a', '', '') -> invalid source label name in label_join():",
        "label_replace(x, '\\xff', 'z', 'node', '.*') -> invalid destination label name in"
            + " label_replace():",
        "label_join(x, '\\xff', 'z', 'node') -> invalid destination label name in label_join():",
      })
  void labelsThatCannotBeAreErrors(String query, String error) {
    assertThatThrownBy(() -> labels(query))
        .isInstanceOf(QueryFailure.class)
        .hasMessageStartingWith(error);
  }

  @Test
  void labelsThatMakeSeriesEqualAreAnError() {
    assertThatThrownBy(
            () ->
                labels("label_replace(label_replace(x, 'node', 'z', '', ''), 'rack', 'z', '', '')"))
        .isInstanceOf(QueryFailure.class)
        .hasMessage(QueryFailure.SAME_LABEL_SET);
  }
}
