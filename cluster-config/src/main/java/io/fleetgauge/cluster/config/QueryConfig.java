package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.config.key.ConfigReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Configuration of a query API.
 *
 * @param http where clients reach it, port 9090 by default
 * @param timeout {@code query.timeout}: longest time for a query, 1s to 1h; then 503
 * @param lookback {@code query.lookback}: how old a sample an instant selector takes, 1s to 1h
 * @param maxConcurrent {@code query.maxConcurrent}: queries of all tenants at once, waiting ones
 *     included, 1 to 10^4; then 503
 * @param maxParallel {@code query.maxParallel}: of these, such that are worked on, 1 to 10^4; twice
 *     the processors, but at least 4, by default
 * @param maxHeavy {@code query.maxHeavy}: of these, such that read very much, 1 to 10^4; half the
 *     processors by default
 * @param cacheBytes {@code query.cache}: memory for answers, 1MiB to 64GiB; a sixteenth of the heap
 *     by default
 * @param wideSeries {@code query.wideSeries}: a sum over the whole fleet that reads more series
 *     than this one by one is refused, 1 to 10^9
 * @param federateSeries {@code federate.maxSeries}: a scrape of more fails, 1 to 10^8
 * @param federateBytes {@code federate.maxBytes}: so does a longer one, 1KiB to 2GiB
 * @param slowWarn {@code query.slowWarn}: queries that take longer are logged, 1ms to 1h
 * @param slowError {@code query.slowError}: those that take longer are logged as errors
 * @param limits {@code query.limits}: of tenants that say nothing else
 * @param tenants {@code tenants.file}: who may ask for what; without it everybody may ask for all
 * @param trust what it shows to gateways
 * @param features {@code query.features}: parts of PromQL that are off unless they stand here, by
 *     the names of Prometheus's feature flags
 */
public record QueryConfig(
    HttpSettings http,
    ClusterSettings cluster,
    Duration timeout,
    Duration lookback,
    int maxConcurrent,
    int maxParallel,
    int maxHeavy,
    long cacheBytes,
    long wideSeries,
    int federateSeries,
    long federateBytes,
    Duration slowWarn,
    Duration slowError,
    TenantLimits limits,
    Optional<Path> tenants,
    TrustSettings trust,
    Set<String> features,
    LogSettings log) {

  /** What {@link #features} may hold. */
  public static final Set<String> FEATURES =
      Set.of(
          "promql-experimental-functions", "promql-duration-expr", "promql-delayed-name-removal");

  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  /** Every default, with these. */
  public static QueryConfig defaults(
      HttpSettings http, ClusterSettings cluster, Set<String> features, LogSettings log) {
    return new QueryConfig(
        http,
        cluster,
        Duration.ofMinutes(2),
        Duration.ofMinutes(5),
        100,
        Math.max(4, 2 * Runtime.getRuntime().availableProcessors()),
        Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
        Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 16),
        500_000,
        500_000,
        256 << 20,
        Duration.ofSeconds(3),
        Duration.ofSeconds(5),
        TenantLimits.DEFAULT,
        Optional.empty(),
        TrustSettings.NONE,
        features,
        log);
  }

  /** The same, whoever may reach it. */
  public QueryConfig openToAll() {
    return with(http.openToAll(), tenants, trust);
  }

  /** The same for other askers. */
  public QueryConfig with(Optional<Path> otherTenants, TrustSettings otherTrust) {
    return with(http, otherTenants, otherTrust);
  }

  private QueryConfig with(
      HttpSettings otherHttp, Optional<Path> otherTenants, TrustSettings otherTrust) {
    return new QueryConfig(
        otherHttp,
        cluster,
        timeout,
        lookback,
        maxConcurrent,
        maxParallel,
        maxHeavy,
        cacheBytes,
        wideSeries,
        federateSeries,
        federateBytes,
        slowWarn,
        slowError,
        limits,
        otherTenants,
        otherTrust,
        features,
        log);
  }

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static QueryConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    HttpSettings http = HttpSettings.read(in, 9090);
    ClusterSettings cluster = ClusterSettings.read(in);
    Set<String> features = in.choices("query.features", FEATURES);
    QueryConfig base = defaults(http, cluster, features, LogSettings.read(in));
    TenantLimits limits = TenantLimits.read(in, "query.limits", TenantLimits.DEFAULT);
    QueryConfig config =
        new QueryConfig(
            http,
            cluster,
            in.duration("query.timeout", base.timeout, SECOND, HOUR),
            in.duration("query.lookback", base.lookback, SECOND, HOUR),
            (int) in.number("query.maxConcurrent", base.maxConcurrent, 1, 10_000),
            (int) in.number("query.maxParallel", base.maxParallel, 1, 10_000),
            (int) in.number("query.maxHeavy", base.maxHeavy, 1, 10_000),
            in.bytes("query.cache", base.cacheBytes, 1 << 20, 64L << 30),
            in.number("query.wideSeries", base.wideSeries, 1, 1_000_000_000L),
            (int) in.number("federate.maxSeries", base.federateSeries, 1, 100_000_000),
            in.bytes("federate.maxBytes", base.federateBytes, 1 << 10, 2L << 30),
            in.duration("query.slowWarn", base.slowWarn, MILLI, HOUR),
            in.duration("query.slowError", base.slowError, MILLI, HOUR),
            limits,
            in.file("tenants.file"),
            TrustSettings.read(in),
            features,
            base.log);
    in.finish();
    return config;
  }
}
