package io.fleetgauge.query.rules.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A map of YAML with texts as keys.
 *
 * @param at where it is
 * @param entries in the order of the text; what merge keys ({@code <<}) add comes last
 */
public record YamlMap(Node at, Map<String, Entry> entries) {
  /** A key and its value, as nodes. */
  public record Entry(Node key, Node value) {}

  /**
   * Reads a map; a key that is there twice is a problem.
   *
   * @param what the map is, for messages
   * @return empty after a problem of the node as a whole
   */
  public static Optional<YamlMap> read(Node node, String what, Problems problems) {
    if (!(node instanceof MappingNode)) {
      problems.add(node, what + " is " + YamlScalar.kind(node) + "; a map is required");
      return Optional.empty();
    }
    YamlMap map = new YamlMap(node, new LinkedHashMap<>());
    map.add((MappingNode) node, what, problems);
    return Optional.of(map);
  }

  private void add(MappingNode from, String what, Problems problems) {
    checkKeys(from, what, problems);
    List<Node> merges = new ArrayList<>();
    for (NodeTuple tuple : from.getValue()) {
      Node key = tuple.getKeyNode();
      if (key.getTag().equals(Tag.MERGE)) {
        merges.add(tuple.getValueNode());
      } else {
        YamlScalar.text(key, "a key of " + what, problems)
            .ifPresent(name -> entries.putIfAbsent(name, new Entry(key, tuple.getValueNode())));
      }
    }
    for (Node merge : merges) {
      List<Node> maps = merge instanceof SequenceNode list ? list.getValue() : List.of(merge);
      for (Node map : maps) {
        if (map instanceof MappingNode merged) {
          add(merged, what, problems);
        } else {
          problems.add(map, "a merge (<<) needs a map or a list of maps");
        }
      }
    }
  }

  private static void checkKeys(MappingNode map, String what, Problems problems) {
    Map<String, Node> seen = new HashMap<>();
    for (NodeTuple tuple : map.getValue()) {
      Node key = tuple.getKeyNode();
      if (key instanceof ScalarNode scalar) {
        Node first = seen.putIfAbsent(scalar.getValue(), key);
        if (first != null) {
          problems.add(
              key,
              what
                  + " has the key \""
                  + scalar.getValue()
                  + "\" a second time; the first is in line "
                  + (first.getStartMark().getLine() + 1));
        }
      }
    }
  }

  /** Adds a problem for each key but these. */
  public void allow(List<String> keys, String what, Problems problems) {
    entries.forEach(
        (name, entry) -> {
          if (!keys.contains(name)) {
            problems.add(
                entry.key(),
                what + " has no key \"" + name + "\"; known here are " + String.join(", ", keys));
          }
        });
  }

  /** The value of a key; empty if it is missing. */
  public Optional<Node> value(String key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::value);
  }
}
