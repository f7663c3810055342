package io.fleetgauge.cluster.config;

import java.time.Duration;

/**
 * Configuration of a gateway.
 *
 * @param id {@code id}: its name in the table, which must stay the same over restarts and be
 *     unique; the host's name by default
 * @param http where probes and the query API reach it, port 9500 by default
 * @param advertisedHost {@code http.advertisedHost}: the host under which others reach it
 * @param retention {@code store.retention}: how long samples are kept, 1m to 7d
 * @param maxSeriesPerHost {@code store.maxSeriesPerHost}: most series of one host, 1 to 10^7
 * @param maxBodyBytes {@code ingest.maxBody}: longest body that is taken, 64KiB to 256MiB
 * @param maxQueuedRequests {@code ingest.maxQueuedRequests}: most requests that wait for a lane
 *     thread, 1 to 10^5; more are told to slow down
 */
public record GatewayConfig(
    String id,
    HttpSettings http,
    String advertisedHost,
    ClusterSettings cluster,
    Duration retention,
    int maxSeriesPerHost,
    int maxBodyBytes,
    int maxQueuedRequests,
    LogSettings log) {

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static GatewayConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    HttpSettings http = HttpSettings.read(in, 9500);
    String reachable = http.host().equals("0.0.0.0") ? LocalHost.name() : http.host();
    GatewayConfig config =
        new GatewayConfig(
            in.text("id", LocalHost.name()),
            http,
            in.text("http.advertisedHost", reachable),
            ClusterSettings.read(in),
            in.duration(
                "store.retention", Duration.ofHours(3), Duration.ofMinutes(1), Duration.ofDays(7)),
            (int) in.number("store.maxSeriesPerHost", 100_000, 1, 10_000_000),
            (int) in.bytes("ingest.maxBody", 16 << 20, 64 << 10, 256 << 20),
            (int) in.number("ingest.maxQueuedRequests", 1_000, 1, 100_000),
            LogSettings.read(in));
    in.finish();
    return config;
  }
}
