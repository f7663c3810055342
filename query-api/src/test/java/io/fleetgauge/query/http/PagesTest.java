package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class PagesTest {
  private static final Path RUNBOOKS =
      Path.of(System.getProperty("fleetgauge.root"), "docs/runbooks");

  private Vertx vertx;
  private int port;

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    Router router = Router.router(vertx);
    Pages.mount(router);
    HttpServer server =
        vertx.createHttpServer().requestHandler(router).listen(0).await(120, TimeUnit.SECONDS);
    port = server.actualPort();
  }

  private HttpClientResponse get(String path) throws Exception {
    return vertx
        .createHttpClient()
        .request(HttpMethod.GET, port, "127.0.0.1", path)
        .compose(request -> request.send().compose(response -> response.body().map(response)))
        .await(120, TimeUnit.SECONDS);
  }

  @Test
  void thePageMayLoadNothingFromElsewhereAndMayNotBeFramed() throws Exception {
    HttpClientResponse page = get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.getHeader("Content-Type")).isEqualTo("text/html; charset=utf-8");
    assertThat(page.getHeader("Content-Security-Policy"))
        .contains("default-src 'none'")
        .contains("frame-ancestors 'none'");
    assertThat(page.body().await().toString()).startsWith("<!doctype html>");
  }

  @Test
  void everyRunbookIsServedAsItsFileIs() throws Exception {
    int pages = 0;
    try (var files = Files.newDirectoryStream(RUNBOOKS)) {
      for (Path file : files) {
        HttpClientResponse page = get("/runbooks/" + file.getFileName());
        assertThat(page.statusCode()).as(file.toString()).isEqualTo(200);
        assertThat(page.getHeader("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(page.body().await().toString()).isEqualTo(Files.readString(file));
        pages++;
      }
    }
    assertThat(pages).isGreaterThan(50);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/runbooks",
        "/runbooks/",
        "/runbooks/NoSuchPage.md",
        "/runbooks/NodeDown",
        "/runbooks/..%2Findex.html",
        "/runbooks/..%2Fquery.yaml",
        "/runbooks/%2e%2e/query.yaml",
        "/runbooks/x%2F..%2FNodeDown.md",
        "/runbooks/NodeDown.md%00"
      })
  void nothingElseIsBelowTheFolderOfRunbooks(String path) throws Exception {
    assertThat(get("/runbooks/NodeDown.md").statusCode()).isEqualTo(200);
    assertThat(get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void theDescriptionIsYaml() throws Exception {
    HttpClientResponse description = get("/api/openapi.yaml");
    assertThat(description.getHeader("Content-Type")).isEqualTo("application/yaml; charset=utf-8");
    assertThat(description.body().await().toString()).startsWith("openapi: 3.1.0\n");
  }
}
