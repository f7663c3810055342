package io.fleetgauge.query.answer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The hosts that have a series in a scope: an answer says of these which are missing, and says
 * nothing of others. Thread-safe.
 */
final class VisibleHosts {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Duration KEPT = Duration.ofHours(1);
  private static final long MAX_KEPT = 1_000;
  private static final long ASK_MILLIS = 500;

  private final Fleet fleet;
  private final LongSupplier nanoTime;
  private final Cache<List<Matcher>, Seen> seen =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterAccess(KEPT).build();
  private final Map<List<Matcher>, Future<Optional<Seen>>> asked = new ConcurrentHashMap<>();

  /**
   * Hosts that a scope sees.
   *
   * @param hosts that have a series in it, or had when they were last asked
   * @param unknown hosts that could not be asked yet
   * @param at when they were asked, ns of a clock that is never set
   */
  record Seen(Set<String> hosts, Set<String> unknown, long at) {
    /** The part that concerns some hosts. */
    Seen among(Predicate<String> some) {
      return new Seen(
          hosts.stream().filter(some).collect(Collectors.toSet()),
          unknown.stream().filter(some).collect(Collectors.toSet()),
          at);
    }
  }

  /**
   * @param nanoTime ns of a clock that is never set
   */
  VisibleHosts(Fleet fleet, LongSupplier nanoTime) {
    this.fleet = fleet;
    this.nanoTime = nanoTime;
  }

  /**
   * Hosts that a caller with a scope sees; empty if they are not known. Never fails.
   *
   * @param load load of the request
   */
  Future<Optional<Seen>> of(Caller caller, Load load) {
    List<Matcher> scope = caller.scope();
    Seen before = seen.getIfPresent(scope);
    if (before != null && nanoTime.getAsLong() - before.at < FRESH_NANOS) {
      return Future.succeededFuture(Optional.of(before));
    }
    Promise<Optional<Seen>> promise = Promise.promise();
    Future<Optional<Seen>> first = asked.putIfAbsent(scope, promise.future());
    if (first != null) {
      return first;
    }
    fleet
        .hosts(
            scope,
            new ReadOptions(
                new Load(load.tenant(), load.weight(), 1), ASK_MILLIS, new Cancellation()))
        .timeout(ASK_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(
            done -> {
              Optional<Seen> now = Optional.ofNullable(before);
              if (done.succeeded()) {
                now = Optional.of(after(now, done.result(), nanoTime.getAsLong()));
                seen.put(scope, now.get());
              }
              asked.remove(scope);
              promise.complete(now);
            });
    return promise.future();
  }

  /** A host that cannot be asked now is seen if it was seen before. */
  private static Seen after(Optional<Seen> before, Gathered<List<HostState>> answer, long at) {
    Set<String> hosts = answer.value().stream().map(HostState::name).collect(Collectors.toSet());
    Set<String> unknown = new HashSet<>();
    for (String missing : answer.coverage().missing()) {
      if (before.isPresent() && before.get().hosts.contains(missing)) {
        hosts.add(missing);
      } else if (!hosts.contains(missing)
          && (before.isEmpty() || before.get().unknown.contains(missing))) {
        unknown.add(missing);
      }
    }
    return new Seen(Set.copyOf(hosts), Set.copyOf(unknown), at);
  }
}
