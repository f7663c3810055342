package io.fleetgauge.load.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The routes that sources mount on a router of Vert.x: method and path, constants resolved. */
final class MountedRoutes {
  private static final String TERM = "(?:\"[^\"]*\"|[A-Z][\\w.]*)";
  private static final Pattern CALL =
      Pattern.compile(
          "\\.(get|post|put|delete)\\(\\s*(" + TERM + "(?:\\s*\\+\\s*" + TERM + ")*|path)\\s*\\)");

  /** Paths that a loop mounts. */
  private static final Pattern LOOP =
      Pattern.compile("for \\(String path : List\\.of\\(([^)]*)\\)\\)");

  /** By the name of the class. */
  private final Map<String, String> sources = new HashMap<>();

  MountedRoutes(Path... modules) throws IOException {
    for (Path module : modules) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
        }
      }
    }
  }

  /** Routes that classes mount in a package below this one, such as {@code get /metrics}. */
  Set<String> below(String root) {
    Set<String> routes = new TreeSet<>();
    for (String source : sources.values()) {
      if (source.startsWith("package " + root) && source.contains("io.vertx.ext.web.Router;")) {
        Matcher call = CALL.matcher(source);
        while (call.find()) {
          for (String path : paths(source, call.group(2))) {
            if (path.startsWith("/")) {
              routes.add(call.group(1) + " " + path.replaceAll(":(\\w+)", "{$1}"));
            }
          }
        }
      }
    }
    return routes;
  }

  private Set<String> paths(String source, String expression) {
    if (!expression.equals("path")) {
      return Set.of(value(source, expression));
    }
    Matcher loop = LOOP.matcher(source);
    return loop.find() ? Set.of(loop.group(1).replaceAll("[\"\\s]", "").split(",")) : Set.of();
  }

  private String value(String source, String expression) {
    StringBuilder value = new StringBuilder();
    for (String term : expression.split("\\+")) {
      String each = term.strip();
      value.append(
          each.startsWith("\"") ? each.substring(1, each.length() - 1) : constant(source, each));
    }
    return value.toString();
  }

  private String constant(String source, String name) {
    int dot = name.lastIndexOf('.');
    String in = dot < 0 ? source : sources.getOrDefault(name.substring(0, dot), "");
    Matcher value =
        Pattern.compile("\\bString " + name.substring(dot + 1) + "\\s*=\\s*([^;]+);").matcher(in);
    return value.find() ? value(in, value.group(1)) : "";
  }
}
