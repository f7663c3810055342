package io.fleetgauge.runtime.key;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import io.fleetgauge.sample.relabel.RelabelFields;
import io.fleetgauge.sample.relabel.RelabelRule;
import io.fleetgauge.sample.relabel.Relabelling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * The type of a key's values: how one is read, checked, printed, and named in errors and on the
 * reference page.
 *
 * @param <T> the value
 */
public sealed interface KeyType<T> {
  /** The name of the type, such as {@code duration}. */
  String name();

  /** The allowed values for the reference page, such as {@code 1s to 1h}; empty when any is. */
  String range();

  /** The allowed values for an error, such as {@code a duration from 1s to 1h}. */
  String allowed();

  /** A value as it is written in a file. */
  String print(T value);

  /**
   * Reads a value.
   *
   * @param problems receives what is wrong
   * @return empty after a problem
   */
  Optional<T> parse(JsonNode node, KeyProblems problems);

  /** Any text that is not blank. */
  static KeyType<String> text() {
    return new Parsed<>(
        "text", "", "text that is not blank", true, text -> text, text -> Optional.of(text));
  }

  /** A folder or file that need not exist yet. */
  static KeyType<Path> path() {
    return new Parsed<>(
        "path", "", "a path", true, Path::toString, text -> Optional.of(Path.of(text)));
  }

  /** A regular expression. */
  static KeyType<String> pattern() {
    return new Parsed<>(
        "regular expression",
        "",
        "a regular expression",
        true,
        text -> text,
        text -> {
          try {
            Pattern.compile(text);
            return Optional.of(text);
          } catch (PatternSyntaxException e) {
            return Optional.empty();
          }
        });
  }

  /**
   * Text of a certain form.
   *
   * @param form says what the form is, such as {@code host:port}
   * @param parse empty when the text is not of the form
   */
  static <T> KeyType<T> form(
      String name, String form, Function<T, String> print, Function<String, Optional<T>> parse) {
    return new Parsed<>(name, form, form, true, print, parse);
  }

  /** As {@link #form}; errors do not repeat the value, because it may be a secret. */
  static KeyType<String> secretForm(
      String name, String form, Function<String, Optional<String>> parse) {
    return new Parsed<>(name, form, form, false, text -> text, parse);
  }

  static KeyType<Integer> integer(int min, int max) {
    return new Whole<>(min, max, value -> (int) value);
  }

  static KeyType<Long> integer(long min, long max) {
    return new Whole<>(min, max, value -> value);
  }

  /** A TCP port; 0 lets the system choose one. */
  static KeyType<Integer> port() {
    return integer(0, 65_535);
  }

  /** Bytes. */
  static KeyType<Integer> size(int min, int max) {
    return new Size<>(min, max, value -> (int) value);
  }

  /** Bytes. */
  static KeyType<Long> size(long min, long max) {
    return new Size<>(min, max, value -> value);
  }

  static KeyType<Duration> duration(Duration min, Duration max) {
    return new Span(min, max);
  }

  static KeyType<Boolean> flag() {
    return new Flag();
  }

  /** One of an enum's constants, in lower case. */
  static <E extends Enum<E>> KeyType<E> choice(Class<E> type) {
    return new Choice<>(Arrays.asList(type.getEnumConstants()));
  }

  /** A file that exists and can be read. */
  static KeyType<Path> file() {
    return new ReadableFile();
  }

  static <T> KeyType<List<T>> listOf(KeyType<T> item, int fewest) {
    return new Items<>(item, fewest);
  }

  /** Label names and values. */
  static KeyType<Map<String, String>> labels() {
    return new TextMap(
        "labels",
        "label",
        "letters, digits and underscores",
        Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*"));
  }

  /** Names and values of HTTP headers. */
  static KeyType<Map<String, String>> headers() {
    return new TextMap(
        "headers", "header", "letters, digits, - and _", Pattern.compile("[a-zA-Z0-9_-]+"));
  }

  /** Rules that change labels. */
  static KeyType<Relabelling> relabelling() {
    return new Rules();
  }

  /** Text that a function turns into a value. */
  record Parsed<T>(
      String name,
      String range,
      String allowed,
      boolean isShown,
      Function<T, String> printer,
      Function<String, Optional<T>> parser)
      implements KeyType<T> {
    @Override
    public String print(T value) {
      return printer.apply(value);
    }

    @Override
    public Optional<T> parse(JsonNode node, KeyProblems problems) {
      Optional<T> value =
          node.isValueNode() && !node.asText().isBlank()
              ? parser.apply(node.asText())
              : Optional.empty();
      if (value.isEmpty()) {
        problems.notAllowed(isShown ? KeyProblems.show(node) : "the value", allowed);
      }
      return value;
    }
  }

  /** A whole number. */
  record Whole<N extends Number>(long min, long max, LongFunction<N> of) implements KeyType<N> {
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9]\\d{0,17})");

    @Override
    public String name() {
      return "integer";
    }

    @Override
    public String range() {
      return min + " to " + max;
    }

    @Override
    public String allowed() {
      return "a whole number from " + range();
    }

    @Override
    public String print(N value) {
      return value.toString();
    }

    @Override
    public Optional<N> parse(JsonNode node, KeyProblems problems) {
      JsonNode number =
          node instanceof Placeholders.Replaced && WHOLE.matcher(node.asText()).matches()
              ? LongNode.valueOf(Long.parseLong(node.asText()))
              : node;
      boolean fits = number.isIntegralNumber() && number.canConvertToLong();
      if (!fits || number.asLong() < min || number.asLong() > max) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      return Optional.of(of.apply(number.asLong()));
    }
  }

  /** A number of bytes. */
  record Size<N extends Number>(long min, long max, LongFunction<N> of) implements KeyType<N> {
    @Override
    public String name() {
      return "size";
    }

    @Override
    public String range() {
      return Units.printBytes(min) + " to " + Units.printBytes(max);
    }

    @Override
    public String allowed() {
      return "a size from " + range() + " in B, KiB, MiB, GiB or TiB, such as 64MiB";
    }

    @Override
    public String print(N value) {
      return Units.printBytes(value.longValue());
    }

    @Override
    public Optional<N> parse(JsonNode node, KeyProblems problems) {
      long bytes = Units.bytes(node.asText());
      if (bytes < min || bytes > max) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      return Optional.of(of.apply(bytes));
    }
  }

  /** A length of time. */
  record Span(Duration min, Duration max) implements KeyType<Duration> {
    @Override
    public String name() {
      return "duration";
    }

    @Override
    public String range() {
      return Units.print(min) + " to " + Units.print(max);
    }

    @Override
    public String allowed() {
      return "a duration from " + range() + " in ms, s, m, h or d, such as 15s";
    }

    @Override
    public String print(Duration value) {
      return Units.print(value);
    }

    @Override
    public Optional<Duration> parse(JsonNode node, KeyProblems problems) {
      Optional<Duration> duration =
          Units.duration(node.asText())
              .filter(value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
      if (duration.isEmpty()) {
        problems.notAllowed(KeyProblems.show(node), allowed());
      }
      return duration;
    }
  }

  /** True or false. */
  record Flag() implements KeyType<Boolean> {
    @Override
    public String name() {
      return "boolean";
    }

    @Override
    public String range() {
      return "true or false";
    }

    @Override
    public String allowed() {
      return range();
    }

    @Override
    public String print(Boolean value) {
      return value.toString();
    }

    @Override
    public Optional<Boolean> parse(JsonNode node, KeyProblems problems) {
      boolean isWord = node instanceof Placeholders.Replaced && node.asText().matches("true|false");
      if (!node.isBoolean() && !isWord) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      return Optional.of(node.asBoolean());
    }
  }

  /** One of some constants. */
  record Choice<E extends Enum<E>>(List<E> constants) implements KeyType<E> {
    @Override
    public String name() {
      return "word";
    }

    @Override
    public String range() {
      return constants.stream().map(this::print).collect(Collectors.joining(", "));
    }

    @Override
    public String allowed() {
      return "one of " + range();
    }

    @Override
    public String print(E value) {
      return value.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Optional<E> parse(JsonNode node, KeyProblems problems) {
      for (E constant : constants) {
        if (node.asText().equals(print(constant))) {
          return Optional.of(constant);
        }
      }
      problems.notAllowed(KeyProblems.show(node), allowed());
      return Optional.empty();
    }
  }

  /** A path to a file that can be read now. */
  record ReadableFile() implements KeyType<Path> {
    @Override
    public String name() {
      return "file";
    }

    @Override
    public String range() {
      return "a readable file";
    }

    @Override
    public String allowed() {
      return range();
    }

    @Override
    public String print(Path value) {
      return value.toString();
    }

    @Override
    public Optional<Path> parse(JsonNode node, KeyProblems problems) {
      if (!node.isValueNode() || node.asText().isBlank()) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      Path file = Path.of(node.asText());
      if (!Files.isReadable(file)) {
        problems.add("the file " + KeyProblems.show(node) + " cannot be read");
        return Optional.empty();
      }
      return Optional.of(file);
    }
  }

  /** A list of values of one type. */
  record Items<T>(KeyType<T> item, int fewest) implements KeyType<List<T>> {
    @Override
    public String name() {
      return "list of " + item.name();
    }

    @Override
    public String range() {
      return item.range();
    }

    @Override
    public String allowed() {
      return "a list, each item " + item.allowed();
    }

    @Override
    public String print(List<T> value) {
      return value.stream().map(item::print).collect(Collectors.joining(", ", "[", "]"));
    }

    @Override
    public Optional<List<T>> parse(JsonNode node, KeyProblems problems) {
      if (!node.isArray() || node.size() < fewest) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      List<T> items = new ArrayList<>();
      for (JsonNode each : node) {
        item.parse(each, problems).ifPresent(items::add);
      }
      return items.size() == node.size() ? Optional.of(List.copyOf(items)) : Optional.empty();
    }
  }

  /** Names and values of labels. */
  record TextMap(String plural, String singular, String characters, Pattern pattern)
      implements KeyType<Map<String, String>> {
    @Override
    public String name() {
      return "map of " + plural;
    }

    @Override
    public String range() {
      return singular + " names of " + characters;
    }

    @Override
    public String allowed() {
      return "a map of " + plural;
    }

    @Override
    public String print(Map<String, String> value) {
      return new TreeMap<>(value).toString();
    }

    @Override
    public Optional<Map<String, String>> parse(JsonNode node, KeyProblems problems) {
      if (!node.isObject()) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      Map<String, String> labels = new TreeMap<>();
      for (var entry : node.properties()) {
        if (!pattern.matcher(entry.getKey()).matches() || !entry.getValue().isValueNode()) {
          problems
              .below(entry.getKey())
              .notAllowed(
                  KeyProblems.show(entry.getValue()),
                  "a " + singular + " name of " + characters + " with a text");
        } else {
          labels.put(entry.getKey(), entry.getValue().asText());
        }
      }
      return Optional.of(labels);
    }
  }

  /** Rules in the form of Prometheus's {@code relabel_configs}. */
  record Rules() implements KeyType<Relabelling> {
    @Override
    public String name() {
      return "list of relabel rules";
    }

    @Override
    public String range() {
      return "as in Prometheus's `relabel_configs`";
    }

    @Override
    public String allowed() {
      return "a list of rules as in Prometheus's relabel_configs";
    }

    @Override
    public String print(Relabelling value) {
      return "[" + (value.isEmpty() ? "" : value.rules().size() + " rules") + "]";
    }

    @Override
    public Optional<Relabelling> parse(JsonNode node, KeyProblems problems) {
      if (!node.isArray()) {
        problems.notAllowed(KeyProblems.show(node), allowed());
        return Optional.empty();
      }
      List<RelabelRule> rules = new ArrayList<>();
      for (int i = 0; i < node.size(); i++) {
        JsonNode rule = node.get(i);
        if (rule.isObject()) {
          String item = "[" + i + "]";
          new RelabelFields(fields(rule), (field, what) -> problems.of(item).below(field).add(what))
              .rule()
              .ifPresent(rules::add);
        } else {
          problems.of("[" + i + "]").notAllowed(KeyProblems.show(rule), "a map of fields");
        }
      }
      return rules.size() == node.size() ? Optional.of(new Relabelling(rules)) : Optional.empty();
    }

    private static Map<String, Object> fields(JsonNode rule) {
      Map<String, Object> fields = new TreeMap<>();
      rule.properties().forEach(field -> fields.put(field.getKey(), value(field.getValue())));
      return fields;
    }

    private static Object value(JsonNode node) {
      if (node.isArray()) {
        List<Object> items = new ArrayList<>();
        node.forEach(item -> items.add(value(item)));
        return items;
      }
      if (node.isNull()) {
        return null;
      }
      if (node.isNumber()) {
        return new RelabelFields.WrittenNumber(node.asText());
      }
      if (node.isBoolean()) {
        return node.booleanValue();
      }
      return node.isTextual() ? node.textValue() : node;
    }
  }
}
