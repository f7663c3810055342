package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Metadata of metrics as senders gave it, by tenant and metric; the last one wins. It does not
 * survive a restart: senders repeat it every minute. Safe for all threads.
 */
public final class MetadataTable {
  /** Limit for one tenant; the metadata of further metrics is dropped and counted. */
  public static final int MAX_METRICS = 20_000;

  private final Map<String, Map<String, MetricMetadata>> byTenant = new ConcurrentHashMap<>();
  private final LongAdder dropped = new LongAdder();

  /** Receives the metadata of one tenant's metrics. */
  interface OfTenant {
    void put(String metric, MetricMetadata said);
  }

  OfTenant of(String tenant) {
    return (metric, said) -> {
      Map<String, MetricMetadata> metrics =
          byTenant.computeIfAbsent(tenant, none -> new ConcurrentHashMap<>());
      if (metrics.size() < MAX_METRICS || metrics.containsKey(metric)) {
        metrics.put(metric, said);
      } else {
        dropped.increment();
      }
    };
  }

  /**
   * @param tenants whose metrics; those of all tenants if empty
   */
  public Map<String, MetricMetadata> read(Collection<String> tenants) {
    Map<String, MetricMetadata> found = new TreeMap<>();
    byTenant.forEach(
        (tenant, metrics) -> {
          if (tenants.isEmpty() || tenants.contains(tenant)) {
            found.putAll(metrics);
          }
        });
    return found;
  }

  /** The number of times that metadata was dropped because its tenant had too many metrics. */
  public long dropped() {
    return dropped.sum();
  }
}
