package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.rules.notify.Delivery.Effect;
import io.fleetgauge.query.rules.notify.Delivery.Event;
import io.fleetgauge.runtime.log.ProblemLog;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One Alertmanager and what waits for it. Safe for all threads. */
final class Alertmanager {
  private static final Logger LOG = LoggerFactory.getLogger(Alertmanager.class);
  private static final int MAX_REQUEST_BYTES = 4 << 20;

  /** Answers that are about the alerts, and not about the request as such. */
  private static final List<Integer> REFUSALS = List.of(400, 413, 422);

  private final URI address;
  private final AlertmanagerClient client;
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
   * Counts of alerts and requests.
   *
   * @param length alerts that wait or are under way
   */
  record Figures(Delivery.Counts counts, int length, long requests, double requestSeconds) {}

  /**
   * @param address with a port, and with the path below which it serves
   * @param queue most alerts that wait
   * @param batch most alerts of a request
   */
  Alertmanager(Vertx vertx, AlertmanagerClient client, URI address, int queue, int batch) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.client = client;
    this.address = address;
    this.delivery =
        new Delivery(queue, batch, MAX_REQUEST_BYTES, new SplittableRandom(System.nanoTime()));
    this.problems = new ProblemLog(LOG::warn, LOG::info);
    this.refusals = new ProblemLog(LOG::error, LOG::debug);
  }

  URI address() {
    return address;
  }

  synchronized Figures figures() {
    return new Figures(delivery.counts(), delivery.length(), requests, requestNanos / 1e9);
  }

  /** Never blocks. */
  void offer(List<Delivery.Alert> alerts) {
    on(new Event.Offered(alerts));
  }

  /**
   * Sends what waits, and takes nothing more.
   *
   * @return done when nothing waits; not failed
   */
  CompletableFuture<Void> drain() {
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
   * @return number of alerts that were not delivered
   */
  synchronized int close() {
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
      case Effect.Send send -> context.runOnContext(none -> post(send.alerts()));
      case Effect.Wait pause -> vertx.setTimer(pause.millis(), id -> on(new Event.Due()));
      case Effect.Drop drop -> {}
    }
  }

  private void post(List<Delivery.Alert> alerts) {
    long begin = System.nanoTime();
    client
        .post(address, AlertForm.list(alerts.stream().map(Delivery.Alert::json).toList()))
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      count(System.nanoTime() - begin);
                      if (done.succeeded()) {
                        answered(alerts, done.result());
                      } else {
                        failed(alerts.size(), reason(done.cause()));
                      }
                    }));
  }

  private synchronized void count(long nanos) {
    requests++;
    requestNanos += nanos;
  }

  private void answered(List<Delivery.Alert> alerts, AlertmanagerClient.Answer answer) {
    if (answer.status() / 100 == 2) {
      problems.update(nowMillis(), Optional.empty());
      on(new Event.Taken());
    } else if (REFUSALS.contains(answer.status())) {
      problems.update(nowMillis(), Optional.empty());
      if (alerts.size() == 1) {
        refusals.update(
            nowMillis(),
            Optional.of(
                "Alertmanager "
                    + address
                    + " rejects the alert "
                    + alerts.getFirst().labels()
                    + ", which is dropped: status "
                    + answer.status()
                    + ": "
                    + answer.text()));
      }
      on(new Event.Refused());
    } else {
      failed(alerts.size(), "status " + answer.status() + ": " + answer.text());
    }
  }

  private void failed(int alerts, String reason) {
    if (isClosed()) {
      return; // the connection was closed from here
    }
    problems.update(
        nowMillis(),
        Optional.of(
            "Alertmanager "
                + address
                + " accepts no alerts; "
                + alerts
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
