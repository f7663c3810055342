package io.fleetgauge.query.rules.definition;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.runtime.yaml.YamlDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads rule files in Prometheus's form, and single groups in the same form. A group may have one
 * key more than Prometheus knows: {@code partial}. Safe for all threads.
 */
public final class RuleFileReader {
  private static final List<String> GROUP_KEYS =
      List.of("name", "interval", "query_offset", "limit", "labels", "partial", "rules");
  private static final String NAME = "__name__";

  private final ParseOptions language;
  private final TemplateCheck templates;
  private final long interval;

  /**
   * @param language of expressions
   * @param interval of a group that has none, ms
   */
  public RuleFileReader(ParseOptions language, TemplateCheck templates, long interval) {
    this.language = language;
    this.templates = templates;
    this.interval = interval;
  }

  /**
   * Reads a file.
   *
   * @param tenant of the rules; empty for the operator's
   * @param file the file's path; messages and groups contain it
   * @return the groups in the order of the file; none for an empty file
   * @throws InvalidRules with every problem there is
   */
  public List<RuleGroup> read(String tenant, String file, byte[] text) throws InvalidRules {
    Problems problems = new Problems(file);
    List<RuleGroup> groups = new ArrayList<>();
    Optional<Node> root =
        YamlText.first(text, problems)
            .flatMap(YamlDocument::root)
            .filter(node -> !YamlScalar.isNull(node));
    if (root.isPresent()) {
      YamlMap.read(root.get(), "the file", problems)
          .ifPresent(
              top -> {
                top.allow(List.of("groups"), "the file", problems);
                top.value("groups").ifPresent(list -> groups(tenant, file, list, groups, problems));
              });
    }
    problems.throwAny();
    return groups;
  }

  /**
   * The part of a file that is not read, and was not meant to be dropped: like Prometheus 3.5, only
   * the first YAML document of a file is used.
   *
   * @param file the file's path, for the message
   * @return a warning; empty if the whole file is read
   */
  public static Optional<RuleProblem> unread(String file, byte[] text) {
    OptionalInt next =
        YamlText.first(text, new Problems(file))
            .map(YamlDocument::next)
            .orElseGet(OptionalInt::empty);
    return next.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new RuleProblem(
                file,
                next.getAsInt(),
                1,
                "a second YAML document begins here; only the first one of a file is read, so these"
                    + " groups are not used: put them under the first \"groups\", or into a file of"
                    + " their own"));
  }

  private void groups(
      String tenant, String file, Node list, List<RuleGroup> groups, Problems problems) {
    Map<String, Node> names = new HashMap<>();
    for (Node node : items(list, "groups", problems)) {
      RuleGroup group = group(tenant, file, node, problems);
      Node first = names.putIfAbsent(group.id().name(), node);
      if (first != null && !group.id().name().isEmpty()) {
        problems.add(
            node,
            "the file has a group \""
                + group.id().name()
                + "\" already, in line "
                + (first.getStartMark().getLine() + 1));
      }
      groups.add(group);
    }
  }

  /**
   * Reads one group: what an item of {@code groups} is in a file.
   *
   * @param namespace stands for the file
   * @throws InvalidRules with every problem there is
   */
  public RuleGroup readGroup(String tenant, String namespace, byte[] text) throws InvalidRules {
    Problems problems = new Problems(namespace);
    Optional<YamlDocument> document = YamlText.first(text, problems);
    Optional<Node> root = document.flatMap(YamlDocument::root);
    if (root.isEmpty() && problems.isEmpty()) {
      problems.add(1, 1, "the text is empty; a rule group is required");
    }
    document
        .map(YamlDocument::next)
        .orElseGet(OptionalInt::empty)
        .ifPresent(line -> problems.add(line, 1, "a second group begins here; one is allowed"));
    Optional<RuleGroup> group = root.map(node -> group(tenant, namespace, node, problems));
    problems.throwAny();
    return group.orElseThrow();
  }

  /** The part that is read so far, also after a problem. */
  private RuleGroup group(String tenant, String file, Node node, Problems problems) {
    Optional<YamlMap> read = YamlMap.read(node, "a group", problems);
    YamlMap map = read.orElse(new YamlMap(node, Map.of()));
    map.allow(GROUP_KEYS, "a group", problems);
    String name =
        map.value("name").flatMap(value -> YamlScalar.text(value, "name", problems)).orElse("");
    if (name.isEmpty() && read.isPresent()) {
      problems.add(map.value("name").orElse(node), "a group needs a name; \"name\" is empty");
    }
    long own = duration(map, "interval", problems).orElse(0);
    OptionalLong offset = duration(map, "query_offset", problems);
    Optional<Node> limitNode = map.value("limit");
    OptionalLong limit =
        limitNode.isPresent()
            ? YamlScalar.whole(limitNode.get(), "limit", problems)
            : OptionalLong.empty();
    SortedMap<String, String> labels = labels(map, problems);
    List<Rule> rules = new ArrayList<>();
    if (map.value("rules").isPresent()) {
      List<Node> nodes = items(map.value("rules").get(), "rules", problems);
      for (int i = 0; i < nodes.size(); i++) {
        new RuleNode(nodes.get(i), name, i + 1, problems)
            .rule(language, templates)
            .ifPresent(rules::add);
      }
    }
    return new RuleGroup(
        new RuleGroup.Id(tenant, file, name),
        own == 0 ? interval : own,
        offset.isPresent() ? Optional.of(offset.getAsLong()) : Optional.empty(),
        limit.isPresent() && limit.getAsLong() > 0
            ? OptionalInt.of((int) Math.min(limit.getAsLong(), Integer.MAX_VALUE))
            : OptionalInt.empty(),
        labels,
        partial(map, problems),
        rules);
  }

  private static Optional<RuleGroup.Partial> partial(YamlMap map, Problems problems) {
    Optional<String> text =
        map.value("partial").flatMap(value -> YamlScalar.text(value, "partial", problems));
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Optional<RuleGroup.Partial> known =
        Arrays.stream(RuleGroup.Partial.values())
            .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text.get()))
            .findFirst();
    if (known.isEmpty()) {
      problems.add(
          map.value("partial").get(),
          "partial is \""
              + text.get()
              + "\"; allowed are "
              + Arrays.stream(RuleGroup.Partial.values())
                  .map(each -> each.name().toLowerCase(Locale.ROOT))
                  .collect(Collectors.joining(" and ")));
    }
    return known;
  }

  /** The items of a list but those that are nothing; none after a problem. */
  private static List<Node> items(Node list, String what, Problems problems) {
    if (YamlScalar.isNull(list)) {
      return List.of();
    }
    if (list instanceof SequenceNode sequence) {
      return sequence.getValue().stream().filter(item -> !YamlScalar.isNull(item)).toList();
    }
    problems.add(list, what + " is " + YamlScalar.kind(list) + "; a list is required");
    return List.of();
  }

  /** A duration, ms; empty when there is none, and after a problem. */
  static OptionalLong duration(YamlMap map, String key, Problems problems) {
    Optional<Node> node = map.value(key);
    Optional<String> text = node.flatMap(value -> YamlScalar.text(value, key, problems));
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    long millis = Durations.parse(text.get());
    if (millis == Durations.NONE) {
      problems.add(
          node.get(),
          key + " is \"" + text.get() + "\"; a duration such as 30s or 1h30m is needed");
      return OptionalLong.empty();
    }
    return OptionalLong.of(millis);
  }

  /** The labels of a group or a rule. */
  static SortedMap<String, String> labels(YamlMap map, Problems problems) {
    return texts(
        map,
        "labels",
        name -> name.isEmpty() || name.equals(NAME),
        "\"%s\" is not allowed as a name of a label",
        problems);
  }

  /** The annotations of a rule. */
  static SortedMap<String, String> annotations(YamlMap map, Problems problems) {
    return texts(
        map, "annotations", String::isEmpty, "the name of an annotation is empty", problems);
  }

  private static SortedMap<String, String> texts(
      YamlMap map, String key, Predicate<String> isWrong, String message, Problems problems) {
    SortedMap<String, String> texts = new TreeMap<>();
    map.value(key)
        .filter(node -> !YamlScalar.isNull(node))
        .flatMap(node -> YamlMap.read(node, key, problems))
        .ifPresent(
            read ->
                read.entries()
                    .forEach(
                        (name, entry) -> {
                          if (isWrong.test(name)) {
                            problems.add(entry.key(), message.formatted(name));
                          }
                          texts.put(
                              name,
                              YamlScalar.text(entry.value(), key + "." + name, problems)
                                  .orElse(""));
                        }));
    return texts;
  }
}
