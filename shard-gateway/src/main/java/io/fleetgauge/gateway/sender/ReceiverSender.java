package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.ReceiverClient.Kind;
import io.fleetgauge.gateway.sender.ReceiverClient.Outcome;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the samples of all hosts of this gateway to one receiver. One thread uses it.
 *
 * <p>Requests with new samples leave before those with old ones, and old ones at a limited rate.
 * Hosts take turns.
 */
final class ReceiverSender {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiverSender.class);
  private static final long LOG_EVERY = TimeUnit.MINUTES.toMillis(1);

  private final SenderSettings settings;
  private final HostSamples samples;
  private final ReceiverClient client;
  private final LongSupplier clock;
  private final Executor thread;
  private final SenderCounts counts = new SenderCounts();
  private final Map<String, HostSender> hosts = new TreeMap<>();

  /** The host whose turn it was last, among those with old samples. */
  private String lastOld = "";

  private int inFlight;

  /** Until then old samples wait, because of the rate, ms. */
  private double oldFreeAt;

  private long loggedAt;
  private volatile double lagSeconds;
  private volatile double gapSeconds;

  /** Sends one request of a host. */
  private interface Answered {
    void take(List<Series> request, Outcome outcome, long now);
  }

  /**
   * @param thread on which answers are taken
   * @param clock ms since the epoch
   */
  ReceiverSender(
      SenderSettings settings,
      HostSamples samples,
      ReceiverClient client,
      Executor thread,
      LongSupplier clock) {
    this.settings = settings;
    this.samples = samples;
    this.client = client;
    this.thread = thread;
    this.clock = clock;
  }

  String name() {
    return settings.name();
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

  /** The sender of a host; null if it is not sent from here. */
  HostSender host(String host) {
    return hosts.get(host);
  }

  Iterable<HostSender> all() {
    return hosts.values();
  }

  HostSender begin(String host, SentProgress progress) {
    HostSender sender = new HostSender(host, samples, progress, counts);
    hosts.put(host, sender);
    return sender;
  }

  /** Ends the sending of all hosts but some. */
  void keepOnly(Set<String> kept) {
    hosts.keySet().retainAll(kept);
  }

  /**
   * Sends what is due.
   *
   * @param expired samples of before have expired, ms
   */
  void look(long expired) {
    long now = clock.getAsLong();
    long settled = now - settings.delay().toMillis();
    long lag = 0;
    long gaps = 0;
    for (HostSender each : hosts.values()) {
      if (inFlight < settings.maxRequests()) {
        send(each, () -> each.nextFresh(now, settled, settings.maxSamples()), each::freshAnswered);
      }
      lag = Math.max(lag, each.behind(settled));
      gaps += each.gapMillis();
    }
    for (HostSender each : oldOnes()) {
      if (inFlight >= settings.maxRequests() || now < oldFreeAt) {
        break;
      }
      int sent =
          send(each, () -> each.nextOld(now, expired, settings.maxSamples()), each::oldAnswered);
      if (sent > 0) {
        lastOld = each.host();
        oldFreeAt = Math.max(oldFreeAt, now) + 1e3 * sent / settings.backlogRate();
      }
    }
    lagSeconds = lag / 1e3;
    gapSeconds = gaps / 1e3;
  }

  /** The hosts in their order, from the one after the last. */
  private List<HostSender> oldOnes() {
    List<HostSender> all = new ArrayList<>();
    List<HostSender> before = new ArrayList<>();
    hosts.forEach((name, each) -> (name.compareTo(lastOld) > 0 ? all : before).add(each));
    all.addAll(before);
    return all;
  }

  private interface Next {
    Optional<List<Series>> request() throws TooManySamples, QueryFailure;
  }

  private int send(HostSender host, Next next, Answered answered) {
    Optional<List<Series>> request;
    try {
      request = next.request();
    } catch (TooManySamples | QueryFailure | RuntimeException e) {
      warn("samples of host " + host.host() + " cannot be read: " + e);
      return 0;
    }
    if (request.isEmpty()) {
      return 0;
    }
    inFlight++;
    client
        .send(request.get())
        .onComplete(
            done ->
                thread.execute(
                    () -> {
                      inFlight--;
                      answered.take(request.get(), done.result(), clock.getAsLong());
                      told(host, request.get(), done.result());
                    }));
    return HostSamples.samples(request.get());
  }

  private void told(HostSender host, List<Series> request, Outcome outcome) {
    if (outcome.kind() == Kind.AGAIN) {
      warn("samples wait: " + outcome.why());
    } else if (outcome.kind() == Kind.REFUSED && request.size() == 1) {
      warn(
          "samples of host "
              + host.host()
              + " are refused: "
              + request.getFirst().labels()
              + ": "
              + outcome.why());
    }
  }

  private void warn(String what) {
    long now = clock.getAsLong();
    if (now - LOG_EVERY >= loggedAt) {
      loggedAt = now;
      LOG.warn("remote write to {}: {}", settings.name(), what);
    }
  }
}
