package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.host.Owners;
import io.fleetgauge.gateway.ingest.host.Owners.Intent;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Delivers frames to the owner of their host, on this gateway or another. Safe for all threads. */
final class FrameDelivery {
  /** Attempts are repeated for this long; then the sender has to send again. */
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Vertx vertx;
  private final Intake intake;
  private final Function<byte[], Future<byte[]>> alreadyThere = Future::succeededFuture;
  private final Owners owners;

  FrameDelivery(Vertx vertx, Owners owners, Intake intake) {
    this.vertx = vertx;
    this.intake = intake;
    this.owners = owners;
  }

  /**
   * @param sender whose samples these are
   * @param withDictionary puts the dictionary of the run before the body, if the owner needs it; is
   *     called on the thread of the owner's answer, and must not wait there
   * @return the owner's final answer: kept, refused, or slow down
   */
  Future<IntakeAnswer> deliver(
      Intent intent,
      Sender sender,
      String host,
      byte[] body,
      Function<byte[], Future<byte[]>> withDictionary) {
    Attempt attempt = new Attempt(intent, sender, host, body, withDictionary);
    attempt.ask(Optional.empty());
    return attempt.done.future();
  }

  private final class Attempt {
    private final Intent intent;
    private final Sender sender;
    private final String host;
    private byte[] body;
    private Function<byte[], Future<byte[]>> withDictionary;
    private final long began = System.nanoTime();
    private final Promise<IntakeAnswer> done = Promise.promise();
    private long epoch;

    Attempt(
        Intent intent,
        Sender sender,
        String host,
        byte[] body,
        Function<byte[], Future<byte[]>> withDictionary) {
      this.intent = intent;
      this.sender = sender;
      this.host = host;
      this.body = body;
      this.withDictionary = withDictionary;
    }

    void ask(Optional<URI> address) {
      if (address.isPresent()) {
        owners.send(address.get(), intent, host, epoch, body, this::answered);
      } else if (intent == Intent.KEEP) {
        intake.take(host, sender, body, epoch, 0, this::answered);
      } else {
        intake.check(host, sender, body, epoch, this::answered);
      }
    }

    private void answered(IntakeAnswer answer) {
      switch (answer) {
        case IntakeAnswer.Kept _, IntakeAnswer.Refused _, IntakeAnswer.OverLimit _ ->
            done.complete(answer);
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
            Function<byte[], Future<byte[]>> before = withDictionary;
            withDictionary = alreadyThere;
            Future.succeededFuture(body)
                .compose(before)
                .onComplete(
                    both -> {
                      body = both;
                      ask(Optional.empty());
                    },
                    done::fail);
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
