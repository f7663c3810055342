package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xerial.snappy.Snappy;

/**
 * Stores the results of slots through gateways: slots of a group in order, each until a gateway has
 * acknowledged it. While no gateway takes them, slots wait, up to a limit of bytes; then the oldest
 * one of the group is given up. For one event loop.
 */
final class ResultWriter {
  private static final Logger LOG = LoggerFactory.getLogger(ResultWriter.class);
  private static final long MAX_WAITING_BYTES = 64 << 20;

  /** A body of so many series is below what a gateway accepts. */
  private static final int SERIES_AT_ONCE = 20_000;

  private static final List<String> STORED =
      List.of(IntakeProtocol.SAMPLES_WRITTEN, IntakeProtocol.HISTOGRAMS_WRITTEN);

  private static final long TIMEOUT_MILLIS = 10_000;
  private static final long RETRY_MILLIS = 300;

  private final Context context;
  private final OutgoingHttp http;
  private final Supplier<ClusterView> view;
  private final Map<RuleGroup.Id, Deque<Slot>> waiting = new HashMap<>();
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private final LongAdder written = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private long waitingBytes;
  private int turn;

  private record Body(byte[] bytes, int samples) {}

  /** The results of a slot. */
  private static final class Slot {
    private final Deque<Body> bodies;
    private final int samples;
    private final long bytes;
    private final Runnable stored;
    private boolean abandoned;

    private Slot(Deque<Body> bodies, int samples, Runnable stored) {
      this.bodies = bodies;
      this.samples = samples;
      this.bytes = bodies.stream().mapToLong(body -> body.bytes.length).sum();
      this.stored = stored;
    }
  }

  ResultWriter(Context context, OutgoingHttp http, Supplier<ClusterView> view) {
    this.context = context;
    this.http = http;
    this.view = view;
  }

  /**
   * Stores samples after those of the group's earlier slots.
   *
   * @param stored is run when a gateway has acknowledged or refused them; not if they are given up
   */
  void write(RuleGroup.Id group, List<GroupEvaluation.ResultSample> samples, Runnable stored) {
    Slot slot = new Slot(new ArrayDeque<>(bodies(samples)), samples.size(), stored);
    Deque<Slot> queue = waiting.computeIfAbsent(group, none -> new ArrayDeque<>());
    queue.addLast(slot);
    waitingBytes += slot.bytes;
    if (waitingBytes > MAX_WAITING_BYTES && queue.size() > 2) {
      // Not the first one, which is on its way.
      Slot first = queue.removeFirst();
      Slot oldest = queue.removeFirst();
      queue.addFirst(first);
      waitingBytes -= oldest.bytes;
      dropped.add(oldest.samples);
    }
    if (queue.size() == 1) {
      next(group, queue);
    }
  }

  /** Stores samples now: later queries of the same evaluation read them. */
  Future<Void> writeNow(List<GroupEvaluation.ResultSample> samples, BooleanSupplier isWanted) {
    Promise<Void> stored = Promise.promise();
    Slot slot =
        new Slot(new ArrayDeque<>(bodies(samples)), samples.size(), () -> stored.complete());
    post(slot, isWanted, () -> stored.tryFail(new RetryLater("the samples are not stored")));
    return stored.future();
  }

  private void next(RuleGroup.Id group, Deque<Slot> queue) {
    if (queue.isEmpty()) {
      waiting.remove(group, queue);
      return;
    }
    Slot slot = queue.getFirst();
    post(
        new Slot(
            slot.bodies,
            slot.samples,
            () -> {
              if (slot.abandoned) {
                return;
              }
              queue.removeFirst();
              waitingBytes -= slot.bytes;
              slot.stored.run();
              next(group, queue);
            }),
        () -> !slot.abandoned,
        () -> {});
  }

  private void post(Slot slot, BooleanSupplier isWanted, Runnable givenUp) {
    if (!isWanted.getAsBoolean()) {
      givenUp.run();
      return;
    }
    if (slot.bodies.isEmpty()) {
      slot.stored.run();
      return;
    }
    List<URI> gateways = List.copyOf(view.get().gateways().values());
    if (gateways.isEmpty()) {
      again(slot, isWanted, givenUp, "no gateway is in the cluster");
      return;
    }
    URI gateway = gateways.get(Math.floorMod(turn++, gateways.size()));
    http.to(gateway, HttpMethod.POST, "/api/v1/write", TIMEOUT_MILLIS)
        .header("Content-Type", Version.V1.contentType())
        .header("Content-Encoding", "snappy")
        .header("X-Prometheus-Remote-Write-Version", "0.1.0")
        .header(IntakeProtocol.DERIVED, "rules")
        .body(slot.bodies.getFirst().bytes)
        .send()
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      if (done.failed()) {
                        again(slot, isWanted, givenUp, gateway + ": " + done.cause());
                        return;
                      }
                      int status = done.result().status();
                      if (status / 100 == 2) {
                        problems.update(steadyMillis(), Optional.empty());
                        written.add(slot.bodies.getFirst().samples);
                        next(slot, isWanted, givenUp);
                      } else if (status / 100 == 4 && status != 429 && status != 401) {
                        // The gateway has stored what it could; to send it again would not help.
                        int stored = stored(done.result().headers());
                        written.add(stored);
                        refused.add(Math.max(0, slot.bodies.getFirst().samples - stored));
                        LOG.warn(
                            "gateway {} rejected results of rules: {} {}",
                            gateway,
                            status,
                            done.result().body());
                        next(slot, isWanted, givenUp);
                      } else {
                        again(
                            slot,
                            isWanted,
                            givenUp,
                            gateway + ": status " + status + " " + done.result().body());
                      }
                    }));
  }

  private void next(Slot slot, BooleanSupplier isWanted, Runnable givenUp) {
    slot.bodies.removeFirst();
    post(slot, isWanted, givenUp);
  }

  /** Number of samples that a gateway says it has stored; 0 if it says nothing. */
  private static int stored(MultiMap headers) {
    int stored = 0;
    for (String name : STORED) {
      String count = headers.get(name);
      stored += count != null && count.matches("\\d{1,9}") ? Integer.parseInt(count) : 0;
    }
    return stored;
  }

  private void again(Slot slot, BooleanSupplier isWanted, Runnable givenUp, String why) {
    retries.increment();
    problems.update(
        steadyMillis(), Optional.of("results of rules wait because they are not stored: " + why));
    context.owner().setTimer(RETRY_MILLIS, timer -> post(slot, isWanted, givenUp));
  }

  private static long steadyMillis() {
    return System.nanoTime() / 1_000_000;
  }

  /** Forgets all that is not acknowledged: somebody else may store it. */
  void abandon() {
    waiting.values().forEach(queue -> queue.forEach(slot -> slot.abandoned = true));
    waiting.clear();
    waitingBytes = 0;
  }

  boolean isIdle() {
    return waiting.isEmpty();
  }

  private static List<Body> bodies(List<GroupEvaluation.ResultSample> samples) {
    List<Body> bodies = new ArrayList<>();
    RemoteWriteWriter out = new RemoteWriteWriter(Version.V1);
    for (int from = 0; from < samples.size(); from += SERIES_AT_ONCE) {
      int to = Math.min(samples.size(), from + SERIES_AT_ONCE);
      out.clear();
      samples.subList(from, to).forEach(sample -> write(sample, out));
      try {
        bodies.add(new Body(Snappy.compress(out.toBytes()), to - from));
      } catch (IOException e) {
        throw new UncheckedIOException(e); // in memory
      }
    }
    return bodies;
  }

  private static void write(GroupEvaluation.ResultSample sample, RemoteWriteWriter out) {
    out.series(sample.labels());
    if (sample.histogram() == null) {
      out.sample(sample.time(), sample.value());
    } else {
      out.histogram(sample.time(), sample.histogram());
    }
  }

  /** Declares what is counted here. */
  void declare(Meters meters) {
    meters.counter("rule_samples_written", "Stored results of rules.", written::sum);
    meters.counter(
        "rule_samples_refused", "Results of rules that a gateway rejected.", refused::sum);
    meters.counter(
        "rule_samples_dropped",
        "Results of rules that were dropped because too many waited to be stored.",
        dropped::sum);
    meters.counter(
        "rule_write_retries", "Times that results of rules were sent again.", retries::sum);
    meters.gauge(
        "rule_waiting_bytes", "Results of rules that wait to be stored.", () -> waitingBytes);
  }
}
