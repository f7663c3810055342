package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.cluster.tenant.Grant;
import io.fleetgauge.gateway.store.HostOf;
import io.fleetgauge.sample.Labels;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** A door for each tenant that sends: what a series' bytes mean depends on its labels. */
final class Doors {
  private record Rule(String tenant, Labels wanted, boolean stamps) {}

  /** More only when the file of tenants was changed as often. */
  private static final int MOST = 1_000;

  private final HostOf hostOf;
  private final long future;
  private final MetadataTable metadata;
  private final Map<Rule, Door> doors = new ConcurrentHashMap<>();

  Doors(HostOf hostOf, long future, MetadataTable metadata) {
    this.metadata = metadata;
    this.hostOf = hostOf;
    this.future = future;
  }

  Door of(Optional<Grant> grant) {
    Rule rule =
        grant
            .map(given -> new Rule(given.tenant(), Labels.of(given.writeLabels()), given.stamps()))
            .orElse(new Rule("", Labels.EMPTY, false));
    if (doors.size() >= MOST && !doors.containsKey(rule)) {
      doors.clear();
    }
    return doors.computeIfAbsent(
        rule,
        none ->
            new Door(
                hostOf,
                future,
                rule.wanted,
                rule.stamps,
                metadata.of(rule.tenant),
                ThreadLocalRandom.current()));
  }

  int knownSeries() {
    return doors.values().stream().mapToInt(Door::knownSeries).sum();
  }
}
