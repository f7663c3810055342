package io.fleetgauge.query.config;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Configuration of a query API.
 *
 * @param http where clients reach it, port 9090 by default
 * @param clusters {@code clusters} and {@code cluster.join}
 * @param allowedOrigins {@code http.allowedOrigins}; {@link #ANY_ORIGIN} in it stands for all
 * @param timeout {@code query.timeout}
 * @param lookback {@code query.lookback}
 * @param maxConcurrent {@code query.maxConcurrent}
 * @param maxParallel {@code query.maxParallel}
 * @param maxHeavy {@code query.maxHeavy}
 * @param cacheBytes {@code query.cache}
 * @param wideSeries {@code query.wideSeries}
 * @param federateSeries {@code federate.maxSeries}
 * @param federateBytes {@code federate.maxBytes}
 * @param report {@code report}
 * @param slowWarn {@code query.slowWarn}
 * @param slowError {@code query.slowError}
 * @param limits {@code query.limits}
 * @param tenants {@code tenants.file}; without it everybody may ask for everything
 * @param trust proof to gateways that it belongs to the cluster
 * @param aliases {@code query.aliases}
 * @param features {@code query.features}, by the names of Prometheus's feature flags
 * @param inventory {@code inventory}
 * @param rules {@code rules}
 * @param notifications where alerts of rules are sent
 * @param faults {@code faults}
 * @param sources {@code sources}: other stores that queries read
 */
public record QueryConfig(
    HttpSettings http,
    ClusterSettings cluster,
    ClustersSettings clusters,
    Set<String> allowedOrigins,
    Duration timeout,
    Duration lookback,
    int maxConcurrent,
    int maxParallel,
    int maxHeavy,
    long cacheBytes,
    long wideSeries,
    int federateSeries,
    long federateBytes,
    ReportSettings report,
    Duration slowWarn,
    Duration slowError,
    TenantLimits limits,
    Optional<Path> tenants,
    TrustSettings trust,
    Optional<Path> aliases,
    Set<String> features,
    InventorySettings inventory,
    RulesSettings rules,
    NotificationSettings notifications,
    FaultsSettings faults,
    List<SourceSettings> sources,
    LogSettings log,
    TracingSettings tracing) {

  /** Names that {@link #features} may hold. */
  public static final Set<String> FEATURES =
      Set.of(
          "promql-experimental-functions", "promql-duration-expr", "promql-delayed-name-removal");

  /** Allows pages of every origin to read. */
  public static final String ANY_ORIGIN = "*";

  private static final int HTTP_PORT = 9090;
  private static final Pattern ORIGIN =
      Pattern.compile("https?://(\\[[0-9a-f:.]+\\]|[a-z0-9._-]+)(:\\d{1,5})?");
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private static final Key<List<String>> ALLOWED_ORIGINS =
      Key.of(
          "http.allowedOrigins",
          KeyType.listOf(
              KeyType.form(
                  "origin",
                  "an origin such as https://grafana.example:3000, in lower case and without a"
                      + " path, or * for all",
                  text -> text,
                  text ->
                      Optional.of(text)
                          .filter(
                              each -> each.equals(ANY_ORIGIN) || ORIGIN.matcher(each).matches())),
              0),
          List.of(),
          "Origins whose pages may read responses in a browser (CORS). Grafana needs none,"
              + " because its server sends the requests.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          "query.timeout",
          KeyType.duration(SECOND, HOUR),
          Duration.ofMinutes(2),
          "Timeout of a query; then it fails with status 503.");
  private static final Key<Duration> LOOKBACK =
      Key.of(
          "query.lookback",
          KeyType.duration(SECOND, HOUR),
          Duration.ofMinutes(5),
          "Maximum age of the sample that an instant selector returns.");
  private static final Key<Integer> MAX_CONCURRENT =
      Key.of(
          "query.maxConcurrent",
          KeyType.integer(1, 10_000),
          100,
          "Maximum number of queries of all tenants that run or wait, on all query APIs together;"
              + " above it, queries of the tenant furthest over its weighted share are rejected"
              + " with status 503.");
  private static final Key<Integer> MAX_PARALLEL =
      Key.derived(
          "query.maxParallel",
          KeyType.integer(1, 10_000),
          "twice the number of processors, at least 4",
          "Maximum number of queries that this query API executes at once; further queries"
              + " wait.");
  private static final Key<Integer> MAX_HEAVY =
      Key.derived(
          "query.maxHeavy",
          KeyType.integer(1, 10_000),
          "half the number of processors, at least 1",
          "Maximum number of heavy queries among those.");
  private static final Key<Long> CACHE =
      Key.derived(
          "query.cache",
          KeyType.size(1L << 20, 64L << 30),
          "a thirty-second of the heap, at least `1MiB`",
          "Maximum memory for cached results.");
  private static final Key<Long> WIDE_SERIES =
      Key.of(
          "query.wideSeries",
          KeyType.integer(1L, 1_000_000_000L),
          500_000L,
          "Maximum number of series that an aggregation over all hosts may read one by one; with"
              + " more it fails.");
  private static final Key<Duration> SLOW_WARN =
      Key.of(
          "query.slowWarn",
          KeyType.duration(MILLI, HOUR),
          Duration.ofSeconds(3),
          "Duration from which a query is logged as a warning.");
  private static final Key<Duration> SLOW_ERROR =
      Key.of(
          "query.slowError",
          KeyType.duration(MILLI, HOUR),
          Duration.ofSeconds(5),
          "Duration from which a query is logged as an error.");
  private static final Key<List<String>> FEATURE_FLAGS =
      Key.of(
          "query.features",
          KeyType.listOf(
              KeyType.form(
                  "word",
                  "one of " + String.join(", ", new TreeSet<>(FEATURES)),
                  text -> text,
                  text -> Optional.of(text).filter(FEATURES::contains)),
              0),
          List.of(),
          "PromQL features that are off by default, by the names of Prometheus's feature flags.");
  private static final Key<Path> ALIASES =
      Key.optional(
          "query.aliases",
          KeyType.file(),
          "File with further names of stored metrics and labels for queries, in the form that"
              + " `docs/queries.md` describes.");
  private static final Key<Integer> FEDERATE_SERIES =
      Key.of(
          "federate.maxSeries",
          KeyType.integer(1, 100_000_000),
          500_000,
          "Maximum number of series of a federation scrape; with more it fails.");
  private static final Key<Long> FEDERATE_BYTES =
      Key.of(
          "federate.maxBytes",
          KeyType.size(1L << 10, 2L << 30),
          256L << 20,
          "Maximum size of the response to a federation scrape; above it the scrape fails.");

  /** Every default, with these, and without rules and faults. */
  public static QueryConfig defaults(
      HttpSettings http, ClusterSettings cluster, Set<String> features, LogSettings log) {
    return new QueryConfig(
        http,
        cluster,
        ClustersSettings.none(),
        Set.of(),
        TIMEOUT.fallback().orElseThrow(),
        LOOKBACK.fallback().orElseThrow(),
        MAX_CONCURRENT.fallback().orElseThrow(),
        defaultParallel(),
        defaultHeavy(),
        defaultCache(),
        WIDE_SERIES.fallback().orElseThrow(),
        FEDERATE_SERIES.fallback().orElseThrow(),
        FEDERATE_BYTES.fallback().orElseThrow(),
        ReportSettings.none(),
        SLOW_WARN.fallback().orElseThrow(),
        SLOW_ERROR.fallback().orElseThrow(),
        TenantLimits.DEFAULT,
        Optional.empty(),
        TrustSettings.NONE,
        Optional.empty(),
        features,
        InventorySettings.none(),
        RulesSettings.none(),
        NotificationSettings.to(List.of()),
        FaultsSettings.none(),
        List.of(),
        log,
        TracingSettings.OFF);
  }

  private static int defaultParallel() {
    return Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
  }

  private static int defaultHeavy() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  }

  private static long defaultCache() {
    return Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 32);
  }

  /** The same, and other machines may reach it without a token. */
  public QueryConfig openToAll() {
    return with(http.openToAll(), tenants, trust, rules, notifications, faults, inventory);
  }

  /** The same with other tenants. */
  public QueryConfig with(Optional<Path> otherTenants, TrustSettings otherTrust) {
    return with(http, otherTenants, otherTrust, rules, notifications, faults, inventory);
  }

  /** The same with other rules, whose alerts are sent to other Alertmanagers. */
  public QueryConfig with(RulesSettings otherRules, NotificationSettings otherNotifications) {
    return with(http, tenants, trust, otherRules, otherNotifications, faults, inventory);
  }

  /** The same with other rules. */
  public QueryConfig with(RulesSettings otherRules) {
    return with(otherRules, notifications);
  }

  /** The same with other faults. */
  public QueryConfig with(FaultsSettings otherFaults) {
    return with(http, tenants, trust, rules, notifications, otherFaults, inventory);
  }

  /** The same with another inventory. */
  public QueryConfig with(InventorySettings otherInventory) {
    return with(http, tenants, trust, rules, notifications, faults, otherInventory);
  }

  /** The same with other clusters. */
  public QueryConfig with(ClustersSettings otherClusters) {
    return with(otherClusters, features, sources);
  }

  /** The same with other features. */
  public QueryConfig with(Set<String> otherFeatures) {
    return with(clusters, otherFeatures, sources);
  }

  /** The same with other stores. */
  public QueryConfig reading(List<SourceSettings> otherSources) {
    return with(clusters, features, otherSources);
  }

  private QueryConfig with(
      ClustersSettings otherClusters,
      Set<String> otherFeatures,
      List<SourceSettings> otherSources) {
    return new QueryConfig(
        http,
        cluster,
        otherClusters,
        allowedOrigins,
        timeout,
        lookback,
        maxConcurrent,
        maxParallel,
        maxHeavy,
        cacheBytes,
        wideSeries,
        federateSeries,
        federateBytes,
        report,
        slowWarn,
        slowError,
        limits,
        tenants,
        trust,
        aliases,
        otherFeatures,
        inventory,
        rules,
        notifications,
        faults,
        otherSources,
        log,
        tracing);
  }

  /** The same with other reports. */
  public QueryConfig with(ReportSettings otherReport) {
    return with(otherReport, http, tenants, trust, rules, notifications, faults, inventory);
  }

  private QueryConfig with(
      HttpSettings otherHttp,
      Optional<Path> otherTenants,
      TrustSettings otherTrust,
      RulesSettings otherRules,
      NotificationSettings otherNotifications,
      FaultsSettings otherFaults,
      InventorySettings otherInventory) {
    return with(
        report,
        otherHttp,
        otherTenants,
        otherTrust,
        otherRules,
        otherNotifications,
        otherFaults,
        otherInventory);
  }

  private QueryConfig with(
      ReportSettings otherReport,
      HttpSettings otherHttp,
      Optional<Path> otherTenants,
      TrustSettings otherTrust,
      RulesSettings otherRules,
      NotificationSettings otherNotifications,
      FaultsSettings otherFaults,
      InventorySettings otherInventory) {
    return new QueryConfig(
        otherHttp,
        cluster,
        clusters,
        allowedOrigins,
        timeout,
        lookback,
        maxConcurrent,
        maxParallel,
        maxHeavy,
        cacheBytes,
        wideSeries,
        federateSeries,
        federateBytes,
        otherReport,
        slowWarn,
        slowError,
        limits,
        otherTenants,
        otherTrust,
        aliases,
        features,
        otherInventory,
        otherRules,
        otherNotifications,
        otherFaults,
        sources,
        log,
        tracing);
  }

  /**
   * @param source name of the text in messages
   * @throws ConfigException with every problem there is
   */
  public static QueryConfig read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    QueryConfig config = read(in);
    in.finish();
    return config;
  }

  /** Every key of a query API's configuration. */
  public static List<Key<?>> keys() {
    return ConfigReader.keysReadBy(QueryConfig::read);
  }

  private static QueryConfig read(ConfigReader in) {
    HttpSettings http = HttpSettings.read(in, HTTP_PORT);
    ClusterSettings cluster = ClusterSettings.readForQuery(in);
    return new QueryConfig(
        http,
        cluster,
        ClustersSettings.read(in, cluster.name()),
        Set.copyOf(in.get(ALLOWED_ORIGINS)),
        in.get(TIMEOUT),
        in.get(LOOKBACK),
        in.get(MAX_CONCURRENT),
        in.get(MAX_PARALLEL, defaultParallel()),
        in.get(MAX_HEAVY, defaultHeavy()),
        in.get(CACHE, defaultCache()),
        in.get(WIDE_SERIES),
        in.get(FEDERATE_SERIES),
        in.get(FEDERATE_BYTES),
        ReportSettings.read(in),
        in.get(SLOW_WARN),
        in.get(SLOW_ERROR),
        TenantLimits.read(in),
        in.find(TenantLimits.TENANTS_FILE),
        TrustSettings.readForReceiver(in),
        in.find(ALIASES),
        Set.copyOf(in.get(FEATURE_FLAGS)),
        InventorySettings.read(in),
        RulesSettings.read(in),
        NotificationSettings.read(in),
        FaultsSettings.read(in),
        SourceSettings.read(in),
        LogSettings.read(in),
        TracingSettings.read(in));
  }
}
