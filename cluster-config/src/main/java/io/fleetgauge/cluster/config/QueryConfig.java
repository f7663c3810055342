package io.fleetgauge.cluster.config;

import java.time.Duration;
import java.util.Set;

/**
 * Configuration of a query API.
 *
 * @param http where clients reach it, port 9090 by default
 * @param timeout {@code query.timeout}: longest time for a query, 1s to 1h; then 503
 * @param lookback {@code query.lookback}: how old a sample an instant selector takes, 1s to 1h
 * @param maxSamples {@code query.maxSamples}: most samples that one query reads, 1 to 10^10; then
 *     422
 * @param maxConcurrent {@code query.maxConcurrent}: queries at once, 1 to 10^4
 * @param maxWaiting {@code query.maxWaiting}: queries that wait for a place, 0 to 10^5; more get
 *     503
 * @param features {@code query.features}: parts of PromQL that are off unless they stand here, by
 *     the names of Prometheus's feature flags
 */
public record QueryConfig(
    HttpSettings http,
    ClusterSettings cluster,
    Duration timeout,
    Duration lookback,
    long maxSamples,
    int maxConcurrent,
    int maxWaiting,
    Set<String> features,
    LogSettings log) {

  /** What {@link #features} may hold. */
  public static final Set<String> FEATURES =
      Set.of(
          "promql-experimental-functions", "promql-duration-expr", "promql-delayed-name-removal");

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static QueryConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    Duration second = Duration.ofSeconds(1);
    Duration hour = Duration.ofHours(1);
    QueryConfig config =
        new QueryConfig(
            HttpSettings.read(in, 9090),
            ClusterSettings.read(in),
            in.duration("query.timeout", Duration.ofMinutes(2), second, hour),
            in.duration("query.lookback", Duration.ofMinutes(5), second, hour),
            in.number("query.maxSamples", 50_000_000, 1, 10_000_000_000L),
            (int) in.number("query.maxConcurrent", 20, 1, 10_000),
            (int) in.number("query.maxWaiting", 200, 0, 100_000),
            in.choices("query.features", FEATURES),
            LogSettings.read(in));
    in.finish();
    return config;
  }
}
