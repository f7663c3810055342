package io.fleetgauge.gateway.peer;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches files of usage that another holder of a host has and this one lacks. Each gateway is
 * asked once an hour about a host. Safe for all threads.
 */
final class UsageFetch {
  private static final Logger LOG = LoggerFactory.getLogger(UsageFetch.class);
  private static final long AGAIN_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final long ASK_MILLIS = 10_000;
  private static final int NONE = 404;

  private final OutgoingHttp http;
  private final WorkerExecutor workers;
  private final UsageFiles files;
  private final LongSupplier clock;

  /** When gateways were asked about a host, ms since the epoch. */
  private final Map<Asked, Long> asked = new ConcurrentHashMap<>();

  private final AtomicBoolean isLooking = new AtomicBoolean();

  private record Asked(URI gateway, String host) {}

  /**
   * @param clock ms since the epoch
   */
  UsageFetch(OutgoingHttp http, WorkerExecutor workers, UsageFiles files, LongSupplier clock) {
    this.http = http;
    this.workers = workers;
    this.files = files;
    this.clock = clock;
  }

  /** Asks the other holders of the hosts that are held here, one after the other. */
  void look(ClusterView view, String self) {
    if (!files.isKept() || !isLooking.compareAndSet(false, true)) {
      return;
    }
    long before = clock.getAsLong() - AGAIN_MILLIS;
    asked.values().removeIf(at -> at <= before);
    Future<Void> all = Future.succeededFuture();
    for (Map.Entry<String, Holders> each : view.table().holders().entrySet()) {
      if (!each.getValue().has(self)) {
        continue;
      }
      String host = each.getKey();
      for (URI other : others(view, each.getValue(), self)) {
        if (!asked.containsKey(new Asked(other, host))) {
          all =
              all.compose(none -> from(other, host))
                  .otherwise(
                      failure -> {
                        LOG.debug("no usage of host {} from {}", host, other, failure);
                        return null;
                      });
        }
      }
    }
    all.onComplete(none -> isLooking.set(false));
  }

  private static List<URI> others(ClusterView view, Holders holders, String self) {
    return Stream.concat(
            Stream.of(holders.owner()), holders.copies().stream().map(Holders.Copy::gateway))
        .filter(gateway -> !gateway.equals(self) && view.gateways().containsKey(gateway))
        .map(view.gateways()::get)
        .toList();
  }

  /**
   * Fetches what a gateway has of a host, if it has not been asked in the last hour.
   *
   * @return fails if something cannot be fetched
   */
  Future<Void> from(URI gateway, String host) {
    long now = clock.getAsLong();
    Asked key = new Asked(gateway, host);
    Long before = asked.get(key);
    if (!files.isKept() || before != null && now - before < AGAIN_MILLIS) {
      return Future.succeededFuture();
    }
    return ask(gateway, host, "usage")
        .compose(
            answer -> {
              Future<Void> all = Future.succeededFuture();
              // An earlier release has no such route.
              List<String> names =
                  answer.status() == NONE ? List.of() : answer.text().lines().toList();
              for (String name : files.missing(host, names)) {
                all = all.compose(none -> fetch(gateway, host, name));
              }
              return all;
            })
        .onSuccess(none -> asked.put(key, now));
  }

  private Future<Void> fetch(URI gateway, String host, String name) {
    return ask(gateway, host, "usage/" + name)
        .compose(
            answer ->
                answer.status() == NONE
                    ? Future.succeededFuture()
                    : workers.executeBlocking(
                        () -> {
                          byte[] bytes = answer.body().getBytes();
                          if (files.take(host, name, bytes, clock.getAsLong())) {
                            files.counts().fetched.increment();
                          }
                          return null;
                        },
                        false));
  }

  private Future<HttpAnswer> ask(URI gateway, String host, String what) {
    return http.to(gateway, HttpMethod.GET, IntakeProtocol.hostPath(host, what), ASK_MILLIS)
        .send()
        .compose(
            answer ->
                answer.status() == 200 || answer.status() == NONE
                    ? Future.succeededFuture(answer)
                    : Future.failedFuture("status " + answer.status() + ": " + answer.text()));
  }
}
