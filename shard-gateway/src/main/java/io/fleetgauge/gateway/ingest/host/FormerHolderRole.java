package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Offers samples of a host that other gateways hold to the owner, and gives them up when the owner
 * has had them for a while. Only the host's lane thread uses it.
 */
final class FormerHolderRole {
  static final long OFFER_AGAIN_MILLIS = 1_000;

  /** Time for which samples stay here after the owner has taken them. */
  static final long STAY_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private final String host;
  private final HostEnvironment environment;
  private long owners;
  private boolean isMerged;
  private long mergedAt;
  private boolean isOffering;
  private long offerAt;

  FormerHolderRole(String host, HostEnvironment environment) {
    this.host = host;
    this.environment = environment;
  }

  /** Forgets what the owner has taken: the next one may not have it. */
  void ownerChanged() {
    owners++;
    isMerged = false;
  }

  /**
   * Offers what is here.
   *
   * @return whether it is not needed here any more
   */
  boolean timePassed(ClusterView view, Holders holders) {
    long now = environment.steadyMillis();
    Optional<URI> address = view.ownerAddress(host);
    if (!isMerged && !isOffering && now >= offerAt && address.isPresent()) {
      isOffering = true;
      long offeredTo = owners;
      environment
          .cluster()
          .peers()
          .offer(
              address.get(),
              host,
              environment.cluster().self(),
              merged -> environment.onLane(() -> offered(merged && offeredTo == owners)));
    }
    return isMerged
        && now - mergedAt > STAY_MILLIS
        && holders.whole()
        && holders.copies().stream().anyMatch(Holders.Copy::synced);
  }

  private void offered(boolean merged) {
    isOffering = false;
    offerAt = environment.steadyMillis() + OFFER_AGAIN_MILLIS;
    isMerged = merged;
    mergedAt = environment.steadyMillis();
  }
}
