package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.cluster.tenant.Grant;
import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.sample.Labels;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A door for each tenant that sends: what a series' bytes mean depends on its labels. What they
 * remember is bounded for all together.
 */
final class Doors {
  private record Rule(String tenant, Labels wanted, boolean stamps) {}

  /** More only when the file of tenants was changed as often. */
  private static final int MOST = 1_000;

  /** Bytes of keys; what is known of a series takes a few times its key. */
  static final long MOST_KEY_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 16);

  private final HostLabels hostLabels;
  private final long future;
  private final MetadataTable metadata;
  private final long mostKeyBytes;
  private final RemoteWriteCounts counts;
  private final Map<Rule, Door> doors = new ConcurrentHashMap<>();

  /**
   * @param mostKeyBytes that all doors may remember
   */
  Doors(
      HostLabels hostLabels,
      long future,
      MetadataTable metadata,
      long mostKeyBytes,
      RemoteWriteCounts counts) {
    this.mostKeyBytes = mostKeyBytes;
    this.counts = counts;
    this.metadata = metadata;
    this.hostLabels = hostLabels;
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
                hostLabels,
                future,
                rule.wanted,
                rule.stamps,
                metadata.of(rule.tenant),
                ThreadLocalRandom.current()));
  }

  /** The door that remembers most begins anew when they all remember too much. */
  void keepWithinLimit() {
    long held = 0;
    Door largest = null;
    for (Door door : doors.values()) {
      held += door.keyBytes();
      if (largest == null || door.keyBytes() > largest.keyBytes()) {
        largest = door;
      }
    }
    if (held > mostKeyBytes) {
      held -= largest.keyBytes();
      largest.forget();
      counts.forgotten.increment();
    }
    counts.keyBytes.set(held);
  }
}
