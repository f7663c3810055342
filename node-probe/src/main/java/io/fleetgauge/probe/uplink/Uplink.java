package io.fleetgauge.probe.uplink;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.OutgoingRequest;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes the effects of an {@link UplinkMachine} over HTTP. Safe for all threads. */
public final class Uplink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Uplink.class);
  private static final long REQUEST_TIMEOUT_MILLIS = 2_500;

  /** Most characters that a line of the log shows of an answer that is not a gateway's. */
  private static final int MAX_REASON = 300;

  /** One connection, to one gateway. */
  public static final HttpClients.Limits HTTP_LIMITS = new HttpClients.Limits(1_000, 300, 1, 10);

  private static final Duration LAST_MOMENT = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Context context;
  private final OutgoingHttp http;
  private final Supplier<String> token;
  private final String path;
  private final UplinkMachine machine;
  private final Optional<Spool> spool;
  private final AtomicLong handedOver = new AtomicLong();
  private volatile UplinkCounts counts;
  private boolean closed;

  /**
   * @param host the host that all ticks are of
   * @param gateways gateways to try first; none while they are discovered
   * @param spool where ticks are stored that memory cannot hold and that survive a restart; it is
   *     closed with the uplink
   * @param http how gateways are reached; it is closed with the uplink
   * @param token bearer token for gateways; empty for none
   * @param seed of the back-off's jitter and of the run numbers
   */
  public Uplink(
      Vertx vertx,
      String host,
      List<URI> gateways,
      UplinkSettings settings,
      Optional<Spool> spool,
      OutgoingHttp http,
      Supplier<String> token,
      long seed) {
    this.spool = spool;
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.http = http;
    this.token = token;
    this.path = IntakeProtocol.path(host);
    SplittableRandom random = new SplittableRandom(seed);
    this.machine =
        new UplinkMachine(
            host,
            settings,
            spool.map(disk -> disk),
            spool.map(Spool::found).orElse(List.of()),
            gateways,
            random,
            () -> random.nextLong() | 1);
    this.counts = machine.counts();
  }

  /** As above, for gateways without tokens. */
  public Uplink(
      Vertx vertx,
      String host,
      List<URI> gateways,
      UplinkSettings settings,
      Optional<Spool> spool,
      long seed) {
    this(
        vertx,
        host,
        gateways,
        settings,
        spool,
        new OutgoingHttp(vertx, TrustSettings.NONE, RequestSigner.NONE, HTTP_LIMITS),
        () -> "",
        seed);
  }

  /** Sends a tick, as soon as it can; never waits. */
  public void offer(Tick tick) {
    offer(new UplinkMachine.Event.Read(tick), 1);
  }

  /**
   * Sends ticks of the past, behind what waits; never waits.
   *
   * @param ticks in order of time
   */
  public void offerPast(List<Tick> ticks) {
    offer(new UplinkMachine.Event.Past(ticks), ticks.size());
  }

  /**
   * Other gateways to try first; never waits.
   *
   * @param seeds at least one
   */
  public void gateways(List<URI> seeds) {
    context.runOnContext(none -> on(new UplinkMachine.Event.Gateways(seeds)));
  }

  private void offer(UplinkMachine.Event event, int ticks) {
    handedOver.addAndGet(ticks);
    context.runOnContext(
        none -> {
          on(event);
          handedOver.addAndGet(-ticks);
        });
  }

  /** Ticks that were offered and are neither acknowledged nor dropped. */
  public long unacknowledgedTicks() {
    return handedOver.get() + counts.queuedFrames();
  }

  /** Counters of the samples so far. */
  public UplinkCounts counts() {
    return counts;
  }

  /**
   * Declares what it counts. The law between the counters, at every moment: {@code
   * fleetgauge_probe_samples_read_total} is the sum of kept, dropped and refused and of the samples
   * that are queued.
   */
  public void declare(Meters meters) {
    meters.counter("samples_read", "Samples read from GPUs and host.", () -> counts.read());
    meters.counter("samples_kept", "Samples that a gateway acknowledged.", () -> counts.kept());
    meters.counter(
        "samples_dropped",
        "Samples dropped from the queue because they were too old or too many.",
        () -> counts.dropped());
    meters.counter(
        "samples_refused", "Samples that a gateway rejected permanently.", () -> counts.refused());
    meters.gauge("samples_queued", "Samples read and not acknowledged yet.", () -> counts.queued());
    meters.gauge("frames_queued", "Ticks in the queue.", () -> counts.queuedFrames());
    meters.gauge(
        "queued_bytes",
        "Bytes of the ticks in memory that wait for an acknowledgement.",
        () -> counts.queuedBytes());
    meters.gauge("spool_bytes", "Bytes of the spool on disk.", () -> counts.diskBytes());
    meters.gauge(
        "disk_trouble",
        "1 while the spool cannot be written.",
        () -> spool.filter(disk -> !disk.trouble().isEmpty()).isPresent() ? 1 : 0);
    meters.gauge(
        "folder_lost",
        "1 while the folder of the spool is not the one that was there at the start.",
        () -> spool.filter(Spool::isFolderLost).isPresent() ? 1 : 0);
  }

  private void on(UplinkMachine.Event event) {
    if (closed) {
      return;
    }
    var troubleBefore = machine.trouble();
    var effect = machine.on(event);
    counts = machine.counts();
    if (!machine.trouble().equals(troubleBefore)) {
      machine.trouble().ifPresent(LOG::warn);
    }
    effect.ifPresent(
        what -> {
          switch (what) {
            case UplinkMachine.Effect.Post post -> post(post);
            case UplinkMachine.Effect.Load load -> load(load.segment());
            case UplinkMachine.Effect.Wait pause ->
                vertx.setTimer(pause.millis(), id -> on(new UplinkMachine.Event.WaitOver()));
          }
        });
  }

  private void load(long segment) {
    vertx
        .executeBlocking(() -> spool.orElseThrow().read(segment))
        .onFailure(failure -> LOG.error("a segment of the spool is lost: {}", failure.toString()))
        .onComplete(
            read ->
                context.runOnContext(
                    none -> on(new UplinkMachine.Event.Loaded(segment, read.result()))));
  }

  private void post(UplinkMachine.Effect.Post post) {
    OutgoingRequest request =
        http.to(post.gateway(), HttpMethod.POST, path, REQUEST_TIMEOUT_MILLIS)
            .header("Content-Type", IntakeProtocol.FRAMES_TYPE)
            .header(IntakeProtocol.EPOCH, Long.toString(post.epoch()))
            .header(IntakeProtocol.ACKNOWLEDGED, Long.toString(post.acknowledged()))
            .body(post.body());
    if (!token.get().isEmpty()) {
      request.header("Authorization", "Bearer " + token.get());
    }
    request
        .send()
        .map(
            answer ->
                answer.status() == IntakeProtocol.TOO_LARGE
                    ? new UplinkMachine.Event.TooLarge()
                    : read(answer.status(), answer.body()))
        .recover(
            failure -> Future.succeededFuture(new UplinkMachine.Event.Failed(failure.toString())))
        .onSuccess(event -> context.runOnContext(none -> on(event)));
  }

  static UplinkMachine.Event read(int status, Buffer body) {
    String text = body.toString();
    try {
      return new UplinkMachine.Event.Answered(IntakeAnswer.parse(text));
    } catch (WireException e) {
      // Such as that of a token that is not known, or of another server.
      String line = text.lines().findFirst().orElse("");
      return new UplinkMachine.Event.Failed(
          "status " + status + ", " + line.substring(0, Math.min(MAX_REASON, line.length())));
    }
  }

  /**
   * Waits up to a second for queued ticks to be acknowledged, then stops; the rest is in the spool.
   */
  @Override
  public void close() {
    long deadline = System.nanoTime() + LAST_MOMENT.toNanos();
    try {
      while (unacknowledgedTicks() > 0 && System.nanoTime() < deadline) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (unacknowledgedTicks() > 0) {
      LOG.warn(
          "{} ticks were not acknowledged and {}",
          unacknowledgedTicks(),
          spool.isPresent() ? "stay in the spool" : "are lost");
    }
    context.runOnContext(none -> closed = true);
    http.close();
    spool.ifPresent(Spool::close);
  }
}
