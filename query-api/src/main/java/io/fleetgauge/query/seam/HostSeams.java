package io.fleetgauge.query.seam;

import io.fleetgauge.promql.lookup.HostRetention;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The seams of hosts that gateways have, ms. Immutable.
 *
 * @param earliest of all; {@link #NEVER} if there is no host
 * @param reach the time that retention reaches back to: no seam is before it, and those of hosts
 *     that gateways have had for longer are there; {@link #NEVER} if there is no host
 */
record HostSeams(Map<String, Long> byHost, long earliest, long reach) {
  /** The seam of a host that gateways do not have: no sample is read from them. */
  static final long NEVER = Long.MAX_VALUE;

  /** Nothing that is after a seam is removed in this time, ms. */
  static final long MARGIN = 60_000;

  static final HostSeams NONE = new HostSeams(Map.of(), NEVER, NEVER);

  /**
   * @param now ms since the epoch
   * @param before seams that were known, of hosts that could not be asked
   * @param missing those hosts
   */
  static HostSeams of(
      Collection<HostRetention> kept, long now, HostSeams before, Collection<String> missing) {
    Map<String, Long> byHost = new HashMap<>();
    for (String host : missing) {
      Long known = before.byHost.get(host);
      if (known != null) {
        byHost.put(host, known);
      }
    }
    long reach = Long.MIN_VALUE;
    for (HostRetention each : kept) {
      long expiring = now - each.retentionMillis() + MARGIN;
      reach = Math.max(reach, expiring);
      byHost.put(each.host(), Math.max(each.oldest(), expiring));
    }
    long earliest = byHost.values().stream().mapToLong(Long::longValue).min().orElse(NEVER);
    if (kept.isEmpty()) {
      reach = before.reach;
    }
    return new HostSeams(Map.copyOf(byHost), earliest, reach);
  }

  /** The seam of a host. */
  long of(String host) {
    return byHost.getOrDefault(host, NEVER);
  }

  boolean has(String host) {
    return byHost.containsKey(host);
  }

  /** Hosts that gateways have had for less than retention, with their seams, in order. */
  TreeMap<String, Long> young() {
    TreeMap<String, Long> young = new TreeMap<>();
    byHost.forEach(
        (host, seam) -> {
          if (seam > reach) {
            young.put(host, seam);
          }
        });
    return young;
  }
}
