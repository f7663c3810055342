package io.fleetgauge.gateway.sender;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.store.LateSamples;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.runtime.http.ExternalAccess;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the samples of this gateway's hosts to all receivers. What has left is written to a file,
 * and told to the gateways that have copies, so that a host's next owner goes on from there.
 */
public final class SampleSenders implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SampleSenders.class);
  private static final long LOOK_MILLIS = 500;
  private static final long TELL_MILLIS = 2_000;
  private static final long SECRETS_MILLIS = 10_000;
  private static final int TELL_TIMEOUT_MILLIS = 5_000;
  private static final int MAX_RECORDS = 16 << 20;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(5_000, 60, 64, 64);

  private final Environment environment;
  private final SentRecords records;
  private final List<ReceiverSender> receivers = new ArrayList<>();
  private final List<WebRequests> clients = new ArrayList<>();
  private final List<ExternalAccess> secrets = new ArrayList<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("remote-write-sender").factory());

  /** What each gateway was told last. */
  private final Map<String, String> told = new HashMap<>();

  private final Set<String> sending = new TreeSet<>();

  /**
   * What the senders need of their gateway.
   *
   * @param self its identity
   * @param folder for what has left
   * @param toPeers to other gateways
   * @param retention of samples
   * @param isRecovered whether all samples from before a start are here
   * @param clock ms since the epoch
   */
  public record Environment(
      String self,
      Path folder,
      Store store,
      OutgoingHttp toPeers,
      Duration retention,
      Supplier<ClusterView> view,
      BooleanSupplier isRecovered,
      LongSupplier clock) {}

  /**
   * @throws StartFailure if a file with a secret, or that of what has left, cannot be used
   */
  public SampleSenders(Vertx vertx, List<SenderSettings> settings, Environment environment)
      throws StartFailure {
    this.environment = environment;
    this.records = new SentRecords(environment.folder.resolve("sent"));
    try {
      records.open();
    } catch (IOException e) {
      throw new StartFailure("what has left by remote write cannot be read: " + e.getMessage(), e);
    }
    for (SenderSettings each : settings) {
      records.begun(each.name(), environment.clock.getAsLong());
      ExternalAccess access = ExternalAccess.open("remoteWrite." + each.name(), each.access());
      WebRequests http = access.requests(vertx, LIMITS);
      secrets.add(access);
      clients.add(http);
      receivers.add(
          new ReceiverSender(
              each,
              new HostSamples(environment.store, each),
              new ReceiverClient(each, http),
              this::run,
              environment.clock));
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
        "Samples that receivers of remoteWrite have refused for good.",
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
        "Time of hosts whose samples expired before they could be sent.",
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
   * Takes what other gateways say has left.
   *
   * @param guard lets other gateways in
   */
  public void mount(Router router, Handler<RoutingContext> guard) {
    Guard.readBody(router.put("/v1/sent").handler(guard), MAX_RECORDS)
        .handler(
            http -> {
              records.take(http.body().asString(StandardCharsets.UTF_8.name()));
              http.response().setStatusCode(204).end();
            });
  }

  /** Begins to send. */
  public void start() {
    if (!receivers.isEmpty()) {
      every(LOOK_MILLIS, this::look);
      every(TELL_MILLIS, this::tell);
      every(SECRETS_MILLIS, () -> secrets.forEach(ExternalAccess::look));
    }
  }

  private void every(long millis, Runnable task) {
    thread.scheduleWithFixedDelay(() -> guarded(task), millis, millis, TimeUnit.MILLISECONDS);
  }

  private void run(Runnable task) {
    if (!thread.isShutdown()) {
      thread.execute(() -> guarded(task));
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
    follow(environment.view.get());
    long expired = environment.clock.getAsLong() - environment.retention.toMillis();
    receivers.forEach(each -> each.look(expired));
  }

  /** Begins and ends the sending of hosts: only an owner that lacks nothing sends. */
  private void follow(ClusterView view) {
    Set<String> now = new TreeSet<>();
    if (!view.isMinority() && environment.isRecovered.getAsBoolean()) {
      view.table()
          .holders()
          .forEach(
              (host, holders) -> {
                if (holders.owner().equals(environment.self) && holders.whole()) {
                  now.add(host);
                }
              });
    }
    Set<String> ended = new HashSet<>(sending);
    ended.removeAll(now);
    for (String host : ended) {
      note(host);
      environment.store.find(host).ifPresent(lane -> lane.onLate(null));
    }
    receivers.forEach(each -> each.keepOnly(now));
    for (String host : now) {
      if (!sending.contains(host)) {
        begin(host);
      }
    }
    sending.clear();
    sending.addAll(now);
  }

  private void begin(String host) {
    long now = environment.clock.getAsLong();
    List<HostSender> all = new ArrayList<>();
    for (ReceiverSender each : receivers) {
      long begun = records.begun(each.name(), now);
      all.add(
          each.begin(host, records.of(each.name(), host).orElseGet(() -> new SentProgress(begun))));
    }
    environment.store.lane(host).onLate(new Late(all));
  }

  /** Hears of late samples of a host, for all receivers. */
  private record Late(List<HostSender> senders) implements LateSamples {
    @Override
    public long readUntil() {
      long until = Long.MIN_VALUE;
      for (HostSender each : senders) {
        until = Math.max(until, each.readUntil());
      }
      return until;
    }

    @Override
    public void stored(Labels labels, long time, double value, Histogram histogram) {
      Series sample =
          new Series(
              labels,
              new long[] {time},
              new double[] {value},
              histogram == null ? null : new Histogram[] {histogram});
      for (HostSender each : senders) {
        if (time <= each.readUntil()) {
          each.late(sample);
        }
      }
    }
  }

  private void note(String host) {
    for (ReceiverSender each : receivers) {
      HostSender sender = each.host(host);
      if (sender != null) {
        records.put(each.name(), host, sender.progress());
      }
    }
  }

  /** Writes what has left, and tells the gateways that have copies. */
  private void tell() {
    sending.forEach(this::note);
    ClusterView view = environment.view.get();
    try {
      records.write();
    } catch (IOException e) {
      LOG.warn("what has left by remote write cannot be written: {}", e.toString());
    }
    Map<String, Set<String>> hosts = new TreeMap<>();
    for (String host : sending) {
      for (Holders.Copy copy : view.table().holders(host).map(Holders::copies).orElse(List.of())) {
        hosts.computeIfAbsent(copy.gateway(), none -> new TreeSet<>()).add(host);
      }
    }
    hosts.forEach(
        (gateway, copied) -> {
          URI address = view.gateways().get(gateway);
          String lines = records.lines(copied);
          if (address != null && !lines.equals(told.get(gateway))) {
            environment
                .toPeers
                .web()
                .to(HttpMethod.PUT, address.resolve("/v1/sent"), TELL_TIMEOUT_MILLIS)
                .body(lines.getBytes(StandardCharsets.UTF_8))
                .send()
                .onComplete(
                    done ->
                        run(
                            () -> {
                              if (done.succeeded() && done.result().status() == 204) {
                                told.put(gateway, lines);
                              }
                            }));
          }
        });
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (thread.awaitTermination(5, TimeUnit.SECONDS)) {
        sending.forEach(this::note);
        records.write();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.warn("what has left by remote write cannot be written: {}", e.toString());
    }
    clients.forEach(WebRequests::close);
  }
}
