package io.fleetgauge.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoredAggregationTest {
  private static final Optional<AddedLabel> B = Optional.of(new AddedLabel("cluster", "b"));

  private static Expr.Aggregate aggregate(String text) throws ParseException {
    return (Expr.Aggregate) Parser.parse(text, new ParseOptions(Feature.STOCK, 0, 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sum by (rack) (x)                                 | sum by (rack) (x)                     | false
          sum by (rack, cluster) (x)                        | sum by (rack) (x)                     | true
          sum by (cluster) (rate(x{cluster="b", a="1"}[2m])) | sum(rate(x{a="1"}[2m]))               | true
          max without (gpu) (x{cluster=~"[ab]"})             | max without (gpu, cluster) (x)        | true
          max without (cluster) (x{cluster!="a"})           | max without (cluster) (x)             | false
          sum(x)                                            | sum(x)                                | false
          """)
  void seriesWithTheLabelAreGroupedAsThoseWithoutIt(String seen, String stored, boolean isKept)
      throws Exception {
    StoredAggregation of = StoredAggregation.of(aggregate(seen), B).orElseThrow();
    assertThat(of.aggregate()).isEqualTo(aggregate(stored));
    Partial partial =
        new Partial(
            Labels.of("rack", "r"), Labels.of("g", "0"), false, new int[1], new double[0][]);
    PartResult result = new PartResult(List.of(), List.of(partial), List.of(), 3);
    Labels group = of.seen(result).partials().getFirst().group();
    assertThat(group.value("cluster")).isEqualTo(isKept ? "b" : "");
    assertThat(group.value("rack")).isEqualTo("r");
    assertThat(of.isExact()).isEqualTo(!isKept && !seen.matches(".*cluster[=!].*"));
  }

  @Test
  void aSelectorOfAnotherClusterHasNoSeries() throws Exception {
    assertThat(StoredAggregation.of(aggregate("sum(x{cluster=\"a\"})"), B)).isEmpty();
    assertThat(StoredAggregation.of(aggregate("sum(rate(x{cluster!~\"b\"}[2m]))"), B)).isEmpty();
  }

  @Test
  void withoutALabelAnAggregationStaysAsItIs() throws Exception {
    Expr.Aggregate sum = aggregate("sum by (cluster) (x{cluster=\"a\"})");
    assertThat(StoredAggregation.of(sum, Optional.empty()).orElseThrow().aggregate()).isSameAs(sum);
  }
}
