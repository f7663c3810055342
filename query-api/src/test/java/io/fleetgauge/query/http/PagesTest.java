package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class PagesTest {
  private Vertx vertx;
  private int port;

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    Router router = Router.router(vertx);
    Pages.mount(router);
    HttpServer server =
        vertx.createHttpServer().requestHandler(router).listen(0).await(10, TimeUnit.SECONDS);
    port = server.actualPort();
  }

  private HttpClientResponse get(String path) throws Exception {
    return vertx
        .createHttpClient()
        .request(HttpMethod.GET, port, "127.0.0.1", path)
        .compose(request -> request.send().compose(response -> response.body().map(response)))
        .await(10, TimeUnit.SECONDS);
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
  void theDescriptionIsYaml() throws Exception {
    HttpClientResponse description = get("/api/openapi.yaml");
    assertThat(description.getHeader("Content-Type")).isEqualTo("application/yaml; charset=utf-8");
    assertThat(description.body().await().toString()).startsWith("openapi: 3.1.0\n");
  }
}
