package io.fleetgauge.query.federate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReductionLinesTest {
  private final ReductionLines lines = new ReductionLines();

  /** Two racks of a metric; the second has no sample of it. */
  private static MetricReductions byRack(String metric, double sum, double carry) {
    return new MetricReductions(
        List.of("rack"),
        List.of(Labels.of("rack", "r0"), Labels.of("rack", "r1")),
        List.of(
            new MetricReductions.OfMetric(
                metric,
                new long[] {4, 0},
                new double[] {sum, 0},
                new double[] {carry, 0},
                new double[] {1.5, 0},
                new double[] {9, 0},
                new long[] {1_000, 0})));
  }

  private List<String> of(MetricReductions reductions, boolean utf8, String... selectors)
      throws ParseException {
    List<List<Matcher>> matchers = new ArrayList<>();
    for (String selector : selectors) {
      matchers.add(Parser.parseSelector(selector));
    }
    List<String> all = new ArrayList<>();
    for (ExpositionLines each :
        lines
            .of(
                List.of(reductions),
                matchers,
                name -> true,
                utf8 ? NameEscaping.ALLOW_UTF_8 : NameEscaping.UNDERSCORES)
            .values()) {
      all.addAll(new String(each.array(), 0, each.size(), StandardCharsets.UTF_8).lines().toList());
    }
    return all;
  }

  @ParameterizedTest
  @CsvSource({"avg, 2.5", "count, 4", "max, 9", "min, 1.5", "sum, 10"})
  void eachOperatorHasItsValueAndTheTimeOfTheNewestSample(String operator, String value)
      throws Exception {
    assertThat(of(byRack("power", 10, 0), false, "rack:power:" + operator))
        .containsExactly(
            "rack:power:" + operator + "{rack=\"r0\",instance=\"\"} " + value + " 1000");
  }

  @Test
  void theCompensationIsAddedToFiniteSums() throws Exception {
    assertThat(of(byRack("power", 10, 0.25), false, "rack:power:sum").getFirst())
        .contains(" 10.25 ");
    assertThat(
            of(byRack("power", Double.POSITIVE_INFINITY, Double.NaN), false, "rack:power:sum")
                .getFirst())
        .contains(" +Inf ");
    assertThat(of(byRack("power", Double.NaN, 1), false, "rack:power:avg").getFirst())
        .contains(" NaN ");
  }

  @Test
  void selectorsChooseNamesAndGroups() throws Exception {
    assertThat(of(byRack("power", 10, 0), false, "{__name__=~\"rack:.*:(min|max)\"}")).hasSize(2);
    assertThat(of(byRack("power", 10, 0), false, "{__name__=~\"rack:.*\"}")).hasSize(5);
    assertThat(of(byRack("power", 10, 0), false, "rack:power:sum{rack=\"r1\"}")).isEmpty();
    assertThat(of(byRack("power", 10, 0), false, "rack:other:sum")).isEmpty();
    assertThat(of(byRack("power", 10, 0), false, "rack:power:sum{rack=\"r1\"}", "rack:power:sum"))
        .hasSize(1);
  }

  @Test
  void aNameThatIsNotOneOfTheTextFormatStandsInBracesOrIsEscaped() throws Exception {
    String selector = "{__name__=\"rack:my.power:sum\"}";
    assertThat(of(byRack("my.power", 10, 0), true, selector))
        .containsExactly("{\"rack:my.power:sum\",rack=\"r0\",instance=\"\"} 10 1000");
    assertThat(of(byRack("my.power", 10, 0), false, selector))
        .containsExactly("rack:my_power:sum{rack=\"r0\",instance=\"\"} 10 1000");
  }

  @Test
  void namesThatAreNotOfThePartAreLeftOut() throws Exception {
    List<List<Matcher>> all = List.of(Parser.parseSelector("{__name__=~\"rack:.*\"}"));
    assertThat(
            lines
                .of(
                    List.of(byRack("power", 10, 0)),
                    all,
                    name -> name.endsWith(":min") || name.endsWith(":max"),
                    NameEscaping.UNDERSCORES)
                .keySet())
        .containsExactly("rack:power:max", "rack:power:min");
  }
}
