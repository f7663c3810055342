package io.fleetgauge.runtime.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.SecurityPolicyHandler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * Rejects request bodies that arrive too slowly, and closes their connections. Mounted before the
 * body is read.
 */
public final class BodyPace implements SecurityPolicyHandler {
  /** For queries: they are short, and can be sent again. */
  public static final Duration OF_QUESTIONS = Duration.ofMillis(800);

  /** For samples: they may come over a slow network. */
  public static final Duration OF_SAMPLES = Duration.ofSeconds(10);

  private static final long LEAST_BYTES = 32 << 10;

  private final Duration window;
  private final BiConsumer<RoutingContext, String> refusal;

  /**
   * @param window how long 32 KiB, or what is left of a body, may take
   * @param refusal answers the request with a reason
   */
  public BodyPace(Duration window, BiConsumer<RoutingContext, String> refusal) {
    this.window = window;
    this.refusal = refusal;
  }

  @Override
  public void handle(RoutingContext http) {
    HttpServerRequest request = http.request();
    boolean hasBody =
        request.headers().contains(HttpHeaders.CONTENT_LENGTH)
            || request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    if (hasBody && !request.isEnded()) {
      AtomicLong before = new AtomicLong();
      long timer = http.vertx().setPeriodic(window.toMillis(), id -> look(http, before, id));
      http.addEndHandler(ended -> http.vertx().cancelTimer(timer));
    }
    http.next();
  }

  private void look(RoutingContext http, AtomicLong before, long timer) {
    HttpServerRequest request = http.request();
    long read = request.bytesRead();
    boolean late = !request.isEnded() && !http.response().headWritten();
    if (late && read - before.getAndSet(read) >= LEAST_BYTES) {
      return;
    }
    http.vertx().cancelTimer(timer);
    if (late) {
      http.response().putHeader("Connection", "close");
      http.addEndHandler(ended -> request.connection().close());
      refusal.accept(
          http,
          "the request body arrives too slowly: "
              + read
              + " bytes so far; each "
              + window.toMillis()
              + " ms must bring "
              + LEAST_BYTES
              + " more bytes or the end of the body");
    }
  }
}
