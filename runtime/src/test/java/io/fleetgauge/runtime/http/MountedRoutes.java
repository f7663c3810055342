package io.fleetgauge.runtime.http;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All routes of a process, and what it answers to those who ask them. Routes are {@code GET /x}.
 */
public final class MountedRoutes implements AutoCloseable {
  /** The method of a route that answers whatever its path is asked with. */
  private static final String ANY = "ANY";

  /** A method that nothing is mounted for. */
  private static final String UNUSED = "PATCH";

  private final HttpClient client;
  private final URI process;
  private final Set<String> all = new TreeSet<>();

  /**
   * @param client shows a certificate or none
   * @param process its address
   */
  public MountedRoutes(HttpClient client, URI process, Router router) {
    this.client = client;
    this.process = process;
    for (Route route : router.getRoutes()) {
      Set<HttpMethod> methods = route.methods();
      if (methods == null || methods.isEmpty()) {
        all.add(ANY + " " + route.getPath());
      } else {
        methods.forEach(method -> all.add(method + " " + route.getPath()));
      }
    }
  }

  /** All of them, with the names of their parameters. */
  public Set<String> all() {
    return all;
  }

  /**
   * Asks all of them, each with an empty body.
   *
   * @param headers names and values
   */
  public Map<String, Integer> ask(Set<String> routes, String... headers) throws Exception {
    Map<String, Integer> statuses = new TreeMap<>();
    for (String route : routes) {
      String[] parts = route.split(" ", 2);
      String path = parts[1].replaceAll(":\\w+", "x").replace("*", "x");
      HttpRequest.Builder request =
          HttpRequest.newBuilder(process.resolve(path))
              .method(
                  parts[0].equals(ANY) ? UNUSED : parts[0], HttpRequest.BodyPublishers.noBody());
      if (headers.length > 0) {
        request.headers(headers);
      }
      statuses.put(
          route, client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode());
    }
    return statuses;
  }

  /** Those with an answer of 401 or 403 if they are asked so. */
  public Map<String, Integer> refused(Set<String> routes, String... headers) throws Exception {
    Map<String, Integer> statuses = ask(routes, headers);
    statuses.values().removeIf(status -> status != 401 && status != 403);
    return statuses;
  }

  /**
   * A tenants file with one token for each right, which has its name; {@code scoped} has all
   * rights, of a tenant with a scope.
   */
  public static Path tenants(Path folder) throws Exception {
    return Files.writeString(
        folder.resolve("tenants.yaml"),
        """
        tenants:
          a:
            tokens:
              read: {sha256: %s, rights: [read]}
              write: {sha256: %s, rights: [write]}
              operate: {sha256: %s, rights: [operate]}
          b:
            scope: '{tenant="b"}'
            tokens:
              scoped: {sha256: %s, rights: [read, operate]}
        """
            .formatted(hash("read"), hash("write"), hash("operate"), hash("scoped")));
  }

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  /** What every route is asked with by somebody who has no right to any. */
  public static Map<String, String[]> forgeries() {
    return Map.of(
        "nothing",
        new String[0],
        "an unknown token",
        new String[] {"Authorization", "Bearer unknown"},
        "an empty signature",
        new String[] {"X-Fleetgauge-Signature", ""},
        "a forged signature",
        new String[] {
          "X-Fleetgauge-Signature", "v1 sender=1 time=1 sequence=1 mac=" + "0".repeat(64)
        });
  }

  @Override
  public void close() {
    client.close();
  }
}
