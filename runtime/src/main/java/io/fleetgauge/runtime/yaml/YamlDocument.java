package io.fleetgauge.runtime.yaml;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.CollectionNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * The first document of a YAML text.
 *
 * @param root empty if the document is
 * @param next the line, from 1, in which another document begins that is not empty
 */
public record YamlDocument(Optional<Node> root, OptionalInt next) {
  /** Most nodes of a document, those behind an alias counted each time it is used. */
  public static final long MOST_NODES = 1_000_000;

  private static final int MAX_DEPTH = 200;

  /**
   * Reads a text.
   *
   * @throws YAMLException if the first document is not YAML, contains itself, or is too large
   */
  public static YamlDocument first(String text) {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE); // who reads the file limits its size
    options.setNestingDepthLimit(MAX_DEPTH);
    options.setMaxAliasesForCollections(Integer.MAX_VALUE); // checked below
    Iterator<Node> documents = new Yaml(options).composeAll(new StringReader(text)).iterator();
    Optional<Node> root = next(documents);
    if (root.isPresent()) {
      new Sizes().of(root.get());
    }
    return new YamlDocument(
        root, lineOfNext(documents, 1 + root.map(node -> node.getEndMark().getLine()).orElse(0)));
  }

  private static Optional<Node> next(Iterator<Node> documents) {
    try {
      return documents.hasNext() ? notEmpty(documents.next()) : Optional.empty();
    } catch (YAMLException e) {
      throw e;
    } catch (RuntimeException e) {
      // The parser throws these for some escapes and directives that are cut off.
      throw new YAMLException(String.valueOf(e.getMessage()), e);
    }
  }

  private static Optional<Node> notEmpty(Node node) {
    return node == null || node.getTag().equals(Tag.NULL) ? Optional.empty() : Optional.of(node);
  }

  /**
   * @param end of the first document
   */
  private static OptionalInt lineOfNext(Iterator<Node> documents, int end) {
    try {
      while (documents.hasNext()) {
        Optional<Node> root = next(documents);
        if (root.isPresent()) {
          return OptionalInt.of(root.get().getStartMark().getLine() + 1);
        }
      }
      return OptionalInt.empty();
    } catch (YAMLException e) {
      return OptionalInt.of(end); // it is no YAML, but there is something
    }
  }

  /** The number of nodes below each node, with those behind aliases. */
  private static final class Sizes {
    private static final long IN_PROGRESS = -1;

    private final Map<Node, Long> sizes = new IdentityHashMap<>();

    long of(Node node) {
      if (!(node instanceof CollectionNode<?>)) {
        return 1;
      }
      Long known = sizes.get(node);
      if (known != null && known == IN_PROGRESS) {
        throw new Failure("an anchor contains its own alias", node);
      }
      if (known != null) {
        return known;
      }
      sizes.put(node, IN_PROGRESS);
      long size = 1;
      for (Node child : children(node)) {
        size += of(child);
        if (size > MOST_NODES) {
          throw new Failure("with its aliases, the document has too many values", node);
        }
      }
      sizes.put(node, size);
      return size;
    }

    private static List<Node> children(Node node) {
      return switch (node) {
        case SequenceNode list -> list.getValue();
        case MappingNode map -> {
          List<Node> both = new ArrayList<>(2 * map.getValue().size());
          for (NodeTuple entry : map.getValue()) {
            both.add(entry.getKeyNode());
            both.add(entry.getValueNode());
          }
          yield both;
        }
        default -> List.of();
      };
    }
  }

  private static final class Failure extends MarkedYAMLException {
    private static final long serialVersionUID = 1L;

    Failure(String problem, Node at) {
      super(null, null, problem, at.getStartMark());
    }
  }
}
