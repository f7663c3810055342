package io.fleetgauge.query.rules.definition;

import io.fleetgauge.runtime.yaml.YamlDocument;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/** The first document of a YAML text of any bytes, with the tabs that Prometheus allows. */
public final class YamlText {
  private static final int MAX_TABS = 100;

  private YamlText() {}

  /** The document; empty after a problem. */
  public static Optional<YamlDocument> first(byte[] bytes, Problems problems) {
    Optional<String> decoded = decoded(bytes, problems);
    if (decoded.isEmpty()) {
      return Optional.empty();
    }
    String text = decoded.get();
    for (int spaced = 0; spaced < MAX_TABS; spaced++) {
      try {
        return Optional.of(YamlDocument.first(text));
      } catch (MarkedYAMLException e) {
        Optional<String> withSpaces = withSpaces(text, e);
        if (withSpaces.isEmpty()) {
          add(problems, e);
          return Optional.empty();
        }
        text = withSpaces.get();
      } catch (ReaderException e) {
        addAt(
            problems,
            text.substring(0, text.offsetByCodePoints(0, e.getPosition())),
            String.format("not YAML: the character U+%04X is not allowed", e.getCodePoint()));
        return Optional.empty();
      } catch (YAMLException e) {
        problems.add(1, 1, "not YAML: " + e.getMessage());
        return Optional.empty();
      }
    }
    problems.add(1, 1, "tabs separate words in more than " + MAX_TABS + " places; use spaces");
    return Optional.empty();
  }

  /**
   * The text with spaces in place of the tabs that the parser complains of. Go's parser, and so
   * Prometheus, takes tabs between a key and its value; SnakeYAML does not. Tabs that indent a line
   * are wrong for both.
   *
   * @return empty when the failure has another cause
   */
  private static Optional<String> withSpaces(String text, MarkedYAMLException failure) {
    Mark mark = failure.getProblemMark();
    if (mark == null) {
      return Optional.empty();
    }
    int at =
        text.offsetByCodePoints(
            0, Math.min(mark.getIndex(), text.codePointCount(0, text.length())));
    int before = at - 1;
    while (before >= 0 && (text.charAt(before) == ' ' || text.charAt(before) == '\t')) {
      before--;
    }
    int after = at;
    while (after < text.length() && text.charAt(after) == '\t') {
      after++;
    }
    boolean isBetween = before >= 0 && "\n\r-?".indexOf(text.charAt(before)) < 0;
    return after > at && isBetween
        ? Optional.of(text.substring(0, at) + " ".repeat(after - at) + text.substring(after))
        : Optional.empty();
  }

  private static void add(Problems problems, MarkedYAMLException failure) {
    Mark at =
        failure.getProblemMark() == null ? failure.getContextMark() : failure.getProblemMark();
    problems.add(
        at,
        "not YAML: "
            + (failure.getContext() == null ? "" : failure.getContext() + ": ")
            + failure.getProblem());
  }

  private static Optional<String> decoded(byte[] bytes, Problems problems) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(in).toString());
    } catch (CharacterCodingException e) {
      int at = in.position();
      addAt(
          problems,
          new String(bytes, 0, at, StandardCharsets.UTF_8),
          String.format("not YAML: the byte 0x%02x is not UTF-8", bytes[at]));
      return Optional.empty();
    }
  }

  /** Adds a problem of the character that follows a text. */
  private static void addAt(Problems problems, String before, String message) {
    int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
    int column = before.length() - before.lastIndexOf('\n');
    problems.add(line, column, message);
  }
}
