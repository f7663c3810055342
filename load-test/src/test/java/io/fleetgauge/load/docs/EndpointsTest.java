package io.fleetgauge.load.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Paths of HTTP APIs that documents name are described, and so are mounted. */
class EndpointsTest {
  private static final Pattern PATH =
      Pattern.compile(
          "(?<![\\w.}>-])(/(?:api/v1|v1|-|federate|grafana|metrics|config/v1|prometheus/config)"
              + "(?:/[\\w.{}~-]+)*/?)");

  /** Paths of other programs, and beginnings of several of ours. */
  private static final Pattern OTHERS =
      Pattern.compile(
          "/api/v1/(namespaces/.*|push|receive)|/v1/traces|/v1/logs|/v1/hosts/?|/v1/restore|/grafana/?");

  private final List<Pattern> known = new ArrayList<>();

  EndpointsTest() throws IOException {
    for (String process : List.of("query", "gateway", "probe")) {
      new YAMLMapper()
          .readTree(Prose.ROOT.resolve("docs/api/" + process + ".yaml").toFile())
          .path("paths")
          .fieldNames()
          .forEachRemaining(
              path ->
                  known.add(
                      Pattern.compile(
                          path.replace(".", "\\.").replaceAll("\\{[^}]*\\}", "[^/]+") + "/?")));
    }
    assertThat(known).hasSizeGreaterThan(50);
  }

  @Test
  void everyPathInADocumentIsDescribed() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Prose document : Prose.all().values()) {
      unknown.addAll(Prose.unknown(document.spans(), PATH, this::exists));
      unknown.addAll(Prose.unknown(document.blocks(), PATH, this::exists));
    }
    assertThat(unknown).isEmpty();
  }

  private boolean exists(String path) {
    return OTHERS.matcher(path).matches()
        || known.stream().anyMatch(each -> each.matcher(path).matches());
  }
}
