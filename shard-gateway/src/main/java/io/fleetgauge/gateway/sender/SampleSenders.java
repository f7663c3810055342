package io.fleetgauge.gateway.sender;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the samples of this gateway's hosts to all receivers. Carries out what {@link HeldHosts}
 * and {@link ReceiverSender} decide: timers, requests, the file, and messages to other gateways.
 *
 * <p>It is closed after the intake, so that it hears of everything that was taken.
 */
public final class SampleSenders implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SampleSenders.class);
  private static final long LOOK_MILLIS = 500;
  private static final long TELL_MILLIS = 2_000;
  private static final long SECRETS_MILLIS = 10_000;
  private static final long MINUTE = 60_000;
  private static final int TELL_TIMEOUT_MILLIS = 5_000;

  /** Status for hosts that a gateway does not know it holds: it is told again. */
  private static final int NOT_HELD = 409;

  private static final long CLOSE_MILLIS = 5_000;
  private static final int MAX_RECORDS = 2 * SentTells.MAX_BYTES;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(5_000, 60, 64, 64);

  private final Environment environment;
  private final SentRecords records;
  private final HeldHosts hosts;
  private final List<ReceiverSender> receivers = new ArrayList<>();
  private final List<ReceiverClient> clients = new ArrayList<>();
  private final List<WebRequests> connections = new ArrayList<>();
  private final List<ExternalAccess> secrets = new ArrayList<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("remote-write-sender").factory());
  private boolean isStarted;
  private long tellLoggedAt;

  /**
   * The gateway around it.
   *
   * @param self its identity
   * @param folder for what has been sent
   * @param toPeers to other gateways
   * @param position of the journal
   * @param metadata of metrics, as senders gave it
   * @param isWholeCopy says whether a copy here has all that its owner has
   * @param isRecovered whether all samples from before a start are here
   * @param clock ms since the epoch
   */
  public record Environment(
      String self,
      Path folder,
      Store store,
      OutgoingHttp toPeers,
      Supplier<Journal.Position> position,
      Supplier<ClusterView> view,
      Supplier<Map<String, MetricMetadata>> metadata,
      HeldHosts.WholeCopies isWholeCopy,
      BooleanSupplier isRecovered,
      LongSupplier clock) {}

  /**
   * @throws StartFailure if a file with a secret, or that of what has been sent, cannot be used
   */
  public SampleSenders(Vertx vertx, List<SenderSettings> settings, Environment environment)
      throws StartFailure {
    this.environment = environment;
    this.records = new SentRecords(environment.folder.resolve("sent"));
    try {
      records.open();
    } catch (IOException e) {
      throw new StartFailure("the progress of remote write cannot be read: " + e.getMessage(), e);
    }
    LongSupplier clock = environment.clock;
    long retention = environment.store.limits().retention().toMillis();
    for (SenderSettings each : settings) {
      records.begun(each.name(), clock.getAsLong());
      ExternalAccess access = ExternalAccess.open("remoteWrite." + each.name(), each.access());
      WebRequests http = access.requests(vertx, LIMITS);
      ReceiverClient client = new ReceiverClient(each, http, clock);
      secrets.add(access);
      connections.add(http);
      clients.add(client);
      receivers.add(
          new ReceiverSender(
              each,
              new HostSamples(environment.store, each),
              client,
              this::run,
              clock,
              () -> clock.getAsLong() - retention));
    }
    this.hosts =
        new HeldHosts(
            new HeldHosts.Surroundings(
                environment.self,
                environment.store,
                environment.isWholeCopy,
                environment.isRecovered,
                clock,
                () -> clock.getAsLong() - retention),
            records,
            receivers);
    if (!receivers.isEmpty()) {
      environment.store.onLate(hosts);
    }
  }

  /** Declares the metrics of this package. */
  public void declare(Meters meters) {
    meters.counters(
        "sender_samples",
        "Samples that receivers of remoteWrite have accepted.",
        "receiver",
        () -> counted(each -> each.counts().samples.sum()));
    meters.counters(
        "sender_refused_samples",
        "Samples that receivers of remoteWrite have refused for good, and that are dropped.",
        "receiver",
        () -> counted(each -> each.counts().refused.sum()));
    meters.counters(
        "sender_late_samples",
        "Samples that came after those of their time had been sent, and were sent later.",
        "receiver",
        () -> counted(each -> each.counts().late.sum()));
    meters.counters(
        "sender_requests",
        "Requests to receivers of remoteWrite.",
        "receiver",
        () -> counted(each -> each.counts().requests.sum()));
    meters.counters(
        "sender_retries",
        "Requests to receivers of remoteWrite that have to be sent again.",
        "receiver",
        () -> counted(each -> each.counts().retries.sum()));
    meters.counters(
        "sender_lost_seconds",
        "Time of hosts whose samples expired, or could not be read, before they were sent.",
        "receiver",
        () -> counted(each -> each.counts().lostMillis.sum() / 1_000));
    meters.gauges(
        "sender_lag_seconds",
        "Age of the oldest new samples that wait to be sent, without remoteWrite.delay.",
        "receiver",
        () -> measured(ReceiverSender::lagSeconds));
    meters.gauges(
        "sender_backlog_seconds",
        "Time of all hosts that was left out while a receiver was away, and is to be sent.",
        "receiver",
        () -> measured(ReceiverSender::gapSeconds));
  }

  private Map<String, Long> counted(ToLongFunction<ReceiverSender> of) {
    Map<String, Long> all = new TreeMap<>();
    receivers.forEach(each -> all.put(each.name(), of.applyAsLong(each)));
    return all;
  }

  private Map<String, Double> measured(ToDoubleFunction<ReceiverSender> of) {
    Map<String, Double> all = new TreeMap<>();
    receivers.forEach(each -> all.put(each.name(), of.applyAsDouble(each)));
    return all;
  }

  /**
   * Takes what other gateways say they have sent.
   *
   * @param guard lets other gateways in
   */
  public void mount(Router router, Handler<RoutingContext> guard) {
    Guard.readBody(router.put("/v1/sent").handler(guard), MAX_RECORDS)
        .handler(
            http -> {
              String lines = http.body().asString(StandardCharsets.UTF_8.name());
              String all = lines == null ? "" : lines;
              boolean isRun =
                  run(
                      () -> {
                        boolean isTaken = hosts.told(SentRecords.parse(all));
                        http.response().setStatusCode(isTaken ? 204 : NOT_HELD).end();
                      });
              if (!isRun) {
                http.response().setStatusCode(503).end();
              }
            });
  }

  /** The place in the journal before which all late samples are noted. */
  public Journal.Position notedAt() {
    return records.position();
  }

  /** A tick of the journal was read that may have come late without having been noted. */
  public void replayed(String host, long time) {
    hosts.replayed(host, time);
  }

  /** Begins to send. */
  public void start() {
    if (!receivers.isEmpty()) {
      isStarted = true;
      every(LOOK_MILLIS, this::look);
      every(TELL_MILLIS, this::tell);
      every(SECRETS_MILLIS, () -> secrets.forEach(ExternalAccess::look));
      every(MINUTE, hosts::repeatTells);
      every(MINUTE, this::describe);
    }
  }

  private void every(long millis, Runnable task) {
    thread.scheduleWithFixedDelay(() -> guarded(task), millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Runs something on the thread; returns false if it has ended. */
  private boolean run(Runnable task) {
    try {
      thread.execute(() -> guarded(task));
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("not run, because nothing is sent any more", e);
      return false;
    }
  }

  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("remote write to receivers", e);
    }
  }

  private void look() {
    hosts.follow(environment.view.get());
    receivers.forEach(ReceiverSender::look);
  }

  private void describe() {
    Map<String, MetricMetadata> known = environment.metadata.get();
    clients.forEach(each -> each.describe(known));
  }

  /** Writes what has been sent, and tells the gateways that hold the hosts. */
  private void tell() {
    Journal.Position position = environment.position.get(); // before it is noted
    tellAll();
    write(position);
  }

  private List<Future<?>> tellAll() {
    ClusterView view = environment.view.get();
    return hosts.tells(view).stream()
        .<Future<?>>map(each -> tellOrGiveUp(each, view.gateways().get(each.gateway())))
        .toList();
  }

  private Future<?> tellOrGiveUp(SentTells.Tell tell, URI address) {
    try {
      return tell(tell, address);
    } catch (RuntimeException e) {
      LOG.error("gateway {} was not told what was sent by remote write", tell.gateway(), e);
      hosts.answered(tell, false);
      return Future.succeededFuture();
    }
  }

  private Future<?> tell(SentTells.Tell tell, URI address) {
    return environment
        .toPeers
        .web()
        .to(HttpMethod.PUT, address.resolve("/v1/sent"), TELL_TIMEOUT_MILLIS)
        .body(tell.body())
        .send()
        .onComplete(
            done -> {
              boolean isTaken = done.succeeded() && done.result().status() == 204;
              run(() -> hosts.answered(tell, isTaken));
              if (!isTaken && !isNotHeldYet(done)) {
                notTold(
                    tell.gateway(),
                    done.succeeded()
                        ? "status " + done.result().status()
                        : done.cause().getMessage());
              }
            });
  }

  private static boolean isNotHeldYet(AsyncResult<HttpAnswer> done) {
    return done.succeeded() && done.result().status() == NOT_HELD;
  }

  private synchronized void notTold(String gateway, String why) {
    long now = environment.clock.getAsLong();
    if (now - MINUTE >= tellLoggedAt) {
      tellLoggedAt = now;
      LOG.warn("gateway {} was not told what was sent by remote write: {}", gateway, why);
    }
  }

  private void write(Journal.Position position) {
    if (!environment.isRecovered.getAsBoolean()) {
      return; // the end of the journal has still to be read, from the position in the file on
    }
    try {
      records.write(position);
    } catch (IOException e) {
      LOG.warn("the progress of remote write cannot be written: {}", e.toString());
    }
  }

  @Override
  public void close() {
    if (isStarted) {
      Journal.Position position = environment.position.get();
      CountDownLatch isIdle = new CountDownLatch(1);
      run(() -> receivers.forEach(ReceiverSender::stop));
      every(
          20,
          () -> {
            if (receivers.stream().allMatch(each -> each.inFlight() == 0)) {
              isIdle.countDown();
            }
          });
      try {
        if (!isIdle.await(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
          LOG.warn("receivers of remote write have not answered; they will get some samples twice");
        }
        thread
            .submit(() -> Future.join(tellAll()))
            .get()
            .await(CLOSE_MILLIS / 2, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException | RuntimeException e) {
        LOG.debug("not all gateways were told what was sent by remote write", e);
      }
      run(() -> write(position));
    }
    thread.shutdown();
    awaitEnd();
    connections.forEach(WebRequests::close);
  }

  private void awaitEnd() {
    try {
      if (!thread.awaitTermination(CLOSE_MILLIS / 2, TimeUnit.MILLISECONDS)) {
        LOG.warn("the progress of remote write is not written yet");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
