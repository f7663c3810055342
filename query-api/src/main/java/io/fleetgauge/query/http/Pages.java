package io.fleetgauge.query.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;

/**
 * The start page, the description of the API, and the runbooks that alerts link to. They hold no
 * data, so they need no token.
 */
public final class Pages {
  private static final String RUNBOOKS = "runbooks/";
  private static final Pattern PAGE = Pattern.compile("[A-Za-z]+\\.md");

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
    Buffer description = resource("query.yaml");
    router
        .get("/api/openapi.yaml")
        .handler(
            http ->
                http.response()
                    .putHeader("Content-Type", "application/yaml; charset=utf-8")
                    .end(description));
    router.get("/runbooks/:page").handler(Pages::runbook);
  }

  /** As text, which browsers show; they would save Markdown. */
  private static void runbook(RoutingContext http) {
    String page = http.pathParam("page");
    if (!PAGE.matcher(page).matches() || Pages.class.getResource(RUNBOOKS + page) == null) {
      http.next();
      return;
    }
    http.response()
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .end(resource(RUNBOOKS + page));
  }

  private static Buffer resource(String name) {
    try (InputStream in = Pages.class.getResourceAsStream(name)) {
      return Buffer.buffer(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
