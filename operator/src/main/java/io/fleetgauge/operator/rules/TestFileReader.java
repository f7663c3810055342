package io.fleetgauge.operator.rules;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleProblem;
import io.fleetgauge.runtime.yaml.YamlDocument;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Reads files of unit tests in promtool's form; like promtool, it refuses unknown keys. */
final class TestFileReader {
  private static final long DEFAULT_INTERVAL = 60_000;

  private final String file;
  private final List<RuleProblem> problems = new ArrayList<>();

  private TestFileReader(String file) {
    this.file = file;
  }

  /**
   * @throws InvalidRules with every problem there is
   */
  static TestFile read(String file, String text) throws InvalidRules {
    TestFileReader reader = new TestFileReader(file);
    TestFile read = reader.file(text);
    if (!reader.problems.isEmpty()) {
      throw new InvalidRules(reader.problems);
    }
    return read;
  }

  private TestFile file(String text) throws InvalidRules {
    Node root;
    try {
      YamlDocument document = YamlDocument.first(text);
      if (document.next().isPresent()) {
        throw new InvalidRules(
            List.of(
                new RuleProblem(
                    file,
                    document.next().getAsInt(),
                    1,
                    "a second YAML document begins here; one is allowed")));
      }
      root = document.root().orElse(null);
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
      int column = e.getProblemMark() == null ? 0 : e.getProblemMark().getColumn() + 1;
      throw new InvalidRules(List.of(new RuleProblem(file, line, column, e.getProblem())));
    } catch (YAMLException e) {
      throw new InvalidRules(List.of(new RuleProblem(file, 0, 0, e.getMessage())));
    }
    Map<String, Node> keys =
        map(
            root,
            "the file",
            Set.of(
                "rule_files", "evaluation_interval", "group_eval_order", "tests", "fuzzy_compare"));
    long interval = duration(keys.get("evaluation_interval"), 0);
    long evaluation = interval == 0 ? DEFAULT_INTERVAL : interval;
    List<String> order = texts(keys.get("group_eval_order"));
    Set<String> seen = new HashSet<>();
    for (String group : order) {
      if (!seen.add(group)) {
        add(keys.get("group_eval_order"), "group name repeated in evaluation order: " + group);
      }
    }
    List<TestFile.TestGroup> tests = new ArrayList<>();
    for (Node test : list(keys.get("tests"))) {
      tests.add(test(test, evaluation));
    }
    return new TestFile(
        texts(keys.get("rule_files")), evaluation, order, bool(keys.get("fuzzy_compare")), tests);
  }

  private TestFile.TestGroup test(Node node, long evaluation) {
    Map<String, Node> keys =
        map(
            node,
            "a test",
            Set.of(
                "interval",
                "input_series",
                "alert_rule_test",
                "promql_expr_test",
                "external_labels",
                "external_url",
                "name",
                "start_timestamp"));
    List<TestFile.Input> series = new ArrayList<>();
    for (Node item : list(keys.get("input_series"))) {
      Map<String, Node> input = map(item, "an input series", Set.of("series", "values"));
      series.add(new TestFile.Input(text(input.get("series")), text(input.get("values"))));
    }
    List<TestFile.AlertTest> alerts = new ArrayList<>();
    for (Node item : list(keys.get("alert_rule_test"))) {
      alerts.add(alertTest(item));
    }
    List<TestFile.ExpressionTest> expressions = new ArrayList<>();
    for (Node item : list(keys.get("promql_expr_test"))) {
      expressions.add(expressionTest(item));
    }
    long interval = duration(keys.get("interval"), 0);
    return new TestFile.TestGroup(
        text(keys.get("name")),
        interval == 0 ? evaluation : interval,
        start(keys.get("start_timestamp")),
        series,
        alerts,
        expressions,
        Labels.of(textMap(keys.get("external_labels"))),
        text(keys.get("external_url")));
  }

  private TestFile.AlertTest alertTest(Node node) {
    Map<String, Node> keys =
        map(node, "a test of alerts", Set.of("eval_time", "alertname", "exp_alerts"));
    List<TestFile.ExpectedAlert> expected = new ArrayList<>();
    for (Node item : list(keys.get("exp_alerts"))) {
      Map<String, Node> alert =
          map(item, "an expected alert", Set.of("exp_labels", "exp_annotations"));
      expected.add(
          new TestFile.ExpectedAlert(
              textMap(alert.get("exp_labels")), textMap(alert.get("exp_annotations"))));
    }
    long time = duration(keys.get("eval_time"), 0);
    String name = text(keys.get("alertname"));
    if (name.isEmpty()) {
      add(
          node,
          "an item under alert_rule_test misses required attribute alertname at eval_time "
              + Durations.print(time));
    }
    return new TestFile.AlertTest(time, name, expected);
  }

  private TestFile.ExpressionTest expressionTest(Node node) {
    Map<String, Node> keys =
        map(node, "a test of an expression", Set.of("expr", "eval_time", "exp_samples"));
    List<TestFile.ExpectedSample> expected = new ArrayList<>();
    for (Node item : list(keys.get("exp_samples"))) {
      Map<String, Node> sample =
          map(item, "an expected sample", Set.of("labels", "value", "histogram"));
      expected.add(
          new TestFile.ExpectedSample(
              text(sample.get("labels")),
              number(sample.get("value")),
              text(sample.get("histogram"))));
    }
    return new TestFile.ExpressionTest(
        text(keys.get("expr")), duration(keys.get("eval_time"), 0), expected);
  }

  // --- YAML ---

  private void add(Node at, String message) {
    int line = at == null ? 0 : at.getStartMark().getLine() + 1;
    int column = at == null ? 0 : at.getStartMark().getColumn() + 1;
    problems.add(new RuleProblem(file, line, column, message));
  }

  private static boolean isNothing(Node node) {
    return node == null || node.getTag().equals(Tag.NULL);
  }

  private Map<String, Node> map(Node node, String what, Set<String> allowed) {
    Map<String, Node> map = new TreeMap<>();
    if (isNothing(node)) {
      return map;
    }
    if (!(node instanceof MappingNode mapping)) {
      add(node, what + " must be a map");
      return map;
    }
    List<Node> merged = new ArrayList<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Node key = tuple.getKeyNode();
      String name = key instanceof ScalarNode scalar ? scalar.getValue() : "";
      if (key.getTag().equals(Tag.MERGE)) {
        merged.add(tuple.getValueNode());
      } else if (allowed != null && !allowed.contains(name)) {
        add(
            key,
            what
                + " has no key \""
                + name
                + "\"; known here are "
                + String.join(", ", allowed.stream().sorted().toList()));
      } else if (map.put(name, tuple.getValueNode()) != null) {
        add(key, what + " has the key \"" + name + "\" twice");
      }
    }
    for (Node each : merged) {
      for (Node from : each instanceof SequenceNode maps ? maps.getValue() : List.of(each)) {
        map(from, what, allowed).forEach(map::putIfAbsent);
      }
    }
    return map;
  }

  private List<Node> list(Node node) {
    if (isNothing(node)) {
      return List.of();
    }
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    add(node, "a list is required here");
    return List.of();
  }

  private String text(Node node) {
    if (isNothing(node)) {
      return "";
    }
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    add(node, "a text is required here");
    return "";
  }

  private List<String> texts(Node node) {
    return list(node).stream().map(this::text).toList();
  }

  private Map<String, String> textMap(Node node) {
    Map<String, String> texts = new TreeMap<>();
    map(node, "the map", null).forEach((name, value) -> texts.put(name, text(value)));
    return texts;
  }

  private boolean bool(Node node) {
    String text = text(node);
    if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
      add(node, "\"" + text + "\" is neither true nor false");
    }
    return text.equals("true");
  }

  private long duration(Node node, long otherwise) {
    String text = text(node);
    if (text.isEmpty()) {
      return otherwise;
    }
    long millis = Durations.parse(text);
    if (millis == Durations.NONE) {
      add(node, "not a valid duration string: \"" + text + "\"");
      return otherwise;
    }
    return millis;
  }

  private double number(Node node) {
    String text = text(node);
    if (text.isEmpty()) {
      return 0;
    }
    String plain =
        text.startsWith(".") || text.matches("[+-]\\.[a-zA-Z]+")
            ? text.replaceFirst("\\.(?=[a-zA-Z])", "")
            : text;
    OptionalDouble number = Numbers.parse(plain);
    if (number.isEmpty()) {
      add(node, "\"" + text + "\" is not a number");
    }
    return number.orElse(0);
  }

  /** A time of RFC 3339, or seconds since the epoch. */
  private long start(Node node) {
    String text = text(node);
    if (text.isEmpty()) {
      return 0;
    }
    return Optional.of(Numbers.parse(text))
        .filter(OptionalDouble::isPresent)
        .map(seconds -> (long) (seconds.getAsDouble() * 1000))
        .orElseGet(
            () -> {
              try {
                Instant instant = OffsetDateTime.parse(text).toInstant();
                return instant.toEpochMilli();
              } catch (DateTimeParseException e) {
                add(node, "\"" + text + "\" is neither a time of RFC 3339 nor seconds");
                return 0L;
              }
            });
  }
}
