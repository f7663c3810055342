package io.fleetgauge.load.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Damages a text as people, editors and disks do: in its lines, its words and its characters. */
final class DamagedText {
  private static final List<String> WORDS =
      List.of(
          "record",
          "alert",
          "expr",
          "for",
          "keep_firing_for",
          "labels",
          "annotations",
          "groups",
          "name",
          "rules",
          "interval",
          "limit",
          "query_offset",
          "unknown",
          "__name__");
  private static final List<String> VALUES =
      List.of(
          "",
          "~",
          "null",
          "5",
          "-1",
          "1.5",
          "0x10",
          "1e3",
          "0",
          "5m",
          "5 m",
          "m5",
          "1h1h",
          "[]",
          "{}",
          "[a, b]",
          "{a: b}",
          "true",
          "yes",
          "\"\"",
          "''",
          "\"5\"",
          "!!str 5",
          "!!int x",
          "sum(",
          "up{",
          "rate(up)",
          "a b",
          "{{",
          "*shared",
          "*none",
          "&x y",
          "|",
          ">",
          "2026-11-24",
          "up == 0 }",
          "foo: bar",
          "- x",
          "\"\\ud800\"",
          "\"\\x41\"",
          "99999999999999999999");
  private static final String CHARACTERS = ":-{}[]'\"#&*!|>%@`,?\t \u0000\u007f\ufeffé~\\\n";

  private DamagedText() {}

  /** A text with one to three damages. */
  static String of(String text, SplittableRandom random) {
    String damaged = text;
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      damaged = once(damaged, random);
    }
    return damaged;
  }

  private static String once(String text, SplittableRandom random) {
    List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
    int at = random.nextInt(lines.size());
    String line = lines.get(at);
    int indent = line.length() - line.stripLeading().length();
    int colon = line.indexOf(": ");
    switch (random.nextInt(12)) {
      case 0 -> lines.remove(at);
      case 1 -> lines.add(at, line);
      case 2 -> lines.add(random.nextInt(lines.size()), lines.remove(at));
      case 3 -> lines.set(at, " ".repeat(1 + random.nextInt(3)) + line);
      case 4 -> lines.set(at, line.substring(Math.min(line.length(), 1 + random.nextInt(2))));
      case 5 ->
          lines.set(at, colon < 0 ? line : line.substring(0, colon + 2) + one(VALUES, random));
      case 6 ->
          lines.set(
              at,
              " ".repeat(indent)
                  + (line.strip().startsWith("- ") ? "- " : "")
                  + one(WORDS, random)
                  + (colon < 0 ? ": x" : line.substring(colon)));
      case 7 -> lines.add(at, " ".repeat(indent) + one(WORDS, random) + ": " + one(VALUES, random));
      case 8 -> lines.set(at, "\t" + line.strip());
      case 9 -> {
        return text.substring(0, random.nextInt(text.length() + 1));
      }
      default -> {
        int place = random.nextInt(text.length() + 1);
        char inserted = CHARACTERS.charAt(random.nextInt(CHARACTERS.length()));
        int skipped = random.nextBoolean() && place < text.length() ? 1 : 0;
        return text.substring(0, place) + inserted + text.substring(place + skipped);
      }
    }
    return String.join("\n", lines);
  }

  private static String one(List<String> of, SplittableRandom random) {
    return of.get(random.nextInt(of.size()));
  }
}
