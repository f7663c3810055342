package io.fleetgauge.gateway.serve;

import java.util.List;
import java.util.Set;

/** The hosts that a fragment is executed for; as a set only if samples are read. For one thread. */
final class CoveredHosts {
  private final List<String> list;
  private Set<String> set;

  CoveredHosts(List<String> list) {
    this.list = list;
  }

  List<String> list() {
    return list;
  }

  boolean contains(String host) {
    if (set == null) {
      set = Set.copyOf(list);
    }
    return set.contains(host);
  }
}
