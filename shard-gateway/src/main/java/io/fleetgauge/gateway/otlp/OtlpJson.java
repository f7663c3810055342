package io.fleetgauge.gateway.otlp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.fleetgauge.sample.wire.WireException;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import java.io.IOException;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Reads messages of OpenTelemetry from JSON: that of protobuf, but enums may be numbers, and
 * identities are hexadecimal. Unknown fields are skipped.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding">JSON Protobuf
 *     Encoding</a>
 */
final class OtlpJson {
  private static final int MAX_DEPTH = 100;

  /** A token takes some 60 bytes in memory. */
  private static final int MAX_TOKENS = 1_500_000;

  private static final int SHOWN = 200;
  private static final ObjectMapper JSON =
      new JsonMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder()
                      .maxNestingDepth(MAX_DEPTH)
                      .maxTokenCount(MAX_TOKENS)
                      .build())
              .build());

  private OtlpJson() {}

  /** The answer to a request as JSON. */
  static String text(ExportMetricsServiceResponse response) {
    ObjectNode json = JSON.createObjectNode();
    if (response.hasPartialSuccess()) {
      long rejected = response.getPartialSuccess().getRejectedDataPoints();
      json.putObject("partialSuccess")
          .put("rejectedDataPoints", Long.toString(rejected))
          .put("errorMessage", response.getPartialSuccess().getErrorMessage());
    }
    return json.toString();
  }

  /** A google.rpc.Status as JSON. */
  static String status(int code, String message) {
    return JSON.createObjectNode().put("code", code).put("message", message).toString();
  }

  /** Reads a message. */
  static void read(byte[] body, Message.Builder into) throws WireException {
    JsonNode root;
    try {
      root = JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new WireException("the body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new WireException("the body is not JSON: " + e.getMessage());
    }
    object(root, into, "the body");
  }

  private static void object(JsonNode node, Message.Builder into, String where)
      throws WireException {
    if (!node.isObject()) {
      throw new WireException(where + " is not a JSON object");
    }
    for (FieldDescriptor field : into.getDescriptorForType().getFields()) {
      JsonNode value = node.get(field.getJsonName());
      if (value == null) {
        value = node.get(field.getName());
      }
      if (value == null || value.isNull()) {
        continue;
      }
      if (!field.isRepeated()) {
        into.setField(field, value(value, field, into));
        continue;
      }
      if (!value.isArray()) {
        throw new WireException(field.getJsonName() + " is not a JSON array");
      }
      for (JsonNode each : value) {
        into.addRepeatedField(field, value(each, field, into));
      }
    }
  }

  private static Object value(JsonNode node, FieldDescriptor field, Message.Builder parent)
      throws WireException {
    String name = field.getJsonName();
    try {
      return switch (field.getJavaType()) {
        case MESSAGE -> {
          Message.Builder child = parent.newBuilderForField(field);
          object(node, child, name);
          yield child.build();
        }
        case STRING -> text(node, name);
        case BOOLEAN -> node.isBoolean() ? node.booleanValue() : Boolean.valueOf(text(node, name));
        case DOUBLE -> number(node, name);
        case FLOAT -> (float) number(node, name);
        case INT -> (int) whole(node, name);
        case LONG -> whole(node, name);
        case ENUM -> constant(node, field);
        case BYTE_STRING -> bytes(text(node, name), name.endsWith("Id"));
      };
    } catch (IllegalArgumentException e) {
      String shown = node.toString();
      throw new WireException(
          name + " is not valid: " + shown.substring(0, Math.min(SHOWN, shown.length())));
    }
  }

  private static String text(JsonNode node, String name) throws WireException {
    if (!node.isTextual()) {
      throw new WireException(name + " is not a JSON string");
    }
    return node.textValue();
  }

  private static double number(JsonNode node, String name) throws WireException {
    if (node.isNumber()) {
      return node.doubleValue();
    }
    return Double.parseDouble(text(node, name));
  }

  /** Whole numbers of 64 bits are strings, because those of JSON may lack digits. */
  private static long whole(JsonNode node, String name) throws WireException {
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return node.longValue();
    }
    String digits =
        node.isNumber() ? node.decimalValue().toBigInteger().toString() : text(node, name);
    return digits.startsWith("-") ? Long.parseLong(digits) : Long.parseUnsignedLong(digits);
  }

  private static EnumValueDescriptor constant(JsonNode node, FieldDescriptor field)
      throws WireException {
    EnumValueDescriptor constant =
        node.isNumber()
            ? field.getEnumType().findValueByNumber(node.intValue())
            : field.getEnumType().findValueByName(text(node, field.getJsonName()));
    return constant == null ? field.getEnumType().getValues().getFirst() : constant;
  }

  /** Identities of traces and spans are hexadecimal. */
  private static ByteString bytes(String text, boolean isHex) {
    return ByteString.copyFrom(
        isHex ? HexFormat.of().parseHex(text) : Base64.getDecoder().decode(text));
  }
}
