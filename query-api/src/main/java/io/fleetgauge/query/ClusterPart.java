package io.fleetgauge.query;

import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.cluster.status.TableAge;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The seat of this process in its cluster, if it has one, as a member without data. */
final class ClusterPart implements ProcessPart {
  private final Lifecycle lifecycle = new Lifecycle("cluster");
  private final Vertx vertx;
  private final QueryConfig config;
  private final Guard guard;
  private final Meters meters;
  private final LongSupplier clock;
  private final TableAge tableAge;
  private volatile Optional<ClusterMember> member = Optional.empty();

  /**
   * @param clock ms since the epoch
   */
  ClusterPart(Vertx vertx, QueryConfig config, Guard guard, Meters meters, LongSupplier clock) {
    this.vertx = vertx;
    this.config = config;
    this.guard = guard;
    this.meters = meters;
    this.clock = clock;
    this.tableAge = new TableAge(clock);
  }

  @Override
  public void start() throws StartFailure {
    if (!config.clusters().joins()) {
      return;
    }
    Optional<Discovery> discovery =
        config
            .cluster()
            .discovery()
            .map(
                settings ->
                    Discovery.ofMembers(
                        vertx, settings, config.cluster().members(), clock, meters));
    discovery.ifPresent(search -> lifecycle.started("discovery", QueryProcess.STOP_LIMIT, search));
    try {
      ClusterMember joined =
          ClusterMember.join(
              config.cluster(),
              () -> discovery.map(Discovery::addresses).orElse(config.cluster().members()),
              Optional.empty(),
              guard.key());
      lifecycle.started("member", QueryProcess.STOP_LIMIT, joined);
      member = Optional.of(joined);
      joined.onChange(tableAge::look);
    } catch (IllegalStateException e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  @Override
  public void declare(Meters meters) {
    meters.counter(
        "cluster_entries_ignored",
        "Entries in Hazelcast that were ignored because they are invalid or not authenticated.",
        () -> member.map(ClusterMember::ignoredEntries).orElse(0L));
  }

  /** The seat, once it has started; empty if this process has no cluster of its own. */
  Optional<ClusterMember> member() {
    return member;
  }

  /** The newest view of the cluster; empty before it has joined. */
  ClusterView view() {
    return member.map(ClusterMember::view).orElse(ClusterView.EMPTY);
  }

  /** The age of the table in that view. */
  TableAge tableAge() {
    return tableAge;
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
