package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.gateway.remotewrite.SeriesWrites.Answer;
import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xerial.snappy.Snappy;

/** {@code POST /api/v1/write} and {@code /api/v1/prometheus}. */
public final class RemoteWriteRoute {
  /** Longest body after decompression, as Prometheus has it. */
  public static final int MAX_DECODED_BYTES = 32 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(RemoteWriteRoute.class);

  private static final String PROTOBUF = "application/x-protobuf";

  private static final int KEPT_BUFFER_BYTES = 4 << 20;

  private final ThreadLocal<byte[]> buffers = ThreadLocal.withInitial(() -> new byte[0]);
  private final Vertx vertx;
  private final SeriesWrites writes;
  private final RemoteWriteCounts counts;

  public RemoteWriteRoute(Vertx vertx, SeriesWrites writes) {
    this.vertx = vertx;
    this.writes = writes;
    this.counts = writes.counts;
  }

  /**
   * @param guard authenticates senders
   */
  public void mount(Router router, Guard guard) {
    for (String path : List.of("/api/v1/write", "/api/v1/prometheus")) {
      Guard.readBody(
              router
                  .post(path)
                  .handler(guard.needsPeerOr(Permission.WRITE))
                  // Not 408: senders drop the samples of a request that gets a 4xx status.
                  .handler(
                      new BodyPace(
                          BodyPace.OF_SAMPLES,
                          (late, why) ->
                              end(late, Version.V1, Answer.of(503, why + "; send it again")))),
              MAX_DECODED_BYTES)
          .handler(this::write);
    }
  }

  private void write(RoutingContext http) {
    String encoding = http.request().getHeader("Content-Encoding");
    if (encoding != null && !encoding.isEmpty() && !encoding.equalsIgnoreCase("snappy")) {
      end(http, Version.V1, Answer.of(415, encoding + " encoding is not accepted; use snappy"));
      return;
    }
    Optional<Version> version = version(http.request().getHeader("Content-Type"));
    if (version.isEmpty()) {
      end(
          http,
          Version.V1,
          Answer.of(
              415,
              "the content type "
                  + http.request().getHeader("Content-Type")
                  + " is not accepted; use "
                  + PROTOBUF
                  + ", with proto=prometheus.WriteRequest or"
                  + " proto=io.prometheus.write.v2.Request"));
      return;
    }
    byte[] body = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    Context loop = vertx.getOrCreateContext();
    boolean isDerived = http.request().headers().contains(IntakeProtocol.DERIVED);
    // Samples of many rules: the fault of one of them is not to prevent the others.
    boolean inParts = version.get() == Version.V2 || isDerived;
    writes
        .write(
            Guard.grant(http),
            isDerived,
            version.get(),
            inParts ? SeriesWrites.Mode.IN_PARTS : SeriesWrites.Mode.WHOLE,
            () -> message(body))
        .onSuccess(answer -> loop.runOnContext(none -> end(http, version.get(), answer)));
  }

  /** A request without a content type is version 1: the oldest senders give none. */
  private static Optional<Version> version(String contentType) {
    if (contentType == null || contentType.isBlank()) {
      return Optional.of(Version.V1);
    }
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";");
    if (!parts[0].strip().equals(PROTOBUF)) {
      return Optional.empty();
    }
    for (int i = 1; i < parts.length; i++) {
      String[] parameter = parts[i].strip().split("=", 2);
      if (parameter.length == 2 && parameter[0].equals("proto")) {
        return switch (parameter[1]) {
          case "prometheus.writerequest" -> Optional.of(Version.V1);
          case "io.prometheus.write.v2.request" -> Optional.of(Version.V2);
          default -> Optional.empty();
        };
      }
    }
    return Optional.of(Version.V1);
  }

  /** One buffer per worker thread, except for bodies that are much longer than most. */
  private byte[] buffer(int size) {
    if (size > KEPT_BUFFER_BYTES) {
      return new byte[size];
    }
    byte[] kept = buffers.get();
    if (kept.length < size) {
      kept = new byte[Math.min(KEPT_BUFFER_BYTES, 2 * size)];
      buffers.set(kept);
    }
    return kept;
  }

  private SeriesWrites.Message message(byte[] compressed) throws WireException {
    try {
      int size = Snappy.uncompressedLength(compressed);
      if (size > MAX_DECODED_BYTES) {
        throw new WireException(
            "the body has "
                + size
                + " bytes after decompression; the limit is "
                + MAX_DECODED_BYTES);
      }
      byte[] body = buffer(size);
      if (Snappy.rawUncompress(compressed, 0, compressed.length, body, 0) != size) {
        throw new WireException("the body is shorter than its snappy header says");
      }
      return new SeriesWrites.Message(body, size);
    } catch (IOException | RuntimeException e) {
      throw new WireException("the body is not a snappy block: " + e.getMessage());
    }
  }

  /** The first reason, on one line. */
  private static String logged(String text) {
    return text.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
  }

  private void end(RoutingContext http, Version version, Answer answer) {
    int status = answer.status();
    if (status == 204) {
      counts.kept.increment();
    } else {
      if (status < 429) {
        String whose = Guard.grant(http).map(grant -> " of " + grant.tenant()).orElse("");
        LOG.warn("remote write{}: {} {}", whose, status, logged(answer.text()));
      }
      (status == 503 || status == 429 ? counts.retry : counts.refused).increment();
    }
    if (http.response().closed()) {
      return;
    }
    boolean isDerived = http.request().headers().contains(IntakeProtocol.DERIVED);
    if ((version == Version.V2 || isDerived) && answer.isRead()) {
      http.response()
          // Samples that relabelling drops are done with: a sender counts those that are not
          // written as failed.
          .putHeader(
              IntakeProtocol.SAMPLES_WRITTEN,
              Long.toString(answer.samples() + answer.droppedSamples()))
          .putHeader(
              IntakeProtocol.HISTOGRAMS_WRITTEN,
              Long.toString(answer.histograms() + answer.droppedHistograms()))
          .putHeader("X-Prometheus-Remote-Write-Exemplars-Written", "0");
    }
    if (status == 503) {
      http.response().putHeader("Retry-After", "1");
    } else if (status == 429) {
      http.response()
          .putHeader(
              "Retry-After", Long.toString(IntakeProtocol.retryAfterSeconds(answer.retryMillis())));
    }
    http.response().setStatusCode(status);
    if (status == 204) {
      http.response().end();
    } else {
      http.response()
          .putHeader("Content-Type", "text/plain; charset=utf-8")
          .end(answer.text() + "\n");
    }
  }
}
