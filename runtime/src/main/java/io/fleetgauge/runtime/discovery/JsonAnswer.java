package io.fleetgauge.runtime.discovery;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import java.io.IOException;

/** The body of an answer in JSON. */
final class JsonAnswer {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonAnswer() {}

  /**
   * @return not null, and not missing
   * @throws BadAnswer if it is not JSON
   */
  static JsonNode tree(byte[] body) throws BadAnswer {
    try {
      JsonNode tree = MAPPER.readTree(body);
      if (tree == null || tree.isMissingNode() || tree.isNull()) {
        throw new BadAnswer(Reason.MALFORMED, "the response has no JSON");
      }
      return tree;
    } catch (JsonProcessingException e) {
      throw new BadAnswer(Reason.MALFORMED, "the response is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new BadAnswer(Reason.MALFORMED, "the response is not JSON: " + e.getMessage());
    }
  }

  /** The bytes of a value, for a request. */
  static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // maps, lists, texts and numbers can be written
    }
  }

  /** A list below a node; the empty one when it is missing. */
  static JsonNode list(JsonNode node, String field) throws BadAnswer {
    JsonNode list = node.path(field);
    if (list.isMissingNode() || list.isNull()) {
      return MAPPER.createArrayNode();
    }
    if (!list.isArray()) {
      throw new BadAnswer(
          Reason.MALFORMED,
          field + " is " + AddressList.shown(list.toString()) + "; a list is expected");
    }
    return list;
  }
}
