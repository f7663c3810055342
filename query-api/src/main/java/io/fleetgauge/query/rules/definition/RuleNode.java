package io.fleetgauge.query.rules.definition;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** One rule of a rule file; messages name it as Prometheus does: by group, number and name. */
final class RuleNode {
  private static final List<String> KEYS =
      List.of("record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations");

  /** Where the parser begins its messages. */
  private static final Pattern PLACE = Pattern.compile("(\\d+):(\\d+): .*", Pattern.DOTALL);

  private final Node node;
  private final YamlMap map;
  private final String group;
  private final int number;
  private final Problems problems;
  private final String record;
  private final String alert;

  /**
   * @param number of the rule in its group, from 1
   */
  RuleNode(Node node, String group, int number, Problems problems) {
    this.node = node;
    this.group = group;
    this.number = number;
    this.problems = problems;
    Optional<YamlMap> read = YamlMap.read(node, "a rule", problems);
    this.map = read.orElse(new YamlMap(node, Map.of()));
    map.allow(KEYS, "a rule", problems);
    this.record = text("record");
    this.alert = text("alert");
    if (read.isPresent()) {
      checkNames();
    }
  }

  private void checkNames() {
    if (record.isEmpty() == alert.isEmpty()) {
      Node at = map.value("record").or(() -> map.value("alert")).orElse(node);
      add(
          at,
          record.isEmpty()
              ? "\"record\" or \"alert\" is needed"
              : "\"record\" and \"alert\" cannot be in one rule");
    }
  }

  /** The rule; empty after a problem that leaves none. */
  Optional<Rule> rule(ParseOptions language, TemplateCheck templates) {
    Optional<Expr> expression = expression(language);
    long held = RuleFileReader.duration(map, "for", problems).orElse(0);
    long kept = RuleFileReader.duration(map, "keep_firing_for", problems).orElse(0);
    SortedMap<String, String> labels = RuleFileReader.labels(map, problems);
    SortedMap<String, String> annotations = RuleFileReader.annotations(map, problems);
    if (!record.isEmpty()) {
      checkRecording(held, kept, annotations);
    }
    if (!alert.isEmpty()) {
      checkTemplates("labels", labels, templates);
      checkTemplates("annotations", annotations, templates);
    }
    return expression.map(
        parsed ->
            alert.isEmpty()
                ? new Rule.Recording(record, parsed, labels)
                : new Rule.Alerting(alert, parsed, held, kept, labels, annotations));
  }

  private void checkRecording(long held, long kept, SortedMap<String, String> annotations) {
    refuse("annotations", !annotations.isEmpty());
    refuse("for", held != 0);
    refuse("keep_firing_for", kept != 0);
    if (record.contains("{") || record.contains("}")) {
      add(
          map.value("record").orElse(node),
          "the name \"" + record + "\" contains braces; should it be in \"expr\"?");
    }
  }

  private void refuse(String key, boolean isSet) {
    if (isSet) {
      add(map.value(key).orElse(node), "\"" + key + "\" is not allowed in a recording rule");
    }
  }

  private void checkTemplates(
      String key, SortedMap<String, String> texts, TemplateCheck templates) {
    texts.forEach(
        (name, text) ->
            templates
                .problem(text)
                .ifPresent(
                    why ->
                        add(
                            map.value(key)
                                .flatMap(value -> YamlMap.read(value, key, new Problems("")))
                                .flatMap(value -> value.value(name))
                                .orElse(node),
                            key + "." + name + ": " + why)));
  }

  private Optional<Expr> expression(ParseOptions language) {
    Optional<Node> at = map.value("expr");
    Optional<String> text = at.flatMap(value -> YamlScalar.text(value, "expr", problems));
    if (text.isEmpty() || text.get().isEmpty()) {
      if (at.isEmpty() || at.get() instanceof ScalarNode) {
        add(at.orElse(node), "\"expr\" is missing or empty; a PromQL expression is needed");
      }
      return Optional.empty();
    }
    try {
      return Optional.of(Parser.parse(text.get(), language));
    } catch (ParseException e) {
      addInside((ScalarNode) at.get(), e.getMessage());
      return Optional.empty();
    }
  }

  /** Adds a problem at its own place in the file, where that can be told, else at the text's. */
  private void addInside(ScalarNode text, String message) {
    Matcher place = PLACE.matcher(message);
    Mark start = text.getStartMark();
    String full = named("could not parse expression: " + message);
    if (!place.matches()) {
      problems.add(start, full);
      return;
    }
    int line = Integer.parseInt(place.group(1));
    int column = Integer.parseInt(place.group(2));
    boolean isOnOneLine = start.getLine() == text.getEndMark().getLine();
    switch (text.getScalarStyle()) {
      case PLAIN, SINGLE_QUOTED, DOUBLE_QUOTED -> {
        int quote = text.getScalarStyle() == ScalarStyle.PLAIN ? 0 : 1;
        // Escapes are longer in the file; such an expression has the place of its beginning.
        boolean isAsWritten =
            isOnOneLine
                && text.getEndMark().getColumn() - start.getColumn() - 2 * quote
                    == text.getValue().codePointCount(0, text.getValue().length());
        problems.add(
            start.getLine() + 1, start.getColumn() + (isAsWritten ? quote + column : 1), full);
      }
      case LITERAL -> problems.add(start.getLine() + 1 + line, 1, full);
      default -> problems.add(start, full);
    }
  }

  private String text(String key) {
    return map.value(key).flatMap(value -> YamlScalar.text(value, key, problems)).orElse("");
  }

  private void add(Node at, String message) {
    problems.add(at, named(message));
  }

  private String named(String message) {
    return "group \""
        + group
        + "\", rule "
        + number
        + (record.isEmpty() && alert.isEmpty()
            ? ""
            : ", \"" + (alert.isEmpty() ? record : alert) + "\"")
        + ": "
        + message;
  }
}
