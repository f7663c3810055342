package io.fleetgauge.runtime.tenant;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;

/**
 * The number of hosts that the samples of one tenant may name. The keys stand under {@code
 * tenants.NAME.limits}.
 *
 * @param hosts {@code hosts}
 * @param newHosts {@code newHosts}
 */
public record HostLimits(int hosts, int newHosts) {
  private static final Key<Integer> HOSTS =
      Key.of(
          "hosts",
          KeyType.integer(1, 20_000),
          5_000,
          "Maximum number of hosts that the tenant's write tokens may add to the cluster;"
              + " samples of more are rejected with status 400, frames of probes with 429.");
  private static final Key<Integer> NEW_HOSTS =
      Key.of(
          "newHosts",
          KeyType.integer(1, 20_000),
          5_000,
          "Maximum number of hosts that are added within an hour; samples of more are rejected"
              + " with status 429 and may be sent again.");

  static HostLimits read(ConfigReader in, String section) {
    return new HostLimits(in.get(HOSTS.in(section)), in.get(NEW_HOSTS.in(section)));
  }

  /** The stricter one of each limit. */
  HostLimits least(HostLimits other) {
    return new HostLimits(Math.min(hosts, other.hosts), Math.min(newHosts, other.newHosts));
  }
}
