package io.fleetgauge.load.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A metric that a source declares with {@code Meters}, whether or not a running process has values
 * of it.
 *
 * @param name without the prefix of the process
 * @param type counter, gauge or histogram
 * @param help one sentence
 */
record DeclaredMetric(String name, String type, List<String> labels, String help) {
  private static final Pattern CALL =
      Pattern.compile("\\b(counter|counters|gauge|gauges|histogram)\\(\\s*(meters,\\s*)?(?=\")");
  private static final Pattern TEXT = Pattern.compile("\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern NAME = Pattern.compile("\\s*([A-Z][A-Z_]+)\\b");
  private static final Pattern OWN = Pattern.compile("\\bname,\\s*help(?=,)");
  private static final Pattern LABELS =
      Pattern.compile(",\\s*(?:\"(\\w+)\"|List\\.of\\(([^)]*)\\))");

  /** Metrics that the classes of a module declare, by the name of the class. */
  static Map<String, List<DeclaredMetric>> of(Path module) throws IOException {
    Map<String, List<DeclaredMetric>> found = new LinkedHashMap<>();
    try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
        String source = Files.readString(file);
        List<DeclaredMetric> declared = source.contains("Meters meters") ? in(source) : List.of();
        if (!declared.isEmpty()) {
          found.put(file.getFileName().toString().replace(".java", ""), declared);
        }
      }
    }
    return found;
  }

  static List<DeclaredMetric> in(String source) {
    List<DeclaredMetric> declared = new ArrayList<>();
    Matcher call = CALL.matcher(source);
    while (call.find()) {
      Text name = text(source, call.end());
      Text help = text(source, source.indexOf(',', name.end()) + 1);
      String kind = call.group(1);
      String type = kind.endsWith("s") ? kind.substring(0, kind.length() - 1) : kind;
      declared.add(
          new DeclaredMetric(
              name.value() + (type.equals("counter") ? "_total" : ""),
              type,
              kind.endsWith("s") ? labels(source, help.end(), call.group(2) != null) : List.of(),
              help.value()));
    }
    return declared;
  }

  private record Text(String value, int end) {}

  /** Texts and constants that a plus joins. */
  private static Text text(String source, int from) {
    StringBuilder value = new StringBuilder();
    int at = from;
    while (true) {
      Matcher text = TEXT.matcher(source).region(at, source.length());
      Matcher name = NAME.matcher(source).region(at, source.length());
      if (text.lookingAt()) {
        value.append(text.group(1).replace("\\\"", "\""));
        at = text.end();
      } else if (name.lookingAt()) {
        value.append(constant(source, name.group(1)));
        at = name.end();
      } else {
        throw new IllegalStateException("no text: " + source.substring(from, from + 80));
      }
      Matcher plus = Pattern.compile("\\s*\\+").matcher(source).region(at, source.length());
      if (!plus.lookingAt()) {
        return new Text(value.toString(), at);
      }
      at = plus.end();
    }
  }

  private static String constant(String source, String name) {
    Matcher value = Pattern.compile("\\b" + name + " = ([\\d_]+);").matcher(source);
    if (!value.find()) {
      throw new IllegalStateException("no constant " + name);
    }
    return value.group(1).replace("_", ",");
  }

  /**
   * @param isOwn whether a method of the class adds the label, for all that it declares
   */
  private static List<String> labels(String source, int from, boolean isOwn) {
    Matcher own = OWN.matcher(source);
    int at = isOwn && own.find(from) ? own.end() : from;
    Matcher labels = LABELS.matcher(source).region(at, source.length());
    if (!labels.lookingAt()) {
      throw new IllegalStateException("no labels: " + source.substring(from, from + 80));
    }
    return labels.group(1) != null
        ? List.of(labels.group(1))
        : List.of(labels.group(2).replaceAll("[\"\\s]", "").split(","));
  }
}
