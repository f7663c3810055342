package io.fleetgauge.load.api;

import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.xerial.snappy.Snappy;

/** Requests that try to read another tenant's data in every way there is, from a seed. */
final class RandomRequests {
  private final SplittableRandom random;

  RandomRequests(long seed) {
    random = new SplittableRandom(seed);
  }

  @SafeVarargs
  private <T> T any(T... of) {
    return of[random.nextInt(of.length)];
  }

  String selector() {
    return any(
        IsolationTest.METRIC,
        "shared",
        "{tenant=\"b\"}",
        "{\"tenant\"=\"b\"}",
        "{\"shared\", tenant=\"b\"}",
        "{\"shared\"}",
        "{tenant=~\".*\",__name__=~\".+\"}",
        "{tenant!=\"a\",__name__!=\"\"}",
        "{tenant!~\"a\",__name__=~\".+\"}",
        "{tenant=~\"a|b\"}",
        "{tenant=~\"(?i)B\"}",
        "{tenant=\"\",__name__=~\".+\"}",
        "{__name__=~\".+\"}",
        "{__name__=~\"only_.+\"}",
        "{__name__=\"shared\",tenant=\"b\"}",
        "{\"lbl é\"=~\".+\"}",
        "{\"lbl é\"!=\"v\",__name__=~\".+\"}",
        "{job=~\"train.+\"}",
        "{tenant=\"a\",tenant=\"b\"}",
        "shared{tenant=\"b\",tenant=\"b\"}",
        "{Hostname=\"h1\"}",
        "{Hostname=~\"h2.*\"}",
        "{tenant=\"a\" or tenant=\"b\"}",
        "{tenant=\"b\"} # }",
        "{tenant='b'}",
        "{tenant=`b`}",
        "{tenant=\"\\u0062\"}",
        "{tenant=\"\\x62\"}",
        "job:gpu_seconds:total",
        "{__name__=~\"job:gpu_memory_byte_seconds:total|shared\",tenant=~\".*\"}",
        "job:gpu_seconds:total{tenant!=\"a\",class!=\"idle\"}");
  }

  String query() {
    String x = selector();
    String y = selector();
    return switch (random.nextInt(26)) {
      case 0 -> x;
      case 1 -> "sum by (tenant) (" + x + ")";
      case 2 -> "count by (Hostname, gpu) (" + x + ")";
      case 3 -> "label_replace(" + x + ", \"tenant\", \"b\", \"tenant\", \"a\")";
      case 4 -> "label_join(" + x + ", \"tenant\", \"\", \"job\")";
      case 5 -> "absent(" + x + ")";
      case 6 -> "absent_over_time(" + x + "[5m])";
      case 7 -> "count_values(\"v\", " + x + ")";
      case 8 -> "max_over_time(" + x + "[10m:1m])";
      case 9 -> x + " offset 2m";
      case 10 -> x + " @ end()";
      case 11 -> x + " @ " + IsolationTest.NOW / 1_000;
      case 12 -> "sum(" + x + ") or " + y;
      case 13 -> x + " and on () vector(1) unless " + y;
      case 14 -> "topk(3, " + x + ")";
      case 15 -> "sum without (tenant, gpu) (" + x + ")";
      case 16 -> "scalar(sum(" + x + "))";
      case 17 -> "timestamp(" + x + ")";
      case 18 -> "quantile(0.9, " + x + ") by (rack)";
      case 19 ->
          "avg by (rack) ("
              + IsolationTest.METRIC
              + ") + on (rack) group_left count by (rack) ("
              + y
              + ")";
      case 20 -> "rate(" + x + "[5m])";
      case 21 -> "group by (__name__, job) (" + x + ")";
      case 22 -> "sort_desc(sum by (job) (" + x + "))";
      case 23 -> "info(" + x + ")";
      case 24 -> "histogram_quantile(0.5, " + x + ")";
      default -> "stddev by (tenant) (" + x + ") / ignoring (x) " + "max by (tenant) (" + y + ")";
    };
  }

  private String e(String text) {
    return FleetAndPrometheus.encoded(text);
  }

  private String range() {
    return any(
        "",
        "&start=0&end=" + IsolationTest.NOW / 1_000,
        "&start=" + (IsolationTest.NOW / 1_000 - 600) + "&end=" + IsolationTest.NOW / 1_000,
        "&end=" + IsolationTest.NOW / 1_000);
  }

  private String label() {
    return any(
        "tenant",
        "__name__",
        "Hostname",
        "UUID",
        "job",
        "rack",
        "gpu",
        "U__lbl_20__e9_",
        "U__tenant",
        "version");
  }

  Request next() {
    String selector = e(selector());
    String label = label();
    return switch (random.nextInt(16)) {
      case 0, 1 ->
          Request.get(
              "/api/v1/query?query=" + e(query()) + any("", "&time=" + IsolationTest.NOW / 1_000));
      case 2, 3 ->
          Request.get(
              "/api/v1/query_range?query="
                  + e(query())
                  + "&step="
                  + any("15", "60", "7")
                  + "&start="
                  + (IsolationTest.NOW / 1_000 - 900)
                  + "&end="
                  + IsolationTest.NOW / 1_000
                  + any("", "&nocache=1"));
      case 4 ->
          Request.form(
              "/api/v1/query?query=" + e(query()) + "&query=" + e(query()) + "&tenant=b",
              any("", "query=" + e(query()) + "&query=" + e(query()) + "&X-Scope-OrgID=b"));
      case 5 ->
          Request.get(
              "/api/v1/series?match%5B%5D=" + selector + "&match%5B%5D=" + e(selector()) + range());
      case 6 -> Request.get("/api/v1/labels?" + any("", "match%5B%5D=" + selector) + range());
      case 7 ->
          Request.get(
              "/api/v1/label/" + label + "/values?" + any("", "match%5B%5D=" + selector) + range());
      case 8 ->
          Request.get("/api/v1/metadata?" + any("", "limit=5", "metric=" + IsolationTest.METRIC));
      case 9 ->
          Request.get(
              "/federate?match%5B%5D="
                  + any(
                      selector,
                      e("{__name__=~\".+:.+\"}"),
                      e("tenant:" + IsolationTest.METRIC + ":sum"),
                      e("rack:" + IsolationTest.METRIC + ":count{rack=~\".*\"}"))
                  + any("", "&shard=0/2", "&match%5B%5D=" + e(selector())));
      case 10 -> Request.bytes("/api/v1/read", remoteRead());
      case 11 ->
          Request.json(
              "/grafana/query",
              "{\"range\": {\"from\": \"2026-11-21T20:00:00Z\", \"to\":"
                  + " \"2026-11-21T22:26:40Z\"},"
                  + any(
                      "",
                      "\"filters\": [{\"key\": \"tenant\", \"operator\": \"=~\", \"value\":"
                          + " \".*\"}],")
                  + "\"intervalMs\": 60000, \"targets\": [{\"target\": "
                  + quoted(any(query(), IsolationTest.METRIC, "events"))
                  + any(
                      "",
                      ", \"type\": \"table\"",
                      ", \"payload\": {\"aggregate\": \"sum\", \"by\": [\"tenant\", \"job\"]}")
                  + "}]}");
      case 12 ->
          Request.json(
              any(
                  "/grafana/search",
                  "/grafana/variable",
                  "/grafana/tag-keys",
                  "/grafana/tag-values",
                  "/grafana/metrics",
                  "/grafana/annotations"),
              "{\"key\": \""
                  + any("tenant", "job", "__name__")
                  + "\", \"target\": "
                  + quoted(any("", "label_values(tenant)", "label_values(" + selector() + ", job)"))
                  + ", \"payload\": \"label_values(UUID)\"}");
      case 13 -> faults();
      case 14 -> report();
      default ->
          Request.get(
              any(
                  "//api/v1/query?query=shared",
                  "/api/v1/./query?query=shared",
                  "/api/v1/%71uery?query=shared",
                  "/api/v1/query/?query=shared",
                  "/api/v1/label/tenant%2Fvalues",
                  "/api/v1/label/../label/tenant/values",
                  "/prometheus/api/v1/query?query=shared",
                  "/api/v1/targets",
                  "/api/v1/status/queries",
                  "/api/v1/query_exemplars?query=shared&start=1&end=2",
                  "/api/v1/rules",
                  "/api/v1/alerts",
                  "/api/v1/format_query?query=shared"));
    };
  }

  private Request faults() {
    return Request.get(
        any("/api/v1/faults?", "/api/v1/faults/jobs?")
            + any(
                "",
                "tenant=b",
                "host=h1",
                "host=h1&gpu=0",
                "job=train",
                "kind=xid",
                "kind=idle_allocation")
            + any("", "&state=open", "&state=over", "&limit=1", "&tenant=a&tenant=b"));
  }

  private Request report() {
    return Request.get(
        "/api/v1/report/usage?from="
            + (IsolationTest.NOW / 1_000 - 1_200)
            + any("", "&step=5m", "&step=7s", "&to=" + (IsolationTest.NOW / 1_000 - 60))
            + any("", "&format=csv", "&format=html")
            + any("", "&busy=0.3&bridge=0", "&high_power=0", "&strict=1")
            + "&by="
            + e(
                any(
                    "tenant",
                    "host,gpu",
                    "label:job,rack",
                    "label:U__lbl_20__e9_",
                    "cluster",
                    "job,user,tenant",
                    "job_name,account",
                    "namespace,pod,container",
                    "model,mig,profile",
                    "label:contact"))
            + any(
                "",
                "&match%5B%5D=" + e(any("{tenant=~\".*\"}", "{Hostname=\"h1\"}")),
                "&match%5B%5D=" + e(selector())));
  }

  private byte[] remoteRead() {
    WireWriter query =
        new WireWriter()
            .uvar(1 << 3)
            .uvar(IsolationTest.NOW - 60_000)
            .uvar(2 << 3)
            .uvar(IsolationTest.NOW);
    int count = random.nextInt(3);
    for (int i = 0; i < count; i++) {
      String[] pair =
          any(
              new String[] {"tenant", "b"},
              new String[] {"__name__", ".+"},
              new String[] {"tenant", ".*"},
              new String[] {"__name__", "shared"});
      WireWriter matcher = new WireWriter().uvar(1 << 3).uvar(random.nextInt(4));
      matcher.uvar(2 << 3 | 2).string(pair[0]).uvar(3 << 3 | 2).string(pair[1]);
      query.uvar(3 << 3 | 2).uvar(matcher.size()).raw(matcher.array(), 0, matcher.size());
    }
    WireWriter out = new WireWriter();
    out.uvar(1 << 3 | 2).uvar(query.size()).raw(query.array(), 0, query.size());
    if (random.nextBoolean()) {
      out.uvar(2 << 3).uvar(random.nextInt(2));
    }
    return out.toBytes();
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /** A request without its server and token. */
  record Request(String method, String path, String type, byte[] body) {
    static Request get(String path) {
      return new Request("GET", path, "", new byte[0]);
    }

    static Request form(String path, String body) {
      return new Request(
          "POST", path, "application/x-www-form-urlencoded", body.getBytes(StandardCharsets.UTF_8));
    }

    static Request json(String path, String body) {
      return new Request("POST", path, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    static Request bytes(String path, byte[] body) {
      return new Request("POST", path, "application/x-protobuf", body);
    }

    HttpRequest.Builder at(URI server) throws Exception {
      byte[] sent = path.equals("/api/v1/read") ? Snappy.compress(body) : body;
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(server + path))
              .method(method, HttpRequest.BodyPublishers.ofByteArray(sent));
      if (!type.isEmpty()) {
        request.header("Content-Type", type);
      }
      return request;
    }

    @Override
    public String toString() {
      return method + " " + path + " " + new String(body, StandardCharsets.UTF_8);
    }
  }
}
