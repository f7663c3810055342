package io.fleetgauge.query.shards;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * Everything that holds data, as one. Safe for all threads.
 *
 * <p>A read never counts a host twice. A host that no shard answers for is named in the {@link
 * Coverage} and the read succeeds; it fails, with a {@link
 * io.fleetgauge.promql.query.QueryFailure}, when it is cancelled, when its time is over, when no
 * shard can be reached at all, or when every shard would refuse it alike (a budget is exceeded).
 */
public interface Shards {
  /**
   * The samples of selections: one list for each, ordered by label set, each label set once.
   *
   * @param budget most samples that one shard may return; more is an error
   */
  Future<Gathered<List<List<Series>>>> samples(
      List<Selection> selections, long budget, ReadOptions options);

  /**
   * Executes the cuts of a plan where the data is. Where the options ask since when, the result has
   * what had changed at the shards that were read, before anything was read there.
   *
   * @param scope matchers that every selector of the query gets
   */
  Future<Gathered<EvaluatedParts>> parts(Planned planned, List<Matcher> scope, ReadOptions options);

  /** How much each selection would read, in the same order. */
  Future<Gathered<List<Extent>>> extents(List<Selection> selections, ReadOptions options);

  /** Sorted. A limit bounds what each shard returns; the merged list may be longer. */
  Future<Gathered<List<String>>> labelNames(Fragment.Search search, ReadOptions options);

  /** As {@link #labelNames}. */
  Future<Gathered<List<String>>> labelValues(
      String label, Fragment.Search search, ReadOptions options);

  /** The label sets of series, as {@link #labelNames}. */
  Future<Gathered<List<Labels>>> labelSets(Fragment.Search search, ReadOptions options);

  /**
   * The newest samples as lines of text, by metric: one piece from each shard that has any.
   *
   * @param hosts whose series are read
   */
  Future<Gathered<SortedMap<String, List<FragmentAnswer.Family>>>> newest(
      NewestRead read, Predicate<String> hosts, ReadOptions options);

  /** The newest samples reduced by groups, over all hosts; each group once. */
  Future<Gathered<List<FragmentAnswer.Reductions>>> reductions(
      ReductionRead read, ReadOptions options);

  /**
   * What senders reported about their metrics, by name.
   *
   * @param tenants whose reports are read; all when empty
   */
  Future<Gathered<Map<String, MetricMetadata>>> metadata(List<String> tenants, ReadOptions options);

  /**
   * When each host last sent something, by name.
   *
   * @param scope only hosts with a series that matches; all when empty
   */
  Future<Gathered<List<FragmentAnswer.Host>>> hosts(List<Matcher> scope, ReadOptions options);

  /** Who owned the series that match, as intervals of time; the limit is on series of a shard. */
  Future<Gathered<Owners>> owners(Fragment.Search search, ReadOptions options);

  /**
   * What changed since an earlier look. Never fails: of a shard that cannot be asked, anything may
   * have changed.
   *
   * @param last the result of the earlier look; empty at first
   */
  Future<Changes> changes(Optional<Changes> last);

  /** How many hosts there are. Costs no request. */
  int hostCount();

  /** The epoch of the newest table. Costs no request. */
  long epoch();

  /** The cluster as it is seen from here. Costs no request. */
  ClusterState cluster();
}
