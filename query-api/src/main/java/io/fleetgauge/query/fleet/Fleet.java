package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.MetricReductions;
import io.fleetgauge.promql.lookup.OwnerIntervals;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.promql.usage.UsageRows;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * The gateways of the cluster, for what only they can answer. Safe for all threads.
 *
 * <p>A read never counts a host twice. A host that no gateway answers for is named in the {@link
 * io.fleetgauge.query.source.Coverage} and the read succeeds; it fails, with a {@link
 * io.fleetgauge.promql.query.QueryFailure}, when it is cancelled, when its time is over, when no
 * gateway can be reached at all, or when every gateway would refuse it alike (a budget is
 * exceeded).
 */
public interface Fleet {
  /**
   * Executes the cuts of a plan where the data is.
   *
   * @param since the result is to have what had changed since this look, before anything was read;
   *     empty when nobody asks
   */
  Future<Gathered<PartsRead>> parts(Planned planned, Optional<Changes> since, ReadOptions options);

  /**
   * The newest samples as lines of text, by metric: one piece from each gateway that has any.
   *
   * @param hosts whose series are read
   */
  Future<Gathered<SortedMap<String, List<MetricLines>>>> newest(
      NewestRead read, Predicate<String> hosts, ReadOptions options);

  /** Returns true if {@link #newest} is there: one cluster alone is read. */
  default boolean hasLines() {
    return true;
  }

  /** The newest samples reduced by groups, over all hosts; each group once. */
  Future<Gathered<List<MetricReductions>>> reductions(ReductionRead read, ReadOptions options);

  /**
   * Metadata that senders reported of their metrics, by name.
   *
   * @param tenants whose reports are read; all when empty
   */
  Future<Gathered<Map<String, MetricMetadata>>> metadata(List<String> tenants, ReadOptions options);

  /**
   * When each host last sent something, by name.
   *
   * @param scope only hosts with a series that matches; all when empty
   */
  Future<Gathered<List<HostState>>> hosts(List<Matcher> scope, ReadOptions options);

  /** Since when gateways keep the samples of each host; nothing of a host that has none. */
  Future<Gathered<List<HostRetention>>> retentions(ReadOptions options);

  /** Who owned the series that match, as intervals of time; the limit is on series of a gateway. */
  Future<Gathered<OwnerIntervals>> owners(SeriesSearch search, ReadOptions options);

  /** What GPUs were used for: rows that add up, each device, owner and interval once. */
  Future<Gathered<UsageRows>> usage(UsageRead read, ReadOptions options);

  /** About how much {@link #usage} reads. */
  Future<Gathered<UsageExtent>> usageExtent(UsageRead read, ReadOptions options);

  /**
   * Changes since an earlier look. Never fails: on a gateway that cannot be asked, anything may
   * have changed.
   *
   * @param last the result of the earlier look; empty at first
   */
  Future<Changes> changes(Optional<Changes> last);

  /** Number of hosts. Costs no request. */
  int hostCount();

  /** The epoch of the newest table. Costs no request. */
  long epoch();

  /** The cluster as it is seen from here. Costs no request. */
  ClusterState cluster();
}
