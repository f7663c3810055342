package io.fleetgauge.query.delivery;

import io.fleetgauge.query.delivery.Delivery.Effect;
import io.fleetgauge.query.delivery.Delivery.Event;
import io.fleetgauge.runtime.log.ProblemLog;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One receiver and what waits for it. Safe for all threads. */
public final class Receiver {
  private static final Logger LOG = LoggerFactory.getLogger(Receiver.class);
  private static final int MAX_REQUEST_BYTES = 4 << 20;

  /** Answers that are about the items, and not about the request as such. */
  private static final List<Integer> REFUSALS = List.of(400, 413, 422);

  private final URI address;
  private final Names names;
  private final Posting posting;
  private final Vertx vertx;
  private final Context context;
  private final ProblemLog problems;
  private final ProblemLog refusals;
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  // Guarded by this.
  private final Delivery delivery;
  private boolean isClosing;
  private boolean isClosed;
  private long requests;
  private long requestNanos;

  /**
   * Words of messages.
   *
   * @param receiver such as {@code Alertmanager}
   * @param item such as {@code alert}
   */
  public record Names(String receiver, String item) {}

  /** Sends items to the receiver. */
  public interface Posting {
    /** Sends them in one request; fails when the whole answer is not there in time. */
    Future<ReceiverClient.Answer> post(List<Delivery.Item> items);

    /** The receiver has taken them. */
    default void taken(List<Delivery.Item> items) {}
  }

  /**
   * Counts of items and requests.
   *
   * @param length items that wait or are under way
   */
  public record Figures(Delivery.Counts counts, int length, long requests, double requestSeconds) {}

  /**
   * @param address for messages, and to tell it from others
   * @param queue most items that wait
   * @param batch most items of a request
   */
  public Receiver(Vertx vertx, Names names, Posting posting, URI address, int queue, int batch) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.names = names;
    this.posting = posting;
    this.address = address;
    this.delivery =
        new Delivery(queue, batch, MAX_REQUEST_BYTES, new SplittableRandom(System.nanoTime()));
    this.problems = new ProblemLog(LOG::warn, LOG::info);
    this.refusals = new ProblemLog(LOG::error, LOG::debug);
  }

  public URI address() {
    return address;
  }

  public synchronized Figures figures() {
    return new Figures(delivery.counts(), delivery.length(), requests, requestNanos / 1e9);
  }

  /** Never blocks. */
  public void offer(List<Delivery.Item> items) {
    on(new Event.Offered(items));
  }

  /**
   * Sends what waits, and takes nothing more.
   *
   * @return done when nothing waits; not failed
   */
  public CompletableFuture<Void> drain() {
    on(new Event.Closing());
    synchronized (this) {
      isClosing = true;
      endIfDrained();
    }
    return drained;
  }

  /**
   * Sends nothing more.
   *
   * @return number of items that were not delivered
   */
  public synchronized int close() {
    isClosed = true;
    drained.complete(null);
    return delivery.length();
  }

  private synchronized boolean isClosed() {
    return isClosed;
  }

  private void on(Event event) {
    List<Effect> effects;
    synchronized (this) {
      if (isClosed || isClosing && event instanceof Event.Offered) {
        return;
      }
      effects = delivery.on(event);
      endIfDrained();
    }
    effects.forEach(this::carryOut);
  }

  private void endIfDrained() {
    if (isClosing && delivery.isEmpty()) {
      drained.complete(null);
    }
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Send send -> context.runOnContext(none -> post(send.items()));
      case Effect.Wait pause -> vertx.setTimer(pause.millis(), id -> on(new Event.Due()));
      case Effect.Drop drop -> {}
    }
  }

  private void post(List<Delivery.Item> items) {
    long begin = System.nanoTime();
    posting
        .post(items)
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      count(System.nanoTime() - begin);
                      if (done.succeeded()) {
                        answered(items, done.result());
                      } else {
                        failed(items.size(), reason(done.cause()));
                      }
                    }));
  }

  private synchronized void count(long nanos) {
    requests++;
    requestNanos += nanos;
  }

  private void answered(List<Delivery.Item> items, ReceiverClient.Answer answer) {
    if (answer.status() / 100 == 2) {
      problems.update(nowMillis(), Optional.empty());
      posting.taken(items);
      on(new Event.Taken());
    } else if (REFUSALS.contains(answer.status())) {
      problems.update(nowMillis(), Optional.empty());
      if (items.size() == 1) {
        refusals.update(
            nowMillis(),
            Optional.of(
                names.receiver()
                    + " "
                    + address
                    + " rejects the "
                    + names.item()
                    + " "
                    + items.getFirst().key()
                    + ", which is dropped: status "
                    + answer.status()
                    + ": "
                    + answer.text()));
      }
      on(new Event.Refused());
    } else {
      failed(items.size(), "status " + answer.status() + ": " + answer.text());
    }
  }

  private void failed(int items, String reason) {
    if (isClosed()) {
      return; // the connection was closed from here
    }
    problems.update(
        nowMillis(),
        Optional.of(
            names.receiver()
                + " "
                + address
                + " accepts no "
                + names.item()
                + "s; "
                + items
                + " and those that follow wait, the newest state of each: "
                + reason));
    on(new Event.Failed());
  }

  private static String reason(Throwable cause) {
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  private static long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
