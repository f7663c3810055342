package io.fleetgauge.cluster.limits;

import io.fleetgauge.cluster.limits.LocalQueries.Use;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.peers.PeerList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/** This process's part of the limits, by what the heartbeats tell. Safe for all threads. */
public final class ClusterLimits {
  private final LocalQueries local;
  private final LimitShares shares;

  private ClusterLimits(
      LocalQueries local, long life, ToIntFunction<String> limits, int maxConcurrent) {
    this.local = local;
    this.shares =
        new LimitShares(
            life,
            key -> key.equals(LimitShares.ALL_TENANTS) ? maxConcurrent : limits.applyAsInt(key));
  }

  /**
   * Begins to share; the process has joined the cluster.
   *
   * @param limits number of queries of a tenant that may run at once
   * @param maxConcurrent number of queries of all tenants that may run or wait at once
   */
  public static ClusterLimits start(
      PeerLink link, LocalQueries local, ToIntFunction<String> limits, int maxConcurrent) {
    ClusterLimits of = new ClusterLimits(local, link.life(), limits, maxConcurrent);
    link.run(
        () -> {
          of.shares.joined(link.list(), of::uses, PeerLink.now());
          link.tell(ShareNote.TOPIC, true, of.shares::note);
          link.onChange(of::settle);
        });
    return of;
  }

  /** Number of queries of a tenant that may run here at once; never waits. */
  public int running(String tenant, int limit) {
    return shares.allowed(tenant, limit, PeerLink.now());
  }

  /** Number of queries of all tenants that may run or wait here at once; never waits. */
  public int inFlight(int limit) {
    return shares.allowed(LimitShares.ALL_TENANTS, limit, PeerLink.now());
  }

  private void settle(PeerList list) {
    shares.settle(list, this::uses, PeerLink.now());
    if (shares.hasChanged()) {
      local.sharesChanged();
    }
  }

  private Map<String, Use> uses() {
    Map<String, Use> uses = new HashMap<>(local.uses());
    Use all = local.all();
    if (all.running() + all.waiting() > 0) {
      uses.put(LimitShares.ALL_TENANTS, all);
    }
    return uses;
  }
}
