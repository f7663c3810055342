package io.fleetgauge.gateway.otlp;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.fleetgauge.sample.prometheus.Numbers;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.util.Base64;
import java.util.TreeMap;

/** Values of attributes as values of labels: lists and maps are JSON. */
final class OtlpValues {
  private OtlpValues() {}

  static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case BYTES_VALUE -> Base64.getEncoder().encodeToString(value.getBytesValue().toByteArray());
      case VALUE_NOT_SET -> "";
      default -> json(value);
    };
  }

  private static String json(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> quoted(value.getStringValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      case INT_VALUE -> Long.toString(value.getIntValue());
      case DOUBLE_VALUE -> number(value.getDoubleValue());
      case BYTES_VALUE -> quoted(text(value));
      case ARRAY_VALUE -> {
        StringBuilder all = new StringBuilder("[");
        for (AnyValue each : value.getArrayValue().getValuesList()) {
          all.append(all.length() > 1 ? "," : "").append(json(each));
        }
        yield all.append(']').toString();
      }
      case KVLIST_VALUE -> {
        TreeMap<String, String> sorted = new TreeMap<>();
        for (KeyValue each : value.getKvlistValue().getValuesList()) {
          sorted.put(each.getKey(), json(each.getValue()));
        }
        StringBuilder all = new StringBuilder("{");
        sorted.forEach(
            (key, text) ->
                all.append(all.length() > 1 ? "," : "")
                    .append(quoted(key))
                    .append(':')
                    .append(text));
        yield all.append('}').toString();
      }
      default -> "null";
    };
  }

  /** Go's form of a number in JSON: exponents have no zero in front. */
  private static String number(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return "json: unsupported value: " + Numbers.text(value);
    }
    return Numbers.text(value).replace("e-0", "e-");
  }

  /** Go's form of a string in JSON, which may stand in HTML. */
  private static String quoted(String text) {
    String escaped = new String(JsonStringEncoder.getInstance().quoteAsString(text));
    return '"'
        + escaped
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
            .replace("&", "\\u0026")
            .replace("\u2028", "\\u2028")
            .replace("\u2029", "\\u2029")
        + '"';
  }
}
