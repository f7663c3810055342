package io.fleetgauge.query.peers;

import io.fleetgauge.cluster.limits.ClusterLimits;
import io.fleetgauge.cluster.limits.LocalQueries;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * This process's part of the limits, once it has joined the cluster; before, it is alone. Safe for
 * all threads.
 */
public final class SharedLimits implements ClusterShare {
  private volatile Optional<ClusterLimits> joined = Optional.empty();

  /**
   * Begins to share limits with the others.
   *
   * @param limits number of queries of a tenant that may run at once
   */
  public void join(
      PeerLink link, Admission admission, ToIntFunction<String> limits, int maxConcurrent) {
    joined = Optional.of(ClusterLimits.start(link, new Local(admission), limits, maxConcurrent));
  }

  @Override
  public int running(String tenant, int limit) {
    return joined.map(of -> of.running(tenant, limit)).orElse(limit);
  }

  @Override
  public int inFlight(int limit) {
    return joined.map(of -> of.inFlight(limit)).orElse(limit);
  }

  /** Queries of this process, for the others. */
  private record Local(Admission admission) implements LocalQueries {
    @Override
    public Map<String, Use> uses() {
      Map<String, Use> uses = new HashMap<>();
      admission
          .uses()
          .forEach((tenant, use) -> uses.put(tenant, new Use(use.running(), use.waiting())));
      return uses;
    }

    @Override
    public Use all() {
      return new Use(admission.inFlight(), admission.takeWithoutPlace());
    }

    @Override
    public void sharesChanged() {
      admission.shareChanged();
    }
  }
}
