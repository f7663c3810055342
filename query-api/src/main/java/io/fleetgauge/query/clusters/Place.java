package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.source.ReadOptions;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.Set;

/** One of several clusters: the own one, or another. Safe for all threads. */
interface Place {
  /** Its name, which is the value of the label. */
  String name();

  /** Why a tenant sees nothing of it; empty when it does. */
  Optional<String> refusal(String tenant);

  /**
   * Reads all hosts but some.
   *
   * @param since the answer to a question for parts is to tell what has changed since
   * @return fails with a {@link io.fleetgauge.promql.query.QueryFailure} of the kind UNAVAILABLE
   *     when the cluster does not answer, or not in time
   */
  <A extends Result> Future<ClusterAnswer<A>> read(
      Question<A> question, Set<String> without, Optional<Changes> since, ReadOptions options);

  /** Changes since an earlier look; fails when they are not known. */
  Future<Changes> changes(Optional<Changes> last);

  /** The newest epoch that is known. */
  long epoch();
}
