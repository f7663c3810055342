package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.sample.prometheus.Numbers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three gateways and a query API on one side, the real Prometheus on the other, the same samples in
 * both: every answer is the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusComparisonTest {
  private static final long START = ComparedSamples.START;

  private SideBySide both;
  private AnswerComparison comparison;

  @BeforeAll
  void giveBothTheSameSamples(@TempDir Path folder) throws Exception {
    both =
        new SideBySide(
            folder, ComparedSamples.ticksByHost(), START + ComparedSamples.LENGTH, Set.of());
    comparison = both.comparison();
  }

  @AfterAll
  void stop() {
    if (both != null) {
      both.close();
    }
  }

  private static List<String> selectors() {
    return List.of(
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_DEV_POWER_USAGE{rack=\"r1\"}",
        "DCGM_FI_DEV_GPU_UTIL{rack=~\"r[02]\",gpu!=\"1\"}",
        "DCGM_FI_DEV_GPU_UTIL{rack!~\"r.\"}",
        "{__name__=~\"DCGM.*UTIL\",Hostname=\"n3\"}",
        "{Hostname=\"n2\",gpu=\"\"}",
        "requests_total",
        "resets_total",
        "large_total",
        "latency_bucket{le=~\"1|.*Inf\"}",
        "sometimes",
        "odd_values",
        "tiny",
        "huge",
        "constant",
        "strange",
        "nosuch",
        "{__name__=\"strange\",\"é\"=\"😀\"}");
  }

  private static List<String> vectors() {
    List<String> queries = new ArrayList<>(selectors());
    for (String selector : selectors()) {
      for (String op : List.of("sum", "avg", "min", "max", "count")) {
        queries.add(op + "(" + selector + ")");
        queries.add(op + " by (rack) (" + selector + ")");
      }
      queries.add("group without (gpu, Hostname) (" + selector + ")");
      queries.add("sum without (Hostname, gpu, le) (" + selector + ")");
      queries.add(selector + " offset 4m");
      queries.add(selector + " offset -2m");
      queries.add(selector + " @ " + (START / 1000 + 600));
      queries.add("-" + selector);
    }
    for (String op : List.of("+", "-", "*", "/", "%", "^", "atan2")) {
      queries.add("DCGM_FI_DEV_POWER_USAGE " + op + " 7");
      queries.add("3 " + op + " odd_values");
      queries.add("2.5 " + op + " -4");
      queries.add("odd_values " + op + " 0");
    }
    for (String op : List.of("==", "!=", "<", "<=", ">", ">=")) {
      queries.add("DCGM_FI_DEV_GPU_UTIL " + op + " 50");
      queries.add("50 " + op + " DCGM_FI_DEV_GPU_UTIL");
      queries.add("odd_values " + op + " bool 0");
      queries.add("sum by (rack) (odd_values " + op + " 1)");
      queries.add("3 " + op + " bool 2");
    }
    queries.add("{__name__=~\"DCGM.*\"} + 1");
    queries.add("{__name__=~\"tiny|huge\"} > 0");
    queries.add("-{__name__=~\"DCGM.*\"}");
    queries.add("1 + 2 * 3 ^ 2 % 5 - -1");
    queries.add("-1 ^ 2");
    queries.add("5m + 1");
    queries.add("0x1F");
    queries.add("NaN");
    queries.add("-Inf");
    queries.add("sum(rate(requests_total[5m])) / 8 > 1");
    queries.add("max by (rack) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[3m]))");
    queries.add("sum by (rack, gpu) (DCGM_FI_DEV_POWER_USAGE) / 1000 - 0.5");
    queries.add("((sum((DCGM_FI_DEV_GPU_UTIL))))");
    return queries;
  }

  private static List<String> matchings() {
    List<String> queries = new ArrayList<>();
    for (String op :
        List.of("+", "-", "*", "/", "%", "^", "atan2", "==", "!=", "<", "<=", ">", ">=")) {
      queries.add("DCGM_FI_DEV_GPU_UTIL " + op + " DCGM_FI_DEV_POWER_USAGE");
      queries.add("odd_values " + op + " ignoring (rack) tiny");
      queries.add("sometimes " + op + " on (Hostname) requests_total");
      queries.add("DCGM_FI_DEV_GPU_UTIL " + op + " on (Hostname) group_left requests_total");
      queries.add("requests_total " + op + " on (Hostname) group_right () DCGM_FI_DEV_GPU_UTIL");
      queries.add("requests_total " + op + " on (rack) sum by (rack) (requests_total)");
    }
    for (String op : List.of("==", "!=", "<", ">=")) {
      queries.add("DCGM_FI_DEV_GPU_UTIL " + op + " bool DCGM_FI_DEV_POWER_USAGE");
      queries.add("odd_values " + op + " bool on (Hostname, __name__) odd_values");
      queries.add("sum by (rack) (sometimes) " + op + " bool avg by (rack) (sometimes)");
    }
    for (String op : List.of("and", "or", "unless")) {
      queries.add("DCGM_FI_DEV_GPU_UTIL " + op + " DCGM_FI_DEV_POWER_USAGE > 400");
      queries.add("requests_total " + op + " on (Hostname) sometimes");
      queries.add("sometimes " + op + " ignoring (rack) requests_total");
      queries.add("requests_total " + op + " on () nosuch");
      queries.add("nosuch " + op + " requests_total");
      queries.add("(odd_values > 0) " + op + " (odd_values < 5)");
      queries.add("sum by (rack) (sometimes) " + op + " on (rack) count by (rack) (odd_values)");
    }
    queries.add("DCGM_FI_DEV_GPU_UTIL * on (Hostname) group_left (rack) constant");
    queries.add("DCGM_FI_DEV_GPU_UTIL * on (Hostname) group_left (nosuch, gpu) constant");
    queries.add("DCGM_FI_DEV_GPU_UTIL - ignoring (gpu) group_left () constant");
    queries.add("constant + on (Hostname) DCGM_FI_DEV_GPU_UTIL");
    queries.add("DCGM_FI_DEV_GPU_UTIL + on (Hostname) constant");
    queries.add("DCGM_FI_DEV_GPU_UTIL + on (rack) group_left constant");
    queries.add("DCGM_FI_DEV_GPU_UTIL * on (Hostname) group_left (gpu) constant");
    queries.add("sum(DCGM_FI_DEV_POWER_USAGE) / sum(DCGM_FI_DEV_GPU_UTIL)");
    queries.add("sum by (rack) (rate(requests_total[5m])) / on () group_left count(constant)");
    queries.add("constant == on (nosuch) constant");
    queries.add("nosuch + requests_total");
    queries.add("requests_total + nosuch");
    return queries;
  }

  private static List<String> elementFunctions() {
    List<String> queries = new ArrayList<>();
    for (String function :
        List.of(
            "abs", "ceil", "floor", "exp", "sqrt", "ln", "log2", "log10", "sgn", "sin", "cos",
            "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "deg",
            "rad", "round")) {
      for (String argument :
          List.of(
              "odd_values",
              "odd_values / 50",
              "resets_total",
              "tiny",
              "huge",
              "large_total",
              "nosuch",
              "DCGM_FI_DEV_POWER_USAGE / 100")) {
        queries.add(function + "(" + argument + ")");
      }
      queries.add("sum(" + function + "(DCGM_FI_DEV_POWER_USAGE))");
    }
    for (String bound :
        List.of("0", "0.3", "-7", "1e300", "Inf", "-Inf", "NaN", "scalar(nosuch)")) {
      queries.add("round(odd_values, " + bound + ")");
      queries.add("round(DCGM_FI_DEV_POWER_USAGE, " + bound + ")");
      queries.add("clamp_min(odd_values, " + bound + ")");
      queries.add("clamp_max(odd_values, " + bound + ")");
      queries.add("clamp(odd_values, -5, " + bound + ")");
      queries.add("clamp(odd_values, " + bound + ", 5)");
    }
    queries.add("abs({__name__=~\"tiny|huge\"})");
    queries.add("abs({__name__=~\"nosuch|constant\"})");
    queries.add("time()");
    queries.add("time() - 1e9 * pi()");
    queries.add("vector(time() % 7)");
    queries.add("scalar(constant)");
    queries.add("scalar(constant{Hostname=\"n3\"}) + 1");
    queries.add("requests_total > scalar(avg(requests_total))");
    queries.add("vector(1) or constant");
    queries.add("-vector(NaN)");
    for (String selector :
        List.of(
            "nosuch",
            "constant",
            "sometimes",
            "sometimes{Hostname=\"n1\"}",
            "(nosuch{a=\"b\"})",
            "nosuch{a=\"b\",a=\"c\",d=\"e\",f!=\"g\"}",
            "sum(nosuch)",
            "nosuch{a=\"b\"} > 1",
            "nosuch{a=\"b\"} offset 1m")) {
      queries.add("absent(" + selector + ")");
    }
    return queries;
  }

  private static List<String> rangeFunctions() {
    List<String> queries = new ArrayList<>();
    for (String function :
        List.of(
            "rate",
            "increase",
            "delta",
            "irate",
            "idelta",
            "changes",
            "resets",
            "deriv",
            "avg_over_time",
            "count_over_time",
            "last_over_time",
            "max_over_time",
            "min_over_time",
            "stddev_over_time",
            "stdvar_over_time",
            "sum_over_time",
            "present_over_time",
            "absent_over_time")) {
      for (String selector :
          List.of(
              "requests_total",
              "resets_total",
              "large_total",
              "sometimes",
              "odd_values",
              "tiny",
              "huge",
              "constant",
              "nosuch{a=\"b\",c=~\"d\"}",
              "DCGM_FI_DEV_POWER_USAGE")) {
        queries.add(function + "(" + selector + "[5m])");
      }
      queries.add(function + "(requests_total[15s])");
      queries.add(function + "(resets_total[47s])");
      queries.add(function + "(requests_total[2h])");
      queries.add(function + "(sometimes[3m] offset 90s)");
      queries.add(function + "(requests_total[3m] @ end())");
      queries.add(function + "((requests_total[1m]))");
      queries.add(function + "({__name__=~\"tiny|constant\",Hostname=\"n1\"}[5m])");
    }
    for (String selector :
        List.of("requests_total", "sometimes", "odd_values", "constant", "huge")) {
      queries.add("predict_linear(" + selector + "[5m], 600)");
      queries.add("predict_linear(" + selector + "[3m] offset 1m, -1e3)");
    }
    for (String q : List.of("0.5", "0.99", "0", "1", "-1", "2", "NaN")) {
      queries.add("quantile_over_time(" + q + ", DCGM_FI_DEV_POWER_USAGE[5m])");
      // Up to twelve samples: beyond, the reference orders 0 and -0 by chance of its sorting.
      queries.add("quantile_over_time(" + q + ", odd_values[2m])");
    }
    return queries;
  }

  private static List<String> errors() {
    return List.of(
        "",
        "sum(",
        "a[5m] offset",
        "{}",
        "rate(a)",
        "nosuch(a)",
        "1 == 1",
        "sum by (rack) (DCGM_FI_DEV_GPU_UTIL[5m])",
        "mad_over_time(a[5m])",
        "a{b=~\"(\"}",
        "count_over_time({Hostname=\"n1\"}[5m])");
  }

  @Test
  void instantQueriesAreAnsweredAsPrometheusAnswersThem() throws Exception {
    List<Map<String, String>> questions = new ArrayList<>();
    List<String> queries = new ArrayList<>(vectors());
    queries.addAll(rangeFunctions());
    queries.addAll(matchings());
    queries.addAll(elementFunctions());
    queries.addAll(errors());
    queries.addAll(List.of("\"text <&>\"", "requests_total[1m]", "sometimes[10m] offset 1m"));
    for (String query : queries) {
      for (long time : new long[] {START + 600_000, START + 1_234_567, START + 1_800_000}) {
        questions.add(question(query, Map.of("time", Numbers.seconds(time))));
      }
    }
    assertSame("/api/v1/query", questions);
  }

  @Test
  void rangeQueriesAreAnsweredAsPrometheusAnswersThem() throws Exception {
    List<Map<String, String>> questions = new ArrayList<>();
    List<String> queries = new ArrayList<>(vectors());
    queries.addAll(rangeFunctions());
    queries.addAll(matchings());
    queries.addAll(elementFunctions());
    queries.addAll(errors());
    queries.add("requests_total[1m]");
    queries.add("\"text\"");
    for (String query : queries) {
      questions.add(
          question(query, Map.of("start", at(-300_000), "end", at(2_200_000), "step", "60")));
      questions.add(
          question(query, Map.of("start", at(601_234), "end", at(700_000), "step", "7.5")));
    }
    assertSame("/api/v1/query_range", questions);
  }

  @Test
  void treesAndFormattedQueriesArePrometheussToTheLetter() throws Exception {
    List<String> queries = new ArrayList<>(vectors());
    queries.addAll(rangeFunctions());
    queries.addAll(matchings());
    queries.addAll(errors());
    for (int i = 0; i < 2_000; i++) {
      queries.add(QueryGenerator.question(5, i, false).parameters().get("query"));
    }
    queries.add("max_over_time(sum by (a) (b)[1h30m:] @ start() offset -5m)");
    queries.add("{\"a.b\",c=\"d\\n\\u2028é\\x01\\xff\"} + 1e30 - -5m + 0x1F");
    queries.add("a @ 1.5 offset 1w * ignoring () b unless on () c");
    List<Map<String, String>> questions = new ArrayList<>();
    queries.forEach(query -> questions.add(Map.of("query", query)));
    assertSame("/api/v1/parse_query", questions);
    assertSame("/api/v1/format_query", questions);
  }

  @Test
  void whatAQueryCostsIsCountedAsPrometheusCounts() throws Exception {
    for (String query :
        List.of(
            "requests_total",
            "rate(requests_total[5m])",
            "sum by (rack) (rate(resets_total[3m] offset 1m)) / 8",
            "sometimes and constant")) {
      Map<String, String> question =
          question(
              query,
              Map.of("start", at(600_000), "end", at(900_000), "step", "30", "stats", "all"));
      assertThat(samples(comparison.tested("/api/v1/query_range", question)))
          .as(query)
          .isPositive()
          .isEqualTo(samples(comparison.reference("/api/v1/query_range", question)));
    }
  }

  private static long samples(JsonNode answer) {
    JsonNode stats = answer.path("data").path("stats");
    assertThat(stats.path("timings").path("execTotalTime").asDouble()).isPositive();
    assertThat(stats.path("samples").path("peakSamples").asLong()).isPositive();
    return stats.path("samples").path("totalQueryableSamples").asLong();
  }

  @Test
  void parametersAreReadAsPrometheusReadsThem() throws Exception {
    List<Map<String, String>> instant = new ArrayList<>();
    for (String time :
        List.of(
            at(600_000),
            "1760000600.0006",
            "1.7600006e9",
            "2025-10-09T09:03:20Z",
            "2025-10-09T11:03:20.5+02:00",
            "x",
            "-1",
            "1e3",
            "5d",
            "5f",
            ".5")) {
      instant.add(question("sum(requests_total)", Map.of("time", time)));
    }
    String time = at(600_000);
    instant.add(question("requests_total", Map.of("time", time, "limit", "x")));
    instant.add(question("requests_total", Map.of("time", time, "limit", "-1")));
    instant.add(question("requests_total", Map.of("time", time, "lookback_delta", "20s")));
    instant.add(question("requests_total", Map.of("time", time, "lookback_delta", "-1s")));
    instant.add(question("requests_total", Map.of("time", time, "timeout", "x")));
    assertSame("/api/v1/query", instant);

    List<Map<String, String>> range = new ArrayList<>();
    for (String step : List.of("60", "1m", "0.9999", "1.0009", "0", "-5", "x", "", "1e3")) {
      range.add(
          question(
              "sum(requests_total)",
              Map.of("start", at(600_000), "end", at(660_000), "step", step)));
    }
    range.add(question("up", Map.of("start", at(1), "end", at(0), "step", "1")));
    range.add(question("1", Map.of("start", "0", "end", "11000", "step", "1")));
    range.add(question("1", Map.of("start", "0", "end", "11001", "step", "1")));
    range.add(question("1", Map.of("start", "x", "end", "11001", "step", "1")));
    range.add(question("1", Map.of("end", "11001", "step", "1")));
    assertSame("/api/v1/query_range", range);
  }

  @Test
  void labelsAndSeriesAreListedAsPrometheusListsThem() throws Exception {
    List<Map<String, String>> searches =
        List.of(
            Map.of(),
            Map.of("match[]", "requests_total"),
            Map.of("match[]", "{rack=~\"r[12]\",gpu=\"1\"}"),
            Map.of("match[]", "nosuch"),
            Map.of("match[]", "sum(x)"),
            Map.of("match[]", "{}"),
            Map.of("match[]", "strange"),
            Map.of("start", "x"),
            Map.of("start", "5", "end", "4"));
    assertSame("/api/v1/labels", searches);
    for (String label : List.of("__name__", "rack", "gpu", "a", "b", "nosuch")) {
      assertSame("/api/v1/label/" + label + "/values", searches);
    }
    // The order of /series is the order of storage there; here it is that of labels.
    assertSame("/api/v1/series", searches.stream().filter(search -> !search.isEmpty()).toList());
  }

  @Test
  void theComparisonIsNotOfNothingWithNothing() throws Exception {
    int withData = 0;
    for (String query : vectors()) {
      JsonNode answer =
          comparison.reference("/api/v1/query", question(query, Map.of("time", at(600_000))));
      withData += answer.path("data").path("result").isEmpty() ? 0 : 1;
    }
    assertThat(withData).isGreaterThan(vectors().size() * 3 / 4);
    assertThat(vectors().size() + rangeFunctions().size()).isGreaterThan(400);
  }

  private static String at(long afterStart) {
    return Numbers.seconds(START + afterStart);
  }

  private static Map<String, String> question(String query, Map<String, String> more) {
    Map<String, String> question = new LinkedHashMap<>(more);
    question.put("query", query);
    return question;
  }

  private void assertSame(String path, List<Map<String, String>> questions) throws Exception {
    List<String> differences = new ArrayList<>();
    for (Map<String, String> question : questions) {
      comparison
          .difference(path, question)
          .ifPresent(what -> differences.add(path + " " + question + ": " + what));
    }
    assertThat(differences)
        .as("%d of %d questions are answered differently", differences.size(), questions.size())
        .isEmpty();
  }
}
