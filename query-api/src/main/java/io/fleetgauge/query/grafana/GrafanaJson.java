package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;

/** Reads and writes the JSON of Grafana's data sources. */
final class GrafanaJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private GrafanaJson() {}

  static ObjectNode object() {
    return JSON.createObjectNode();
  }

  static ArrayNode array() {
    return JSON.createArrayNode();
  }

  static Buffer bytes(JsonNode node) {
    try {
      return Buffer.buffer(JSON.writeValueAsBytes(node));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // a tree can always be written
    }
  }

  /** The body of a request; an empty object when there is none. */
  static JsonNode body(ApiRequest request) throws QueryFailure {
    byte[] body = request.body();
    if (Buffer.buffer(body).toString().isBlank()) {
      return object();
    }
    try {
      JsonNode node = JSON.readTree(body);
      if (node.isObject()) {
        return node;
      }
    } catch (IOException e) {
      throw bad("the body is not JSON: " + e.getMessage());
    }
    throw bad("the body is not a JSON object");
  }

  static QueryFailure bad(String why) {
    return new QueryFailure(QueryFailure.Kind.BAD_DATA, why);
  }

  /** The first of two nodes, or the second when there is no first. */
  static JsonNode either(JsonNode first, JsonNode second) {
    return first.isMissingNode() ? second : first;
  }

  /** Adds a number, or null for what JSON cannot represent. */
  static void addNumber(ArrayNode array, double value) {
    if (Double.isFinite(value)) {
      array.add(value);
    } else {
      array.addNull();
    }
  }
}
