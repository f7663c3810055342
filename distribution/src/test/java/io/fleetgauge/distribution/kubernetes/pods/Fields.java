package io.fleetgauge.distribution.kubernetes.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A map of a manifest that has to be read whole: what nobody takes is refused by its name. */
final class Fields {
  private final String path;
  private final JsonNode node;
  private final Set<String> taken = new TreeSet<>();
  private final List<Fields> inner = new ArrayList<>();

  Fields(String path, JsonNode node) {
    this.path = path;
    this.node = node;
  }

  boolean has(String name) {
    return node.has(name);
  }

  JsonNode take(String name) {
    taken.add(name);
    return node.has(name) ? node.get(name) : MissingNode.getInstance();
  }

  String text(String name) {
    return take(name).asText();
  }

  int number(String name, int absent) {
    return take(name).asInt(absent);
  }

  boolean flag(String name) {
    return take(name).asBoolean();
  }

  /** Takes what has no effect with one of some values, and refuses others. */
  void only(String name, String... values) {
    JsonNode value = take(name);
    if (!value.isMissingNode() && !List.of(values).contains(value.asText())) {
      throw new IllegalArgumentException(
          "%s.%s: %s is not translated, only %s"
              .formatted(path, name, value, String.join(", ", values)));
    }
  }

  /** Takes what has no effect on one node. */
  void ignore(String... names) {
    taken.addAll(List.of(names));
  }

  Fields map(String name) {
    return inner(path + "." + name, take(name));
  }

  List<Fields> list(String name) {
    List<Fields> all = new ArrayList<>();
    for (JsonNode each : take(name)) {
      all.add(inner("%s.%s[%d]".formatted(path, name, all.size()), each));
    }
    return all;
  }

  Map<String, String> texts(String name) {
    Map<String, String> texts = new TreeMap<>();
    take(name).properties().forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
    return texts;
  }

  private Fields inner(String at, JsonNode value) {
    Fields fields = new Fields(at, value);
    inner.add(fields);
    return fields;
  }

  /** Refuses fields that were not taken, in the maps below too. */
  void end() {
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      if (!taken.contains(each.getKey())) {
        throw refusal(each.getKey());
      }
    }
    inner.forEach(Fields::end);
  }

  IllegalArgumentException refusal(String name) {
    return new IllegalArgumentException(
        "%s.%s: %s is not translated".formatted(path, name, node.path(name)));
  }
}
