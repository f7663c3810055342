package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keys of configurations that documents name are those of the processes, or of the chart. */
class KeyNamesTest {
  private static final Pattern KEY =
      Pattern.compile("^([a-z][A-Za-z0-9]*(?:\\.[A-Za-z*][A-Za-z0-9*]*)+)(?:: .*)?$");
  private static final Pattern FILE =
      Pattern.compile(".*\\.(yaml|md|json|java|tsv|token|rpmsave|crt|key|pem|tar|service)");

  /** Where sections of keys stand that are described once, as {@code discovery}. */
  private static final Pattern DISCOVERY =
      Pattern.compile("(?:cluster|rules\\.alertmanagers\\.[^.]+)\\.(discovery\\..*)");

  private final Set<String> keys = Prose.listed("docs/configuration.md", "- ");
  private final Set<String> values = new HashSet<>();
  private final Set<String> packages = new HashSet<>();
  private final List<Pattern> patterns = new ArrayList<>();
  private final Set<String> beginnings = new TreeSet<>();

  KeyNamesTest() throws IOException {
    assertThat(keys).hasSizeGreaterThan(200);
    Path chart = Prose.ROOT.resolve("k8s/chart/fleetgauge/values.yaml");
    addValues("", new YAMLMapper().readTree(chart.toFile()));
    for (String key : keys) {
      patterns.add(
          Pattern.compile(
              key.replace(".", "\\.").replaceAll("\\b[A-Z]{2,}\\b", "[^.]+") + "(\\..*)?"));
      beginnings.add(key.replaceFirst("\\..*", ""));
    }
    values.forEach(value -> beginnings.add(value.replaceFirst("\\..*", "")));
    try (Stream<Path> modules = Files.list(Prose.ROOT)) {
      for (Path module : modules.toList()) {
        addPackages(module.resolve("src/main/java/io/fleetgauge"));
      }
    }
  }

  private void addValues(String path, JsonNode node) {
    for (var each : node.properties()) {
      values.add(path + each.getKey());
      addValues(path + each.getKey() + ".", each.getValue());
    }
  }

  private void addPackages(Path root) throws IOException {
    if (Files.exists(root)) {
      try (Stream<Path> folders = Files.walk(root)) {
        folders
            .filter(Files::isDirectory)
            .forEach(each -> packages.add(root.relativize(each).toString().replace('/', '.')));
      }
    }
  }

  @Test
  void everyKeyInADocumentExists() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Prose document : Prose.all().values()) {
      unknown.addAll(Prose.unknown(document.spans(), KEY, this::exists));
    }
    assertThat(unknown).isEmpty();
  }

  private boolean exists(String name) {
    String key = name.replaceFirst("\\.\\*$", "");
    if (!beginnings.contains(key.replaceFirst("\\..*", "")) || FILE.matcher(key).matches()) {
      return true;
    }
    var discovery = DISCOVERY.matcher(key);
    return isKey(discovery.matches() ? discovery.group(1) : key)
        || values.contains(key)
        || key.matches("(probe|gateway|query)\\.config\\..*")
            && isKey(key.replaceFirst("\\w+\\.config\\.", ""))
        || packages.contains(key.replaceFirst("(\\.[A-Z]\\w*)+$", ""));
  }

  /**
   * Tells whether it is a key, the beginning of some, or one with another name in the place of one.
   */
  private boolean isKey(String key) {
    return keys.contains(key)
        || keys.stream().anyMatch(each -> each.startsWith(key + "."))
        || patterns.stream().anyMatch(each -> each.matcher(key).matches());
  }
}
