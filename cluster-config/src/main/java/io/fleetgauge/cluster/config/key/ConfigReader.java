package io.fleetgauge.cluster.config.key;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Takes values out of a YAML tree by dotted key and gathers what is wrong with them, so that one
 * reading finds every problem. Not for several threads.
 */
public final class ConfigReader {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final Pattern BYTES = Pattern.compile("(\\d{1,9})(B|KiB|MiB|GiB)");
  private static final Map<String, Long> UNIT_MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
  private static final Map<String, Long> UNIT_BYTES =
      Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

  private final String source;
  private final JsonNode root;
  private final Set<String> known = new HashSet<>();
  private final List<String> problems = new ArrayList<>();

  /**
   * @param source what messages call the text, such as the file's name
   * @throws ConfigException if the text is not YAML, or not a map
   */
  public ConfigReader(String source, String yaml) throws ConfigException {
    this.source = source;
    try {
      JsonNode tree =
          new YAMLMapper(
                  YAMLFactory.builder().enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL).build())
              .readTree(yaml);
      boolean empty = tree == null || tree.isMissingNode() || tree.isNull();
      root = empty ? MissingNode.getInstance() : tree;
    } catch (JsonProcessingException e) {
      throw new ConfigException(source, List.of("not YAML: " + e.getOriginalMessage()));
    }
    if (!root.isMissingNode() && !root.isObject()) {
      throw new ConfigException(source, List.of("a map of keys is expected at the top"));
    }
  }

  public String text(String key, String fallback) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    if (!node.isValueNode() || node.asText().isBlank()) {
      return wrong(key, node, "a text that is not blank", fallback);
    }
    return node.asText();
  }

  public <E extends Enum<E>> E choice(String key, Class<E> type, E fallback) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    List<String> allowed = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      String word = constant.name().toLowerCase(java.util.Locale.ROOT);
      if (node.asText().equals(word)) {
        return constant;
      }
      allowed.add(word);
    }
    return wrong(key, node, "one of " + String.join(", ", allowed), fallback);
  }

  public boolean flag(String key, boolean fallback) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    return node.isBoolean() ? node.asBoolean() : wrong(key, node, "true or false", fallback);
  }

  public long number(String key, long fallback, long min, long max) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    boolean fits = node.isIntegralNumber() && node.canConvertToLong();
    if (!fits || node.asLong() < min || node.asLong() > max) {
      return wrong(key, node, "a whole number from " + min + " to " + max, fallback);
    }
    return node.asLong();
  }

  public boolean isSet(String key) {
    return !take(key).isMissingNode();
  }

  /** A TCP port; 0 lets the system choose one. */
  public int port(String key, int fallback) {
    return (int) number(key, fallback, 0, 65_535);
  }

  public Duration duration(String key, Duration fallback, Duration min, Duration max) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    String allowed =
        "a duration from " + print(min) + " to " + print(max) + " in ms, s, m, h or d, such as 15s";
    Matcher matcher = DURATION.matcher(node.asText());
    if (!matcher.matches()) {
      return wrong(key, node, allowed, fallback);
    }
    long count = Long.parseLong(matcher.group(1));
    Duration duration = Duration.ofMillis(count * UNIT_MILLIS.get(matcher.group(2)));
    if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
      return wrong(key, node, allowed, fallback);
    }
    return duration;
  }

  public long bytes(String key, long fallback, long min, long max) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    String allowed =
        "a size from " + min + "B to " + max + "B in B, KiB, MiB or GiB, such as 64MiB";
    Matcher matcher = BYTES.matcher(node.asText());
    if (!matcher.matches()) {
      return wrong(key, node, allowed, fallback);
    }
    long bytes = Long.parseLong(matcher.group(1)) * UNIT_BYTES.get(matcher.group(2));
    return bytes < min || bytes > max ? wrong(key, node, allowed, fallback) : bytes;
  }

  /** A file that has to be there and readable. */
  public Optional<Path> file(String key) {
    String text = text(key, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Path file = Path.of(text);
    if (!Files.isReadable(file)) {
      problems.add(key + ": the file " + text + " cannot be read");
    }
    return Optional.of(file);
  }

  public List<String> texts(String key, List<String> fallback) {
    JsonNode node = take(key);
    if (node.isMissingNode()) {
      return fallback;
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode item : node) {
      if (!item.isValueNode() || item.asText().isBlank()) {
        return wrong(key, node, "a list of texts", fallback);
      }
      texts.add(item.asText());
    }
    return node.isArray() && !texts.isEmpty()
        ? List.copyOf(texts)
        : wrong(key, node, "a list of texts", fallback);
  }

  /** The keys of a section, sorted; none when it is missing. */
  public List<String> keys(String section) {
    JsonNode node = root;
    for (String part : section.split("\\.")) {
      node = node.path(part);
    }
    List<String> keys = new ArrayList<>();
    node.fieldNames().forEachRemaining(keys::add);
    keys.sort(null);
    if (keys.isEmpty()) {
      known.add(section + ".name");
    }
    return keys;
  }

  /** A regular expression that has to be there. */
  public String pattern(String key) {
    JsonNode node = take(key);
    String allowed = "a regular expression";
    if (!node.isValueNode() || node.asText().isBlank()) {
      return wrong(key, node, allowed, "");
    }
    try {
      Pattern.compile(node.asText());
      return node.asText();
    } catch (PatternSyntaxException e) {
      return wrong(key, node, allowed, "");
    }
  }

  public List<Duration> durations(String key, Duration min, Duration max) {
    JsonNode node = take(key);
    List<Duration> durations = new ArrayList<>();
    for (JsonNode item : node) {
      Matcher matcher = DURATION.matcher(item.asText());
      Duration duration =
          matcher.matches()
              ? Duration.ofMillis(
                  Long.parseLong(matcher.group(1)) * UNIT_MILLIS.get(matcher.group(2)))
              : Duration.ZERO;
      if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
        return wrong(
            key, node, "a list of durations from " + print(min) + " to " + print(max), List.of());
      }
      durations.add(duration);
    }
    return node.isMissingNode() || node.isArray()
        ? List.copyOf(durations)
        : wrong(key, node, "a list of durations", List.of());
  }

  /** Some of the words that are allowed; none when the key is missing. */
  public Set<String> choices(String key, Set<String> allowed) {
    List<String> texts = texts(key, List.of());
    for (String text : texts) {
      if (!allowed.contains(text)) {
        problems.add(
            key
                + ": "
                + text
                + " is not allowed; allowed are "
                + String.join(", ", new TreeSet<>(allowed)));
      }
    }
    return Set.copyOf(texts);
  }

  /** Addresses of the form {@code http://host:port}, or https. */
  public List<URI> addresses(String key, List<URI> fallback) {
    List<String> texts = texts(key, List.of());
    if (texts.isEmpty()) {
      return fallback;
    }
    List<URI> addresses = new ArrayList<>();
    for (String text : texts) {
      if (text.matches("https?://[^/:\\s]+:\\d{1,5}")) {
        addresses.add(URI.create(text));
      } else {
        problems.add(
            key + ": " + text + " is not of the form http://host:port or https://host:port");
      }
    }
    return addresses;
  }

  /** A map of label names to values. */
  public Map<String, String> labels(String key) {
    JsonNode node = take(key);
    Map<String, String> labels = new TreeMap<>();
    if (node.isMissingNode()) {
      return labels;
    }
    for (var entry : node.properties()) {
      if (!entry.getKey().matches("[a-zA-Z_][a-zA-Z0-9_]*") || !entry.getValue().isValueNode()) {
        wrong(
            key + "." + entry.getKey(),
            entry.getValue(),
            "a label name of letters, digits and underscores with a text",
            null);
      } else {
        labels.put(entry.getKey(), entry.getValue().asText());
      }
    }
    return node.isObject() ? labels : wrong(key, node, "a map of labels", labels);
  }

  public void problem(String text) {
    problems.add(text);
  }

  /**
   * To be called when every key has been asked for.
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
      if (known.contains(key)) {
        continue;
      }
      boolean section = known.stream().anyMatch(other -> other.startsWith(key + "."));
      if (!section) {
        problems.add(key + ": no such key; known here are " + String.join(", ", siblings(prefix)));
      } else if (entry.getValue().isObject()) {
        unknown(entry.getValue(), key + ".");
      } else if (!entry.getValue().isNull()) {
        wrong(key, entry.getValue(), "a map of keys", null);
      }
    }
  }

  private Set<String> siblings(String prefix) {
    Set<String> names = new TreeSet<>();
    for (String key : known) {
      if (key.startsWith(prefix)) {
        names.add(key.substring(prefix.length()).split("\\.", 2)[0]);
      }
    }
    return names;
  }

  private JsonNode take(String key) {
    known.add(key);
    JsonNode node = root;
    for (String part : key.split("\\.")) {
      node = node.path(part);
    }
    return node.isNull() ? MissingNode.getInstance() : node;
  }

  private <T> T wrong(String key, JsonNode value, String allowed, T fallback) {
    String shown = value.isValueNode() ? value.asText() : value.toString();
    problems.add(key + ": " + shown + " is not allowed; allowed is " + allowed);
    return fallback;
  }

  private static String print(Duration duration) {
    long millis = duration.toMillis();
    for (String unit : List.of("d", "h", "m", "s")) {
      if (millis % UNIT_MILLIS.get(unit) == 0) {
        return millis / UNIT_MILLIS.get(unit) + unit;
      }
    }
    return millis + "ms";
  }
}
