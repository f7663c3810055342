package io.fleetgauge.query.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.cache.CachedBody;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerJsonTest {
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
    assertThat(json(new Answer.Matrix(List.of()))).contains("\"matrix\",\"result\":[]");
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
  void emptyWarningsAndInfosAreLeftOut() {
    Evaluated scalar = evaluated(new Answer.Scalar(0, 1), List.of("i1", "i2"));
    assertThat(AnswerJson.success(reply(scalar, List.of("w")), false).toString())
        .endsWith("},\"warnings\":[\"w\"],\"infos\":[\"i1\",\"i2\"]}");
    assertThat(AnswerJson.success(reply(scalar, List.of()), false).toString())
        .endsWith("},\"infos\":[\"i1\",\"i2\"]}");
  }

  @Test
  void statisticsFollowTheResultOnRequest() {
    Evaluated evaluated =
        new Evaluated(
            new Answer.Scalar(0, 1),
            List.of(),
            new Answer.Stats(7, 3),
            new Evaluated.Timings(1_000_000, 2_000_000, 4_000_000),
            null,
            new CachedBody());
    String json = AnswerJson.success(reply(evaluated, List.of()), true).toString();
    assertThat(json)
        .contains("\"timings\":{\"evalTotalTime\":0.006,\"resultSortTime\":0,")
        .contains("\"queryPreparationTime\":0.002,\"innerEvalTime\":0.004,")
        .contains("\"execQueueTime\":0.001,\"execTotalTime\":0.007}")
        .contains("\"samples\":{\"totalQueryableSamples\":7,\"peakSamples\":3}");
  }

  @Test
  void histogramsStandBesideNumbers() {
    // Bucket 1 of schema 0 holds observations above 1 and up to 2.
    Histogram histogram =
        new Histogram(
            0,
            Histogram.ResetHint.UNKNOWN,
            2,
            3,
            0.001,
            0,
            new Histogram.Buckets(new int[] {1}, new double[] {2}),
            Histogram.Buckets.NONE,
            new double[0]);
    Series mixed =
        new Series(
            Labels.of("a", "b"),
            new long[] {1_000, 2_000},
            new double[] {0.5, 0},
            new Histogram[] {null, histogram});
    String point = "[2,{\"count\":\"2\",\"sum\":\"3\",\"buckets\":[[0,\"1\",\"2\",\"2\"]]}]";
    assertThat(json(new Answer.Matrix(List.of(mixed))))
        .contains(
            "{\"metric\":{\"a\":\"b\"},\"values\":[[1,\"0.5\"]],\"histograms\":[" + point + "]}");
    assertThat(
            json(new Answer.Vector(2_000, List.of(new Answer.Sample(Labels.EMPTY, 0, histogram)))))
        .contains("[{\"metric\":{},\"histogram\":" + point + "}]");
  }

  @Test
  void aStreamAndABufferHaveTheSameContent() throws Exception {
    Series series = new Series(Labels.of("a", "b"), new long[] {1, 2_500}, new double[] {1, -0.25});
    Reply<Evaluated> reply =
        reply(evaluated(new Answer.Matrix(List.of(series)), List.of("i")), List.of("w"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AnswerJson.write(reply, out);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(AnswerJson.success(reply, false).toString());
  }

  @Test
  void aFewPointsAreShortAndVeryManyAreLong() {
    assertThat(AnswerJson.isShort(points(3_999))).isTrue();
    assertThat(AnswerJson.isShort(points(4_000))).isFalse();
    assertThat(AnswerJson.isLong(points(29_000))).isFalse();
    assertThat(AnswerJson.isLong(points(30_000))).isTrue();
    assertThat(AnswerJson.isShort(new Answer.Scalar(0, 1))).isTrue();
    assertThat(AnswerJson.isShort(new Answer.Text(0, ""))).isTrue();
    assertThat(AnswerJson.isShort(samples(399))).isTrue();
    assertThat(AnswerJson.isShort(samples(400))).isFalse();
    assertThat(AnswerJson.isLong(samples(100_000))).isFalse();
  }

  private static Answer.Result points(int count) {
    return new Answer.Matrix(List.of(new Series(Labels.EMPTY, new long[count], new double[count])));
  }

  private static Answer.Result samples(int count) {
    return new Answer.Vector(
        0, Collections.nCopies(count, new Answer.Sample(Labels.EMPTY, 1, null)));
  }

  private static String json(Answer.Result result) {
    return AnswerJson.success(reply(evaluated(result, List.of()), List.of()), false).toString();
  }

  private static Evaluated evaluated(Answer.Result result, List<String> infos) {
    return new Evaluated(
        result,
        infos,
        new Answer.Stats(0, 0),
        new Evaluated.Timings(0, 0, 0),
        null,
        new CachedBody());
  }

  private static Reply<Evaluated> reply(Evaluated evaluated, List<String> warnings) {
    return new Reply<>(evaluated, warnings, new Completeness(0, List.of(), false, 0, 0, List.of()));
  }
}
