package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.Histogram;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The values of templates. A string is a {@link String}, an int a {@link Long}, a float64 a {@link
 * Double}, a bool a {@link Boolean}, no value is null; labels are a {@link Map}; everything else is
 * a record of this class, {@link GoTime}, {@link Histogram} or {@link TemplateData}.
 */
final class Values {
  private static final String DATA =
      "struct { Labels map[string]string; ExternalLabels map[string]string; ExternalURL string;"
          + " Value interface {} }";

  /** A sample of an answer. */
  record Sample(Map<String, String> labels, Object value) {}

  /** The answer of a query. */
  record Result(List<Sample> samples) {}

  /** What {@code args} makes. */
  record Arguments(Map<String, Object> values) {}

  /** What {@code safeHtml} makes. */
  record Html(String text) {}

  /** A complex number. */
  record Complex(double real, double imaginary) {}

  /** A byte of a string. */
  record Uint8(int value) {}

  /** A number with a name: a month or a day of the week. */
  record Named(String type, String name, long value) {}

  /** Go's time.Duration. */
  record GoDuration(long nanos) {
    private static final long SECOND = 1_000_000_000;

    double seconds() {
      return nanos / SECOND + nanos % SECOND / 1e9;
    }

    /** As Go writes it: {@code 1h2m3.5s}, {@code 1.5ms}, {@code 0s}. */
    @Override
    public String toString() {
      if (nanos == 0) {
        return "0s";
      }
      String sign = nanos < 0 ? "-" : "";
      long magnitude = Math.abs(nanos);
      if (magnitude < SECOND) {
        String unit = magnitude < 1_000 ? "ns" : magnitude < 1_000_000 ? "µs" : "ms";
        long scale = magnitude < 1_000 ? 1 : magnitude < 1_000_000 ? 1_000 : 1_000_000;
        return sign + decimal(magnitude, scale) + unit;
      }
      long seconds = magnitude / SECOND;
      String text = decimal(magnitude - seconds / 60 * 60 * SECOND, SECOND) + "s";
      if (seconds >= 60) {
        text = seconds / 60 % 60 + "m" + text;
      }
      if (seconds >= 3600) {
        text = seconds / 3600 + "h" + text;
      }
      return sign + text;
    }

    private static String decimal(long value, long scale) {
      return java.math.BigDecimal.valueOf(value)
          .divide(java.math.BigDecimal.valueOf(scale))
          .stripTrailingZeros()
          .toPlainString();
    }
  }

  /** In place of a field that there is not. */
  static final Object NONE = new Object();

  private Values() {}

  /** The name of a value's type in Go. */
  static String type(Object value) {
    return switch (value) {
      case null -> "<nil>";
      case String _ -> "string";
      case Long _ -> "int";
      case Double _ -> "float64";
      case Boolean _ -> "bool";
      case Map<?, ?> _ -> "map[string]string";
      case Sample _ -> "*template.sample";
      case Result _ -> "template.queryResult";
      case Arguments _ -> "map[string]interface {}";
      case Html _ -> "template.HTML";
      case Uint8 _ -> "uint8";
      case Complex _ -> "complex128";
      case Named named -> named.type();
      case GoTime _ -> "*time.Time";
      case GoDuration _ -> "time.Duration";
      case Histogram _ -> "*histogram.FloatHistogram";
      case TemplateData _ -> DATA;
      default -> value.getClass().getSimpleName();
    };
  }

  static boolean isTrue(Object value) {
    return switch (value) {
      case null -> false;
      case String text -> !text.isEmpty();
      case Html html -> !html.text().isEmpty();
      case Long number -> number != 0;
      case Double number -> number != 0;
      case Boolean bool -> bool;
      case Map<?, ?> map -> !map.isEmpty();
      case Result result -> !result.samples().isEmpty();
      case Arguments arguments -> !arguments.values().isEmpty();
      case Uint8 number -> number.value() != 0;
      case Complex complex -> complex.real() != 0 || complex.imaginary() != 0;
      case Named named -> named.value() != 0;
      case GoDuration duration -> duration.nanos() != 0;
      default -> true;
    };
  }

  static int utf8Length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** A field of a histogram; null if it has no such. */
  static Object field(Histogram histogram, String field) {
    return switch (field) {
      case "Count" -> histogram.count();
      case "Sum" -> histogram.sum();
      case "ZeroThreshold" -> histogram.zeroThreshold();
      case "ZeroCount" -> histogram.zeroCount();
      case "String" -> GoFormat.histogram(histogram);
      default -> null;
    };
  }

  /** A field of the data; {@link #NONE} if it has no such. */
  static Object field(TemplateData data, String field) {
    return switch (field) {
      case "Labels" -> data.labels();
      case "ExternalLabels" -> data.externalLabels();
      case "ExternalURL" -> data.externalUrl();
      case "Value" -> Execution.value(data);
      case "Partial" -> data.partial();
      default -> NONE;
    };
  }

  // --- comparison ---

  private enum Basic {
    BOOL,
    FLOAT,
    INT,
    UINT,
    STRING,
    NONE
  }

  private static Basic basic(Object value) {
    return switch (value) {
      case Boolean _ -> Basic.BOOL;
      case Double _ -> Basic.FLOAT;
      case Long _, Named _, GoDuration _ -> Basic.INT;
      case Uint8 _ -> Basic.UINT;
      case String _, Html _ -> Basic.STRING;
      case null, default -> Basic.NONE;
    };
  }

  private static long whole(Object value) {
    return switch (value) {
      case Long number -> number;
      case Named named -> named.value();
      case GoDuration duration -> duration.nanos();
      case Uint8 number -> number.value();
      default -> throw new IllegalArgumentException(String.valueOf(value));
    };
  }

  private static boolean isWhole(Basic kind) {
    return kind == Basic.INT || kind == Basic.UINT;
  }

  private static String text(Object value) {
    return value instanceof Html html ? html.text() : (String) value;
  }

  static boolean equal(Object first, Object second) throws TemplateFailure {
    Basic kind = basic(first);
    Basic other = basic(second);
    if (isWhole(kind) && isWhole(other)) {
      return whole(first) == whole(second);
    }
    if (kind != other) {
      if (first != null && second != null) {
        throw incompatible(first, second);
      }
      return false;
    }
    return switch (kind) {
      case BOOL -> first.equals(second);
      case FLOAT -> (double) (Double) first == (double) (Double) second;
      case STRING -> text(first).equals(text(second));
      case INT, UINT -> throw new IllegalStateException();
      case NONE -> {
        if (first == null || second == null) {
          yield first == second;
        }
        for (Object value : new Object[] {first, second}) {
          if (value instanceof Map || value instanceof Result || value instanceof Arguments) {
            throw new TemplateFailure(
                "non-comparable type " + GoFormat.value(value) + ": " + type(value));
          }
        }
        yield first == second;
      }
    };
  }

  private static TemplateFailure incompatible(Object first, Object second) {
    return new TemplateFailure(
        "incompatible types for comparison: " + type(first) + " and " + type(second));
  }

  static boolean less(Object first, Object second) throws TemplateFailure {
    Basic kind = basic(first);
    Basic other = basic(second);
    if (kind == Basic.NONE || other == Basic.NONE) {
      throw new TemplateFailure("invalid type for comparison");
    }
    if (isWhole(kind) && isWhole(other)) {
      return whole(first) < whole(second);
    }
    if (kind != other) {
      throw incompatible(first, second);
    }
    return switch (kind) {
      case FLOAT -> (Double) first < (Double) second;
      case STRING -> io.fleetgauge.sample.Utf8Order.compare(text(first), text(second)) < 0;
      default -> throw new TemplateFailure("invalid type for comparison");
    };
  }
}
