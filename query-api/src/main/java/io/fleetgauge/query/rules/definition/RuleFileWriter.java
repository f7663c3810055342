package io.fleetgauge.query.rules.definition;

import io.fleetgauge.runtime.yaml.YamlDocument;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Writes groups that {@link RuleFileReader} has read, with their expressions as they were. */
public final class RuleFileWriter {
  private RuleFileWriter() {}

  /**
   * A map of lists of groups, in YAML.
   *
   * @param groups texts of groups by namespace
   */
  public static String namespaces(Map<String, ? extends Collection<String>> groups) {
    List<NodeTuple> namespaces = new ArrayList<>();
    groups.forEach(
        (namespace, texts) -> {
          List<Node> list = new ArrayList<>();
          for (String text : texts) {
            YamlText.first(text.getBytes(StandardCharsets.UTF_8), new Problems(namespace))
                .flatMap(YamlDocument::root)
                .ifPresent(list::add);
          }
          namespaces.add(
              new NodeTuple(
                  new ScalarNode(Tag.STR, namespace, null, null, ScalarStyle.PLAIN),
                  new SequenceNode(Tag.SEQ, list, FlowStyle.BLOCK)));
        });
    DumperOptions options = new DumperOptions();
    options.setSplitLines(false);
    options.setDefaultFlowStyle(FlowStyle.BLOCK);
    StringWriter out = new StringWriter();
    try {
      new Yaml(options).serialize(new MappingNode(Tag.MAP, namespaces, FlowStyle.BLOCK), out);
    } catch (YAMLException e) {
      throw new UncheckedIOException(new IOException(e)); // a string has no output to fail
    }
    return out.toString();
  }
}
