package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.cluster.process.OutgoingHttp;
import io.fleetgauge.cluster.process.OutgoingRequest;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Delivers frames to the owner of their host, on this gateway or another. Safe for all threads. */
final class Delivery {
  /** Attempts are repeated for this long; then the sender has to send again. */
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long REQUEST_TIMEOUT_MILLIS = 5_000;

  private final Vertx vertx;
  private final Intake intake;
  private final UnaryOperator<byte[]> alreadyThere = body -> body;
  private final OutgoingHttp http;

  /** Whether the owner keeps the samples or only says which it would refuse. */
  enum Intent {
    KEEP,
    CHECK
  }

  Delivery(Vertx vertx, OutgoingHttp http, Intake intake) {
    this.vertx = vertx;
    this.intake = intake;
    this.http = http;
  }

  /**
   * @param sender whose samples these are
   * @param withDictionary puts the dictionary of the run before the body, if the owner needs it
   * @return the owner's final answer: kept, refused, or slow down
   */
  Future<IntakeAnswer> deliver(
      Intent intent,
      Sender sender,
      String host,
      byte[] body,
      UnaryOperator<byte[]> withDictionary) {
    Promise<IntakeAnswer> done = Promise.promise();
    new Attempt(intent, sender, host, body, withDictionary, System.nanoTime(), done)
        .ask(Optional.empty());
    return done.future();
  }

  private final class Attempt {
    private final Intent intent;
    private final Sender sender;
    private final String host;
    private byte[] body;
    private UnaryOperator<byte[]> withDictionary;
    private final long began;
    private final Promise<IntakeAnswer> done;
    private long epoch;

    Attempt(
        Intent intent,
        Sender sender,
        String host,
        byte[] body,
        UnaryOperator<byte[]> withDictionary,
        long began,
        Promise<IntakeAnswer> done) {
      this.intent = intent;
      this.sender = sender;
      this.host = host;
      this.body = body;
      this.withDictionary = withDictionary;
      this.began = began;
      this.done = done;
    }

    void ask(Optional<URI> address) {
      if (address.isPresent()) {
        post(address.get());
      } else if (intent == Intent.KEEP) {
        intake.take(host, sender, body, epoch, 0, this::answered);
      } else {
        intake.check(host, sender, body, epoch, this::answered);
      }
    }

    private void post(URI address) {
      OutgoingRequest request =
          http.to(address, HttpMethod.POST, IntakeProtocol.path(host), REQUEST_TIMEOUT_MILLIS)
              .header(IntakeProtocol.EPOCH, Long.toString(epoch))
              .body(body);
      if (intent == Intent.CHECK) {
        request.header(IntakeProtocol.CHECK, "1");
      }
      request
          .send()
          .map(
              answer -> {
                try {
                  return IntakeAnswer.parse(answer.body().toString());
                } catch (WireException e) {
                  throw new IllegalStateException(e.getMessage(), e);
                }
              })
          .onSuccess(this::answered)
          .onFailure(failure -> answered(new IntakeAnswer.SlowDown(200)));
    }

    private void answered(IntakeAnswer answer) {
      switch (answer) {
        case IntakeAnswer.Kept kept -> done.complete(kept);
        case IntakeAnswer.Refused refused -> done.complete(refused);
        case IntakeAnswer.OverLimit over -> done.complete(over);
        case IntakeAnswer.Moved moved -> {
          epoch = Math.max(epoch, moved.epoch());
          if (mayRetry()) {
            ask(Optional.of(moved.address()));
          } else {
            done.complete(new IntakeAnswer.SlowDown(1_000));
          }
        }
        case IntakeAnswer.NeedsDictionary needed -> {
          if (withDictionary == alreadyThere) {
            done.complete(new IntakeAnswer.SlowDown(1_000));
          } else {
            body = withDictionary.apply(body);
            withDictionary = alreadyThere;
            ask(Optional.empty());
          }
        }
        case IntakeAnswer.SlowDown slow -> {
          if (mayRetry() && slow.millis() <= 1_000) {
            vertx.setTimer(Math.max(1, slow.millis()), id -> ask(Optional.empty()));
          } else {
            done.complete(slow);
          }
        }
      }
    }

    private boolean mayRetry() {
      return System.nanoTime() - began < TIMEOUT_NANOS;
    }
  }
}
