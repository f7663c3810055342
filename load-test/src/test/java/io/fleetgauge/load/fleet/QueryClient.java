package io.fleetgauge.load.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/** A client of a query API, as a person with curl is one. */
public final class QueryClient {
  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final URI address;

  public QueryClient(int port) {
    this.address = URI.create("http://127.0.0.1:" + port);
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address.resolve(path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  public HttpResponse<String> post(String path, String form)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address.resolve(path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The whole answer to an instant query. */
  public JsonNode query(String query) throws IOException, InterruptedException {
    return json("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
  }

  /** Any answer in JSON. */
  public JsonNode json(String path) throws IOException, InterruptedException {
    return json.readTree(get(path).body());
  }

  /** Values of an instant query by one label; {@code ""} for series without it. */
  public TreeMap<String, Double> values(String query, String label)
      throws IOException, InterruptedException {
    TreeMap<String, Double> values = new TreeMap<>();
    for (JsonNode sample : query(query).path("data").path("result")) {
      values.put(
          sample.path("metric").path(label).asText(),
          Double.parseDouble(sample.path("value").path(1).asText()));
    }
    return values;
  }
}
