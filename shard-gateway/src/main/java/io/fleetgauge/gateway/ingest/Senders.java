package io.fleetgauge.gateway.ingest;

import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.runtime.tenant.Grant;
import java.util.Optional;

/** Who sends a request, by what it was granted. */
public final class Senders {
  private Senders() {}

  /**
   * @param grant empty for a process of the cluster
   */
  public static Sender of(Optional<Grant> grant) {
    return grant
        .flatMap(
            given ->
                given
                    .hostLimits()
                    .map(limits -> new Sender(given.tenant(), limits.hosts(), limits.newHosts())))
        .orElse(Sender.UNLIMITED);
  }
}
