package io.fleetgauge.query.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.syntax.Expr;
import io.fleetgauge.promql.syntax.StrayBytes;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** Prometheus's envelope around each kind of answer. */
final class Json {
  // Outside label sets, Go's encoder writes what HTML gives meaning to as escapes.
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .characterEscapes(new HtmlSafe())
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          // The tree of a long query is a deep one; the parser has limited it.
          .streamWriteConstraints(
              StreamWriteConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).build())
          .build();

  private static final int FEW_BYTES = 1_024;
  private static final int LONG_BYTES = 1 << 20;

  private Json() {}

  /** Writes what stands under {@code data}. */
  interface Data {
    void write(JsonGenerator json) throws IOException;
  }

  /** As {@link Data}, also past the generator. */
  private interface Body {
    void write(JsonGenerator json, OutputStream bytes) throws IOException;
  }

  /**
   * @param withStats whether the answer says what it cost
   */
  static Buffer success(Answered answered, boolean withStats) {
    return write(size(answered.result()), body(answered, withStats));
  }

  private static Body body(Answered answered, boolean withStats) {
    return successful(
        (json, bytes) -> {
          json.writeStartObject();
          json.writeStringField("resultType", resultType(answered.result()));
          json.writeFieldName("result");
          result(json, bytes, answered.result());
          if (withStats) {
            stats(json, answered);
          }
          json.writeEndObject();
        },
        answered.warnings(),
        answered.infos());
  }

  /** As {@link #success(Answered, boolean)}, written to where it is sent from. */
  static void write(Answered answered, OutputStream out) throws IOException {
    write(out, body(answered, false));
  }

  /** A success with anything. */
  static Buffer data(Data data) {
    return success(data, List.of(), List.of());
  }

  static Buffer tree(Expr expr) {
    return success(json -> AstJson.write(json, expr), List.of(), List.of());
  }

  static Buffer text(String text) {
    return success(json -> json.writeString(text), List.of(), List.of());
  }

  static Buffer success(List<String> strings, List<String> warnings) {
    return success(
        json -> {
          json.writeStartArray();
          for (String string : strings) {
            json.writeString(string);
          }
          json.writeEndArray();
        },
        warnings,
        List.of());
  }

  static Buffer labelSets(List<Labels> sets, List<String> warnings) {
    return success(
        json -> {
          json.writeStartArray();
          for (Labels labels : sets) {
            labels(json, labels);
          }
          json.writeEndArray();
        },
        warnings,
        List.of());
  }

  /**
   * @param asMessage whether the text stands under {@code message} too
   */
  static Buffer error(QueryFailure failure, boolean asMessage) {
    return write(
        FEW_BYTES,
        (json, bytes) -> {
          json.writeStartObject();
          json.writeStringField("status", "error");
          json.writeStringField("errorType", failure.kind().text);
          json.writeStringField("error", StrayBytes.replaced(failure.getMessage()));
          if (asMessage) {
            json.writeStringField("message", StrayBytes.replaced(failure.getMessage()));
          }
          json.writeEndObject();
        });
  }

  private static Buffer success(Data data, List<String> warnings, List<String> infos) {
    return write(FEW_BYTES, successful((json, bytes) -> data.write(json), warnings, infos));
  }

  private static Body successful(Body data, List<String> warnings, List<String> infos) {
    return (json, bytes) -> {
      json.writeStartObject();
      json.writeStringField("status", "success");
      json.writeFieldName("data");
      data.write(json, bytes);
      strings(json, "warnings", warnings);
      strings(json, "infos", infos);
      json.writeEndObject();
    };
  }

  /** Writes to the end of a buffer. */
  private static final class Appending extends OutputStream {
    private final Buffer buffer;

    Appending(Buffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public void write(int one) {
      buffer.appendByte((byte) one);
    }

    @Override
    public void write(byte[] some, int from, int length) {
      buffer.appendBytes(some, from, length);
    }
  }

  /** About how many bytes an answer takes. */
  private static int size(Answer.Result result) {
    long points = 0;
    if (result instanceof Answer.Matrix matrix) {
      for (Series series : matrix.series()) {
        points += series.size();
      }
    }
    return (int) Math.min(1 << 24, 1_024 + 36 * points);
  }

  /**
   * @param bytes about how many there will be
   */
  private static Buffer write(int bytes, Body content) {
    Buffer buffer = Buffer.buffer(bytes);
    try {
      write(new Appending(buffer), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a buffer has no input or output to fail
    }
    return buffer;
  }

  private static void write(OutputStream into, Body content) throws IOException {
    try (JsonGenerator json =
        FACTORY.createGenerator(into).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
      content.write(json, into);
    }
  }

  /** Whether an answer is so long that it is better sent while it is written. */
  static boolean isLong(Answered answered) {
    return size(answered.result()) > LONG_BYTES;
  }

  private static void strings(JsonGenerator json, String name, List<String> strings)
      throws IOException {
    if (!strings.isEmpty()) {
      json.writeArrayFieldStart(name);
      for (String string : strings) {
        json.writeString(string);
      }
      json.writeEndArray();
    }
  }

  private static void stats(JsonGenerator json, Answered answered) throws IOException {
    Answered.Timings timings = answered.timings();
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
    json.writeNumberField("totalQueryableSamples", answered.stats().samples());
    json.writeNumberField("peakSamples", answered.stats().peakSamples());
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
          labels(json, sample.labels());
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
          labels(json, series.labels());
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
      // Past the generator, which would look at every character again.
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

  private static void labels(JsonGenerator json, Labels labels) throws IOException {
    CharacterEscapes outside = json.getCharacterEscapes();
    json.setCharacterEscapes(null);
    json.writeStartObject();
    for (int i = 0; i < labels.size(); i++) {
      json.writeStringField(labels.name(i), labels.value(i));
    }
    json.writeEndObject();
    json.setCharacterEscapes(outside);
  }

  private static final class HtmlSafe extends CharacterEscapes {
    private static final long serialVersionUID = 1L;

    private final int[] ascii = standardAsciiEscapesForJSON();

    HtmlSafe() {
      ascii['<'] = ESCAPE_STANDARD;
      ascii['>'] = ESCAPE_STANDARD;
      ascii['&'] = ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ascii.clone();
    }

    @Override
    public SerializableString getEscapeSequence(int character) {
      return switch (character) {
        case 0x2028 -> new SerializedString("\\u2028");
        case 0x2029 -> new SerializedString("\\u2029");
        default -> null;
      };
    }
  }
}
