package io.fleetgauge.gateway.config;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.gateway.sender.SenderSettings;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LocalHost;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TlsSettings;
import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.journal.Journal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of a gateway.
 *
 * @param id {@code id}: its name in the ownership table; it stays the same over restarts
 * @param http where probes and query APIs reach it, port 9500 by default
 * @param advertisedHost {@code http.advertisedHost}
 * @param zone {@code zone}; empty when not known
 * @param tenants {@code tenants.file}; without it everybody may send samples
 * @param trust how it proves to other gateways that it is one
 * @param drainTimeout {@code drainTimeout}
 * @param usageRetention {@code usage.retention}; zero if nothing is kept
 * @param journal in {@code store.folder}
 * @param remoteWrite receivers of samples, sections of {@code remoteWrite}
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
    Duration usageRetention,
    RollupSettings rollups,
    Journal.Settings journal,
    IngestSettings ingest,
    List<SenderSettings> remoteWrite,
    LogSettings log,
    TracingSettings tracing) {
  /** Less than what most supervisors grant before they kill. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(25);

  private static final int HTTP_PORT = 9500;

  private static final Key<String> ID =
      Key.derived(
          "id",
          KeyType.text(),
          "the name of the machine",
          "Name of the gateway in the ownership table; unique, and the same after a restart.");
  private static final Key<String> ADVERTISED_HOST =
      Key.derived(
          "http.advertisedHost",
          KeyType.text(),
          "`http.host`, or the name of the machine when that is `0.0.0.0`",
          "Host name or address at which other processes reach this gateway.");
  private static final Key<String> ZONE =
      Key.derived(
          "zone",
          KeyType.text(),
          "not known",
          "Failure domain of this gateway, such as a rack or an availability zone. The replica of a"
              + " host is placed in another failure domain where possible.");
  private static final Key<Duration> DRAIN_TIMEOUT =
      Key.of(
          "drainTimeout",
          KeyType.duration(Duration.ZERO, Duration.ofHours(1)),
          DEFAULT_DRAIN_TIMEOUT,
          "Maximum time that a stopping gateway waits for its hosts to move to other gateways.");

  /** More than a year. */
  public static final Duration DEFAULT_USAGE_RETENTION = Duration.ofDays(400);

  private static final Key<Duration> USAGE_RETENTION =
      Key.of(
          "usage.retention",
          KeyType.duration(Duration.ZERO, Duration.ofDays(4_000)),
          DEFAULT_USAGE_RETENTION,
          "Age at which the daily records of GPU usage are deleted, which reports are made of when"
              + " the samples have expired; `0s` keeps none. Records need a `store.retention` of at"
              + " least `2d`.");

  private static final Journal.Settings JOURNAL = Journal.Settings.defaults(Path.of("journal"));
  private static final Key<Journal.Sync> JOURNAL_SYNC =
      Key.of(
          "journal.sync",
          KeyType.choice(Journal.Sync.class),
          JOURNAL.sync(),
          "Policy for syncs of the journal to disk: before each acknowledgement, at an interval, or"
              + " never.");
  private static final Key<Duration> JOURNAL_SYNC_INTERVAL =
      Key.of(
          "journal.syncInterval",
          KeyType.duration(Duration.ofMillis(1), Duration.ofMinutes(1)),
          JOURNAL.syncInterval(),
          "Maximum time between syncs, with `journal.sync: interval`.");
  private static final Key<Integer> JOURNAL_SYNC_BYTES =
      Key.of(
          "journal.syncBytes",
          KeyType.size(1 << 10, 1 << 30),
          JOURNAL.syncBytes(),
          "Maximum size of unsynced data, with `journal.sync: interval`.");
  private static final Key<Integer> JOURNAL_SEGMENT =
      Key.of(
          "journal.segment",
          KeyType.size(64 << 10, 1 << 30),
          JOURNAL.segmentBytes(),
          "Size at which the journal begins a new file.");
  private static final Key<Long> JOURNAL_MAX_DISK =
      Key.of(
          "journal.maxDisk",
          KeyType.size(1L << 20, 100L << 40),
          JOURNAL.maxBytes(),
          "Maximum size of the journal on disk.");
  private static final Key<Long> JOURNAL_MAX_QUEUED =
      Key.of(
          "journal.maxQueued",
          KeyType.size(1L << 20, 1L << 30),
          JOURNAL.maxQueuedBytes(),
          "Maximum size of data that waits to be written to the journal; above it, senders are"
              + " slowed down with status 503.");

  /**
   * @param source what messages call the text
   * @throws ConfigException with every problem there is
   */
  public static GatewayConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    GatewayConfig config = read(in);
    in.finish();
    return config;
  }

  /** Every key of a gateway's configuration. */
  public static List<Key<?>> keys() {
    return ConfigReader.keysReadBy(GatewayConfig::read);
  }

  private static GatewayConfig read(ConfigReader in) {
    String id = in.get(ID, LocalHost.name());
    HttpSettings http = HttpSettings.read(in, HTTP_PORT);
    String reachable = http.host().equals("0.0.0.0") ? LocalHost.name() : http.host();
    String advertisedHost = in.get(ADVERTISED_HOST, reachable);
    String zone = in.get(ZONE, "");
    Optional<Path> tenants = in.find(TenantLimits.TENANTS_FILE);
    TrustSettings trust = TrustSettings.readForReceiver(in);
    Duration drainTimeout = in.get(DRAIN_TIMEOUT);
    StoreSettings store = StoreSettings.read(in);
    ClusterSettings cluster = ClusterSettings.readForGateway(in, store.folder());
    GatewayConfig config =
        new GatewayConfig(
            id,
            http,
            advertisedHost,
            zone,
            tenants,
            trust,
            drainTimeout,
            cluster,
            store,
            in.get(USAGE_RETENTION),
            RollupSettings.read(in),
            journal(in, store.folder()),
            IngestSettings.read(in),
            SenderKeys.read(in),
            LogSettings.read(in),
            TracingSettings.read(in));
    if (tenants.isPresent()
        && trust.secret().isEmpty()
        && http.tls().flatMap(TlsSettings::clientCa).isEmpty()) {
      in.problem(
          "tenants.file: without authentication of query APIs, anyone could read the samples of all"
              + " tenants from this gateway; set cluster.secretFile or http.tls.clientCa");
    }
    return config;
  }

  /** The same, and other machines may reach it without a token. */
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
        usageRetention,
        rollups,
        journal,
        ingest,
        remoteWrite,
        log,
        tracing);
  }

  private static Journal.Settings journal(ConfigReader in, Path folder) {
    return new Journal.Settings(
        folder.resolve("journal"),
        in.get(JOURNAL_SYNC),
        in.get(JOURNAL_SYNC_INTERVAL),
        in.get(JOURNAL_SYNC_BYTES),
        in.get(JOURNAL_SEGMENT),
        in.get(JOURNAL_MAX_DISK),
        in.get(JOURNAL_MAX_QUEUED));
  }
}
