package io.fleetgauge.query.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Prometheus's envelope around data and errors. */
public final class Json {
  // Go's encoder escapes characters that have a meaning in HTML, except in label sets.
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .characterEscapes(new HtmlSafe())
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          // The parser limits the depth of queries, and so that of their trees.
          .streamWriteConstraints(
              StreamWriteConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).build())
          .build();

  private static final int FEW_BYTES = 1_024;

  private Json() {}

  /** Writes the value of {@code data}. */
  public interface Data {
    void write(JsonGenerator json) throws IOException;
  }

  /** As {@link Data}, and may write bytes that the generator does not check. */
  public interface Content {
    void write(JsonGenerator json, OutputStream bytes) throws IOException;
  }

  /** A success. */
  public static Buffer data(Data data) {
    return success(data, List.of(), List.of());
  }

  /** A success with warnings. */
  public static Buffer success(Data data, List<String> warnings) {
    return success(data, warnings, List.of());
  }

  public static Buffer text(String text) {
    return success(json -> json.writeString(text), List.of(), List.of());
  }

  public static Buffer success(List<String> strings, List<String> warnings) {
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

  public static Buffer labelSets(List<Labels> sets, List<String> warnings) {
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
   * @param asMessage true if the text is also the value of {@code message}
   */
  static Buffer error(QueryFailure failure, boolean asMessage) {
    return write(
        FEW_BYTES,
        (json, bytes) -> {
          json.writeStartObject();
          json.writeStringField("status", "error");
          json.writeStringField("errorType", failure.kind().errorType);
          json.writeStringField("error", InvalidUtf8.replaced(failure.getMessage()));
          if (asMessage) {
            json.writeStringField("message", InvalidUtf8.replaced(failure.getMessage()));
          }
          json.writeEndObject();
        });
  }

  private static Buffer success(Data data, List<String> warnings, List<String> infos) {
    return write(FEW_BYTES, successful((json, bytes) -> data.write(json), warnings, infos));
  }

  public static Content successful(Content data, List<String> warnings, List<String> infos) {
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

  /**
   * @param bytes expected size
   */
  public static Buffer write(int bytes, Content content) {
    Buffer buffer = Buffer.buffer(bytes);
    try {
      write(new Appending(buffer), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a buffer has no input or output to fail
    }
    return buffer;
  }

  public static void write(OutputStream into, Content content) throws IOException {
    try (JsonGenerator json =
        FACTORY.createGenerator(into).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
      content.write(json, into);
    }
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

  public static void labels(JsonGenerator json, Labels labels) throws IOException {
    CharacterEscapes outside = json.getCharacterEscapes();
    json.setCharacterEscapes(null);
    json.writeStartObject();
    for (int i = 0; i < labels.size(); i++) {
      json.writeStringField(labels.name(i), labels.value(i));
    }
    json.writeEndObject();
    json.setCharacterEscapes(outside);
  }

  /** As labels, whose values may be empty. */
  public static void texts(JsonGenerator json, Map<String, String> texts) throws IOException {
    CharacterEscapes outside = json.getCharacterEscapes();
    json.setCharacterEscapes(null);
    json.writeStartObject();
    for (Map.Entry<String, String> text : texts.entrySet()) {
      json.writeStringField(text.getKey(), text.getValue());
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
