package io.fleetgauge.operator.rules;

import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Runs files of unit tests for rules. */
final class RuleTests {
  /**
   * The result of a file.
   *
   * @param failures none if all tests passed
   * @param warnings what was noticed beside the tests
   */
  record Outcome(List<String> failures, List<String> warnings) {
    boolean passed() {
      return failures.isEmpty();
    }
  }

  private RuleTests() {}

  /**
   * Runs a file.
   *
   * @param wanted which tests to run, by their names
   */
  static Outcome run(Path path, Predicate<String> wanted) throws IOException {
    List<String> failures = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    try {
      TestFile file = TestFileReader.read(path.toString(), Files.readAllBytes(path));
      List<Path> ruleFiles = new ArrayList<>();
      for (String glob : file.ruleFiles()) {
        List<Path> found = matching(path.toAbsolutePath().getParent(), glob);
        if (found.isEmpty()) {
          warnings.add("no file matches pattern " + glob);
        }
        ruleFiles.addAll(found);
      }
      for (TestFile.TestGroup test : file.tests()) {
        if (wanted.test(test.name())) {
          failures.addAll(run(file, test, ruleFiles, warnings));
        }
      }
    } catch (InvalidRules e) {
      e.problems().forEach(problem -> failures.add(problem.toString()));
    }
    return new Outcome(failures, warnings);
  }

  private static List<String> run(
      TestFile file, TestFile.TestGroup test, List<Path> ruleFiles, List<String> warnings)
      throws IOException {
    RuleFileReader reader =
        new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, test.interval());
    List<RuleGroup> groups = new ArrayList<>();
    try {
      for (Path ruleFile : ruleFiles) {
        byte[] text = Files.readAllBytes(ruleFile);
        groups.addAll(reader.read("", ruleFile.toString(), text));
        RuleFileReader.unread(ruleFile.toString(), text)
            .map(Object::toString)
            .filter(warning -> !warnings.contains(warning))
            .ifPresent(warnings::add);
      }
    } catch (InvalidRules e) {
      return e.problems().stream().map(Object::toString).toList();
    }
    Map<String, Integer> order = new HashMap<>();
    for (String group : file.groupOrder()) {
      order.put(group, order.size());
    }
    groups.sort(Comparator.comparingInt(group -> order.getOrDefault(group.id().name(), 0)));
    return new TestRun(file, test, groups).failures();
  }

  // --- globs ---

  /** The files that a glob names, as Go's filepath.Glob finds them. */
  static List<Path> matching(Path folder, String glob) throws IOException {
    Path wanted = folder.resolve(glob).normalize();
    List<Path> found = List.of(wanted.getRoot());
    for (Path part : wanted) {
      List<Path> next = new ArrayList<>();
      for (Path parent : found) {
        next.addAll(matchingIn(parent, part.toString()));
      }
      found = next;
    }
    return found;
  }

  private static List<Path> matchingIn(Path parent, String part) throws IOException {
    if (part.chars().noneMatch(c -> "*?[".indexOf(c) >= 0)) {
      Path child = parent.resolve(part);
      return Files.exists(child) ? List.of(child) : List.of();
    }
    if (!Files.isDirectory(parent)) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    String plain = part.replace("{", "\\{").replace("}", "\\}").replace("[^", "[!");
    try (DirectoryStream<Path> children = Files.newDirectoryStream(parent, plain)) {
      children.forEach(found::add);
    }
    found.sort(Comparator.naturalOrder());
    return found;
  }
}
