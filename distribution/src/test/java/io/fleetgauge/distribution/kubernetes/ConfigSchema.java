package io.fleetgauge.distribution.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The keys of a process as a JSON schema, so that Helm refuses a wrong configuration before a
 * process does. A text may have placeholders such as {@code ${NAME}}, which the process replaces.
 */
final class ConfigSchema {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern CHOSEN = Pattern.compile("[A-Z]+");
  private static final String PLACEHOLDER = "\\$\\{[^}]+\\}";

  private ConfigSchema() {}

  static ObjectNode of(String description, List<Key<?>> keys) {
    ObjectNode root = section(description);
    for (Key<?> key : keys) {
      put(root, key);
    }
    return root;
  }

  private static ObjectNode section(String description) {
    ObjectNode section = JSON.createObjectNode();
    section.put("type", "object").put("description", description);
    section.put("additionalProperties", false);
    return section;
  }

  private static void put(ObjectNode root, Key<?> key) {
    String[] path = key.name().split("[.]");
    ObjectNode at = root;
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < path.length - 1; i++) {
      name.append(i == 0 ? "" : ".").append(path[i]);
      at = child(at, path[i], section("Keys of " + name + "."));
    }
    child(at, path[path.length - 1], schema(key));
  }

  /** Words in capitals stand for names that the user chooses. */
  private static ObjectNode child(ObjectNode of, String name, ObjectNode fresh) {
    boolean isChosen = CHOSEN.matcher(name).matches();
    ObjectNode group = of.withObjectProperty(isChosen ? "patternProperties" : "properties");
    String property = isChosen ? "^[^.]+$" : name;
    if (!group.has(property)) {
      group.set(property, fresh);
    }
    return (ObjectNode) group.get(property);
  }

  private static ObjectNode schema(Key<?> key) {
    ObjectNode schema = of(key.type());
    return schema.put("description", key.meaning() + " Default: " + key.fallbackText() + ".");
  }

  private static ObjectNode of(KeyType<?> type) {
    ObjectNode schema = JSON.createObjectNode();
    switch (type) {
      case KeyType.Whole<?> whole -> {
        schema.set("type", types("integer", "string"));
        schema.put("minimum", whole.min()).put("maximum", whole.max());
        schema.put("pattern", "^" + PLACEHOLDER + "$");
      }
      case KeyType.Flag flag -> {
        schema.set("type", types("boolean", "string"));
        schema.put("pattern", "^" + PLACEHOLDER + "$");
      }
      case KeyType.Size<?> size -> text(schema, "[0-9]+(B|KiB|MiB|GiB|TiB)");
      case KeyType.Span span -> text(schema, "[0-9]+(ms|s|m|h|d)");
      case KeyType.Choice<?> choice -> text(schema, choice.range().replace(", ", "|"));
      case KeyType.Items<?> items -> {
        schema.put("type", "array").put("minItems", items.fewest());
        schema.set("items", described(of(items.item()), items.item()));
      }
      case KeyType.TextMap texts -> {
        schema.put("type", "object").put("additionalProperties", false);
        schema
            .putObject("patternProperties")
            .putObject("^" + texts.pattern() + "$")
            .set("type", types("string", "number", "boolean"));
      }
      case KeyType.Rules rules -> {
        schema.put("type", "array");
        ObjectNode rule = section("A rule.");
        ObjectNode fields = rule.putObject("properties");
        for (String each : List.of("action", "regex", "replacement", "separator", "target_label")) {
          fields.putObject(each).put("type", "string").put("description", "As in Prometheus.");
        }
        fields.putObject("modulus").put("type", "integer").put("description", "As in Prometheus.");
        ObjectNode labels = fields.putObject("source_labels");
        labels.put("type", "array").put("description", "As in Prometheus.");
        labels.putObject("items").put("type", "string");
        schema.set("items", rule);
      }
      case KeyType.ReadableFile file -> text(schema, ".+");
      case KeyType.Parsed<?> parsed -> schema.set("type", types("string", "number", "boolean"));
    }
    return schema;
  }

  private static ObjectNode described(ObjectNode schema, KeyType<?> type) {
    return schema.put("description", "Allowed: " + type.allowed() + ".");
  }

  private static void text(ObjectNode schema, String form) {
    schema.put("type", "string").put("pattern", "^(" + form + "|.*" + PLACEHOLDER + ".*)$");
  }

  private static ArrayNode types(String... names) {
    ArrayNode types = JSON.createArrayNode();
    List.of(names).forEach(types::add);
    return types;
  }

  /** Objects of a schema that would take unknown keys, or that nothing describes; by their path. */
  static List<String> gaps(ObjectNode schema) {
    return gaps("", schema).toList();
  }

  private static Stream<String> gaps(String path, JsonNode schema) {
    Stream.Builder<String> gaps = Stream.builder();
    if (schema.path("type").asText().equals("object")
        && !Optional.ofNullable(schema.get("additionalProperties"))
            .map(each -> each.isBoolean() && !each.asBoolean())
            .orElse(false)) {
      gaps.add(path + ": takes unknown keys");
    }
    Stream<String> below = Stream.empty();
    for (var each : schema.path("properties").properties()) {
      String at = path + "." + each.getKey();
      if (!each.getValue().has("description") && !each.getValue().has("$ref")) {
        gaps.add(at + ": has no description");
      }
      below = Stream.concat(below, gaps(at, each.getValue()));
    }
    for (String group : List.of("definitions", "patternProperties")) {
      for (var each : schema.path(group).properties()) {
        below = Stream.concat(below, gaps(path + "/" + each.getKey(), each.getValue()));
      }
    }
    if (schema.has("items")) {
      below = Stream.concat(below, gaps(path + "[]", schema.get("items")));
    }
    return Stream.concat(gaps.build(), below);
  }
}
