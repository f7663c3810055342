package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.config.key.ConfigReader;
import io.fleetgauge.sample.journal.Journal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Configuration of a gateway.
 *
 * @param id {@code id}: its name in the table, which must stay the same over restarts and be
 *     unique; the host's name by default
 * @param http where probes and the query API reach it, port 9500 by default
 * @param advertisedHost {@code http.advertisedHost}: the host under which others reach it
 * @param zone {@code zone}: what it shares with gateways that may fail together with it, such as a
 *     rack; copies of a host go to other zones where there are any; empty when not known
 * @param tenants {@code tenants.file}: who may send samples; without it everybody may
 * @param trust what it shows to other gateways
 * @param drainTimeout {@code drainTimeout}: how long it waits for its hosts to move away before it
 *     stops, 0s to 1h
 * @param journal in {@code store.folder}: {@code journal.sync}, one of always, interval, never;
 *     {@code journal.syncInterval}, 1ms to 1m; {@code journal.syncBytes}, 1KiB to 1GiB; {@code
 *     journal.segment}, 64KiB to 1GiB; {@code journal.maxDisk}, 1MiB to 100TiB; {@code
 *     journal.maxQueued}, 1MiB to 1GiB
 */
public record GatewayConfig(
    String id,
    HttpSettings http,
    String advertisedHost,
    String zone,
    Optional<Path> tenants,
    TrustSettings trust,
    Duration drainTimeout,
    ClusterSettings cluster,
    StoreSettings store,
    RollupSettings rollups,
    Journal.Settings journal,
    IngestSettings ingest,
    LogSettings log) {
  /** Less than what most supervisors grant before they kill. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(25);

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static GatewayConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    HttpSettings http = HttpSettings.read(in, 9500);
    String reachable = http.host().equals("0.0.0.0") ? LocalHost.name() : http.host();
    StoreSettings store = StoreSettings.read(in);
    GatewayConfig config =
        new GatewayConfig(
            in.text("id", LocalHost.name()),
            http,
            in.text("http.advertisedHost", reachable),
            in.text("zone", ""),
            in.file("tenants.file"),
            TrustSettings.read(in),
            in.duration("drainTimeout", DEFAULT_DRAIN_TIMEOUT, Duration.ZERO, Duration.ofHours(1)),
            ClusterSettings.read(in),
            store,
            RollupSettings.read(in),
            journal(in, store.folder()),
            IngestSettings.read(in),
            LogSettings.read(in));
    if (config.tenants.isPresent()
        && config.trust.secret().isEmpty()
        && http.tls().flatMap(TlsSettings::clientCa).isEmpty()) {
      in.problem(
          "tenants.file: anybody could ask a gateway for the samples of all tenants, as its query"
              + " API does; set cluster.secretFile or http.tls.clientCa");
    }
    in.finish();
    return config;
  }

  /** The same, whoever may reach it. */
  public GatewayConfig openToAll() {
    return new GatewayConfig(
        id,
        http.openToAll(),
        advertisedHost,
        zone,
        tenants,
        trust,
        drainTimeout,
        cluster,
        store,
        rollups,
        journal,
        ingest,
        log);
  }

  private static Journal.Settings journal(ConfigReader in, Path folder) {
    Journal.Settings defaults = Journal.Settings.defaults(folder.resolve("journal"));
    return new Journal.Settings(
        defaults.folder(),
        in.choice("journal.sync", Journal.Sync.class, defaults.sync()),
        in.duration(
            "journal.syncInterval",
            defaults.syncInterval(),
            Duration.ofMillis(1),
            Duration.ofMinutes(1)),
        (int) in.bytes("journal.syncBytes", defaults.syncBytes(), 1 << 10, 1 << 30),
        (int) in.bytes("journal.segment", defaults.segmentBytes(), 64 << 10, 1 << 30),
        in.bytes("journal.maxDisk", defaults.maxBytes(), 1 << 20, 100L << 40),
        in.bytes("journal.maxQueued", defaults.maxQueuedBytes(), 1 << 20, 1 << 30));
  }
}
