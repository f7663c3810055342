package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Limits of one tenant. The keys stand under {@code query.limits} for all tenants, and under {@code
 * tenants.NAME.limits} of the tenants file for one; what the latter lacks is as for all.
 *
 * @param weight {@code weight}
 * @param running {@code running}
 * @param queued {@code queued}
 * @param samples {@code samples}
 * @param series {@code series}
 * @param range {@code range}
 * @param points {@code points}
 * @param strict {@code strict}
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
  /** The file that names the tenants; gateways and query APIs have this key. */
  public static final Key<Path> TENANTS_FILE =
      Key.optional(
          "tenants.file",
          KeyType.file(),
          "File that names the tenants, their tokens, scopes and limits; without it there is no"
              + " authentication.");

  private static final Key<Integer> WEIGHT =
      Key.of("weight", KeyType.integer(1, 1_000), 1, "Weight of the tenant in fair queuing.");
  private static final Key<Integer> RUNNING =
      Key.of(
          "running",
          KeyType.integer(1, 10_000),
          20,
          "Maximum number of queries of a tenant that run at once, on all query APIs together;"
              + " further queries wait. It also limits the long responses of one query API that are"
              + " being sent; further ones are rejected with status 429.");
  private static final Key<Integer> QUEUED =
      Key.of(
          "queued",
          KeyType.integer(0, 100_000),
          200,
          "Maximum number of queries of a tenant that wait at one query API; further ones are"
              + " rejected with status 429.");
  private static final Key<Long> SAMPLES =
      Key.of(
          "samples",
          KeyType.integer(1L, 10_000_000_000L),
          50_000_000L,
          "Maximum number of samples that one query may read; then it fails with status 422.");
  private static final Key<Long> SERIES =
      Key.of(
          "series",
          KeyType.integer(1L, 1_000_000_000L),
          2_000_000L,
          "Maximum number of series that one query may read; then it fails with status 422.");
  private static final Key<Duration> RANGE =
      Key.of(
          "range",
          KeyType.duration(Duration.ofMinutes(1), Duration.ofDays(4_000)),
          Duration.ofDays(400),
          "Maximum time range of a query.");
  private static final Key<Integer> POINTS =
      Key.of(
          "points",
          KeyType.integer(1, 11_001),
          11_001,
          "Maximum number of steps of a range query.");
  private static final Key<Boolean> STRICT =
      Key.of(
          "strict",
          KeyType.flag(),
          false,
          "Whether missing hosts are an error instead of a warning.");

  /** Every default. */
  public static final TenantLimits DEFAULT =
      new TenantLimits(
          WEIGHT.fallback().orElseThrow(),
          RUNNING.fallback().orElseThrow(),
          QUEUED.fallback().orElseThrow(),
          SAMPLES.fallback().orElseThrow(),
          SERIES.fallback().orElseThrow(),
          RANGE.fallback().orElseThrow(),
          POINTS.fallback().orElseThrow(),
          STRICT.fallback().orElseThrow());

  /** For all tenants, under {@code query.limits}. */
  public static TenantLimits read(ConfigReader in) {
    String section = "query.limits";
    return new TenantLimits(
        in.get(WEIGHT.in(section)),
        in.get(RUNNING.in(section)),
        in.get(QUEUED.in(section)),
        in.get(SAMPLES.in(section)),
        in.get(SERIES.in(section)),
        in.get(RANGE.in(section)),
        in.get(POINTS.in(section)),
        in.get(STRICT.in(section)));
  }

  /**
   * For one tenant.
   *
   * @param section such as {@code tenants.a.limits}
   * @param base the limits for all tenants
   */
  public static TenantLimits read(ConfigReader in, String section, TenantLimits base) {
    return new TenantLimits(
        in.get(asForAll(WEIGHT, section), base.weight),
        in.get(asForAll(RUNNING, section), base.running),
        in.get(asForAll(QUEUED, section), base.queued),
        in.get(asForAll(SAMPLES, section), base.samples),
        in.get(asForAll(SERIES, section), base.series),
        in.get(asForAll(RANGE, section), base.range),
        in.get(asForAll(POINTS, section), base.points),
        in.get(asForAll(STRICT, section), base.strict));
  }

  private static <T> Key<T> asForAll(Key<T> key, String section) {
    return Key.derived(
        section + "." + key.name(), key.type(), "`query.limits." + key.name() + "`", key.meaning());
  }

  /** The stricter one of each limit. */
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
