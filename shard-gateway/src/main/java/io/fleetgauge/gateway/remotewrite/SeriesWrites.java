package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.Senders;
import io.fleetgauge.gateway.ingest.host.Owners;
import io.fleetgauge.gateway.ingest.host.Owners.Intent;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.tenant.Grant;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;

/**
 * Writes messages of remote write, which senders of any protocol have sent, to the gateways that
 * own their hosts. Safe for all threads.
 */
public final class SeriesWrites implements AutoCloseable {
  /** Most reasons of a kind that an answer gives. */
  private static final int MAX_REASONS = 10;

  private final TenantWriters writers;
  private final FrameDelivery delivery;
  private final WorkerExecutor workers;
  private final LongSupplier clock;
  final RemoteWriteCounts counts;

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

  /**
   * A message before it is read.
   *
   * @param bytes may be longer than the message
   */
  public record Message(byte[] bytes, int size) {}

  /** How a message is taken. */
  public enum Mode {
    /** All of its valid series, or none if an owner refuses a sample. */
    WHOLE,

    /** All samples that are not refused. */
    IN_PARTS
  }

  /**
   * An outcome, with the status that remote write has for it.
   *
   * @param text why samples are refused, one reason a line; empty if all were kept
   * @param retryMillis when to send again, with status 429
   * @param isRead false if the message could not be read
   * @param samples kept numbers
   * @param histograms kept histograms
   * @param refused series and samples that are not kept and will never be
   * @param droppedSamples numbers that relabelling drops
   * @param droppedHistograms histograms that relabelling drops
   */
  public record Answer(
      int status,
      String text,
      long retryMillis,
      boolean isRead,
      long samples,
      long histograms,
      long refused,
      long droppedSamples,
      long droppedHistograms) {
    static Answer of(int status, String text) {
      return new Answer(status, text, 0, false, 0, 0, 0, 0, 0);
    }
  }

  /**
   * @param owners other gateways
   * @param metadata receives the metadata of metrics
   */
  public SeriesWrites(
      Vertx vertx,
      Owners owners,
      Intake intake,
      Settings settings,
      MetadataTable metadata,
      Meters meters) {
    this(
        vertx,
        new FrameDelivery(vertx, owners, intake),
        settings,
        metadata,
        RemoteWriteCounts.declared(meters, metadata));
  }

  private SeriesWrites(
      Vertx vertx,
      FrameDelivery delivery,
      Settings settings,
      MetadataTable metadata,
      RemoteWriteCounts counts) {
    this(
        vertx,
        delivery,
        new TenantWriters(
            settings.relabelling,
            settings.hostLabels,
            settings.maxFutureMillis,
            metadata,
            TenantWriters.MAX_KEY_BYTES,
            counts),
        settings.clock,
        counts);
  }

  /**
   * @param writers know the series of earlier requests
   */
  SeriesWrites(
      Vertx vertx,
      FrameDelivery delivery,
      TenantWriters writers,
      LongSupplier clock,
      RemoteWriteCounts counts) {
    this.writers = writers;
    this.delivery = delivery;
    this.workers = vertx.createSharedWorkerExecutor("remote-write", 2);
    this.clock = clock;
    this.counts = counts;
  }

  /**
   * Writes a message.
   *
   * @param grant of the sender
   * @param isDerived true if the samples were derived from others
   * @param message is called on a worker thread
   * @return never fails
   */
  public Future<Answer> write(
      Optional<Grant> grant,
      boolean isDerived,
      Version version,
      Mode mode,
      Callable<Message> message) {
    TenantWriter writer = writers.of(grant, isDerived);
    Sender sender = Senders.of(grant);
    return workers
        .executeBlocking(
            () -> {
              Message body = message.call();
              writers.keepWithinLimit();
              return writer.read(version, body.bytes, body.size, clock.getAsLong());
            },
            false)
        .compose(
            request -> {
              counts.foreignSeries.add(request.refused().foreign());
              counts.invalidSeries.add(request.refused().invalid());
              return mode == Mode.IN_PARTS
                  ? writeParts(writer, sender, request)
                  : writeWhole(writer, sender, request);
            })
        .otherwise(
            failure ->
                failure instanceof WireException
                    ? Answer.of(400, failure.getMessage())
                    : Answer.of(500, String.valueOf(failure)))
        .onSuccess(this::count);
  }

  private void count(Answer answer) {
    counts.samples.add(answer.samples + answer.histograms);
    if (answer.status == 204 || answer.status == 400) {
      counts.dropped.add(answer.droppedSamples + answer.droppedHistograms); // others come again
    }
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
    long notKept = refused.count();
    long retryMillis = 0;
    for (int i = 0; i < owners.size(); i++) {
      TenantWriter.Part part = request.parts().get(i);
      switch (owners.get(i)) {
        case IntakeAnswer.Kept kept -> {
          long written = part.samples() - kept.refused();
          samples += part.histograms() ? 0 : written;
          histograms += part.histograms() ? written : 0;
          if (kept.refused() > 0) {
            notKept += kept.refused();
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
          notKept += over.millis() == 0 ? part.samples() : 0;
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
        status,
        String.join("\n", reasons),
        retryMillis,
        true,
        samples,
        histograms,
        notKept,
        request.droppedSamples(),
        request.droppedHistograms());
  }

  @Override
  public void close() {
    workers.close();
  }
}
