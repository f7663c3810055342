package io.fleetgauge.operator.rules;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.Problems;
import io.fleetgauge.query.rules.definition.YamlMap;
import io.fleetgauge.query.rules.definition.YamlScalar;
import io.fleetgauge.query.rules.definition.YamlText;
import io.fleetgauge.runtime.yaml.YamlDocument;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Reads files of unit tests in promtool's form; like promtool, it refuses unknown keys. */
final class TestFileReader {
  private static final long DEFAULT_INTERVAL = 60_000;

  private final Problems problems;

  private TestFileReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * @throws InvalidRules with every problem there is
   */
  static TestFile read(String file, byte[] text) throws InvalidRules {
    Problems problems = new Problems(file);
    Optional<YamlDocument> document = YamlText.first(text, problems);
    document
        .filter(first -> first.next().isPresent())
        .ifPresent(
            first ->
                problems.add(
                    first.next().getAsInt(),
                    1,
                    "a second YAML document begins here; one is allowed"));
    TestFile read =
        new TestFileReader(problems).file(document.flatMap(YamlDocument::root).orElse(null));
    problems.throwAny();
    return read;
  }

  private TestFile file(Node root) {
    YamlMap map =
        map(
            root,
            "the file",
            "rule_files",
            "evaluation_interval",
            "group_eval_order",
            "tests",
            "fuzzy_compare");
    long interval = duration(map, "evaluation_interval");
    long evaluation = interval == 0 ? DEFAULT_INTERVAL : interval;
    List<String> order = texts(map, "group_eval_order");
    Set<String> seen = new HashSet<>();
    for (String group : order) {
      if (!seen.add(group)) {
        problems.add(
            map.value("group_eval_order").orElseThrow(),
            "group name repeated in evaluation order: " + group);
      }
    }
    return new TestFile(
        texts(map, "rule_files"),
        evaluation,
        order,
        bool(map, "fuzzy_compare"),
        list(map, "tests").stream().map(test -> test(test, evaluation)).toList());
  }

  private TestFile.TestGroup test(Node node, long evaluation) {
    YamlMap map =
        map(
            node,
            "a test",
            "interval",
            "input_series",
            "alert_rule_test",
            "promql_expr_test",
            "external_labels",
            "external_url",
            "name",
            "start_timestamp");
    long interval = duration(map, "interval");
    return new TestFile.TestGroup(
        text(map, "name"),
        interval == 0 ? evaluation : interval,
        start(map),
        list(map, "input_series").stream().map(this::input).toList(),
        list(map, "alert_rule_test").stream().map(this::alertTest).toList(),
        list(map, "promql_expr_test").stream().map(this::expressionTest).toList(),
        Labels.of(textMap(map, "external_labels")),
        text(map, "external_url"));
  }

  private TestFile.Input input(Node node) {
    YamlMap map = map(node, "an input series", "series", "values");
    return new TestFile.Input(text(map, "series"), text(map, "values"));
  }

  private TestFile.AlertTest alertTest(Node node) {
    YamlMap map = map(node, "a test of alerts", "eval_time", "alertname", "exp_alerts");
    long time = duration(map, "eval_time");
    String name = text(map, "alertname");
    if (name.isEmpty()) {
      problems.add(
          node,
          "an item under alert_rule_test misses required attribute alertname at eval_time "
              + Durations.print(time));
    }
    return new TestFile.AlertTest(
        time, name, list(map, "exp_alerts").stream().map(this::expectedAlert).toList());
  }

  private TestFile.ExpectedAlert expectedAlert(Node node) {
    YamlMap map = map(node, "an expected alert", "exp_labels", "exp_annotations");
    return new TestFile.ExpectedAlert(textMap(map, "exp_labels"), textMap(map, "exp_annotations"));
  }

  private TestFile.ExpressionTest expressionTest(Node node) {
    YamlMap map = map(node, "a test of an expression", "expr", "eval_time", "exp_samples");
    return new TestFile.ExpressionTest(
        text(map, "expr"),
        duration(map, "eval_time"),
        list(map, "exp_samples").stream().map(this::expectedSample).toList());
  }

  private TestFile.ExpectedSample expectedSample(Node node) {
    YamlMap map = map(node, "an expected sample", "labels", "value", "histogram");
    return new TestFile.ExpectedSample(
        text(map, "labels"), number(map, "value"), text(map, "histogram"));
  }

  // --- YAML ---

  /** A map with these keys; an empty one for nothing, and after a problem. */
  private YamlMap map(Node node, String what, String... allowed) {
    YamlMap map = map(node, what);
    map.allow(List.of(allowed), what, problems);
    return map;
  }

  private YamlMap map(Node node, String what) {
    YamlMap none = new YamlMap(node, Map.of());
    return node == null || YamlScalar.isNull(node)
        ? none
        : YamlMap.read(node, what, problems).orElse(none);
  }

  private List<Node> list(YamlMap map, String key) {
    Optional<Node> node = map.value(key).filter(value -> !YamlScalar.isNull(value));
    if (node.isEmpty()) {
      return List.of();
    }
    if (node.get() instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    problems.add(node.get(), "a list is required here");
    return List.of();
  }

  private String text(Node node, String what) {
    return YamlScalar.text(node, what, problems).orElse("");
  }

  private String text(YamlMap map, String key) {
    return map.value(key).map(node -> text(node, key)).orElse("");
  }

  private List<String> texts(YamlMap map, String key) {
    return list(map, key).stream().map(node -> text(node, "an item of " + key)).toList();
  }

  private Map<String, String> textMap(YamlMap map, String key) {
    Map<String, String> texts = new TreeMap<>();
    map(map.value(key).orElse(null), key)
        .entries()
        .forEach((name, entry) -> texts.put(name, text(entry.value(), key + "." + name)));
    return texts;
  }

  private boolean bool(YamlMap map, String key) {
    String text = text(map, key);
    if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
      wrong(map, key, "\"" + text + "\" is neither true nor false");
    }
    return text.equals("true");
  }

  /** A duration, ms; 0 if there is none. */
  private long duration(YamlMap map, String key) {
    String text = text(map, key);
    long millis = text.isEmpty() ? 0 : Durations.parse(text);
    if (millis == Durations.NONE) {
      wrong(map, key, "not a valid duration string: \"" + text + "\"");
      return 0;
    }
    return millis;
  }

  private double number(YamlMap map, String key) {
    String text = text(map, key);
    if (text.isEmpty()) {
      return 0;
    }
    String plain =
        text.startsWith(".") || text.matches("[+-]\\.[a-zA-Z]+")
            ? text.replaceFirst("\\.(?=[a-zA-Z])", "")
            : text;
    OptionalDouble number = Numbers.parse(plain);
    if (number.isEmpty()) {
      wrong(map, key, "\"" + text + "\" is not a number");
    }
    return number.orElse(0);
  }

  /** A time of RFC 3339, or seconds since the epoch, in ms. */
  private long start(YamlMap map) {
    String text = text(map, "start_timestamp");
    if (text.isEmpty()) {
      return 0;
    }
    OptionalDouble seconds = Numbers.parse(text);
    if (seconds.isPresent()) {
      return (long) (seconds.getAsDouble() * 1000);
    }
    try {
      return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    } catch (DateTimeParseException e) {
      wrong(map, "start_timestamp", "\"" + text + "\" is neither a time of RFC 3339 nor seconds");
      return 0;
    }
  }

  private void wrong(YamlMap map, String key, String message) {
    problems.add(map.value(key).orElseThrow(), message);
  }
}
