package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.runtime.tenant.Grant;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.relabel.Relabelling;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One writer for each tenant: the labels that its token requires are part of what the bytes of a
 * series mean. The memory of all writers together is bounded.
 */
final class TenantWriters {
  /** Exceeded only if the tenants file was changed as often; all writers start anew then. */
  private static final int MAX_WRITERS = 1_000;

  /** Bytes of keys; all that is known of a series takes a few times its key. */
  static final long MAX_KEY_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 32);

  private final Relabelling relabelling;
  private final HostLabels hostLabels;
  private final long future;
  private final MetadataTable metadata;
  private final long maxKeyBytes;
  private final RemoteWriteCounts counts;

  /**
   * For all threads, and different in every gateway: two gateways that gave one number to their
   * runs for a host would mix up its series.
   */
  private final SecureRandom random = new SecureRandom();

  private final Map<TenantWriter.Rule, TenantWriter> writers = new ConcurrentHashMap<>();

  /**
   * @param maxKeyBytes limit of the keys of all writers together
   */
  TenantWriters(
      Relabelling relabelling,
      HostLabels hostLabels,
      long future,
      MetadataTable metadata,
      long maxKeyBytes,
      RemoteWriteCounts counts) {
    this.maxKeyBytes = maxKeyBytes;
    this.counts = counts;
    this.metadata = metadata;
    this.relabelling = relabelling;
    this.hostLabels = hostLabels;
    this.future = future;
  }

  /**
   * @param derived whether what it writes was derived from other samples
   */
  TenantWriter of(Optional<Grant> grant, boolean derived) {
    TenantWriter.Rule rule =
        grant
            .map(
                given ->
                    new TenantWriter.Rule(
                        given.tenant(), Labels.of(given.writeLabels()), given.stamps(), derived))
            .orElse(new TenantWriter.Rule("", Labels.EMPTY, false, derived));
    if (writers.size() >= MAX_WRITERS && !writers.containsKey(rule)) {
      writers.clear();
    }
    return writers.computeIfAbsent(
        rule,
        none ->
            new TenantWriter(
                rule, relabelling, hostLabels, future, metadata.of(rule.tenant()), random));
  }

  /** The writer with the most keys forgets its series if all of them have too many keys. */
  void keepWithinLimit() {
    long held = 0;
    TenantWriter largest = null;
    for (TenantWriter each : writers.values()) {
      held += each.keyBytes();
      if (largest == null || each.keyBytes() > largest.keyBytes()) {
        largest = each;
      }
    }
    if (held > maxKeyBytes) {
      held -= largest.keyBytes();
      largest.forget();
      counts.forgotten.increment();
    }
    counts.keyBytes.set(held);
  }
}
