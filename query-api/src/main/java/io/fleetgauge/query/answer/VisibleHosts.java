package io.fleetgauge.query.answer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.query.fleet.Fleet;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.ClusterGap;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
 * nothing of others. Makes the {@link Completeness} of answers. Thread-safe.
 */
final class VisibleHosts {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Duration KEPT = Duration.ofHours(1);
  private static final long MAX_KEPT = 1_000;
  private static final long ASK_MILLIS = 500;

  private static final String UNSEEN =
      "incomplete result: hosts that may have data of this scope are missing";
  private static final String SPLIT =
      "the cluster is split, and samples that its other side accepts are missing";

  private final Fleet fleet;
  private final LongSupplier nanoTime;
  private final Cache<Key, Seen> seen =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterAccess(KEPT).build();
  private final Map<Key, Future<Optional<Seen>>> asked = new ConcurrentHashMap<>();

  /** Whose hosts they are: tenants of one scope may see other clusters. */
  private record Key(String tenant, List<Matcher> scope) {}

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
   * Hosts that count in the answers to a caller.
   *
   * @param all true if all do
   * @param seen those of a caller with a scope, if they are known
   */
  record Sight(boolean all, Optional<Seen> seen) {
    /** The part that concerns some hosts. */
    Sight among(Predicate<String> some) {
      return new Sight(all, seen.map(each -> each.among(some)));
    }

    /** Which of these hosts an answer covers. */
    Completeness completeness(Coverage coverage, long watermark) {
      if (all) {
        return new Completeness(
            coverage.hosts(),
            coverage.missing(),
            false,
            coverage.epoch(),
            watermark,
            coverage.warnings(),
            coverage.clusters(),
            coverage.lackingSources());
      }
      List<String> missing = List.of();
      boolean unseen = seen.isEmpty() && !coverage.missing().isEmpty();
      if (seen.isPresent()) {
        missing = coverage.missing().stream().filter(seen.get().hosts::contains).toList();
        unseen = coverage.missing().stream().anyMatch(seen.get().unknown::contains);
      }
      int expected = seen.map(each -> nodes(each.hosts)).orElse(Completeness.UNKNOWN);
      List<String> warnings =
          new ArrayList<>(
              new Coverage(expected, missing, coverage.epoch(), List.of(), false, "")
                  .lacking(coverage.lacks())
                  .warnings());
      if (unseen) {
        warnings.add(UNSEEN);
      }
      if (!coverage.split().isEmpty()) {
        warnings.add(SPLIT);
      }
      // That hosts are missing says something of others: those that are seen are named.
      List<ClusterGap> clusters =
          coverage.clusters().stream().filter(gap -> gap.kind() != ClusterGap.Kind.HOSTS).toList();
      clusters.stream().filter(ClusterGap::isMissing).forEach(gap -> warnings.add(gap.warning()));
      return new Completeness(
          expected,
          missing,
          unseen,
          Completeness.UNKNOWN,
          Long.MIN_VALUE,
          List.copyOf(warnings),
          clusters,
          coverage.lackingSources());
    }
  }

  /** Number of nodes among some hosts. */
  static int nodes(Collection<String> hosts) {
    return (int) hosts.stream().filter(host -> !PseudoHosts.isOne(host)).count();
  }

  /**
   * @param nanoTime ns of a clock that is never set
   */
  VisibleHosts(Fleet fleet, LongSupplier nanoTime) {
    this.fleet = fleet;
    this.nanoTime = nanoTime;
  }

  /** Finds out which hosts count for a caller. Never fails. */
  Future<Sight> sight(Caller caller, Load load) {
    return caller.seesAllHosts()
        ? Future.succeededFuture(new Sight(true, Optional.empty()))
        : of(caller, load).map(known -> new Sight(false, known));
  }

  /**
   * Hosts that a caller with a scope sees; empty if they are not known. Never fails.
   *
   * @param load load of the request
   */
  Future<Optional<Seen>> of(Caller caller, Load load) {
    Key key = new Key(caller.tenant(), caller.scope());
    Seen before = seen.getIfPresent(key);
    if (before != null && nanoTime.getAsLong() - before.at < FRESH_NANOS) {
      return Future.succeededFuture(Optional.of(before));
    }
    Promise<Optional<Seen>> promise = Promise.promise();
    Future<Optional<Seen>> first = asked.putIfAbsent(key, promise.future());
    if (first != null) {
      return first;
    }
    fleet
        .hosts(
            caller.scope(),
            new ReadOptions(
                new Load(load.tenant(), load.weight(), 1), ASK_MILLIS, new Cancellation()))
        .timeout(ASK_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(
            done -> {
              Optional<Seen> now = Optional.ofNullable(before);
              if (done.succeeded()) {
                now = Optional.of(after(now, done.result(), nanoTime.getAsLong()));
                seen.put(key, now.get());
              }
              asked.remove(key);
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
