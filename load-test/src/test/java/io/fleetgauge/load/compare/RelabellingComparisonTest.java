package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.fleet.QueryClient;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.regexp.Regexp;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Relabelling and its regular expressions do what those of the real Prometheus do. */
class RelabellingComparisonTest {
  private static final long SEED = 20_261_124;
  private static final int JOBS = 500;
  private static final int SERIES = 4;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> NAMES =
      List.of("a", "b", "gpu", "pod", "exported_pod", "job", "instance", "__name__", "modelName");
  private static final List<String> VALUES =
      List.of("x", "GPU-0", "node-1:9100", "é", "A B", "foo-bar_baz", "ÄßǅK", "10.0.0.1:80", "a;b");
  private static final List<String> ACTIONS =
      List.of(
          "replace",
          "Replace",
          "keep",
          "drop",
          "hashmod",
          "labelmap",
          "labeldrop",
          "labelkeep",
          "lowercase",
          "uppercase",
          "keepequal",
          "dropequal");
  private static final List<String> EXPRESSIONS =
      List.of(
          "(.*)",
          "(.+):(\\d+)",
          "(?i)gpu-(.*)",
          "a|b|gpu",
          "([^;]*);(.*)",
          "(?P<x>\\w+)-(?P<y>.*)",
          "",
          "(\\pL+).*",
          "[[:alpha:]]+",
          "(a|ab|)(c|bcd)?(.*)",
          "(.*?)(\\d*)",
          "^node.*$",
          "(?U)(.*)(.)",
          "exported_(.+)",
          "(.)(.*)",
          "x)|(.*b",
          "[^a-m]*",
          "(?s:.*)",
          "(\\S*)\\s?(.*)",
          "(p?)(o?)(d?).*",
          "m\\d",
          "(?:x{1,3}|a)*(.*)",
          ".*[kK].*",
          "(?i).*k.*",
          "\\Qa;b\\E");
  private static final List<String> TEMPLATES =
      List.of(
          "$1", "${1}-$2", "$x/${y}", "$$", "fix", "", "$1x", "${1}x", "a$", "$0", "n_${1}",
          "$2$1");

  @TempDir private Path folder;
  private final SplittableRandom random = new SplittableRandom(SEED);

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private Map<String, Object> rule() {
    Map<String, Object> rule = new LinkedHashMap<>();
    if (random.nextInt(5) > 0) {
      rule.put("action", one(ACTIONS));
    }
    if (random.nextInt(5) > 0) {
      rule.put(
          "source_labels",
          random.nextBoolean() ? List.of(one(NAMES)) : List.of(one(NAMES), one(NAMES)));
    }
    if (random.nextInt(5) > 0) {
      rule.put("target_label", random.nextInt(3) == 0 ? one(TEMPLATES) : one(NAMES));
    }
    if (random.nextInt(3) > 0) {
      rule.put("regex", one(EXPRESSIONS));
    }
    if (random.nextInt(3) == 0) {
      rule.put("replacement", one(TEMPLATES));
    }
    if (random.nextInt(6) == 0) {
      rule.put("separator", one(List.of(";", "", "-")));
    }
    if (random.nextInt(3) == 0) {
      rule.put("modulus", one(List.of(1, 7, 1_000, Long.MAX_VALUE)));
    }
    return rule;
  }

  private Object damaged() {
    Map<String, Object> rule = rule();
    Object[] values = {
      null,
      "",
      "keepequal",
      List.of(),
      List.of(""),
      5,
      true,
      1.5,
      -1,
      "(",
      "$",
      "[a",
      "é é",
      Map.of()
    };
    rule.put(
        one(
            List.of(
                "source_labels",
                "separator",
                "regex",
                "modulus",
                "target_label",
                "replacement",
                "action",
                "x")),
        values[random.nextInt(values.length)]);
    return random.nextInt(40) == 0 ? values[random.nextInt(values.length)] : rule;
  }

  private static Optional<Relabelling> read(Object rules) throws Exception {
    try {
      return Optional.of(
          ProbeConfig.read("f", "relabel: " + JSON.writeValueAsString(rules)).relabelling());
    } catch (ConfigException e) {
      return Optional.empty();
    }
  }

  private Labels series(int number) {
    Map<String, String> labels = new TreeMap<>();
    for (String name : NAMES) {
      if (random.nextBoolean()) {
        labels.put(name, one(VALUES));
      }
    }
    labels.put("__name__", "m" + number);
    return Labels.of(labels);
  }

  @Test
  void fiveHundredChainsOfRulesGiveTheSameSeriesAsWhenPrometheusScrapes() throws Exception {
    HttpServer pages =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    String target = "127.0.0.1:" + pages.getAddress().getPort();
    TreeMap<Double, Labels> expected = new TreeMap<>();
    StringBuilder config = new StringBuilder("global: {scrape_interval: 3s}\nscrape_configs:\n");
    int dropped = 0;
    for (int job = 0; job < JOBS; job++) {
      List<Object> rules = new ArrayList<>();
      while (rules.isEmpty() || random.nextInt(2) == 0) {
        Map<String, Object> rule = rule();
        if (read(List.of(rule)).isPresent()) {
          rules.add(rule);
        }
      }
      Relabelling relabelling = read(rules).orElseThrow();
      Set<Labels> distinct = new HashSet<>();
      StringBuilder page = new StringBuilder();
      for (int i = 0; i < SERIES; i++) {
        Labels series = series(i);
        Labels scraped =
            Labels.of("job", "j" + job, "instance", target).with(series); // honor_labels
        Optional<Labels> result;
        try {
          result = relabelling.apply(scraped);
        } catch (IllegalArgumentException e) {
          continue; // a label without a name, for which Prometheus refuses the page
        }
        // Prometheus would refuse the whole page, or keep one of two series.
        boolean usable =
            result.map(labels -> !labels.metric().isEmpty() && distinct.add(labels)).orElse(true);
        if (usable) {
          double value = 1e6 + job * SERIES + i;
          dropped += result.isEmpty() ? 1 : 0;
          result.ifPresent(labels -> expected.put(value, labels));
          page.append(series.toString().replace(", ", ",").replace("{}", ""))
              .append(' ')
              .append(value)
              .append('\n');
        }
      }
      byte[] body = page.toString().getBytes(StandardCharsets.UTF_8);
      pages.createContext(
          "/p" + job,
          http -> {
            http.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
            http.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            http.getResponseBody().write(body);
            http.close();
          });
      config
          .append("- job_name: j" + job + "\n  honor_labels: true\n  metrics_path: /p" + job)
          .append("/\n  static_configs: [{targets: ['" + target + "']}]\n")
          .append("  metric_relabel_configs: " + JSON.writeValueAsString(rules) + "\n");
    }
    assertThat(expected).hasSizeGreaterThan(JOBS);
    assertThat(dropped).isGreaterThan(JOBS / 4);
    Files.writeString(folder.resolve("prometheus.yml"), config);
    int port = LocalPorts.free(1).getFirst();
    pages.start();
    try (PrometheusServer _ = PrometheusServer.of(folder, port)) {
      QueryClient client = new QueryClient(port);
      await()
          .atMost(Duration.ofMinutes(10))
          .untilAsserted(
              () ->
                  assertThat(client.values("count({__name__=\"up\"} == 1)", "x"))
                      .containsValue((double) JOBS));
      TreeMap<Double, Labels> scraped = new TreeMap<>();
      for (JsonNode each :
          client.query("{__name__!=\"\"} >= 1e6 < 1e7").path("data").path("result")) {
        Map<String, String> labels = new TreeMap<>();
        each.path("metric")
            .properties()
            .forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
        scraped.put(each.path("value").path(1).asDouble(), Labels.of(labels));
      }
      assertThat(scraped).isEqualTo(expected);
    } finally {
      pages.stop(0);
    }
  }

  @Test
  void aDamagedRuleIsRefusedExactlyIfPrometheusRefusesIt() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(PeerPrograms.program("promtool").toString());
    command.addAll(List.of("check", "config", "--lint=none"));
    Map<String, String> texts = new LinkedHashMap<>();
    Map<String, Boolean> ours = new LinkedHashMap<>();
    for (int i = 0; i < 1_500; i++) {
      List<Object> rules = new ArrayList<>();
      rules.add(damaged());
      String name = "c" + i + ".yml";
      texts.put(name, JSON.writeValueAsString(rules));
      ours.put(name, read(rules).isPresent());
      Files.writeString(
          folder.resolve(name),
          "scrape_configs: [{job_name: a, metric_relabel_configs: " + texts.get(name) + "}]\n");
      command.add(name);
    }
    Process check =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    check.waitFor();
    Map<String, Boolean> theirs =
        texts.keySet().stream()
            .collect(
                Collectors.toMap(
                    name -> name,
                    name -> said.contains(" SUCCESS: " + name + " "),
                    (a, b) -> a,
                    LinkedHashMap::new));
    assertThat(theirs.values().stream().filter(valid -> valid).count()).isBetween(200L, 1_200L);
    for (String name : texts.keySet()) {
      assertThat(ours.get(name)).as(texts.get(name)).isEqualTo(theirs.get(name));
    }
  }

  @Test
  void expressionsMatchTheSamePartsOfTheSameTexts() throws Exception {
    List<String> pieces =
        List.of(
            "a",
            "b",
            "(",
            ")",
            "(?:",
            "(?i)",
            "(?i:",
            "|",
            "*",
            "+",
            "?",
            "{2}",
            "{1,}",
            "{0,2}",
            "[ab]",
            "[^a]",
            "\\d",
            "\\w*",
            ".",
            ".*?",
            "^",
            "$",
            "\\b",
            "é",
            "(?P<n>",
            "\\pL",
            "[[:upper:]-]",
            "K",
            "\\s",
            "x",
            "-",
            ")*",
            ")+?",
            "(a|",
            "\\x41",
            "\\0",
            "{",
            "}",
            "]",
            "[",
            "\\p{Lu}",
            "ß",
            "(?s)");
    List<String> texts = List.of("", "aab", "abab-K", "ÉéßẞſsS", "a b\na", "A1-xx", "bbbaaab{2}");
    int valid = 0;
    try (PrometheusServer server = new PrometheusServer(folder, Set.of())) {
      QueryClient client = new QueryClient(server.address().getPort());
      for (int i = 0; i < 4_000; i++) {
        StringBuilder expression = new StringBuilder();
        for (int n = 1 + random.nextInt(8); n > 0; n--) {
          expression.append(one(pieces));
        }
        String text = one(texts);
        String query =
            "label_replace(label_replace(vector(1), \"s\", %s, \"\", \"\"), \"d\", %s, \"s\", %s)"
                .formatted(
                    JSON.writeValueAsString(text),
                    JSON.writeValueAsString("<$0|$1|$2|$n>"),
                    JSON.writeValueAsString(expression.toString()));
        HttpResponse<String> answer =
            client.get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
        String theirs =
            answer.statusCode() == 200
                ? JSON.readTree(answer.body()).at("/data/result/0/metric/d").asText("no match")
                : "refused";
        assertThat(ours(expression.toString(), text))
            .as("%s on %s: %s", expression, text, answer.body())
            .isEqualTo(theirs);
        valid += theirs.equals("refused") ? 0 : 1;
      }
    }
    assertThat(valid).isBetween(1_000, 3_800);
  }

  private static String ours(String expression, String text) {
    try {
      return Regexp.anchored(expression)
          .match(text)
          .map(match -> match.expand("<$0|$1|$2|$n>"))
          .orElse("no match");
    } catch (IllegalArgumentException e) {
      return "refused";
    }
  }
}
