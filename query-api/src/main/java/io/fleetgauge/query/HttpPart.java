package io.fleetgauge.query;

import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.util.Optional;

/** The port with all routes. */
final class HttpPart implements QueryPart {
  private final Vertx vertx;
  private final QueryConfig config;
  private final Router router;
  private Optional<HttpListener> listener = Optional.empty();

  HttpPart(Vertx vertx, QueryConfig config, Router router) {
    this.vertx = vertx;
    this.config = config;
    this.router = router;
  }

  @Override
  public void start() throws StartFailure {
    listener = Optional.of(HttpListener.start(vertx, config.http(), "http.port", router));
  }

  @Override
  public void declare(Meters meters) {
    listener.orElseThrow().declare(meters);
  }

  /** The port, even when the system chose it. */
  int port() {
    return listener.orElseThrow().port();
  }

  @Override
  public void close() {
    listener.ifPresent(HttpListener::close);
  }
}
