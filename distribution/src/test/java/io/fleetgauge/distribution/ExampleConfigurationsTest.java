package io.fleetgauge.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The examples in {@code distribution/src/main/etc} are those that documents, packages and
 * Kubernetes have: whatever is an example too has the same values.
 */
class ExampleConfigurationsTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path EXAMPLES = ROOT.resolve("distribution/src/main/etc");
  private static final Path PACKAGES =
      ROOT.resolve("distribution/src/main/resources/io/fleetgauge/distribution/packages");
  private static final Path KUSTOMIZE = ROOT.resolve("k8s/kustomize");

  /** Comments with keys: what follows a line without text, or two that stand alone. */
  private static final Pattern PROPOSED =
      Pattern.compile(
          "^(?:#\n)?((?<=^#\n)(?:# .*\n)+|# (?:tokenFile|labels): .*\n)", Pattern.MULTILINE);

  private static final YAMLMapper YAML = new YAMLMapper();

  /** The folder of each process's data: the same wherever it is configured. */
  private static final Map<String, String> FOLDERS =
      Map.of("store.folder", "gateway", "spool.folder", "probe", "rules.folder", "query");

  /** Settings that each machine has of its own. */
  private static final Set<String> OF_A_MACHINE =
      Set.of("id", "zone", "http.host", "http.advertisedHost", "cluster.host", "gateways");

  /** Keys and values of a text, the keys dotted. */
  private static Map<String, String> keys(String yaml) throws IOException {
    Map<String, String> keys = new TreeMap<>();
    JsonNode tree = YAML.readTree(yaml);
    if (tree.isObject()) {
      put("", tree, keys);
    }
    return keys;
  }

  private static void put(String path, JsonNode node, Map<String, String> keys) {
    for (var each : node.properties()) {
      if (each.getValue().isObject()) {
        put(path + each.getKey() + ".", each.getValue(), keys);
      } else {
        keys.put(path + each.getKey(), each.getValue().toString());
      }
    }
  }

  private static Map<String, String> example(String process) throws IOException {
    return keys(Files.readString(EXAMPLES.resolve(process + ".yaml")));
  }

  private static void hasTheFolders(String what, Map<String, String> keys) throws IOException {
    for (Map.Entry<String, String> folder : FOLDERS.entrySet()) {
      if (keys.containsKey(folder.getKey())) {
        assertThat(keys.get(folder.getKey()))
            .as(what)
            .isEqualTo(example(folder.getValue()).get(folder.getKey()));
      }
    }
  }

  /** The process of which a text is a whole example. */
  private static Optional<String> process(Map<String, String> keys) {
    if (keys.containsKey("store.folder")) {
      return Optional.of("gateway");
    }
    if (keys.containsKey("gateways")) {
      return Optional.of("probe");
    }
    return keys.containsKey("cluster.members") && keys.containsKey("http.port")
        ? Optional.of("query")
        : Optional.empty();
  }

  private static Map<String, String> blocks() throws IOException {
    Map<String, String> blocks = new TreeMap<>();
    try (Stream<Path> documents =
        Stream.concat(Stream.of(ROOT.resolve("README.md")), Files.walk(ROOT.resolve("docs")))) {
      for (Path each : documents.filter(file -> file.toString().endsWith(".md")).toList()) {
        String text = Files.readString(each);
        Pattern.compile("^ *```yaml\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(text)
            .results()
            .forEach(
                block ->
                    blocks.put(
                        ROOT.relativize(each) + " at " + block.start(),
                        block.group(1).stripIndent()));
      }
    }
    return blocks;
  }

  @Test
  void examplesInDocumentsHaveTheValuesOfThoseThatAreInstalled() throws Exception {
    List<String> whole = new ArrayList<>();
    for (Map.Entry<String, String> block : blocks().entrySet()) {
      Map<String, String> keys = keys(block.getValue());
      hasTheFolders(block.getKey(), keys);
      Optional<String> process = process(keys);
      if (process.isPresent()) {
        whole.add(process.get());
        Map<String, String> example = example(process.get());
        keys.keySet().removeIf(key -> OF_A_MACHINE.contains(key) || !example.containsKey(key));
        assertThat(example).as(block.getKey()).containsAllEntriesOf(keys);
      }
    }
    assertThat(whole).contains("probe", "gateway", "query");
  }

  @ParameterizedTest
  @ValueSource(strings = {"probe", "gateway", "query"})
  void thePackagesHaveTheSameFoldersAndProposeTheSameCluster(String process) throws Exception {
    String text = Files.readString(PACKAGES.resolve(process + "/" + process + ".yaml"));
    hasTheFolders(process, keys(text));
    Map<String, String> example = example(process);
    String proposed =
        PROPOSED
            .matcher(text)
            .results()
            .map(lines -> lines.group(1).replaceAll("(?m)^# ", ""))
            .reduce("", String::concat);
    Map<String, String> keys = keys(proposed);
    assertThat(example).as(proposed).containsAllEntriesOf(keys);
    assertThat(keys).containsKey(process.equals("probe") ? "tokenFile" : "cluster.members");
  }

  @ParameterizedTest
  @CsvSource({
    "kubernetes-discovery, cluster.discovery",
    "production, http.tls|trust|zone|discovery",
    "small, http.insecure|cluster.(replication|name|secretFile)|tenants|tokenFile|store|journal"
        + "|drainTimeout|log"
  })
  void overlaysDifferFromTheBaseInWhatTheyAreForOnly(String overlay, String differences)
      throws Exception {
    for (String process : List.of("probe", "gateway", "query")) {
      Path file = KUSTOMIZE.resolve("overlays/" + overlay + "/" + process + ".yaml");
      Map<String, String> base =
          keys(Files.readString(KUSTOMIZE.resolve("base/config/" + process + ".yaml")));
      hasTheFolders("base", base);
      if (Files.exists(file)) {
        Map<String, String> keys = keys(Files.readString(file));
        hasTheFolders(overlay, keys);
        Pattern own = Pattern.compile("(" + differences.replace(".", "\\.") + ")(\\..*)?");
        keys.keySet().removeIf(key -> own.matcher(key).matches());
        base.keySet().removeIf(key -> own.matcher(key).matches());
        if (overlay.equals("production")) {
          // Its addresses begin with https.
          keys.computeIfPresent("rules.externalUrl", (key, url) -> url.replace("https:", "http:"));
        }
        assertThat(keys).as(overlay + " " + process).isEqualTo(base);
      }
    }
  }
}
