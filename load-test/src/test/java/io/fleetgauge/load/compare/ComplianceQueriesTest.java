package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queries of the PromQL compliance tester, over the metrics that they are about. */
class ComplianceQueriesTest {
  private static final Map<String, List<String>> VARIANTS =
      Map.ofEntries(
          Map.entry("range", List.of("1s", "15s", "1m", "5m", "15m", "1h")),
          Map.entry("offset", List.of("1m", "5m", "10m")),
          Map.entry(
              "simpleAggrOp", List.of("sum", "avg", "max", "min", "count", "stddev", "stdvar")),
          Map.entry(
              "simpleTimeAggrOp",
              List.of("sum", "avg", "max", "min", "count", "stddev", "stdvar", "absent", "last")),
          Map.entry("topBottomOp", List.of("topk", "bottomk")),
          Map.entry(
              "quantile",
              List.of("-0.5", "0.1", "0.5", "0.75", "0.95", "0.90", "0.99", "1", "1.5")),
          Map.entry("arithBinOp", List.of("+", "-", "*", "/", "%", "^")),
          Map.entry("compBinOp", List.of("==", "!=", "<", ">", "<=", ">=")),
          Map.entry(
              "binOp", List.of("+", "-", "*", "/", "%", "^", "==", "!=", "<", ">", "<=", ">=")),
          Map.entry(
              "simpleMathFunc",
              List.of("abs", "ceil", "floor", "exp", "sqrt", "ln", "log2", "log10", "round")),
          Map.entry("extrapolatedRateFunc", List.of("delta", "rate", "increase")),
          Map.entry("clampFunc", List.of("clamp_min", "clamp_max")),
          Map.entry("instantRateFunc", List.of("idelta", "irate")),
          Map.entry(
              "dateFunc",
              List.of(
                  "day_of_month",
                  "day_of_week",
                  "days_in_month",
                  "hour",
                  "minute",
                  "month",
                  "year")));

  private static List<String> queries() throws Exception {
    Path file =
        Path.of(
            System.getProperty("fleetgauge.root"),
            "load-test/src/test/promql-compliance/promql-test-queries.yml");
    List<String> queries = new ArrayList<>();
    for (JsonNode template : new YAMLMapper().readTree(file.toFile()).path("test_cases")) {
      List<String> expanded = List.of(template.path("query").asText());
      for (JsonNode argument : template.path("variant_args")) {
        List<String> more = new ArrayList<>();
        for (String query : expanded) {
          for (String value : VARIANTS.get(argument.asText())) {
            more.add(query.replace("{{." + argument.asText() + "}}", value));
          }
        }
        expanded = more;
      }
      queries.addAll(expanded);
    }
    return queries;
  }

  @Test
  void theComplianceQueriesAreAnsweredAsPrometheusAnswersThem(@TempDir Path folder)
      throws Exception {
    List<String> queries = queries();
    assertThat(queries).hasSize(539);
    long end = DemoServiceSamples.START + DemoServiceSamples.LENGTH - 12 * 60_000;
    List<String> differences = new ArrayList<>();
    int withSeries = 0;
    try (SideBySide both =
        new SideBySide(
            folder,
            DemoServiceSamples.ticksByHost(),
            DemoServiceSamples.START + DemoServiceSamples.LENGTH,
            Set.of())) {
      for (String query : queries) {
        Map<String, String> question =
            Map.of(
                "query",
                query,
                "start",
                Numbers.seconds(end - 600_000),
                "end",
                Numbers.seconds(end),
                "step",
                "10");
        both.comparison()
            .difference("/api/v1/query_range", question)
            .ifPresent(what -> differences.add(query + ": " + what));
        JsonNode answer = both.comparison().reference("/api/v1/query_range", question);
        withSeries += answer.path("data").path("result").isEmpty() ? 0 : 1;
      }
    }
    assertThat(differences).isEmpty();
    assertThat(withSeries).as("queries that find anything").isGreaterThan(480);
  }
}
