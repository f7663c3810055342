package io.fleetgauge.query.seam;

import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.query.store.ForeignStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The seams as they are known, and which hosts only stores have. Both are asked for when somebody
 * needs them: what is known serves while newer answers are on their way. Thread-safe.
 */
final class Seams {
  /** Seams of this age are asked for again; they hold for {@link HostSeams#MARGIN}. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long USABLE_NANOS = TimeUnit.SECONDS.toNanos(40);
  private static final long ASK_MILLIS = 2_500;

  private final Fleet fleet;
  private final List<StoreHosts> stores;
  private final LongSupplier clock;
  private final LongSupplier nanoTime;
  private HostSeams seams = HostSeams.NONE;
  private long seamsAt;
  private boolean hasSeams;
  private Optional<Future<HostSeams>> asking = Optional.empty();

  /**
   * What is known now.
   *
   * @param later for each store with older samples, the hosts of which it may have samples from
   *     after the time that retention reaches back to, with their seams
   * @param lacks stores that have not said yet which hosts they have
   */
  record Known(HostSeams seams, Map<String, Map<String, Long>> later, List<Coverage.Lack> lacks) {}

  /**
   * @param clock ms since the epoch
   * @param nanoTime ns of a clock that is never set
   */
  Seams(Fleet fleet, List<ForeignStore> stores, LongSupplier clock, LongSupplier nanoTime) {
    this.fleet = fleet;
    this.stores =
        stores.stream()
            .filter(each -> each.settings().holds() == SourceSettings.Holds.OLDER)
            .map(each -> new StoreHosts(each, clock, nanoTime))
            .toList();
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Options of a question that is asked for nobody in particular. */
  static ReadOptions options() {
    return new ReadOptions(Load.OWN, ASK_MILLIS, new Cancellation());
  }

  /** What is known now; fails if nothing is known of the gateways and none answers. */
  Future<Known> known() {
    return seams()
        .compose(
            now ->
                Future.all(stores.stream().map(each -> each.asked(now)).toList())
                    .map(none -> known(now)));
  }

  private Known known(HostSeams now) {
    Map<String, Map<String, Long>> later = new HashMap<>();
    List<Coverage.Lack> lacks = new ArrayList<>();
    for (StoreHosts each : stores) {
      later.put(each.name(), each.later(now));
      lacks.addAll(each.lacks());
    }
    return new Known(now, later, lacks);
  }

  private Future<HostSeams> seams() {
    Promise<HostSeams> promise = Promise.promise();
    synchronized (this) {
      long age = nanoTime.getAsLong() - seamsAt;
      boolean isUsable = hasSeams && age < USABLE_NANOS;
      if (hasSeams && age < FRESH_NANOS || isUsable && asking.isPresent()) {
        return Future.succeededFuture(seams);
      }
      if (asking.isPresent()) {
        return asking.get();
      }
      asking = Optional.of(promise.future());
      if (isUsable) {
        ask(promise);
        return Future.succeededFuture(seams);
      }
    }
    ask(promise);
    return promise.future();
  }

  private void ask(Promise<HostSeams> promise) {
    long begin = nanoTime.getAsLong();
    long now = clock.getAsLong();
    fleet
        .retentions(options())
        .onComplete(
            done -> {
              HostSeams result;
              synchronized (this) {
                asking = Optional.empty();
                if (done.succeeded()) {
                  seams =
                      HostSeams.of(
                          done.result().value(), now, seams, done.result().coverage().missing());
                  seamsAt = begin;
                  hasSeams = true;
                }
                result = seams;
              }
              if (done.succeeded()) {
                promise.complete(result);
              } else {
                promise.fail(done.cause());
              }
            });
  }
}
