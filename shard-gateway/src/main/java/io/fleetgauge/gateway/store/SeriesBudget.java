package io.fleetgauge.gateway.store;

import io.fleetgauge.sample.Labels;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts series and enforces their limits. Safe for all threads. */
final class SeriesBudget {
  private static final String TENANT = "tenant";

  private final StoreLimits limits;
  private final AtomicInteger all = new AtomicInteger();
  private final Map<String, AtomicInteger> byTenant = new ConcurrentHashMap<>();

  SeriesBudget(StoreLimits limits) {
    this.limits = limits;
  }

  int count() {
    return all.get();
  }

  Map<String, AtomicInteger> byTenant() {
    return byTenant;
  }

  /**
   * Counts a new series, if the limits allow it.
   *
   * @param ofHost number of series of the host
   * @return why a limit forbids it; empty if it was counted
   */
  Optional<String> take(String host, int ofHost, Labels labels) {
    if (ofHost >= limits.maxSeriesPerHost()) {
      return Optional.of(
          full("the host " + host, limits.maxSeriesPerHost(), "store.maxSeriesPerHost", labels));
    }
    String tenant = labels.value(TENANT);
    if (!tenant.isEmpty() && countOf(tenant) >= limits.maxSeriesPerTenant()) {
      return Optional.of(
          full(
              "the tenant " + tenant,
              limits.maxSeriesPerTenant(),
              "store.maxSeriesPerTenant",
              labels));
    }
    if (all.get() >= limits.maxSeries()) {
      return Optional.of(full("this gateway", limits.maxSeries(), "store.maxSeries", labels));
    }
    add(labels);
    return Optional.empty();
  }

  private static String full(String whose, int limit, String key, Labels labels) {
    return whose + " has the " + limit + " series that " + key + " allows; " + labels + " is new";
  }

  /** Counts a series that was accepted before, whatever the limits are. */
  void add(Labels labels) {
    all.incrementAndGet();
    String tenant = labels.value(TENANT);
    if (!tenant.isEmpty()) {
      addTo(tenant);
    }
  }

  /** A series has been removed. */
  void release(Labels labels) {
    all.decrementAndGet();
    String tenant = labels.value(TENANT);
    if (!tenant.isEmpty()) {
      byTenant.computeIfPresent(
          tenant, (name, count) -> count.decrementAndGet() > 0 ? count : null);
    }
  }

  /** The owner of a series has changed; it counts for the new tenant, whatever the limits are. */
  void pass(Labels from, Labels to) {
    String before = from.value(TENANT);
    String after = to.value(TENANT);
    if (!before.equals(after)) {
      if (!before.isEmpty()) {
        byTenant.computeIfPresent(
            before, (name, count) -> count.decrementAndGet() > 0 ? count : null);
      }
      if (!after.isEmpty()) {
        addTo(after);
      }
    }
  }

  private int countOf(String tenant) {
    AtomicInteger count = byTenant.get(tenant);
    return count == null ? 0 : count.get();
  }

  /** In one step, so that a counter that another thread just removed is not counted up. */
  private void addTo(String tenant) {
    byTenant.compute(
        tenant,
        (name, count) -> {
          AtomicInteger more = count == null ? new AtomicInteger() : count;
          more.incrementAndGet();
          return more;
        });
  }
}
