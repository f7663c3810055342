package io.fleetgauge.query.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Written;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerJsonTest {
  private static final Answer.Stats NO_STATS = new Answer.Stats(0, 0);
  private static final Answered.Timings NO_TIMINGS = new Answered.Timings(0, 0, 0);

  @Test
  void eachResultHasPrometheusShape() {
    assertThat(json(new Answer.Scalar(1_500, 1)))
        .isEqualTo(
            "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1.500,\"1\"]}}");
    assertThat(json(new Answer.Text(1_000, "<a>")))
        .contains("\"resultType\":\"string\",\"result\":[1,\"\\u003ca\\u003e\"]");
    assertThat(json(new Answer.Vector(1_000, List.of())))
        .contains("\"resultType\":\"vector\",\"result\":[]");
    assertThat(
            json(
                new Answer.Vector(
                    1_000,
                    List.of(new Answer.Sample(Labels.of("b", "<&>\n", "a", "\u0001"), 0.5)))))
        .contains("[{\"metric\":{\"a\":\"\\u0001\",\"b\":\"<&>\\n\"},\"value\":[1,\"0.5\"]}]");
    assertThat(
            json(
                new Answer.Matrix(
                    List.of(
                        new Series(
                            Labels.EMPTY,
                            new long[] {1, 2_000},
                            new double[] {Double.NaN, 1e21})))))
        .contains(
            "\"resultType\":\"matrix\",\"result\":[{\"metric\":{},\"values\":[[0.001,\"NaN\"],[2,\"1e+21\"]]}]");
  }

  @Test
  void warningsAndInfosAreThereOnlyWhenThereAreAny() {
    String json =
        AnswerJson.success(
                answered(new Answer.Scalar(0, 1), List.of("w"), List.of("i1", "i2")), false)
            .toString();
    assertThat(json).endsWith("},\"warnings\":[\"w\"],\"infos\":[\"i1\",\"i2\"]}");
  }

  private static String json(Answer.Result result) {
    return AnswerJson.success(answered(result, List.of(), List.of()), false).toString();
  }

  private static Answered answered(
      Answer.Result result, List<String> warnings, List<String> infos) {
    Completeness whole = new Completeness(0, List.of(), 0, 0, List.of());
    return new Answered(result, warnings, infos, NO_STATS, NO_TIMINGS, whole, null, new Written());
  }
}
