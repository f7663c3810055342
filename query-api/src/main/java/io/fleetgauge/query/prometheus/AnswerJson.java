package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes answers of queries in Prometheus's envelope. */
final class AnswerJson {
  private static final int LONG_BYTES = 1 << 20;

  /** So many points are written in less time than a worker thread needs to wake up. */
  private static final int FEW_POINTS = 4_000;

  private static final int FEW_SAMPLES = FEW_POINTS / 10;

  private AnswerJson() {}

  /**
   * @param withStats true if the response has statistics
   */
  static Buffer success(Reply<Evaluated> reply, boolean withStats) {
    return Json.write(size(reply.value().result()), content(reply, withStats));
  }

  /** As {@link #success} without statistics, into a stream. */
  static void write(Reply<Evaluated> reply, OutputStream out) throws IOException {
    Json.write(out, content(reply, false));
  }

  private static Json.Content content(Reply<Evaluated> reply, boolean withStats) {
    Evaluated evaluated = reply.value();
    return Json.successful(
        (json, bytes) -> {
          json.writeStartObject();
          json.writeStringField("resultType", resultType(evaluated.result()));
          json.writeFieldName("result");
          result(json, bytes, evaluated.result());
          if (withStats) {
            stats(json, evaluated);
          }
          json.writeEndObject();
        },
        reply.warnings(),
        evaluated.infos());
  }

  /** Expected size of an answer in bytes, to begin with a buffer of that size. */
  private static int size(Answer.Result result) {
    long points = result instanceof Answer.Matrix matrix ? points(matrix) : 0;
    return (int) Math.min(1 << 24, 1_024 + 36 * points);
  }

  private static long points(Answer.Matrix matrix) {
    long points = 0;
    for (Series series : matrix.series()) {
      points += series.size();
    }
    return points;
  }

  /** Returns true if an answer may be written on an event loop. */
  static boolean isShort(Answer.Result result) {
    return switch (result) {
      case Answer.Matrix matrix -> points(matrix) < FEW_POINTS;
      case Answer.Vector vector -> vector.samples().size() < FEW_SAMPLES;
      case Answer.Scalar scalar -> true;
      case Answer.Text text -> true;
    };
  }

  /** Returns true if an answer is too long to be written as a whole before it is sent. */
  static boolean isLong(Answer.Result result) {
    return size(result) > LONG_BYTES;
  }

  private static void stats(JsonGenerator json, Evaluated evaluated) throws IOException {
    Evaluated.Timings timings = evaluated.timings();
    json.writeObjectFieldStart("stats");
    json.writeObjectFieldStart("timings");
    seconds(json, "evalTotalTime", timings.fetched() + timings.evaluated());
    seconds(json, "resultSortTime", 0);
    seconds(json, "queryPreparationTime", timings.fetched());
    seconds(json, "innerEvalTime", timings.evaluated());
    seconds(json, "execQueueTime", timings.queued());
    seconds(json, "execTotalTime", timings.queued() + timings.fetched() + timings.evaluated());
    json.writeEndObject();
    json.writeObjectFieldStart("samples");
    json.writeNumberField("totalQueryableSamples", evaluated.stats().samples());
    json.writeNumberField("peakSamples", evaluated.stats().peakSamples());
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void seconds(JsonGenerator json, String name, long nanos) throws IOException {
    json.writeFieldName(name);
    json.writeRawValue(Numbers.plain(nanos / 1e9));
  }

  private static String resultType(Answer.Result result) {
    return switch (result) {
      case Answer.Scalar scalar -> "scalar";
      case Answer.Text text -> "string";
      case Answer.Vector vector -> "vector";
      case Answer.Matrix matrix -> "matrix";
    };
  }

  private static void result(JsonGenerator json, OutputStream bytes, Answer.Result result)
      throws IOException {
    switch (result) {
      case Answer.Scalar scalar -> point(json, scalar.time(), Numbers.text(scalar.value()));
      case Answer.Text text -> point(json, text.time(), text.value());
      case Answer.Vector vector -> {
        json.writeStartArray();
        for (Answer.Sample sample : vector.samples()) {
          json.writeStartObject();
          json.writeFieldName("metric");
          Json.labels(json, sample.labels());
          if (sample.histogram() == null) {
            json.writeFieldName("value");
            point(json, vector.time(), Numbers.text(sample.value()));
          } else {
            json.writeFieldName("histogram");
            point(json, vector.time(), sample.histogram());
          }
          json.writeEndObject();
        }
        json.writeEndArray();
      }
      case Answer.Matrix matrix -> {
        PointWriter writer = new PointWriter();
        json.writeStartArray();
        for (Series series : matrix.series()) {
          json.writeStartObject();
          json.writeFieldName("metric");
          Json.labels(json, series.labels());
          points(json, bytes, writer, series);
          json.writeEndObject();
        }
        json.writeEndArray();
      }
    }
  }

  private static void points(
      JsonGenerator json, OutputStream bytes, PointWriter writer, Series series)
      throws IOException {
    Histogram[] histograms = series.histograms();
    int numbers = series.size();
    if (histograms != null) {
      for (Histogram histogram : histograms) {
        numbers -= histogram == null ? 0 : 1;
      }
    }
    if (numbers > 0) {
      json.writeFieldName("values");
      // Not by the generator, which would check every character.
      json.writeRawValue("");
      json.flush();
      int length = writer.write(series);
      bytes.write(writer.bytes(), 0, length);
    }
    if (histograms != null) {
      json.writeArrayFieldStart("histograms");
      for (int i = 0; i < series.size(); i++) {
        if (histograms[i] != null) {
          point(json, series.times()[i], histograms[i]);
        }
      }
      json.writeEndArray();
    }
  }

  private static void point(JsonGenerator json, long time, Histogram histogram) throws IOException {
    json.writeStartArray();
    json.writeRawValue(Numbers.seconds(time));
    json.writeStartObject();
    json.writeStringField("count", Numbers.text(histogram.count()));
    json.writeStringField("sum", Numbers.text(histogram.sum()));
    List<Histogram.Bucket> buckets = histogram.buckets();
    if (!buckets.isEmpty()) {
      json.writeArrayFieldStart("buckets");
      for (Histogram.Bucket bucket : buckets) {
        json.writeStartArray();
        json.writeNumber(bucket.edges().code);
        json.writeString(Numbers.text(bucket.lower()));
        json.writeString(Numbers.text(bucket.upper()));
        json.writeString(Numbers.text(bucket.count()));
        json.writeEndArray();
      }
      json.writeEndArray();
    }
    json.writeEndObject();
    json.writeEndArray();
  }

  private static void point(JsonGenerator json, long time, String value) throws IOException {
    json.writeStartArray();
    json.writeRawValue(Numbers.seconds(time));
    json.writeString(value);
    json.writeEndArray();
  }
}
