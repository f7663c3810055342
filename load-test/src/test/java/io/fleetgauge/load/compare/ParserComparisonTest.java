package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries and what becomes of them when they are damaged: we take what Prometheus takes. */
class ParserComparisonTest {
  private static final long SEED = 20_261_121;
  private static final int DAMAGED = 4_000;

  private static final List<String> QUERIES =
      List.of(
          "sum by (rack, gpu) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{rack=~\"r.*\"}[5m])) /"
              + " 1e3",
          "topk(3, a{b!=\"c\"} offset 5m) without (x)",
          "histogram_quantile(0.9, sum by (le) (rate(latency_bucket[1h30m] @ start())))",
          "a + on (x) group_left (y) b * ignoring (z) c > bool 5",
          "a and b or c unless on () d",
          "-1 ^ 2 ^ -x % +0x1F atan2 .5",
          "max_over_time(sum(a)[10m:1m] @ end() offset -5m)",
          "label_replace(up, \"dst\", '$1', `src`, \"(.*):.*\")",
          "count_values without (a) (\"v\", b == 1)",
          "{\"metric.name\", \"label é\"=\"v\", c!~\"d|e\"}",
          "quantile_over_time(0.5, a[300] @ 1.5) - 5m",
          "absent(sum{job=\"x\"}) # comment",
          "(a[5m])",
          "clamp(a, 1, 2) == inf",
          "time() - timestamp(node_load1) > NaN",
          "sort_desc(a * 2)",
          "round(a)",
          "info(a, {b=~\".*\"})");

  private static final String[] PIECES = {
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "@",
    "=",
    "==",
    "!=",
    "=~",
    "<",
    "+",
    "-",
    "*",
    "^",
    "%",
    "and",
    "or",
    "unless",
    "by",
    "without",
    "on",
    "ignoring",
    "group_left",
    "group_right",
    "bool",
    "offset",
    "5m",
    "1",
    "0x1f",
    ".5",
    "\"a\"",
    "'b'",
    "sum",
    "rate",
    "x",
    "le",
    "start()",
    "end()",
    "inf",
    "nan",
    "#",
    "`c`",
    "atan2",
    "1h30m",
    "1_000",
    "08",
    "é",
    "a:b"
  };

  private static final Pattern TOKEN =
      Pattern.compile("\"(?:\\\\.|[^\"])*\"|[A-Za-z_:][\\w:]*|\\d[\\w.]*|\\s+|.");

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void weTakeAndRefuseWhatPrometheusTakesAndRefuses(@TempDir Path folder) throws Exception {
    List<String> queries = new ArrayList<>(QUERIES);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < DAMAGED; i++) {
      queries.add(damaged(QUERIES.get(random.nextInt(QUERIES.size())), random));
    }
    List<String> disagreements = new ArrayList<>();
    int taken = 0;
    try (PrometheusServer prometheus = new PrometheusServer(folder, Set.of())) {
      for (String query : queries) {
        boolean theirs = isTaken(prometheus.address(), query);
        boolean ours = isTaken(query);
        taken += theirs ? 1 : 0;
        if (theirs != ours) {
          disagreements.add((theirs ? "we refuse " : "we take ") + query);
        }
      }
    }
    assertThat(disagreements).isEmpty();
    assertThat(taken).as("queries taken").isBetween(queries.size() / 20, queries.size() * 9 / 10);
  }

  private static String damaged(String query, SplittableRandom random) {
    List<String> parts =
        new ArrayList<>(TOKEN.matcher(query).results().map(MatchResult::group).toList());
    for (int hits = 1 + random.nextInt(4) / 3; hits > 0; hits--) {
      int at = random.nextInt(parts.size());
      String piece = PIECES[random.nextInt(PIECES.length)];
      switch (random.nextInt(4)) {
        case 0 -> parts.remove(at);
        case 1 -> parts.add(at, piece);
        case 2 -> parts.set(at, piece);
        default -> java.util.Collections.swap(parts, at, random.nextInt(parts.size()));
      }
    }
    return String.join("", parts);
  }

  private static boolean isTaken(String query) throws ParseException {
    Expr expr;
    try {
      expr = Parser.parse(query);
    } catch (ParseException e) {
      return false;
    }
    assertThat(Parser.parse(expr.toString())).isEqualTo(expr);
    return true;
  }

  private boolean isTaken(URI prometheus, String query) throws Exception {
    String encoded = URLEncoder.encode(query, StandardCharsets.UTF_8);
    URI uri = prometheus.resolve("/api/v1/parse_query?query=" + encoded);
    int status =
        client
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
            .statusCode();
    assertThat(status).isIn(200, 400);
    return status == 200;
  }
}
