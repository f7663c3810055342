package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.plan.EvaluatedParts;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.PartsRead;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Asks gateways, and makes one answer of theirs. Safe for all threads. */
public interface GatewayReads {
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

  /** Reads parts of a query, as {@link io.fleetgauge.query.fleet.Fleet#parts}. */
  Future<Gathered<PartsRead>> parts(
      PartsQuestion question,
      Optional<Changes> since,
      ReadOptions options,
      Function<List<PartsQuestion.Answer>, EvaluatedParts> merge);

  /** As {@link io.fleetgauge.query.fleet.Fleet#changes}. */
  Future<Changes> changes(Optional<Changes> last);

  /** The cluster as it is known here. */
  ClusterView view();
}
