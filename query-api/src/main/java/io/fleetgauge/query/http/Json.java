package io.fleetgauge.query.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.fleetgauge.promql.exec.Answer;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Prometheus's envelope around each kind of answer. */
final class Json {
  // Outside label sets, Go's encoder writes what HTML gives meaning to as escapes.
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .characterEscapes(new HtmlSafe())
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .build();

  private Json() {}

  private interface Data {
    void write(JsonGenerator json) throws IOException;
  }

  static Buffer success(Answered answered) {
    return success(
        json -> {
          json.writeStartObject();
          json.writeStringField("resultType", resultType(answered.result()));
          json.writeFieldName("result");
          result(json, answered.result());
          json.writeEndObject();
        },
        answered.warnings(),
        answered.infos());
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

  static Buffer object(Map<String, String> fields) {
    return success(
        json -> {
          json.writeStartObject();
          for (var field : fields.entrySet()) {
            json.writeStringField(field.getKey(), field.getValue());
          }
          json.writeEndObject();
        },
        List.of(),
        List.of());
  }

  static Buffer error(QueryFailure failure) {
    return write(
        json -> {
          json.writeStartObject();
          json.writeStringField("status", "error");
          json.writeStringField("errorType", failure.kind().text);
          json.writeStringField("error", failure.getMessage());
          json.writeEndObject();
        });
  }

  private static Buffer success(Data data, List<String> warnings, List<String> infos) {
    return write(
        json -> {
          json.writeStartObject();
          json.writeStringField("status", "success");
          json.writeFieldName("data");
          data.write(json);
          strings(json, "warnings", warnings);
          strings(json, "infos", infos);
          json.writeEndObject();
        });
  }

  private static Buffer write(Data content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      content.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a byte array has no input or output to fail
    }
    return Buffer.buffer(bytes.toByteArray());
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

  private static String resultType(Answer.Result result) {
    return switch (result) {
      case Answer.Scalar scalar -> "scalar";
      case Answer.Text text -> "string";
      case Answer.Vector vector -> "vector";
      case Answer.Matrix matrix -> "matrix";
    };
  }

  private static void result(JsonGenerator json, Answer.Result result) throws IOException {
    switch (result) {
      case Answer.Scalar scalar -> point(json, scalar.time(), Numbers.text(scalar.value()));
      case Answer.Text text -> point(json, text.time(), text.value());
      case Answer.Vector vector -> {
        json.writeStartArray();
        for (Answer.Sample sample : vector.samples()) {
          json.writeStartObject();
          json.writeFieldName("metric");
          labels(json, sample.labels());
          json.writeFieldName("value");
          point(json, vector.time(), Numbers.text(sample.value()));
          json.writeEndObject();
        }
        json.writeEndArray();
      }
      case Answer.Matrix matrix -> {
        json.writeStartArray();
        for (Series series : matrix.series()) {
          json.writeStartObject();
          json.writeFieldName("metric");
          labels(json, series.labels());
          json.writeArrayFieldStart("values");
          for (int i = 0; i < series.size(); i++) {
            point(json, series.times()[i], Numbers.text(series.values()[i]));
          }
          json.writeEndArray();
          json.writeEndObject();
        }
        json.writeEndArray();
      }
    }
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
