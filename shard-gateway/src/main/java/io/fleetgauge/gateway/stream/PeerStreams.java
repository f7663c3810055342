package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.OriginLog;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Asks other gateways, on one stream to each. Safe for all threads. */
public final class PeerStreams implements AutoCloseable {
  final Vertx vertx;
  final OutgoingHttp http;
  final ClusterKey key;
  final StreamCounts counts;
  final Limits limits;
  final OriginLog due = new OriginLog();
  private final Map<URI, PeerStream> streams = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  /**
   * Limits of what is on its way to one gateway.
   *
   * @param bytes most bytes of questions without an answer, unless there is only one
   * @param questions most of them
   * @param timeoutMillis how long one may take
   */
  public record Limits(long bytes, int questions, long timeoutMillis) {}

  /**
   * @param http opens the streams
   * @param key proves that messages come from this cluster
   */
  public PeerStreams(
      Vertx vertx, OutgoingHttp http, ClusterKey key, Limits limits, StreamCounts counts) {
    this.vertx = vertx;
    this.http = http;
    this.key = key;
    this.limits = limits;
    this.counts = counts;
  }

  /**
   * Asks a gateway.
   *
   * @param outcome is given what became of it, once, on any thread
   */
  public void ask(URI gateway, StreamQuestion question, Consumer<Outcome> outcome) {
    if (isClosed) {
      outcome.accept(new Outcome.Failed("this gateway stops"));
      return;
    }
    streams
        .computeIfAbsent(gateway, address -> new PeerStream(this, address))
        .ask(question, outcome);
  }

  /** ms of a clock that is never set. */
  static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** A stream has ended; one to the same gateway is begun when something is asked. */
  void ended(PeerStream stream) {
    streams.remove(stream.gateway(), stream);
  }

  @Override
  public void close() {
    isClosed = true;
    streams.values().forEach(PeerStream::close);
  }
}
