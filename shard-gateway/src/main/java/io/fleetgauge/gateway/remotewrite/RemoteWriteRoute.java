package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.Senders;
import io.fleetgauge.gateway.ingest.host.Owners;
import io.fleetgauge.gateway.ingest.host.Owners.Intent;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.runtime.http.BodyPace;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xerial.snappy.Snappy;

/** {@code POST /api/v1/write} and {@code /api/v1/prometheus}. */
public final class RemoteWriteRoute implements AutoCloseable {
  /** Longest body after decompression, as Prometheus has it. */
  public static final int MAX_DECODED_BYTES = 32 << 20;

  /** Most reasons of a kind that an answer gives. */
  private static final int MAX_REASONS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(RemoteWriteRoute.class);

  private static final String PROTOBUF = "application/x-protobuf";

  private static final int KEPT_BUFFER_BYTES = 4 << 20;

  private final ThreadLocal<byte[]> buffers = ThreadLocal.withInitial(() -> new byte[0]);
  private final Vertx vertx;
  private final TenantWriters writers;
  private final FrameDelivery delivery;
  private final WorkerExecutor workers;
  private final LongSupplier clock;
  private final RemoteWriteCounts counts;

  /**
   * The settings with which samples are accepted.
   *
   * @param relabelling is applied to each series before its host is named
   * @param hostLabels names the host of a series
   * @param maxFutureMillis how far ahead of the clock a sample may be
   * @param clock ms since the epoch
   */
  public record Settings(
      Relabelling relabelling, HostLabels hostLabels, long maxFutureMillis, LongSupplier clock) {}

  /** An answer; the text is empty if all samples were kept. */
  private record Answer(
      int status,
      String text,
      long retryMillis,
      TenantWriter.Request request,
      long samples,
      long histograms) {
    static Answer of(int status, String text) {
      return new Answer(status, text, 0, null, 0, 0);
    }
  }

  /**
   * @param owners other gateways
   */
  public RemoteWriteRoute(
      Vertx vertx,
      Owners owners,
      Intake intake,
      Settings settings,
      MetadataTable metadata,
      RemoteWriteCounts counts) {
    this(
        vertx,
        new FrameDelivery(vertx, owners, intake),
        settings,
        new TenantWriters(
            settings.relabelling,
            settings.hostLabels,
            settings.maxFutureMillis,
            metadata,
            TenantWriters.MAX_KEY_BYTES,
            counts),
        counts);
  }

  /**
   * @param writers know the series of earlier requests
   */
  RemoteWriteRoute(
      Vertx vertx,
      FrameDelivery delivery,
      Settings settings,
      TenantWriters writers,
      RemoteWriteCounts counts) {
    this.vertx = vertx;
    this.writers = writers;
    this.delivery = delivery;
    this.workers = vertx.createSharedWorkerExecutor("remote-write", 2);
    this.clock = settings.clock;
    this.counts = counts;
  }

  /**
   * @param guard authenticates senders
   */
  public RemoteWriteRoute mount(Router router, Guard guard) {
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
    return this;
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
    TenantWriter writer = writers.of(Guard.grant(http), isDerived);
    Sender sender = Senders.of(Guard.grant(http));
    workers
        .executeBlocking(() -> read(writer, version.get(), body), false)
        .compose(
            request -> {
              counts.foreignSeries.add(request.refused().foreign());
              counts.invalidSeries.add(request.refused().invalid());
              // Samples of many rules: the fault of one of them is not to prevent the others.
              return version.get() == Version.V2 || isDerived
                  ? writeParts(writer, sender, request)
                  : writeWhole(writer, sender, request);
            })
        .otherwise(
            failure ->
                failure instanceof WireException
                    ? Answer.of(400, failure.getMessage())
                    : Answer.of(500, String.valueOf(failure)))
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

  private TenantWriter.Request read(TenantWriter writer, Version version, byte[] compressed)
      throws WireException {
    byte[] body;
    int size;
    try {
      size = Snappy.uncompressedLength(compressed);
      if (size > MAX_DECODED_BYTES) {
        throw new WireException(
            "the body has "
                + size
                + " bytes after decompression; the limit is "
                + MAX_DECODED_BYTES);
      }
      body = buffer(size);
      if (Snappy.rawUncompress(compressed, 0, compressed.length, body, 0) != size) {
        throw new WireException("the body is shorter than its snappy header says");
      }
    } catch (IOException | RuntimeException e) {
      throw new WireException("the body is not a snappy block: " + e.getMessage());
    }
    writers.keepWithinLimit();
    return writer.read(version, body, size, clock.getAsLong());
  }

  /**
   * All or nothing of the valid series that the tenant may write: owners are asked before anything
   * is written. Not the owners of hosts whose samples are all newer than those that this gateway
   * wrote before.
   */
  private Future<Answer> writeWhole(
      TenantWriter writer, Sender sender, TenantWriter.Request request) {
    if (!request.ahead().isEmpty()) {
      return Future.succeededFuture(Answer.of(400, request.ahead()));
    }
    TenantWriter.Request doubtful = request.doubtful();
    return all(writer, sender, Intent.CHECK, doubtful.parts())
        .compose(
            checked -> {
              for (IntakeAnswer answer : checked) {
                if (preventsOthers(answer)) {
                  Answer refused = answer(doubtful, checked);
                  return note(
                      writer,
                      request.parts().stream().map(TenantWriter.Part::host).toList(),
                      Answer.of(refused.status, refused.text));
                }
              }
              return writeParts(writer, sender, request);
            });
  }

  /** Samples refused because their series, or their host, are new do not prevent the others. */
  private static boolean preventsOthers(IntakeAnswer answer) {
    return switch (answer) {
      case IntakeAnswer.OverLimit over -> false;
      case IntakeAnswer.Kept kept -> kept.refused() > kept.newSeries();
      case IntakeAnswer.Moved _,
          IntakeAnswer.SlowDown _,
          IntakeAnswer.NeedsDictionary _,
          IntakeAnswer.Refused _ ->
          true;
    };
  }

  private Future<Answer> writeParts(
      TenantWriter writer, Sender sender, TenantWriter.Request request) {
    return all(writer, sender, Intent.KEEP, request.parts())
        .compose(
            written -> {
              List<String> notKept = new ArrayList<>();
              for (int i = 0; i < written.size(); i++) {
                if (!(written.get(i) instanceof IntakeAnswer.Kept kept) || kept.refused() > 0) {
                  notKept.add(request.parts().get(i).host());
                }
              }
              return note(writer, notKept, answer(request, written));
            });
  }

  /**
   * Notes the hosts of which not all is kept, before the sender is answered. The writer may be busy
   * with a long request, which no event loop and no lane thread should wait for.
   */
  private Future<Answer> note(TenantWriter writer, List<String> notKept, Answer answer) {
    if (notKept.isEmpty()) {
      return Future.succeededFuture(answer);
    }
    return workers.executeBlocking(
        () -> {
          notKept.forEach(writer::notKept);
          return answer;
        },
        false);
  }

  private Future<List<IntakeAnswer>> all(
      TenantWriter writer, Sender sender, Intent intent, List<TenantWriter.Part> parts) {
    List<Future<IntakeAnswer>> answers = new ArrayList<>();
    for (TenantWriter.Part part : parts) {
      answers.add(
          delivery.deliver(
              intent,
              sender,
              part.host(),
              part.body(),
              body ->
                  workers.executeBlocking(() -> withDictionary(writer, part.host(), body), false)));
    }
    return Future.join(answers).map(none -> answers.stream().map(Future::result).toList());
  }

  private static byte[] withDictionary(TenantWriter writer, String host, byte[] body) {
    byte[] dictionary = writer.dictionary(host);
    byte[] both = new byte[dictionary.length + body.length];
    System.arraycopy(dictionary, 0, both, 0, dictionary.length);
    System.arraycopy(body, 0, both, dictionary.length, body.length);
    return both;
  }

  private static Answer answer(TenantWriter.Request request, List<IntakeAnswer> owners) {
    TenantWriter.Refusals refused = request.refused();
    int status = refused.count() > 0 ? 400 : 204;
    List<String> reasons = new ArrayList<>(refused.reasons());
    if (refused.count() > reasons.size()) {
      reasons.add("and " + (refused.count() - reasons.size()) + " more");
    }
    long samples = 0;
    long histograms = 0;
    long retryMillis = 0;
    for (int i = 0; i < owners.size(); i++) {
      TenantWriter.Part part = request.parts().get(i);
      switch (owners.get(i)) {
        case IntakeAnswer.Kept kept -> {
          long written = part.samples() - kept.refused();
          samples += part.histograms() ? 0 : written;
          histograms += part.histograms() ? written : 0;
          if (kept.refused() > 0) {
            status = Math.max(status, 400);
            reasons.add(kept.refused() + " samples of host " + part.host() + ": " + kept.reason());
          }
        }
        case IntakeAnswer.Refused byOwner -> {
          status = 500;
          reasons.add("host " + part.host() + ": " + byOwner.reason());
        }
        case IntakeAnswer.OverLimit over -> {
          // A sample that waiting does not help is not to be sent again: other samples would wait
          // with it.
          status = Math.max(status, over.millis() == 0 ? 400 : 429);
          retryMillis = Math.max(retryMillis, over.millis());
          if (reasons.size() < MAX_REASONS) {
            reasons.add(part.samples() + " samples: " + over.reason());
          }
        }
        // FrameDelivery has tried again until its time was over.
        case IntakeAnswer.SlowDown _, IntakeAnswer.Moved _, IntakeAnswer.NeedsDictionary _ -> {
          status = Math.max(status, 503);
          reasons.add(
              "samples of host " + part.host() + " cannot be accepted now; send them again later");
        }
      }
    }
    return new Answer(
        status, String.join("\n", reasons), retryMillis, request, samples, histograms);
  }

  /** The first reason, on one line. */
  private static String logged(String text) {
    return text.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
  }

  private void end(RoutingContext http, Version version, Answer answer) {
    int status = answer.status;
    if (status == 204) {
      counts.kept.increment();
    } else {
      if (status < 429) {
        String whose = Guard.grant(http).map(grant -> " of " + grant.tenant()).orElse("");
        LOG.warn("remote write{}: {} {}", whose, status, logged(answer.text));
      }
      (status == 503 || status == 429 ? counts.retry : counts.refused).increment();
    }
    counts.samples.add(answer.samples + answer.histograms);
    long droppedSamples = answer.request == null ? 0 : answer.request.droppedSamples();
    long droppedHistograms = answer.request == null ? 0 : answer.request.droppedHistograms();
    if (status == 204 || status == 400) {
      counts.dropped.add(droppedSamples + droppedHistograms); // others are sent again
    }
    if (http.response().closed()) {
      return;
    }
    boolean isDerived = http.request().headers().contains(IntakeProtocol.DERIVED);
    if ((version == Version.V2 || isDerived) && answer.request != null) {
      http.response()
          // Samples that relabelling drops are done with: a sender counts those that are not
          // written as failed.
          .putHeader(IntakeProtocol.SAMPLES_WRITTEN, Long.toString(answer.samples + droppedSamples))
          .putHeader(
              IntakeProtocol.HISTOGRAMS_WRITTEN,
              Long.toString(answer.histograms + droppedHistograms))
          .putHeader("X-Prometheus-Remote-Write-Exemplars-Written", "0");
    }
    if (status == 503) {
      http.response().putHeader("Retry-After", "1");
    } else if (status == 429) {
      http.response()
          .putHeader(
              "Retry-After", Long.toString(IntakeProtocol.retryAfterSeconds(answer.retryMillis)));
    }
    http.response().setStatusCode(status);
    if (status == 204) {
      http.response().end();
    } else {
      http.response()
          .putHeader("Content-Type", "text/plain; charset=utf-8")
          .end(answer.text + "\n");
    }
  }

  @Override
  public void close() {
    workers.close();
  }
}
