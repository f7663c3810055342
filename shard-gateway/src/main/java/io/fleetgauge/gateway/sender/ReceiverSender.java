package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.Receiver.Kind;
import io.fleetgauge.gateway.sender.Receiver.Outcome;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the samples of all hosts of this gateway to one receiver. One thread uses it.
 *
 * <p>Hosts take turns. New samples leave before old ones, but a quarter of the requests that may be
 * in flight is for old samples only; these leave at a limited rate.
 */
final class ReceiverSender {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiverSender.class);
  private static final long LOG_EVERY = TimeUnit.MINUTES.toMillis(1);

  /** Old samples of so long may leave at once, ms. */
  private static final long BURST = 1_000;

  /** Reads of old samples in one look: between two looks, other receivers have their turn. */
  private static final int MAX_READS = 8;

  private final SenderSettings settings;
  private final HostSamples samples;
  private final Receiver receiver;
  private final Executor thread;
  private final LongSupplier clock;
  private final LongSupplier expired;
  private final SenderCounts counts = new SenderCounts();
  private final TreeMap<String, HostSender> hosts = new TreeMap<>();

  /** The hosts whose turn it was last. */
  private String lastFresh = "";

  private String lastOld = "";
  private int freshInFlight;
  private int oldInFlight;

  /** Until then nothing leaves, because the receiver has said so, ms. */
  private long freeAt;

  /** When the receiver has accepted a request, ms. */
  private long acceptedAt = Long.MIN_VALUE;

  /** Until then old samples have left early, at their rate, ms. */
  private double oldFreeAt;

  private long heldBackSince;
  private boolean isLookDue;
  private boolean isStopped;
  private long waitLoggedAt;
  private long refusalLoggedAt;
  private volatile double lagSeconds;
  private volatile double gapSeconds;

  /**
   * @param thread on which answers are taken
   * @param clock ms since the epoch
   * @param expired the time before which samples have expired, ms since the epoch
   */
  ReceiverSender(
      SenderSettings settings,
      HostSamples samples,
      Receiver receiver,
      Executor thread,
      LongSupplier clock,
      LongSupplier expired) {
    this.settings = settings;
    this.samples = samples;
    this.receiver = receiver;
    this.thread = thread;
    this.clock = clock;
    this.expired = expired;
  }

  String name() {
    return settings.name();
  }

  long delayMillis() {
    return settings.delay().toMillis();
  }

  SenderCounts counts() {
    return counts;
  }

  /** How far the host that is furthest behind is, without gaps. */
  double lagSeconds() {
    return lagSeconds;
  }

  /** Time of all hosts that is to be sent yet because it was left out. */
  double gapSeconds() {
    return gapSeconds;
  }

  HostSender begin(SentRecord from) {
    HostSender sender = new HostSender(from.host(), samples, from, counts);
    hosts.put(from.host(), sender);
    return sender;
  }

  void end(String host) {
    hosts.remove(host);
  }

  /**
   * Hosts are owned but not sent, because they lack samples.
   *
   * @param since when the first of them was to be sent, ms; 0 if there is none
   */
  void heldBack(long since) {
    heldBackSince = since;
  }

  /** From now on no request leaves. */
  void stop() {
    isStopped = true;
  }

  /** Requests that have no answer yet. */
  int inFlight() {
    return freshInFlight + oldInFlight;
  }

  /** Sends what is due. */
  void look() {
    long now = clock.getAsLong();
    long settled = now - delayMillis();
    if (now >= freeAt && !isStopped) {
      sendFresh(now, settled);
      sendOld(now);
    }
    long lag = heldBackSince == 0 ? 0 : now - heldBackSince;
    long gaps = 0;
    for (HostSender each : hosts.values()) {
      lag = Math.max(lag, each.behind(settled));
      gaps += each.gapMillis();
    }
    lagSeconds = lag / 1e3;
    gapSeconds = gaps / 1e3;
  }

  private void sendFresh(long now, long settled) {
    int most = settings.maxRequests() - Math.max(1, settings.maxRequests() / 4);
    for (HostSender each : inTurn(lastFresh)) {
      if (freshInFlight >= most || inFlight() >= settings.maxRequests()) {
        return;
      }
      Optional<List<Series>> next =
          read(each, () -> each.nextFresh(now, settled, acceptedAt, settings.maxSamples()));
      if (next.isPresent()) {
        List<Series> request = next.get();
        lastFresh = each.host();
        freshInFlight++;
        send(
            each,
            request,
            outcome -> {
              freshInFlight--;
              return each.freshAnswered(request, outcome, clock.getAsLong());
            });
      }
    }
  }

  private void sendOld(long now) {
    int reads = 0;
    for (HostSender each : inTurn(lastOld)) {
      Optional<List<Series>> next = Optional.empty();
      while (next.isEmpty() && isOldFree(now) && each.hasOld(now)) {
        if (++reads > MAX_READS) {
          lookSoon();
          return;
        }
        lastOld = each.host();
        next = read(each, () -> each.nextOld(now, expired.getAsLong(), settings.maxSamples()));
      }
      if (next.isPresent()) {
        List<Series> request = next.get();
        oldFreeAt =
            Math.max(oldFreeAt, now) + 1e3 * HostSamples.count(request) / settings.backlogRate();
        oldInFlight++;
        send(
            each,
            request,
            outcome -> {
              oldInFlight--;
              return each.oldAnswered(request, outcome, clock.getAsLong());
            });
      }
    }
  }

  private boolean isOldFree(long now) {
    return inFlight() < settings.maxRequests() && now + BURST >= oldFreeAt;
  }

  /** The hosts in their order, from the one after the last. */
  private List<HostSender> inTurn(String last) {
    List<HostSender> all = new ArrayList<>(hosts.tailMap(last, false).values());
    all.addAll(hosts.headMap(last, true).values());
    return all;
  }

  private interface Next {
    Optional<List<Series>> request() throws TooManySamples, QueryFailure;
  }

  private Optional<List<Series>> read(HostSender host, Next next) {
    try {
      return next.request();
    } catch (TooManySamples | QueryFailure | RuntimeException e) {
      host.readFailed(clock.getAsLong());
      waits("samples of host " + host.host() + " cannot be read: " + e);
      return Optional.empty();
    }
  }

  /**
   * @param refused takes the outcome, and gives the samples that are refused for good
   */
  private void send(HostSender host, List<Series> request, ToIntFunction<Outcome> refused) {
    Future<Outcome> sent;
    try {
      sent = receiver.send(request);
    } catch (RuntimeException e) {
      LOG.error("remote write of host {} to {}", host.host(), name(), e);
      sent = Future.succeededFuture(Outcome.again(0, e.toString()));
    }
    sent.onSuccess(
        outcome ->
            thread.execute(() -> answered(host, request, outcome, refused.applyAsInt(outcome))));
  }

  private void answered(HostSender host, List<Series> request, Outcome outcome, int refused) {
    if (outcome.kind() == Kind.ACCEPTED) {
      acceptedAt = clock.getAsLong();
    }
    if (outcome.kind() == Kind.AGAIN) {
      if (outcome.waitMillis() > 0) {
        freeAt = Math.max(freeAt, clock.getAsLong() + outcome.waitMillis());
      }
      waits("samples wait: " + outcome.why());
    }
    if (refused > 0) {
      refuses(host.host(), refused, request.getFirst(), outcome.why());
    }
    lookSoon();
  }

  /** Looks when the answers that are there have been taken. */
  private void lookSoon() {
    if (!isLookDue) {
      isLookDue = true;
      thread.execute(
          () -> {
            isLookDue = false;
            look();
          });
    }
  }

  private void waits(String what) {
    long now = clock.getAsLong();
    if (now - LOG_EVERY >= waitLoggedAt) {
      waitLoggedAt = now;
      LOG.warn("remote write to {}: {}", name(), what);
    }
  }

  private void refuses(String host, int count, Series first, String why) {
    long now = clock.getAsLong();
    if (now - LOG_EVERY >= refusalLoggedAt) {
      refusalLoggedAt = now;
      LOG.warn(
          "remote write to {}: {} samples of host {} are refused and dropped, of series {} and"
              + " others: {}",
          name(),
          count,
          host,
          first.labels(),
          why);
    }
  }
}
