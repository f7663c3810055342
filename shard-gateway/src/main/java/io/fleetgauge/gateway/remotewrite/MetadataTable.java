package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What senders have said of their metrics, by tenant and metric; the last word counts. It is not
 * kept over a restart: senders say it again every minute. Safe for all threads.
 */
public final class MetadataTable {
  /** Of one tenant; more are passed over and counted. */
  public static final int MOST_METRICS = 20_000;

  private final Map<String, Map<String, MetricMetadata>> byTenant = new ConcurrentHashMap<>();
  private final LongAdder passedOver = new LongAdder();

  /** One tenant's part. */
  interface OfTenant {
    void put(String metric, MetricMetadata said);
  }

  OfTenant of(String tenant) {
    return (metric, said) -> {
      Map<String, MetricMetadata> metrics =
          byTenant.computeIfAbsent(tenant, none -> new ConcurrentHashMap<>());
      if (metrics.size() < MOST_METRICS || metrics.containsKey(metric)) {
        metrics.put(metric, said);
      } else {
        passedOver.increment();
      }
    };
  }

  /**
   * @param tenants whose metrics; of all tenants when empty
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

  /** How often a metric had no place. */
  public long passedOver() {
    return passedOver.sum();
  }
}
