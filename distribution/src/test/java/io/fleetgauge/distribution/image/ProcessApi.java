package io.fleetgauge.distribution.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The HTTP API of a process in a container. */
public final class ProcessApi {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final String address;
  private final String token;

  /**
   * @param address such as http://127.0.0.1:9090
   * @param token empty for none
   */
  public ProcessApi(String address, String token) {
    this.address = address;
    this.token = token;
  }

  /** An answer with status 200. */
  public String get(String path) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + path)).timeout(Duration.ofMinutes(2));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(
          "%s%s: %d %s".formatted(address, path, answer.statusCode(), answer.body()));
    }
    return answer.body();
  }

  /** A value that the process tells of itself; NaN without one. */
  public double metric(String name) throws IOException, InterruptedException {
    return get("/metrics")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  /** The gateway that owns a host, by the table of this one; empty if it is not known. */
  public String ownerOf(String host) throws IOException, InterruptedException {
    return JSON.readTree(get("/v1/table")).path("hosts").path(host).path("owner").asText();
  }

  /** The newest values of a query's series. */
  public List<String> values(String query) throws IOException, InterruptedException {
    return values(answer(query));
  }

  static List<String> values(JsonNode answer) {
    List<String> values = new ArrayList<>();
    for (JsonNode each : answer.at("/data/result")) {
      values.add(each.at("/value/1").asText());
    }
    return values;
  }

  /** Whole seconds at which the only series of a selector has a sample. */
  public List<Long> seconds(String selector) throws IOException, InterruptedException {
    List<Long> seconds = new ArrayList<>();
    for (JsonNode each : answer(selector).at("/data/result/0/values")) {
      seconds.add(each.get(0).asLong());
    }
    return seconds;
  }

  /** Seconds from the first sample of a series to the newest that lack one, at some ticks. */
  public static List<Long> missing(List<Long> seconds, int tick) {
    List<Long> missing = new ArrayList<>();
    for (int i = 1; i < seconds.size(); i++) {
      for (long at = seconds.get(i - 1) + tick; at < seconds.get(i); at += tick) {
        missing.add(at);
      }
    }
    return missing;
  }

  JsonNode answer(String query) throws IOException, InterruptedException {
    return JSON.readTree(
        get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)));
  }
}
