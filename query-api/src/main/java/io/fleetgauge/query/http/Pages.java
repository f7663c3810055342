package io.fleetgauge.query.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The start page and the description of the API. They hold no data, so they need no token. */
public final class Pages {
  private Pages() {}

  public static void mount(Router router) {
    Buffer index = resource("index.html");
    router
        .get("/")
        .handler(
            http ->
                http.response()
                    .putHeader("Content-Type", "text/html; charset=utf-8")
                    .putHeader(
                        "Content-Security-Policy",
                        "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline';"
                            + " script-src 'unsafe-inline'; frame-ancestors 'none'")
                    .end(index));
    Buffer description = resource("openapi.yaml");
    router
        .get("/api/openapi.yaml")
        .handler(
            http ->
                http.response()
                    .putHeader("Content-Type", "application/yaml; charset=utf-8")
                    .end(description));
  }

  private static Buffer resource(String name) {
    try (InputStream in = Pages.class.getResourceAsStream(name)) {
      return Buffer.buffer(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
