package io.fleetgauge.query.http;

import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpListener;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Routes on a port of this machine, asked over a socket. Of the tenants, {@code a} sees only series
 * of tenant a, {@code small} may read 200 samples of its own, {@code strict} gets complete answers
 * only, {@code root} sees all and may operate, {@code writer} may not read, {@code ruler} may read
 * and write within a scope, and {@code owner} may do everything; each one's token is its name.
 */
public final class TestServer implements AutoCloseable {
  /** The time by which the age of watermarks is told, ms. */
  public static final long NOW = 1_795_300_000_000L;

  private static final String TENANTS =
      """
      tenants:
        a: {scope: '{tenant="a"}', tokens: {t: {sha256: %s}}}
        b: {scope: '{tenant="b"}', tokens: {t: {sha256: %s}}}
        small:
          scope: '{tenant="small"}'
          limits: {samples: 200}
          tokens: {t: {sha256: %s}}
        strict: {limits: {strict: true}, tokens: {t: {sha256: %s}}}
        root: {tokens: {t: {sha256: %s, rights: [read, operate]}}}
        writer: {tokens: {t: {sha256: %s, rights: [write]}}}
        ruler: {scope: '{tenant="ruler"}', tokens: {t: {sha256: %s, rights: [read, write]}}}
        owner: {tokens: {t: {sha256: %s, rights: [read, write, operate]}}}
      """;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpListener server;
  public final FailureCounts failures = new FailureCounts();

  /**
   * @param folder for the file of tenants
   * @param faces mounts the routes
   */
  public TestServer(Vertx vertx, Path folder, Consumer<ApiRoutes> faces) throws Exception {
    this(vertx, folder, Set.of(), faces);
  }

  /**
   * @param allowedOrigins whose pages may read answers
   */
  TestServer(Vertx vertx, Path folder, Set<String> allowedOrigins, Consumer<ApiRoutes> faces)
      throws Exception {
    Path tenants = folder.resolve("tenants-" + System.nanoTime() + ".yaml");
    Files.writeString(
        tenants,
        TENANTS.formatted(
            hash("a"),
            hash("b"),
            hash("small"),
            hash("strict"),
            hash("root"),
            hash("writer"),
            hash("ruler"),
            hash("owner")));
    Guard guard =
        Guard.open(
            vertx,
            new HttpSettings("127.0.0.1", 0),
            Optional.of(tenants),
            TrustSettings.NONE,
            TenantLimits.DEFAULT,
            Parser::selectorProblem,
            System::currentTimeMillis);
    Router router = Router.router(vertx);
    faces.accept(
        new ApiRoutes(
            router,
            guard,
            vertx.createSharedWorkerExecutor("test"),
            failures,
            allowedOrigins,
            () -> NOW));
    server = HttpListener.start(vertx, new HttpSettings("127.0.0.1", 0), "http.port", router);
  }

  private static String hash(String token) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
  }

  public URI address(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  /** Asks as a tenant. */
  public HttpResponse<String> get(String tenant, String path, String... headers) throws Exception {
    return send(tenant, path, headers, HttpRequest.Builder::GET);
  }

  public HttpResponse<String> postForm(String tenant, String path, String form) throws Exception {
    return post(tenant, path, form, "Content-Type", "application/x-www-form-urlencoded");
  }

  public HttpResponse<String> post(String tenant, String path, String body, String... headers)
      throws Exception {
    return send(tenant, path, headers, ask -> ask.POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> send(
      String tenant, String path, String[] headers, Consumer<HttpRequest.Builder> method)
      throws IOException, InterruptedException {
    return client.send(
        request(tenant, path, headers, method), HttpResponse.BodyHandlers.ofString());
  }

  /** As {@link #send}, with the bytes of the answer. */
  public HttpResponse<byte[]> sendBytes(
      String tenant, String path, String[] headers, Consumer<HttpRequest.Builder> method)
      throws IOException, InterruptedException {
    return client.send(
        request(tenant, path, headers, method), HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpRequest request(
      String tenant, String path, String[] headers, Consumer<HttpRequest.Builder> method) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(path)).timeout(Duration.ofMinutes(2));
    if (!tenant.isEmpty()) {
      request.header("Authorization", "Bearer " + tenant);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    method.accept(request);
    return request.build();
  }

  @Override
  public void close() throws TimeoutException {
    client.close();
    server.close();
  }
}
