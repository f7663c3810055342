package io.fleetgauge.load.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Sends the same query to two servers and compares the answers.
 *
 * <p>Equal are: the status, the error type, the result type, the label sets (of a range query also
 * their order), every timestamp, warnings and infos as sets, and every value: integers exactly,
 * other numbers within 1e-12 relative.
 *
 * <p>Prometheus keeps the series of a range query in a Go map between the steps, so what depends on
 * their order, as the last bits of {@code stddev} do, changes from one run of a query to the next.
 * Where answers differ, the query is repeated at the reference; when its own answers differ, there
 * is nothing to compare with.
 */
public final class AnswerComparison {
  private static final double TOLERANCE = 1e-12;

  /** Repetitions of a query at the reference; enough to see another order of three series. */
  private static final int REPETITIONS = 12;

  /** Seconds, each with one try, until an answer must be complete. */
  private static final int WAITS = 120;

  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final URI reference;
  private final URI tested;

  public AnswerComparison(URI reference, URI tested) {
    this.reference = reference;
    this.tested = tested;
  }

  /** The first difference; empty when there is none. */
  public Optional<String> difference(String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    return difference(askForWhole(path, parameters), path, parameters);
  }

  /** As above, of an answer that the tested server gave. */
  public Optional<String> difference(
      HttpResponse<String> got, String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    HttpResponse<String> wanted = ask(reference, path, parameters);
    if (wanted.statusCode() != got.statusCode()) {
      return Optional.of(
          "status " + got.statusCode() + " for " + wanted.statusCode() + ": " + shown(wanted, got));
    }
    Optional<String> difference =
        difference(json.readTree(wanted.body()), json.readTree(got.body()));
    if (difference.isPresent() && contradictsItself(wanted, path, parameters)) {
      return Optional.empty();
    }
    return difference.map(what -> what + ": " + shown(wanted, got));
  }

  /**
   * The answer of the tested server. On a machine that stands still for seconds, gateways are lost
   * for as long, and an answer says so: then it is asked again.
   */
  private HttpResponse<String> askForWhole(String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    HttpResponse<String> got = ask(tested, path, parameters);
    for (int i = 0; i < WAITS && got.statusCode() == 200 && saysThatItIsIncomplete(got); i++) {
      TimeUnit.SECONDS.sleep(1);
      got = ask(tested, path, parameters);
    }
    return got;
  }

  private boolean saysThatItIsIncomplete(HttpResponse<String> answer) throws IOException {
    return texts(json.readTree(answer.body()).path("warnings")).stream()
        .anyMatch(each -> each.contains("incomplete result") || each.contains("cluster is split"));
  }

  private boolean contradictsItself(
      HttpResponse<String> first, String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    for (int i = 0; i < REPETITIONS; i++) {
      HttpResponse<String> again = ask(reference, path, parameters);
      if (difference(json.readTree(first.body()), json.readTree(again.body())).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /** The answer of the reference, so that a test can require that it is not empty. */
  public JsonNode reference(String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    return json.readTree(ask(reference, path, parameters).body());
  }

  /** The answer of the tested server. */
  public JsonNode tested(String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    return json.readTree(askForWhole(path, parameters).body());
  }

  /** The answer of the tested server, complete or not. */
  public HttpResponse<String> asked(String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    return ask(tested, path, parameters);
  }

  private static String shown(HttpResponse<String> wanted, HttpResponse<String> got) {
    return "\n  wanted " + cut(wanted.body()) + "\n  got    " + cut(got.body());
  }

  private static String cut(String body) {
    return body.length() > 600 ? body.substring(0, 600) + "..." : body;
  }

  private HttpResponse<String> ask(URI server, String path, Map<String, String> parameters)
      throws IOException, InterruptedException {
    String form =
        parameters.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + encode(entry.getValue()))
            .collect(Collectors.joining("&"));
    URI uri = server.resolve(path + "?" + form);
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private static Optional<String> difference(JsonNode wanted, JsonNode got) {
    for (String field : new String[] {"status", "errorType"}) {
      if (!wanted.path(field).equals(got.path(field))) {
        return Optional.of(field + " differs");
      }
    }
    for (String field : new String[] {"warnings", "infos"}) {
      TreeSet<String> wantedTexts = texts(wanted.path(field));
      TreeSet<String> gotTexts = texts(got.path(field));
      // The reference lists ten annotations at random when there are more; their number is fixed.
      boolean cut = wantedTexts.stream().anyMatch(text -> text.endsWith("annotations omitted"));
      boolean same =
          cut
              ? wantedTexts.size() == gotTexts.size() && gotTexts.contains(wantedTexts.first())
              : wantedTexts.equals(gotTexts);
      if (!same) {
        return Optional.of(field + " differ: wanted " + wantedTexts + ", got " + gotTexts);
      }
    }
    JsonNode wantedData = wanted.path("data");
    JsonNode gotData = got.path("data");
    if (!wantedData.has("resultType")) {
      return wantedData.equals(gotData) ? Optional.empty() : Optional.of("data differ");
    }
    if (!wantedData.path("resultType").equals(gotData.path("resultType"))) {
      return Optional.of("resultType differs");
    }
    JsonNode wantedResult = wantedData.path("result");
    JsonNode gotResult = gotData.path("result");
    return switch (wantedData.path("resultType").asText()) {
      case "vector", "matrix" -> series(wantedResult, gotResult);
      case "scalar" -> point(wantedResult, gotResult);
      default -> wantedResult.equals(gotResult) ? Optional.empty() : Optional.of("result differs");
    };
  }

  private static TreeSet<String> texts(JsonNode array) {
    TreeSet<String> texts = new TreeSet<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static Optional<String> series(JsonNode wanted, JsonNode got) {
    Map<String, JsonNode> wantedByLabels = byLabels(wanted);
    Map<String, JsonNode> gotByLabels = byLabels(got);
    if (wanted.size() != got.size() || !wantedByLabels.keySet().equals(gotByLabels.keySet())) {
      return Optional.of("label sets differ");
    }
    for (var entry : wantedByLabels.entrySet()) {
      JsonNode wantedOne = entry.getValue();
      JsonNode gotOne = gotByLabels.get(entry.getKey());
      Optional<String> difference =
          wantedOne.has("value")
              ? point(wantedOne.path("value"), gotOne.path("value"))
              : points(wantedOne.path("values"), gotOne.path("values"));
      if (difference.isPresent()) {
        return difference.map(what -> entry.getKey() + ": " + what);
      }
    }
    for (int i = 0; i < wanted.size(); i++) {
      boolean ordered = wanted.get(i).has("values");
      if (ordered && !wanted.get(i).path("metric").equals(got.get(i).path("metric"))) {
        return Optional.of("the order of series differs");
      }
    }
    return Optional.empty();
  }

  private static Map<String, JsonNode> byLabels(JsonNode series) {
    Map<String, JsonNode> byLabels = new TreeMap<>();
    series.forEach(one -> byLabels.put(one.path("metric").toString(), one));
    return byLabels;
  }

  private static Optional<String> points(JsonNode wanted, JsonNode got) {
    if (wanted.size() != got.size()) {
      return Optional.of(got.size() + " points for " + wanted.size());
    }
    for (int i = 0; i < wanted.size(); i++) {
      Optional<String> difference = point(wanted.get(i), got.get(i));
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> point(JsonNode wanted, JsonNode got) {
    if (!wanted.path(0).asText().equals(got.path(0).asText())) {
      return Optional.of("time " + got.path(0) + " for " + wanted.path(0));
    }
    String wantedValue = wanted.path(1).asText();
    String gotValue = got.path(1).asText();
    if (wantedValue.equals(gotValue) || isClose(wantedValue, gotValue)) {
      return Optional.empty();
    }
    return Optional.of("value " + gotValue + " for " + wantedValue + " at " + wanted.path(0));
  }

  private static boolean isClose(String wantedText, String gotText) {
    if (wantedText.contains("N") || gotText.contains("N") || wantedText.contains("I")) {
      return false;
    }
    double wanted = Double.parseDouble(wantedText);
    double got = Double.parseDouble(gotText.replace("Inf", "Infinity"));
    // From 2^52 on every double is whole, also where nothing was counted.
    boolean integer = wanted == Math.rint(wanted) && Math.abs(wanted) < 1L << 52;
    boolean bothIntegers = integer && got == Math.rint(got);
    return !bothIntegers
        && Math.abs(wanted - got) <= TOLERANCE * Math.min(Math.abs(wanted), Math.abs(got));
  }
}
