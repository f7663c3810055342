package io.fleetgauge.runtime.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * YAML as a tree of JSON. Plain words are booleans, nothing, or numbers; everything else is text. A
 * number keeps the text that was written, so that a label with the value {@code 1.10} or {@code
 * 007} keeps it. Aliases and merge keys are resolved.
 */
public final class YamlTree {
  private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9]\\d{0,17})");
  private static final Pattern TRUE = Pattern.compile("true|True|TRUE");
  private static final Pattern FALSE = Pattern.compile("false|False|FALSE");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private YamlTree() {}

  /**
   * Reads a text of one document.
   *
   * @return missing if it is empty
   * @throws BadYaml if it is not YAML, has a key twice, or more than one document
   */
  public static JsonNode read(String text) throws BadYaml {
    YamlDocument document;
    try {
      document = YamlDocument.first(text);
    } catch (MarkedYAMLException e) {
      Mark at = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
      throw bad(at, (e.getContext() == null ? "" : e.getContext() + ": ") + e.getProblem());
    } catch (ReaderException e) {
      int line = 1 + (int) text.codePoints().limit(e.getPosition()).filter(c -> c == '\n').count();
      throw new BadYaml(
          String.format("line %d: the character U+%04X is not allowed", line, e.getCodePoint()));
    } catch (YAMLException e) {
      throw new BadYaml(e.getMessage());
    }
    if (document.next().isPresent()) {
      throw new BadYaml(
          "line " + document.next().getAsInt() + ": a second document begins here; one is allowed");
    }
    return document.root().isEmpty() ? MissingNode.getInstance() : tree(document.root().get());
  }

  private static BadYaml bad(Mark at, String what) {
    return new BadYaml(
        at == null
            ? what
            : "line " + (at.getLine() + 1) + ", column " + (at.getColumn() + 1) + ": " + what);
  }

  private static JsonNode tree(Node node) throws BadYaml {
    switch (node) {
      case MappingNode map -> {
        ObjectNode tree = JSON.objectNode();
        for (Map.Entry<String, Node> entry : entries(map).entrySet()) {
          tree.set(entry.getKey(), tree(entry.getValue()));
        }
        return tree;
      }
      case SequenceNode list -> {
        ArrayNode tree = JSON.arrayNode();
        for (Node item : list.getValue()) {
          tree.add(tree(item));
        }
        return tree;
      }
      case ScalarNode scalar -> {
        return value(scalar);
      }
      default -> throw bad(node.getStartMark(), "an alias is not known");
    }
  }

  /** The own entries of a map, then those of the maps that it merges and that it has not itself. */
  private static Map<String, Node> entries(MappingNode map) throws BadYaml {
    Map<String, Node> entries = new LinkedHashMap<>();
    List<MappingNode> merged = new ArrayList<>();
    for (NodeTuple entry : map.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        throw bad(entry.getKeyNode().getStartMark(), "a key has to be a text");
      }
      if (key.getTag().equals(Tag.MERGE)) {
        merged.addAll(maps(entry.getValueNode()));
      } else if (entries.put(key.getValue(), entry.getValueNode()) != null) {
        throw bad(
            key.getStartMark(), "the key " + key.getValue() + " is there a second time in its map");
      }
    }
    for (MappingNode each : merged) {
      entries(each).forEach(entries::putIfAbsent);
    }
    return entries;
  }

  private static List<MappingNode> maps(Node merged) throws BadYaml {
    List<MappingNode> maps = new ArrayList<>();
    List<Node> all = merged instanceof SequenceNode list ? list.getValue() : List.of(merged);
    for (Node each : all) {
      if (!(each instanceof MappingNode map)) {
        throw bad(each.getStartMark(), "a merge (<<) needs a map or a list of maps");
      }
      maps.add(map);
    }
    return maps;
  }

  private static JsonNode value(ScalarNode scalar) {
    String text = scalar.getValue();
    boolean isPlain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
    if (!isPlain || scalar.getTag().equals(Tag.STR)) {
      return JSON.textNode(text);
    }
    if (scalar.getTag().equals(Tag.NULL)) {
      return JSON.nullNode();
    }
    if (TRUE.matcher(text).matches()) {
      return JSON.booleanNode(true);
    }
    if (FALSE.matcher(text).matches()) {
      return JSON.booleanNode(false);
    }
    if (WHOLE.matcher(text).matches()) {
      return JSON.numberNode(Long.parseLong(text));
    }
    boolean isNumber = scalar.getTag().equals(Tag.INT) || scalar.getTag().equals(Tag.FLOAT);
    return isNumber ? new WrittenNumber(text) : JSON.textNode(text);
  }

  /** A number in another form than the usual one for whole numbers: its text stays as written. */
  private static final class WrittenNumber extends DecimalNode {
    private static final long serialVersionUID = 1L;

    private final String text;

    WrittenNumber(String text) {
      super(BigDecimal.ZERO);
      this.text = text;
    }

    @Override
    public String asText() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof WrittenNumber that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
      return text.hashCode();
    }
  }
}
