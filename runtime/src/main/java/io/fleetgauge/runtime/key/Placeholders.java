package io.fleetgauge.runtime.key;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces {@code ${NAME}} in the texts of a tree by variables of the environment, and {@code
 * ${file:/path}} by what is in files. {@code $${} stands for {@code ${}. What replaces a
 * placeholder is not searched for others. Rules of relabelling stay as they are: groups of their
 * expressions are named so. Elsewhere, digits between the braces stay too.
 */
final class Placeholders {
  /** Most bytes of a file. */
  private static final int LONGEST_FILE = 64 << 10;

  private static final Pattern PLACEHOLDER =
      Pattern.compile("(?<escaped>\\$\\$\\{)|\\$\\{(?<inner>[^}]*)(?<end>}?)");
  private static final Pattern GROUP = Pattern.compile("\\d+");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern RULES = Pattern.compile("(.*\\.)?(relabel|metricRelabel)");
  private static final String FILE = "file:";

  private final Function<String, Optional<String>> environment;
  private final List<String> problems;
  private final Set<String> refused = new TreeSet<>();

  /**
   * @param environment the value of a variable
   * @param problems receives what is wrong, with the key and the placeholder
   */
  Placeholders(Function<String, Optional<String>> environment, List<String> problems) {
    this.environment = environment;
    this.problems = problems;
  }

  /** Tells whether a placeholder in the value of a key, or below it, could not be replaced. */
  boolean hasRefused(String key) {
    return refused.stream()
        .anyMatch(
            each -> each.equals(key) || each.startsWith(key + ".") || each.startsWith(key + "["));
  }

  /** A text with at least one placeholder replaced. */
  static final class Replaced extends TextNode {
    private static final long serialVersionUID = 1L;

    private final String written;

    Replaced(String value, String written) {
      super(value);
      this.written = written;
    }

    /** For messages, without the contents of files: they may be secrets. */
    private String shown() {
      return written.contains("${" + FILE) ? written : textValue() + " (from " + written + ")";
    }
  }

  /** A single value for a message. */
  static String shown(JsonNode value) {
    return value instanceof Replaced replaced ? replaced.shown() : value.asText();
  }

  /** A list or a map for a message. */
  static String shownBelow(JsonNode value) {
    return masked(value.deepCopy()).toString();
  }

  private static JsonNode masked(JsonNode node) {
    switch (node) {
      case ObjectNode map ->
          map.properties().forEach(entry -> entry.setValue(masked(entry.getValue())));
      case ArrayNode list -> {
        for (int i = 0; i < list.size(); i++) {
          list.set(i, masked(list.get(i)));
        }
      }
      case Replaced replaced -> {
        return new TextNode(replaced.shown());
      }
      default -> {}
    }
    return node;
  }

  /** The same tree, replaced in place, or a new node. */
  JsonNode replace(String key, JsonNode node) {
    if (RULES.matcher(key).matches()) {
      return node;
    }
    switch (node) {
      case ObjectNode map ->
          map.properties()
              .forEach(
                  entry ->
                      entry.setValue(
                          replace(
                              key.isEmpty() ? entry.getKey() : key + "." + entry.getKey(),
                              entry.getValue())));
      case ArrayNode list -> {
        for (int i = 0; i < list.size(); i++) {
          list.set(i, replace(key + "[" + i + "]", list.get(i)));
        }
      }
      case TextNode text -> {
        return text.textValue().contains("${") ? replaced(key, text) : text;
      }
      default -> {}
    }
    return node;
  }

  private JsonNode replaced(String key, TextNode text) {
    Matcher matcher = PLACEHOLDER.matcher(text.textValue());
    StringBuilder value = new StringBuilder();
    boolean isReplaced = false;
    int at = 0;
    while (matcher.find()) {
      value.append(text.textValue(), at, matcher.start());
      at = matcher.end();
      if (matcher.group("escaped") != null) {
        value.append("${");
        continue;
      }
      String inner = matcher.group("inner");
      if (GROUP.matcher(inner).matches() && !matcher.group("end").isEmpty()) {
        value.append(matcher.group());
        continue;
      }
      isReplaced = true;
      try {
        value.append(value(inner, !matcher.group("end").isEmpty()));
      } catch (Refused e) {
        problems.add(key + ": " + matcher.group() + " is not allowed; " + e.getMessage());
        refused.add(key);
      }
    }
    value.append(text.textValue(), at, text.textValue().length());
    return isReplaced
        ? new Replaced(value.toString(), text.textValue())
        : new TextNode(value.toString());
  }

  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
      super(reason);
    }
  }

  private String value(String inner, boolean isClosed) throws Refused {
    if (isClosed && inner.startsWith(FILE)) {
      return contents(inner.substring(FILE.length()));
    }
    if (!isClosed || !VARIABLE.matcher(inner).matches()) {
      throw new Refused(
          "allowed is ${NAME} with a variable of the environment, ${file:/path}, or $${ for the two"
              + " characters themselves");
    }
    return environment
        .apply(inner)
        .orElseThrow(() -> new Refused("the environment has no variable " + inner));
  }

  private static String contents(String name) throws Refused {
    Path file;
    try {
      file = FileSystems.getDefault().getPath(name);
    } catch (InvalidPathException e) {
      throw new Refused("it is no path: " + e.getReason());
    }
    if (!file.isAbsolute()) {
      throw new Refused("the path of the file has to begin with /");
    }
    if (!Files.isRegularFile(file)) {
      throw new Refused(Files.exists(file) ? "it is not a file" : "there is no such file");
    }
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(LONGEST_FILE + 1);
    } catch (NoSuchFileException e) {
      throw new Refused("there is no such file");
    } catch (IOException e) {
      throw new Refused("the file cannot be read: " + e);
    }
    if (bytes.length > LONGEST_FILE) {
      throw new Refused("the file is longer than " + (LONGEST_FILE >> 10) + "KiB");
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.replaceFirst("\\r?\\n\\z", "");
    } catch (CharacterCodingException e) {
      throw new Refused("the file is not text in UTF-8");
    }
  }
}
