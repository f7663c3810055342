package io.fleetgauge.distribution.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Objects of Kubernetes as trees. */
public record Manifests(List<ObjectNode> objects) {
  private static final ObjectReader YAML = new YAMLMapper().readerFor(ObjectNode.class);

  /** The repository's folder of manifests. */
  static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"), "k8s");

  /** Reads a text with several documents. */
  public static Manifests of(String yaml) throws IOException {
    List<ObjectNode> objects = new ArrayList<>();
    try (MappingIterator<JsonNode> documents =
        new YAMLMapper().readerFor(JsonNode.class).readValues(yaml)) {
      while (documents.hasNext()) {
        if (documents.next() instanceof ObjectNode object && !object.isEmpty()) {
          objects.add(object);
        }
      }
    }
    return new Manifests(List.copyOf(objects));
  }

  /** Reads a text with one map. */
  static ObjectNode tree(String yaml) throws IOException {
    return YAML.readValue(yaml);
  }

  public static String kind(JsonNode object) {
    return object.path("kind").asText();
  }

  public static String name(JsonNode object) {
    return object.path("metadata").path("name").asText();
  }

  public Stream<ObjectNode> ofKind(String kind) {
    return objects.stream().filter(each -> kind(each).equals(kind));
  }

  /** The object of a kind and a name. */
  public ObjectNode get(String kind, String name) {
    return ofKind(kind).filter(each -> name(each).equals(name)).findFirst().orElseThrow();
  }

  /** Workloads: by name, with their pods' templates. */
  public Map<String, JsonNode> podTemplates() {
    Map<String, JsonNode> templates = new TreeMap<>();
    for (ObjectNode each : objects) {
      JsonNode template = each.path("spec").path("template");
      if (template.has("spec")) {
        templates.put(name(each), template);
      }
    }
    return templates;
  }
}
