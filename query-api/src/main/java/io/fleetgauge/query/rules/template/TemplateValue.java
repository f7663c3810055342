package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A value of a template. */
sealed interface TemplateValue {
  /** A value without parts. */
  sealed interface Atom extends TemplateValue {}

  record Text(String text) implements TemplateValue {}

  /** An int of Go: {@code 1}, {@code len}. It cannot be compared with a {@link Real}. */
  record Whole(long number) implements Atom {}

  /** A float64 of Go: {@code $value}, {@code 1.0}. */
  record Real(double number) implements Atom {}

  record Bool(boolean flag) implements Atom {}

  record Labels(Map<String, String> labels) implements TemplateValue {}

  record Sample(Map<String, String> labels, TemplateValue value) implements TemplateValue {}

  /** The answer of a query. */
  record Samples(List<Sample> samples) implements TemplateValue {}

  /** The result of {@code args}. */
  record Arguments(List<TemplateValue> values) implements TemplateValue {
    /** The value of a name: {@code arg0}, {@code arg1} and so on. */
    TemplateValue named(String name) {
      for (int i = 0; i < values.size(); i++) {
        if (name.equals("arg" + i)) {
          return values.get(i);
        }
      }
      return NOTHING;
    }
  }

  record Time(long millis) implements Atom {}

  record NativeHistogram(Histogram histogram) implements Atom {}

  /** The alert, which is {@code .} at the beginning of a template. */
  record Alert(TemplateData data) implements TemplateValue {
    TemplateValue value() {
      return of(data.value(), data.histogram());
    }
  }

  /** In place of a value that there is not. */
  record Nothing() implements TemplateValue {}

  Nothing NOTHING = new Nothing();

  /**
   * @param histogram in place of the number; null if there is none
   */
  static TemplateValue of(double number, Histogram histogram) {
    return histogram == null ? new Real(number) : new NativeHistogram(histogram);
  }

  /** Returns whether {@code if} and {@code with} take the value as true. */
  default boolean isTrue() {
    return switch (this) {
      case Text text -> !text.text.isEmpty();
      case Whole whole -> whole.number != 0;
      case Real real -> real.number != 0;
      case Bool bool -> bool.flag;
      case Labels labels -> !labels.labels.isEmpty();
      case Samples samples -> !samples.samples.isEmpty();
      case Arguments arguments -> !arguments.values.isEmpty();
      case Sample _, Time _, NativeHistogram _, Alert _ -> true;
      case Nothing _ -> false;
    };
  }

  /** The value in messages: its kind, and itself if it is short. */
  default String described() {
    return switch (this) {
      case Text text -> "the text \"" + TemplateFailure.cut(text.text, 60) + "\"";
      case Whole whole -> "the whole number " + whole.number;
      case Real real -> "the number " + Numbers.general(real.number);
      case Bool bool -> String.valueOf(bool.flag);
      case Labels _ -> "labels";
      case Sample _ -> "a sample";
      case Samples _ -> "the result of a query";
      case Arguments _ -> "the result of args";
      case Time _ -> "a time";
      case NativeHistogram _ -> "a native histogram";
      case Alert _ -> "the whole alert";
      case Nothing _ -> "no value";
    };
  }

  // --- text ---

  /** The value as {@code {{ }}} and {@code print} write it: Go's {@code %v}. */
  default String written() throws TemplateFailure {
    return switch (this) {
      case Text text -> text.text;
      case Whole whole -> String.valueOf(whole.number);
      case Real real -> Numbers.general(real.number);
      case Bool bool -> String.valueOf(bool.flag);
      case Labels labels -> written(labels.labels);
      case Sample sample -> "{" + written(sample.labels) + " " + sample.value.written() + "}";
      case Samples _ -> throw new TemplateFailure("a result has no text; use range or first");
      case Arguments _ -> throw new TemplateFailure("args have no text; use .arg0");
      case Time time -> TimeLayout.written(time.millis);
      case NativeHistogram histogram -> written(histogram.histogram);
      case Alert alert ->
          "{%s %s %s %s}"
              .formatted(
                  written(alert.data.labels()),
                  written(alert.data.externalLabels()),
                  alert.data.externalUrl(),
                  alert.value().written());
      case Nothing _ -> "<nil>";
    };
  }

  private static String written(Map<String, String> labels) {
    return new TreeMap<>(labels)
        .entrySet().stream()
            .map(label -> label.getKey() + ":" + label.getValue())
            .collect(Collectors.joining(" ", "map[", "]"));
  }

  private static String written(Histogram histogram) {
    StringBuilder text = new StringBuilder("{count:");
    text.append(Numbers.general(histogram.count()));
    text.append(", sum:").append(Numbers.general(histogram.sum()));
    for (Histogram.Bucket bucket : histogram.buckets()) {
      boolean both = bucket.edges() == Histogram.Edges.BOTH;
      boolean lower = both || bucket.edges() == Histogram.Edges.LOWER;
      boolean upper = both || bucket.edges() == Histogram.Edges.UPPER;
      text.append(lower ? ", [" : ", (").append(Numbers.general(bucket.lower()));
      text.append(',').append(Numbers.general(bucket.upper())).append(upper ? "]:" : "):");
      text.append(Numbers.general(bucket.count()));
    }
    return text.append('}').toString();
  }

  // --- comparison ---

  /** Compares two values: 0 only if they are equal. NaN equals nothing. */
  private int order(TemplateValue other) throws TemplateFailure {
    if (this instanceof Text a && other instanceof Text b) {
      return Utf8Order.compare(a.text, b.text);
    }
    if (this instanceof Whole a && other instanceof Whole b) {
      return Long.compare(a.number, b.number);
    }
    if (this instanceof Whole && other instanceof Real
        || this instanceof Real && other instanceof Whole) {
      throw new TemplateFailure("cannot compare a whole number with a number; write 1.0, not 1");
    }
    throw new TemplateFailure("cannot compare " + described() + " with " + other.described());
  }

  default boolean equalTo(TemplateValue other) throws TemplateFailure {
    if (this instanceof Real a && other instanceof Real b) {
      return a.number == b.number;
    }
    if (this instanceof Bool a && other instanceof Bool b) {
      return a.flag == b.flag;
    }
    if (this instanceof Nothing || other instanceof Nothing) {
      return this == other;
    }
    return order(other) == 0;
  }

  default boolean lessThan(TemplateValue other) throws TemplateFailure {
    if (this instanceof Real a && other instanceof Real b) {
      return a.number < b.number;
    }
    return order(other) < 0;
  }
}
