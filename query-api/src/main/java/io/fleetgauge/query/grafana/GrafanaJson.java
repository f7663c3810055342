package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;

/**
 * Reads the JSON of Grafana's data sources. A field that is missing, or of another type than
 * expected, counts as empty: plugins differ in what they leave out.
 */
final class GrafanaJson {
  private static final JsonObject NONE = new JsonObject();

  private GrafanaJson() {}

  /** The body of a request; an empty object when there is none. */
  static JsonObject body(ApiRequest request) throws QueryFailure {
    Buffer body = Buffer.buffer(request.body());
    if (body.toString().isBlank()) {
      return NONE;
    }
    Object value;
    try {
      value = Json.decodeValue(body);
    } catch (DecodeException e) {
      throw bad("the body is not JSON: " + e.getMessage());
    }
    if (value instanceof JsonObject object) {
      return object;
    }
    throw bad("the body is not a JSON object");
  }

  static QueryFailure bad(String why) {
    return new QueryFailure(QueryFailure.Kind.BAD_DATA, why);
  }

  /** A text, number or boolean as text. */
  static String text(Object value) {
    return value == null || value instanceof JsonObject || value instanceof JsonArray
        ? ""
        : value.toString();
  }

  static String text(JsonObject in, String name) {
    return text(in.getValue(name));
  }

  static long number(JsonObject in, String name, long fallback) {
    Object value = in.getValue(name);
    if (value instanceof Number number) {
      return number.longValue();
    }
    try {
      return Long.parseLong(text(value).strip());
    } catch (NumberFormatException e) {
      return fallback;
    }
  }

  static JsonObject object(JsonObject in, String name) {
    return in.getValue(name) instanceof JsonObject object ? object : NONE;
  }

  /** The objects of a list. */
  static List<JsonObject> objects(Object list) {
    return list instanceof JsonArray array
        ? array.stream().map(each -> each instanceof JsonObject object ? object : NONE).toList()
        : List.of();
  }

  /** Writes a number, or null for what JSON cannot represent. */
  static void writeNumber(JsonGenerator json, double value) throws IOException {
    if (Double.isFinite(value)) {
      json.writeNumber(value);
    } else {
      json.writeNull();
    }
  }

  /** Begins a table whose columns follow. */
  static void beginTable(JsonGenerator json, String refId) throws IOException {
    json.writeStartObject();
    json.writeStringField("type", "table");
    if (!refId.isEmpty()) {
      json.writeStringField("refId", refId);
    }
    json.writeArrayFieldStart("columns");
  }

  static void writeColumn(JsonGenerator json, String text, String type) throws IOException {
    json.writeStartObject();
    json.writeStringField("text", text);
    json.writeStringField("type", type);
    json.writeEndObject();
  }
}
