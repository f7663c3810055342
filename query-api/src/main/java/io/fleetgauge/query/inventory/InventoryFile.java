package io.fleetgauge.query.inventory;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that says which hosts there should be. It is read again when it has changed. An entry
 * that is not understood is left out and named; while the file as a whole is none, what it said
 * before stays. For any thread.
 */
public final class InventoryFile {
  private static final Logger LOG = LoggerFactory.getLogger(InventoryFile.class);
  private static final Set<String> KEYS =
      new TreeSet<>(List.of("host", "gpus", "links", "domain", "rack"));
  private static final int MOST_GPUS = 256;
  private static final int MOST_LINKS = 64;
  private static final int MOST_PROBLEMS = 20;

  /**
   * A version of the file.
   *
   * @param problems one for each entry that was left out; the first ones
   */
  public record Content(List<PlannedHost> hosts, List<String> problems) {
    static final Content NONE = new Content(List.of(), List.of());

    public Content {
      hosts = List.copyOf(hosts);
      problems = List.copyOf(problems);
    }
  }

  private final Optional<Path> file;
  private String text = "";
  private volatile Content content = Content.NONE;

  /**
   * @param file empty for none
   */
  public InventoryFile(Optional<Path> file) {
    this.file = file;
  }

  public Content content() {
    return content;
  }

  /** Reads the file if it has changed. May wait for the disk. */
  public synchronized void look() {
    if (file.isEmpty()) {
      return;
    }
    Content next;
    try {
      String now = Files.readString(file.get());
      if (now.equals(text)) {
        return;
      }
      text = now;
      next = read(now, content);
    } catch (IOException e) {
      text = "";
      next = new Content(content.hosts(), List.of("the file cannot be read: " + e));
    }
    if (!next.problems().equals(content.problems())) {
      next.problems().forEach(problem -> LOG.warn("inventory.file: {}", problem));
    }
    content = next;
  }

  /**
   * Reads {@code hosts: [{host: gpu[001-018], gpus: 4, links: 18, domain: a, rack: r1}]}.
   *
   * @param before stays if the text is nothing of this form
   */
  static Content read(String yaml, Content before) {
    JsonNode root;
    try {
      root = YamlTree.read(yaml);
    } catch (BadYaml e) {
      return new Content(before.hosts(), List.of(e.getMessage()));
    }
    JsonNode entries = root.path("hosts");
    if (!root.isMissingNode() && !entries.isArray()) {
      return new Content(before.hosts(), List.of("the key hosts has no list of hosts"));
    }
    Map<String, PlannedHost> hosts = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    int at = 0;
    for (JsonNode entry : entries) {
      at++;
      Optional<String> problem = add(entry, hosts);
      if (problem.isPresent() && problems.size() < MOST_PROBLEMS) {
        problems.add("entry " + at + " of hosts is left out: " + problem.get());
      }
    }
    return new Content(List.copyOf(hosts.values()), problems);
  }

  /** Adds the hosts of an entry; answers why it does not. */
  private static Optional<String> add(JsonNode entry, Map<String, PlannedHost> hosts) {
    if (!entry.isObject()) {
      return Optional.of("it has no keys");
    }
    for (Map.Entry<String, JsonNode> each : entry.properties()) {
      if (!KEYS.contains(each.getKey())) {
        return Optional.of(each.getKey() + " is unknown; known is " + KEYS);
      }
      if (each.getValue().isContainerNode() || each.getValue().isNull()) {
        return Optional.of(each.getKey() + " has no value");
      }
    }
    String list = entry.path("host").asText();
    Optional<Set<String>> names = HostList.read(list);
    if (names.isEmpty()) {
      return Optional.of("host \"" + list + "\" is no name, and no list such as gpu[001-018]");
    }
    Optional<String> problem =
        outside(entry, "gpus", MOST_GPUS).or(() -> outside(entry, "links", MOST_LINKS));
    if (problem.isPresent()) {
      return problem;
    }
    for (String name : names.get()) {
      if (hosts.containsKey(name)) {
        return Optional.of(name + " is in an entry before");
      }
    }
    if (hosts.size() + names.get().size() > HostList.MOST_HOSTS) {
      return Optional.of("there are more than " + HostList.MOST_HOSTS + " hosts");
    }
    for (String name : names.get()) {
      hosts.put(
          name,
          new PlannedHost(
              name,
              number(entry.path("gpus")),
              number(entry.path("links")),
              entry.path("domain").asText(),
              entry.path("rack").asText()));
    }
    return Optional.empty();
  }

  private static Optional<String> outside(JsonNode entry, String key, int most) {
    JsonNode value = entry.path(key);
    String text = value.asText();
    boolean fits =
        value.isMissingNode() || text.matches("\\d{1,3}") && Integer.parseInt(text) <= most;
    return fits ? Optional.empty() : Optional.of(key + " is " + text + "; allowed is 0 to " + most);
  }

  private static OptionalInt number(JsonNode value) {
    return value.isMissingNode() ? OptionalInt.empty() : OptionalInt.of(value.asInt());
  }
}
