package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetJsonTest {
  private static final Labels NAMED = Labels.of("__name__", "power", "gpu", "0");
  private static final Labels RACK = Labels.of("rack", "r0");

  @Test
  void aSeriesHasALegendAndPointsOfValueAndTime() {
    Answer.Result matrix =
        new Answer.Matrix(
            List.of(
                new Series(NAMED, new long[] {1_000, 2_000}, new double[] {0.5, 1}),
                new Series(RACK, new long[] {1_000}, new double[] {2}),
                new Series(Labels.EMPTY, new long[0], new double[0]),
                new Series(Labels.of("__name__", "up"), new long[0], new double[0])));
    assertThat(TargetJson.series(matrix, "A").toString())
        .isEqualTo(
            "[{\"target\":\"power{gpu=\\\"0\\\"}\",\"refId\":\"A\","
                + "\"datapoints\":[[0.5,1000],[1.0,2000]]},"
                + "{\"target\":\"{rack=\\\"r0\\\"}\",\"refId\":\"A\",\"datapoints\":[[2.0,1000]]},"
                + "{\"target\":\"{}\",\"refId\":\"A\",\"datapoints\":[]},"
                + "{\"target\":\"up\",\"refId\":\"A\",\"datapoints\":[]}]");
  }

  @Test
  void numbersThatJsonCannotRepresentAreNull() {
    Answer.Result matrix =
        new Answer.Matrix(
            List.of(
                new Series(
                    RACK,
                    new long[] {1, 2, 3},
                    new double[] {
                      Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY
                    })));
    assertThat(TargetJson.series(matrix, "").get(0).path("datapoints").toString())
        .isEqualTo("[[null,1],[null,2],[null,3]]");
  }

  @Test
  void instantAnswersAreSeriesOfOnePoint() {
    Answer.Result vector = new Answer.Vector(7_000, List.of(new Answer.Sample(RACK, 3, null)));
    assertThat(TargetJson.series(vector, "").toString())
        .isEqualTo("[{\"target\":\"{rack=\\\"r0\\\"}\",\"datapoints\":[[3.0,7000]]}]");
    assertThat(TargetJson.series(new Answer.Scalar(7_000, 3), "").toString())
        .isEqualTo("[{\"target\":\"{}\",\"datapoints\":[[3.0,7000]]}]");
    assertThat(TargetJson.series(new Answer.Text(7_000, "x"), "")).isEmpty();
  }

  @Test
  void aTableHasAColumnForEachLabelOfAnySeries() {
    Answer.Result vector =
        new Answer.Vector(
            7_000,
            List.of(new Answer.Sample(NAMED, 3, null), new Answer.Sample(RACK, Double.NaN, null)));
    assertThat(TargetJson.table(vector, "A").toString())
        .isEqualTo(
            "{\"type\":\"table\",\"refId\":\"A\",\"columns\":[{\"text\":\"Time\",\"type\":\"time\"},"
                + "{\"text\":\"__name__\",\"type\":\"string\"},{\"text\":\"gpu\",\"type\":\"string\"},"
                + "{\"text\":\"rack\",\"type\":\"string\"},{\"text\":\"Value\",\"type\":\"number\"}],"
                + "\"rows\":[[7000,\"power\",\"0\",\"\",3.0],[7000,\"\",\"\",\"r0\",null]]}");
  }

  @Test
  void aScalarIsATableOfOneRowAndOtherAnswersAreTablesOfNone() {
    assertThat(TargetJson.table(new Answer.Scalar(7_000, 3), "").path("rows").toString())
        .isEqualTo("[[7000,3.0]]");
    assertThat(TargetJson.table(new Answer.Text(0, "x"), "").path("rows")).isEmpty();
    assertThat(TargetJson.table(new Answer.Matrix(List.of()), "").path("rows")).isEmpty();
  }
}
