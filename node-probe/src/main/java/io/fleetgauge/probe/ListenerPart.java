package io.fleetgauge.probe;

import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import java.util.Optional;

/** A port with routes. */
final class ListenerPart implements ProbePart {
  private final Vertx vertx;
  private final HttpSettings settings;
  private final String option;
  private final Router router;
  private Optional<HttpListener> listener = Optional.empty();

  /**
   * @param option the key that sets the port, for error messages
   */
  ListenerPart(Vertx vertx, HttpSettings settings, String option, Router router) {
    this.vertx = vertx;
    this.settings = settings;
    this.option = option;
    this.router = router;
  }

  @Override
  public void start() throws StartFailure {
    listener = Optional.of(HttpListener.start(vertx, settings, option, router));
  }

  /** The port that it listens on, even when the system chose it. */
  int port() {
    return listener.orElseThrow().port();
  }

  /** Declares the metrics of its connections. */
  void declareConnections(Meters meters) {
    listener.orElseThrow().declare(meters);
  }

  @Override
  public void close() {
    listener.ifPresent(HttpListener::close);
  }
}
