package io.fleetgauge.query.derived;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.log.ProblemLog;
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
 * Stores derived samples through gateways: those of a queue in order, each batch until a gateway
 * has acknowledged it. While no gateway takes them, batches wait, up to a limit of bytes; then the
 * oldest one of the queue is given up. For one event loop.
 *
 * @param <Q> names a queue, such as a rule group
 */
public final class DerivedWriter<Q> {
  private static final Logger LOG = LoggerFactory.getLogger(DerivedWriter.class);
  private static final long MAX_WAITING_BYTES = 64 << 20;

  /** A body of so many series is below what a gateway accepts. */
  private static final int SERIES_AT_ONCE = 20_000;

  private static final List<String> STORED =
      List.of(IntakeProtocol.SAMPLES_WRITTEN, IntakeProtocol.HISTOGRAMS_WRITTEN);

  private static final long TIMEOUT_MILLIS = 10_000;
  private static final long RETRY_MILLIS = 300;

  private final String what;
  private final String told;
  private final Context context;
  private final OutgoingHttp http;
  private final Optional<Supplier<ClusterView>> view;
  private final Map<Q, Deque<Batch>> waiting = new HashMap<>();
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private final LongAdder written = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private long waitingBytes;
  private int turn;

  private record Body(byte[] bytes, int samples) {}

  /** Samples that are stored together. */
  private static final class Batch {
    private final Deque<Body> bodies;
    private final int samples;
    private final long bytes;
    private final Runnable stored;
    private boolean abandoned;

    private Batch(Deque<Body> bodies, int samples, Runnable stored) {
      this.bodies = bodies;
      this.samples = samples;
      this.bytes = bodies.stream().mapToLong(body -> body.bytes.length).sum();
      this.stored = stored;
    }
  }

  /**
   * @param what a word for the samples, which gateways are told
   * @param told the samples, for people
   * @param view the cluster, in which gateways store them; without one, they are stored nowhere
   */
  public DerivedWriter(
      String what,
      String told,
      Context context,
      OutgoingHttp http,
      Optional<Supplier<ClusterView>> view) {
    this.what = what;
    this.told = told;
    this.context = context;
    this.http = http;
    this.view = view;
  }

  /**
   * Stores samples after the earlier ones of the queue.
   *
   * @param stored is run when a gateway has acknowledged or refused them; not if they are given up
   */
  public void write(Q of, List<DerivedSample> samples, Runnable stored) {
    Batch batch = new Batch(new ArrayDeque<>(bodies(samples)), samples.size(), stored);
    Deque<Batch> queue = waiting.computeIfAbsent(of, none -> new ArrayDeque<>());
    queue.addLast(batch);
    waitingBytes += batch.bytes;
    if (waitingBytes > MAX_WAITING_BYTES && queue.size() > 2) {
      // Not the first one, which is on its way.
      Batch first = queue.removeFirst();
      Batch oldest = queue.removeFirst();
      queue.addFirst(first);
      waitingBytes -= oldest.bytes;
      dropped.add(oldest.samples);
    }
    if (queue.size() == 1) {
      next(of, queue);
    }
  }

  /** Stores samples now: later queries of the same evaluation read them. */
  public Future<Void> writeNow(List<DerivedSample> samples, BooleanSupplier isWanted) {
    Promise<Void> stored = Promise.promise();
    Batch batch =
        new Batch(new ArrayDeque<>(bodies(samples)), samples.size(), () -> stored.complete());
    post(batch, isWanted, () -> stored.tryFail(new NotStored()));
    return stored.future();
  }

  private void next(Q of, Deque<Batch> queue) {
    if (queue.isEmpty()) {
      waiting.remove(of, queue);
      return;
    }
    Batch batch = queue.getFirst();
    post(
        new Batch(
            batch.bodies,
            batch.samples,
            () -> {
              if (batch.abandoned) {
                return;
              }
              queue.removeFirst();
              waitingBytes -= batch.bytes;
              batch.stored.run();
              next(of, queue);
            }),
        () -> !batch.abandoned,
        () -> {});
  }

  private void post(Batch batch, BooleanSupplier isWanted, Runnable givenUp) {
    if (!isWanted.getAsBoolean()) {
      givenUp.run();
      return;
    }
    if (batch.bodies.isEmpty() || view.isEmpty()) {
      batch.stored.run();
      return;
    }
    List<URI> gateways = List.copyOf(view.get().get().gateways().values());
    if (gateways.isEmpty()) {
      again(batch, isWanted, givenUp, "no gateway is in the cluster");
      return;
    }
    URI gateway = gateways.get(Math.floorMod(turn++, gateways.size()));
    http.to(gateway, HttpMethod.POST, "/api/v1/write", TIMEOUT_MILLIS)
        .header("Content-Type", Version.V1.contentType())
        .header("Content-Encoding", "snappy")
        .header("X-Prometheus-Remote-Write-Version", "0.1.0")
        .header(IntakeProtocol.DERIVED, what)
        .body(batch.bodies.getFirst().bytes)
        .send()
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      if (done.failed()) {
                        again(batch, isWanted, givenUp, gateway + ": " + done.cause());
                        return;
                      }
                      int status = done.result().status();
                      if (status / 100 == 2) {
                        problems.update(steadyMillis(), Optional.empty());
                        written.add(batch.bodies.getFirst().samples);
                        next(batch, isWanted, givenUp);
                      } else if (status / 100 == 4 && status != 429 && status != 401) {
                        // The gateway has stored what it could; to send it again would not help.
                        int stored = stored(done.result().headers());
                        written.add(stored);
                        refused.add(Math.max(0, batch.bodies.getFirst().samples - stored));
                        LOG.warn(
                            "gateway {} rejected {}: {} {}",
                            gateway,
                            told,
                            status,
                            done.result().body());
                        next(batch, isWanted, givenUp);
                      } else {
                        again(
                            batch,
                            isWanted,
                            givenUp,
                            gateway + ": status " + status + " " + done.result().body());
                      }
                    }));
  }

  private void next(Batch batch, BooleanSupplier isWanted, Runnable givenUp) {
    batch.bodies.removeFirst();
    post(batch, isWanted, givenUp);
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

  private void again(Batch batch, BooleanSupplier isWanted, Runnable givenUp, String why) {
    retries.increment();
    problems.update(
        steadyMillis(), Optional.of(told + " wait because they are not stored: " + why));
    context.owner().setTimer(RETRY_MILLIS, timer -> post(batch, isWanted, givenUp));
  }

  private static long steadyMillis() {
    return System.nanoTime() / 1_000_000;
  }

  /** Forgets all that is not acknowledged: somebody else may store it. */
  public void abandon() {
    waiting.values().forEach(queue -> queue.forEach(batch -> batch.abandoned = true));
    waiting.clear();
    waitingBytes = 0;
  }

  public boolean isIdle() {
    return waiting.isEmpty();
  }

  private static List<Body> bodies(List<DerivedSample> samples) {
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

  private static void write(DerivedSample sample, RemoteWriteWriter out) {
    out.series(sample.labels());
    if (sample.histogram() == null) {
      out.sample(sample.time(), sample.value());
    } else {
      out.histogram(sample.time(), sample.histogram());
    }
  }

  /** Samples that gateways have acknowledged. */
  public long written() {
    return written.sum();
  }

  /** Samples that a gateway rejected. */
  public long refused() {
    return refused.sum();
  }

  /** Samples that were dropped because too many waited to be stored. */
  public long dropped() {
    return dropped.sum();
  }

  /** Times that samples were sent again. */
  public long retries() {
    return retries.sum();
  }

  /** Bytes that wait to be stored. */
  public long waitingBytes() {
    return waitingBytes;
  }
}
