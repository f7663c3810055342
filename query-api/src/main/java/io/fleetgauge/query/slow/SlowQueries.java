package io.fleetgauge.query.slow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Remembers queries that ended, by tenant and fingerprint. Safe for all threads. */
public final class SlowQueries {
  static final int MAX_TENANTS = 1_000;
  static final int MAX_OF_TENANT = 100;
  public static final int MAX_KINDS = 2_000;

  /** The tenant under which those are counted that there is no place for. */
  public static final String OTHERS = "(others)";

  private final Map<String, Tenant> tenants = new HashMap<>();
  private int kinds;
  private long forgotten;

  /**
   * Queries of one kind.
   *
   * @param fingerprint their text without label values
   * @param totalMillis of all of them
   * @param p50Millis of the last {@link RecentDurations#KEPT}
   * @param p99Millis of the same
   * @param failures number of those without an answer
   * @param samples that all of them read
   * @param slowest the one that took longest
   */
  public record Kind(
      String tenant,
      String fingerprint,
      long count,
      long totalMillis,
      long p50Millis,
      long p99Millis,
      long failures,
      long samples,
      EndedQuery slowest) {}

  /**
   * Use by a tenant.
   *
   * @param queries PromQL queries that ended
   * @param millis time of all of them, waiting included
   * @param samples that were read
   * @param refused queries that failed because a limit was reached
   * @param failed queries without an answer, refused ones included
   */
  public record Use(
      String tenant, long queries, long millis, long samples, long refused, long failed) {
    private Use and(EndedQuery one) {
      return new Use(
          tenant,
          queries + 1,
          millis + one.millis(),
          samples + one.samples(),
          refused + (one.refused() ? 1 : 0),
          failed + (one.failure().isEmpty() ? 0 : 1));
    }
  }

  private static final class Tenant {
    private final Map<String, Counted> kinds = new HashMap<>();
    private Use use;

    Tenant(String name) {
      use = new Use(name, 0, 0, 0, 0, 0);
    }
  }

  private static final class Counted {
    private final RecentDurations durations = new RecentDurations();
    private long totalMillis;
    private long count;
    private long failures;
    private long samples;
    private EndedQuery slowest;

    void add(EndedQuery one) {
      count++;
      totalMillis += one.millis();
      samples += one.samples();
      failures += one.failure().isEmpty() ? 0 : 1;
      durations.add(one.millis());
      if (slowest == null || one.millis() > slowest.millis()) {
        slowest = one;
      }
    }

    Kind kind(String tenant, String fingerprint) {
      return new Kind(
          tenant,
          fingerprint,
          count,
          totalMillis,
          durations.quantile(0.5),
          durations.quantile(0.99),
          failures,
          samples,
          slowest);
    }
  }

  /** A query ended. */
  public void ended(EndedQuery one) {
    String fingerprint = Fingerprint.of(one.text());
    synchronized (this) {
      String name =
          tenants.containsKey(one.tenant()) || tenants.size() < MAX_TENANTS ? one.tenant() : OTHERS;
      Tenant tenant = tenants.computeIfAbsent(name, Tenant::new);
      tenant.use = tenant.use.and(one);
      if (name.equals(OTHERS)) {
        return;
      }
      Counted counted = tenant.kinds.get(fingerprint);
      if (counted == null) {
        makeRoom(tenant);
        counted = new Counted();
        tenant.kinds.put(fingerprint, counted);
        kinds++;
      }
      counted.add(one);
    }
  }

  private void makeRoom(Tenant tenant) {
    if (tenant.kinds.size() >= MAX_OF_TENANT) {
      forgetCheapest(tenant);
    } else if (kinds >= MAX_KINDS) {
      forgetCheapest(
          tenants.values().stream()
              .max(Comparator.comparingInt(each -> each.kinds.size()))
              .orElseThrow());
    }
  }

  private void forgetCheapest(Tenant tenant) {
    String cheapest =
        tenant.kinds.entrySet().stream()
            .min(Comparator.comparingLong(each -> each.getValue().totalMillis))
            .orElseThrow()
            .getKey();
    tenant.kinds.remove(cheapest);
    kinds--;
    forgotten++;
  }

  /** All kinds of queries, those that took most time in all first. */
  public synchronized List<Kind> kinds() {
    List<Kind> all = new ArrayList<>();
    tenants.forEach(
        (name, tenant) ->
            tenant.kinds.forEach(
                (fingerprint, counted) -> all.add(counted.kind(name, fingerprint))));
    all.sort(
        Comparator.comparingLong((Kind kind) -> -kind.totalMillis())
            .thenComparing(Kind::tenant)
            .thenComparing(Kind::fingerprint));
    return all;
  }

  /** Use by each tenant, those first whose queries took most time. */
  public synchronized List<Use> uses() {
    return tenants.values().stream()
        .map(tenant -> tenant.use)
        .sorted(Comparator.comparingLong((Use use) -> -use.millis()).thenComparing(Use::tenant))
        .toList();
  }

  /** Number of kinds of queries that made room for others. */
  public synchronized long forgotten() {
    return forgotten;
  }
}
