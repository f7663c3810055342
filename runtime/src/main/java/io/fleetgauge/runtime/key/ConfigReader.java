package io.fleetgauge.runtime.key;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Takes values out of a YAML tree by {@link Key} and collects what is wrong with them, so that one
 * reading finds every problem. In any text, {@code ${NAME}} stands for a variable of the
 * environment and {@code ${file:/path}} for what is in a file. Not for several threads.
 */
public final class ConfigReader {
  private static final Pattern PLAIN_NAME = Pattern.compile("[a-zA-Z0-9_-]{1,100}");

  private final String source;
  private JsonNode root;
  private final boolean describes;
  private final Map<String, Key<?>> known = new LinkedHashMap<>();
  private final Set<String> sections = new TreeSet<>();
  private final List<String> problems = new ArrayList<>();
  private final Placeholders placeholders;

  /**
   * @param source what messages call the text, such as the file's name
   * @throws ConfigException if the text is not YAML, or not a map
   */
  public ConfigReader(String source, String yaml) throws ConfigException {
    this(source, yaml, name -> Optional.ofNullable(System.getenv(name)));
  }

  /**
   * @param environment the value of a variable
   */
  ConfigReader(String source, String yaml, Function<String, Optional<String>> environment)
      throws ConfigException {
    this.source = source;
    this.describes = false;
    this.placeholders = new Placeholders(environment, problems);
    try {
      root = placeholders.replace("", YamlTree.read(yaml));
    } catch (BadYaml e) {
      throw new ConfigException(source, List.of("not YAML: " + e.getMessage()));
    }
    if (!root.isMissingNode() && !root.isObject()) {
      throw new ConfigException(source, List.of("a map of keys is expected at the top"));
    }
  }

  /**
   * Sets keys to values, as if they stood in the text so.
   *
   * @param values texts, whole numbers or booleans by key
   */
  public void override(Map<String, Object> values) {
    values.forEach(
        (key, value) -> {
          if (!root.isObject()) {
            root = JsonNodeFactory.instance.objectNode();
          }
          ObjectNode at = (ObjectNode) root;
          String[] parts = key.split("\\.");
          for (int i = 0; i < parts.length - 1; i++) {
            JsonNode below = at.path(parts[i]);
            at = below.isObject() ? (ObjectNode) below : at.putObject(parts[i]);
          }
          String last = parts[parts.length - 1];
          switch (value) {
            case Integer number -> at.put(last, number);
            case Boolean flag -> at.put(last, flag);
            case List<?> items -> {
              ArrayNode list = at.putArray(last);
              items.forEach(item -> list.add(item.toString()));
            }
            default -> at.put(last, value.toString());
          }
        });
  }

  private ConfigReader() {
    this.source = "";
    this.root = MissingNode.getInstance();
    this.describes = true;
    this.placeholders = new Placeholders(name -> Optional.empty(), problems);
  }

  /**
   * Every key that some code reads, in the order in which it reads them. The code runs on an empty
   * file in which each section with names of the user's choice has one placeholder.
   */
  public static List<Key<?>> keysReadBy(Consumer<ConfigReader> code) {
    ConfigReader in = new ConfigReader();
    code.accept(in);
    return List.copyOf(in.known.values());
  }

  /** The value of a key that has a default or must be there. */
  public <T> T get(Key<T> key) {
    return get(key, key.fallback().orElse(null));
  }

  /**
   * As {@link #get(Key)}, with a default that is worked out here.
   *
   * @return the default after a problem
   */
  public <T> T get(Key<T> key, T fallback) {
    return find(key).orElse(fallback);
  }

  /**
   * As {@link #get(Key, Object)}, where the value of another key narrows what is allowed.
   *
   * @param narrower is checked in place of the key's own type
   */
  public <T> T get(Key<T> key, KeyType<T> narrower, T fallback) {
    return find(key, narrower).orElse(fallback);
  }

  /** The value of a key; empty when it is missing, or after a problem. */
  public <T> Optional<T> find(Key<T> key) {
    return find(key, key.type());
  }

  /** Tells whether a key is there, be its value right or wrong. */
  public boolean has(Key<?> key) {
    return !at(key.name()).isMissingNode();
  }

  private <T> Optional<T> find(Key<T> key, KeyType<T> type) {
    known.put(key.name(), key);
    JsonNode node = at(key.name());
    KeyProblems of = new KeyProblems(key.name(), problems);
    if (node.isMissingNode()) {
      if (key.isRequired()) {
        of.add("the key is missing; " + type.allowed() + " is required");
      }
      return Optional.empty();
    }
    return placeholders.hasRefused(key.name()) ? Optional.empty() : type.parse(node, of);
  }

  /**
   * The names of the user's choice in a section, sorted; none when it is missing.
   *
   * @param placeholder stands for a name on the reference page
   */
  public List<String> names(String section, String placeholder) {
    sections.add(section);
    if (describes) {
      return List.of(placeholder);
    }
    List<String> names = new ArrayList<>();
    at(section).fieldNames().forEachRemaining(names::add);
    names.sort(null);
    return names;
  }

  /**
   * As {@link #names}, of sections whose names may stand in URLs, files and labels; others are
   * problems.
   *
   * @param most sections
   */
  public List<String> plainNames(String section, int most) {
    List<String> names = names(section, "NAME");
    if (names.size() > most) {
      problem(section + ": more than " + most + " sections are not allowed");
    }
    List<String> allowed = new ArrayList<>();
    for (String name : names) {
      if (PLAIN_NAME.matcher(name).matches()) {
        allowed.add(name);
      } else {
        problem(
            section
                + ": the name "
                + name
                + " is not allowed; allowed are letters, digits, _ and -, 100 at most");
      }
    }
    return allowed;
  }

  public void problem(String text) {
    problems.add(text);
  }

  /**
   * Ends the reading, when every key has been asked for.
   *
   * @throws ConfigException if anything was wrong, or a key was never asked for
   */
  public void finish() throws ConfigException {
    unknown(root, "");
    if (!problems.isEmpty()) {
      throw new ConfigException(source, problems);
    }
  }

  private void unknown(JsonNode node, String prefix) {
    for (var entry : node.properties()) {
      String key = prefix + entry.getKey();
      if (known.containsKey(key)) {
        continue;
      }
      String below = key + ".";
      boolean section =
          sections.contains(key)
              || known.keySet().stream().anyMatch(other -> other.startsWith(below))
              || sections.stream().anyMatch(other -> other.startsWith(below));
      if (!section) {
        problems.add(key + ": no such key; known here are " + String.join(", ", siblings(prefix)));
      } else if (entry.getValue().isObject()) {
        unknown(entry.getValue(), below);
      } else if (!entry.getValue().isNull()) {
        new KeyProblems(key, problems)
            .notAllowed(KeyProblems.show(entry.getValue()), "a map of keys");
      }
    }
  }

  private Set<String> siblings(String prefix) {
    Set<String> all = new TreeSet<>(known.keySet());
    all.addAll(sections);
    Set<String> names = new TreeSet<>();
    for (String key : all) {
      if (key.startsWith(prefix)) {
        names.add(key.substring(prefix.length()).split("\\.", 2)[0]);
      }
    }
    return names;
  }

  private JsonNode at(String key) {
    JsonNode node = root;
    for (String part : key.split("\\.")) {
      node = node.path(part);
    }
    return node.isNull() ? MissingNode.getInstance() : node;
  }
}
