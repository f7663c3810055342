package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.time.Duration;

/**
 * What one tenant may use, and sees. Keys stand under {@code query.limits} for all tenants and
 * under {@code tenants.NAME.limits} of the file of tenants for one; what is not said there is as
 * for all.
 *
 * @param weight {@code weight}: its share when tenants wait for each other, 1 to 1000
 * @param running {@code running}: queries at once, 1 to 10^4; more wait
 * @param queued {@code queued}: queries that wait, 0 to 10^5; more are refused
 * @param samples {@code samples}: most samples that one query reads, 1 to 10^10
 * @param series {@code series}: most series that one query reads, 1 to 10^9
 * @param range {@code range}: longest range of a query, 1m to 4000d
 * @param points {@code points}: most steps of a query, 1 to 11,001
 * @param strict {@code strict}: whether an answer that misses hosts is an error
 */
public record TenantLimits(
    int weight,
    int running,
    int queued,
    long samples,
    long series,
    Duration range,
    int points,
    boolean strict) {
  public static final TenantLimits DEFAULT =
      new TenantLimits(1, 20, 200, 50_000_000, 2_000_000, Duration.ofDays(400), 11_001, false);

  public static TenantLimits read(ConfigReader in, String key, TenantLimits base) {
    return new TenantLimits(
        (int) in.number(key + ".weight", base.weight, 1, 1_000),
        (int) in.number(key + ".running", base.running, 1, 10_000),
        (int) in.number(key + ".queued", base.queued, 0, 100_000),
        in.number(key + ".samples", base.samples, 1, 10_000_000_000L),
        in.number(key + ".series", base.series, 1, 1_000_000_000L),
        in.duration(key + ".range", base.range, Duration.ofMinutes(1), Duration.ofDays(4_000)),
        (int) in.number(key + ".points", base.points, 1, 11_001),
        in.flag(key + ".strict", base.strict));
  }

  /** The smaller one of each limit. */
  public TenantLimits least(TenantLimits other) {
    return new TenantLimits(
        Math.min(weight, other.weight),
        Math.min(running, other.running),
        Math.min(queued, other.queued),
        Math.min(samples, other.samples),
        Math.min(series, other.series),
        range.compareTo(other.range) < 0 ? range : other.range,
        Math.min(points, other.points),
        strict || other.strict);
  }
}
