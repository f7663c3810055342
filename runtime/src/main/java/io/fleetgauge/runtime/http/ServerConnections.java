package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of an HTTP server: how many there may be, and how long each may take to send the
 * head of a request. The idle timeout does not end one that sends a byte now and then. Safe for all
 * threads.
 */
final class ServerConnections {
  /** A process has some for each client; a client that is refused tries again. */
  static final int MOST = 10_000;

  /** From the begin of a connection, and of TLS, to the end of the first request's head. */
  static final Duration FIRST_HEAD = Duration.ofSeconds(30);

  /**
   * From the end of a response to the end of the next request's head. A long answer may still be on
   * its way to a slow client after its end was written here.
   */
  static final Duration NEXT_HEAD = Duration.ofMinutes(15);

  private static final int SWITCHING_PROTOCOLS = 101;

  private static final Logger LOG = LoggerFactory.getLogger(ServerConnections.class);

  /** The state of a connection. */
  private static final class State {
    private volatile HttpServerResponse last;
    private volatile long waitingSince;

    private State(long now) {
      waitingSince = now;
    }

    /** Tells whether a request is being answered. */
    private boolean isBusy() {
      return last != null && !last.ended();
    }

    /** Tells whether it goes on with another protocol than HTTP, which has its own limits. */
    private boolean isUpgraded() {
      return last != null && last.getStatusCode() == SWITCHING_PROTOCOLS;
    }

    private boolean isLate(long now) {
      return now - waitingSince > (last == null ? FIRST_HEAD : NEXT_HEAD).toNanos();
    }
  }

  private final int most;
  private final LongSupplier nanos;
  private final Map<HttpConnection, State> open = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  private final LongAdder late = new LongAdder();
  private volatile boolean wasFull;

  /**
   * @param nanos a monotonic clock
   */
  ServerConnections(int most, LongSupplier nanos) {
    this.most = most;
    this.nanos = nanos;
  }

  void opened(HttpConnection connection) {
    if (open.size() >= most) {
      refused.increment();
      if (!wasFull) {
        wasFull = true;
        LOG.warn(
            "{} connections are open, which is the limit; further ones are closed immediately",
            most);
      }
      connection.close();
      return;
    }
    open.put(connection, new State(nanos.getAsLong()));
    connection.closeHandler(closed -> open.remove(connection));
  }

  /** The head of a request has arrived. */
  void requested(HttpServerRequest request) {
    State state = open.get(request.connection());
    if (state != null) {
      state.last = request.response();
      state.waitingSince = nanos.getAsLong();
    }
  }

  /** Closes the connections that have taken too long. */
  void look() {
    long now = nanos.getAsLong();
    wasFull = wasFull && open.size() >= most;
    open.forEach(
        (connection, state) -> {
          if (state.isUpgraded()) {
            open.remove(connection);
          } else if (state.isBusy()) {
            state.waitingSince = now;
          } else if (state.isLate(now)) {
            late.increment();
            connection.close();
          }
        });
  }

  void declare(Meters meters) {
    meters.gauge("http_connections", "Open connections of HTTP clients.", open::size);
    meters.counter(
        "http_connections_refused",
        "Connections closed immediately because " + MOST + " were open.",
        refused::sum);
    meters.counter(
        "http_connections_late",
        "Connections closed because the headers of a request did not arrive in time.",
        late::sum);
  }
}
