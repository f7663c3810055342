package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetJsonTest {
  private static JsonArray series(Answer.Result result, String refId) {
    Json.Content all =
        (json, bytes) -> {
          json.writeStartArray();
          TargetJson.series(json, result, refId);
          json.writeEndArray();
        };
    return new JsonArray(Json.write(64, all));
  }

  private static JsonObject table(Answer.Result result, String refId) {
    Json.Content table = (json, bytes) -> TargetJson.table(json, result, refId);
    return new JsonObject(Json.write(64, table));
  }

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
    assertThat(series(matrix, "A").encode())
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
    assertThat(series(matrix, "").getJsonObject(0).getJsonArray("datapoints").encode())
        .isEqualTo("[[null,1],[null,2],[null,3]]");
  }

  @Test
  void instantAnswersAreSeriesOfOnePoint() {
    Answer.Result vector = new Answer.Vector(7_000, List.of(new Answer.Sample(RACK, 3, null)));
    assertThat(series(vector, "").encode())
        .isEqualTo("[{\"target\":\"{rack=\\\"r0\\\"}\",\"datapoints\":[[3.0,7000]]}]");
    assertThat(series(new Answer.Scalar(7_000, 3), "").encode())
        .isEqualTo("[{\"target\":\"{}\",\"datapoints\":[[3.0,7000]]}]");
    assertThat(series(new Answer.Text(7_000, "x"), "")).isEmpty();
  }

  @Test
  void aTableHasAColumnForEachLabelOfAnySeries() {
    Answer.Result vector =
        new Answer.Vector(
            7_000,
            List.of(new Answer.Sample(NAMED, 3, null), new Answer.Sample(RACK, Double.NaN, null)));
    assertThat(table(vector, "A").encode())
        .isEqualTo(
            "{\"type\":\"table\",\"refId\":\"A\",\"columns\":[{\"text\":\"Time\",\"type\":\"time\"},"
                + "{\"text\":\"__name__\",\"type\":\"string\"},{\"text\":\"gpu\",\"type\":\"string\"},"
                + "{\"text\":\"rack\",\"type\":\"string\"},{\"text\":\"Value\",\"type\":\"number\"}],"
                + "\"rows\":[[7000,\"power\",\"0\",\"\",3.0],[7000,\"\",\"\",\"r0\",null]]}");
  }

  @Test
  void aScalarIsATableOfOneRowAndOtherAnswersAreTablesOfNone() {
    assertThat(table(new Answer.Scalar(7_000, 3), "").getJsonArray("rows").encode())
        .isEqualTo("[[7000,3.0]]");
    assertThat(table(new Answer.Text(0, "x"), "").getJsonArray("rows")).isEmpty();
    assertThat(table(new Answer.Matrix(List.of()), "").getJsonArray("rows")).isEmpty();
  }
}
