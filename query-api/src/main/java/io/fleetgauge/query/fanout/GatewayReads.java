package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.ClusterState;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Asks gateways, and makes one answer of theirs. Safe for all threads. */
public interface GatewayReads {
  /** Every host. */
  Predicate<String> ALL = host -> true;

  /**
   * A value, and changes at the gateways that it was read from.
   *
   * @param changes at every gateway that was read, before anything was read there; empty when that
   *     was not asked for, or not all of them said so
   */
  record WithChanges<T>(T value, Optional<Changes> changes) {}

  /**
   * Reads hosts.
   *
   * @param hosts that are read
   * @param merge the answers of all gateways
   */
  <A extends Result, T> Future<Gathered<T>> read(
      Question<A> question,
      Predicate<String> hosts,
      ReadOptions options,
      Function<List<A>, T> merge);

  /**
   * Reads parts of a query, as {@link io.fleetgauge.query.fleet.Fleet#parts}.
   *
   * @param hosts that are read
   * @param since the result is to have what had changed since this look
   */
  <T> Future<Gathered<WithChanges<T>>> parts(
      PartsQuestion question,
      Predicate<String> hosts,
      Optional<Changes> since,
      ReadOptions options,
      Function<List<PartsQuestion.Answer>, T> merge);

  /** As {@link io.fleetgauge.query.fleet.Fleet#changes}. */
  Future<Changes> changes(Optional<Changes> last);

  /** As {@link io.fleetgauge.query.fleet.Fleet#hostCount}. */
  int hostCount();

  /** As {@link io.fleetgauge.query.fleet.Fleet#epoch}. */
  long epoch();

  /** As {@link io.fleetgauge.query.fleet.Fleet#cluster}. */
  ClusterState cluster();
}
