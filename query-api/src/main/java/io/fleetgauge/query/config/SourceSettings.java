package io.fleetgauge.query.config;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A store that speaks Prometheus's API, which queries read as well.
 *
 * @param name of the section below {@code sources}
 * @param url {@code url}, with a port and without a slash at the end
 * @param kind {@code kind}
 * @param holds {@code holds}
 * @param headers {@code headers} and {@code tenant}
 * @param matchers {@code matchers}
 * @param hostLabel {@code hostLabel}; the first of {@code hostLabels} if it is not set
 * @param hostLabels {@code hostLabels}
 * @param hasOwnerLabels {@code hasOwnerLabels}
 * @param ownerLabels {@code ownerLabels}
 * @param pushesDown {@code pushDown}
 * @param dropLabels {@code dropLabels}
 * @param timeout {@code timeout}
 * @param maxBytes {@code maxBytes}
 * @param maxSamples {@code maxSamples}
 * @param access credentials that are shown to the store
 */
public record SourceSettings(
    String name,
    URI url,
    Kind kind,
    Holds holds,
    Map<String, String> headers,
    List<Matcher> matchers,
    String hostLabel,
    List<String> hostLabels,
    boolean hasOwnerLabels,
    List<String> ownerLabels,
    boolean pushesDown,
    Set<String> dropLabels,
    Duration timeout,
    int maxBytes,
    long maxSamples,
    AccessSettings access) {
  /** Programs whose differences are known. */
  public enum Kind {
    PROMETHEUS(true),
    THANOS(false),
    MIMIR(true),
    VICTORIAMETRICS(false);

    /** Whether it has remote read; samples are read by queries otherwise. */
    public final boolean hasRemoteRead;

    Kind(boolean hasRemoteRead) {
      this.hasRemoteRead = hasRemoteRead;
    }
  }

  /** What a store is read for. */
  public enum Holds {
    /** Samples of our hosts that gateways no longer have, or never had. */
    OLDER,
    /** Series that gateways do not have. */
    OTHER
  }

  private static final String SECTION = "sources";
  private static final int MOST = 20;
  private static final Pattern HEADER =
      Pattern.compile("([A-Za-z0-9!#$%&'*+.^_`|~-]+): *([\\x20-\\x7e]*)");

  /** Headers that the request itself decides. */
  private static final Set<String> OWN_HEADERS =
      Set.of("authorization", "connection", "content-length", "host", "transfer-encoding");

  private static final Key<URI> URL =
      Key.optional(
          "url",
          KeyType.form(
              "URL",
              "a URL such as http://prometheus:9090, or https://mimir.example.org/prometheus",
              URI::toString,
              AlertmanagerSettings::url),
          "Address of the store, with the path below which it serves Prometheus's API, if any.");
  private static final Key<Kind> KIND =
      Key.of(
          "kind",
          KeyType.choice(Kind.class),
          Kind.PROMETHEUS,
          "Program of the store: `prometheus` and `mimir` are read by remote read, `thanos` and"
              + " `victoriametrics` by queries for raw samples.");
  private static final Key<Holds> HOLDS =
      Key.of(
          "holds",
          KeyType.choice(Holds.class),
          Holds.OLDER,
          "What is read there: `older` for samples of hosts from before those that the gateways"
              + " keep, `other` for series that the gateways do not have.");
  private static final Key<String> TENANT =
      Key.optional("tenant", KeyType.text(), "Value of the header `X-Scope-OrgID`, for Mimir.");
  private static final Key<List<String>> HEADERS =
      Key.of(
          "headers",
          KeyType.listOf(
              KeyType.form(
                  "header",
                  "a header such as `THANOS-TENANT: fleet`",
                  text -> text,
                  text -> Optional.of(text).filter(SourceSettings::isHeader)),
              0),
          List.of(),
          "Headers of each request, besides those of the credentials.");
  private static final Key<List<Matcher>> MATCHERS =
      Key.of(
          "matchers",
          KeyType.form(
              "selector",
              "a selector such as {cluster=\"a\"}",
              SourceSettings::text,
              SourceSettings::selector),
          List.of(),
          "Matchers of the series there that are read; a query that cannot match them does not"
              + " reach the store.");
  private static final Key<String> HOST_LABEL =
      Key.derived(
          "hostLabel",
          KeyType.text(),
          "the first of `hostLabels`",
          "Label there that names the host. It is read as the first of `hostLabels`.");
  private static final Key<List<String>> HOST_LABELS =
      Key.of(
          "hostLabels",
          KeyType.listOf(KeyType.text(), 1),
          List.of("Hostname", "node", "instance"),
          "The value of the gateways' `ingest.hostLabels`.");
  private static final Key<List<String>> OWNER_LABELS =
      Key.of(
          "ownerLabels",
          KeyType.listOf(KeyType.text(), 1),
          OwnerLabels.KNOWN,
          "The value of the gateways' `store.ownerLabels`.");
  private static final Key<Boolean> PUSH_DOWN =
      Key.of(
          "pushDown",
          KeyType.flag(),
          false,
          "Whether the source evaluates the steps of queries that it has all samples of. Its"
              + " results have to be those of Prometheus 3: no older version, no VictoriaMetrics,"
              + " the default lookback of 5 m, no downsampled data, and no external labels.");
  private static final Key<Boolean> HAS_OWNER_LABELS =
      Key.of(
          "hasOwnerLabels",
          KeyType.flag(),
          false,
          "Whether series there have the labels of owners, such as `job` and `tenant`. Without"
              + " them, a selector by such a label gets no older samples, and a warning.");
  private static final Key<List<String>> DROP_LABELS =
      Key.of(
          "dropLabels",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Labels that only series there have, such as external labels; they are removed.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          "timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
          Duration.ofSeconds(30),
          "Timeout of a request, at most four fifths of the time that the query has left.");
  private static final Key<Integer> MAX_BYTES =
      Key.of(
          "maxBytes",
          KeyType.size(1 << 20, 1 << 30),
          256 << 20,
          "Maximum size of a response, compressed and decompressed, and of the labels in it.");
  private static final Key<Long> MAX_SAMPLES =
      Key.of(
          "maxSamples",
          KeyType.integer(1L, 1_000_000_000L),
          20_000_000L,
          "Maximum number of samples of a response.");

  public SourceSettings {
    headers = Map.copyOf(headers);
    matchers = List.copyOf(matchers);
    hostLabels = List.copyOf(hostLabels);
    ownerLabels = List.copyOf(ownerLabels);
    dropLabels = Set.copyOf(dropLabels);
  }

  /**
   * A store with every default.
   *
   * @param url as {@link AlertmanagerSettings#url} gives it
   */
  public static SourceSettings at(String name, URI url, Kind kind, Holds holds) {
    List<String> hostLabels = HOST_LABELS.fallback().orElseThrow();
    return new SourceSettings(
        name,
        url,
        kind,
        holds,
        Map.of(),
        List.of(),
        hostLabels.getFirst(),
        hostLabels,
        HAS_OWNER_LABELS.fallback().orElseThrow(),
        OWNER_LABELS.fallback().orElseThrow(),
        PUSH_DOWN.fallback().orElseThrow(),
        Set.of(),
        TIMEOUT.fallback().orElseThrow(),
        MAX_BYTES.fallback().orElseThrow(),
        MAX_SAMPLES.fallback().orElseThrow(),
        AccessSettings.NONE);
  }

  /** The same, with series there that have the labels of owners. */
  public SourceSettings withOwnerLabels() {
    return with(true, pushesDown, timeout);
  }

  /** The same with another timeout. */
  public SourceSettings within(Duration otherTimeout) {
    return with(hasOwnerLabels, pushesDown, otherTimeout);
  }

  /** The same, and it evaluates queries. */
  public SourceSettings withPushDown() {
    return with(hasOwnerLabels, true, timeout);
  }

  private SourceSettings with(boolean owners, boolean pushDown, Duration otherTimeout) {
    return new SourceSettings(
        name,
        url,
        kind,
        holds,
        headers,
        matchers,
        hostLabel,
        hostLabels,
        owners,
        ownerLabels,
        pushDown,
        dropLabels,
        otherTimeout,
        maxBytes,
        maxSamples,
        access);
  }

  /** The stores of a configuration; there are none by default. */
  static List<SourceSettings> read(ConfigReader in) {
    List<SourceSettings> all = new ArrayList<>();
    for (String name : in.plainNames(SECTION, MOST)) {
      read(in, name).ifPresent(all::add);
    }
    return List.copyOf(all);
  }

  private static Optional<SourceSettings> read(ConfigReader in, String name) {
    String section = SECTION + "." + name;
    Optional<URI> url = in.find(URL.in(section));
    Kind kind = in.get(KIND.in(section));
    Holds holds = in.get(HOLDS.in(section));
    Map<String, String> headers = new LinkedHashMap<>();
    for (String each : in.get(HEADERS.in(section))) {
      java.util.regex.Matcher parts = HEADER.matcher(each);
      if (parts.matches()) {
        headers.put(parts.group(1), parts.group(2).strip());
      }
    }
    in.find(TENANT.in(section)).ifPresent(tenant -> headers.put("X-Scope-OrgID", tenant));
    List<Matcher> matchers = in.get(MATCHERS.in(section));
    List<String> hostLabels = in.get(HOST_LABELS.in(section));
    String first = hostLabels.isEmpty() ? "" : hostLabels.getFirst();
    String hostLabel = in.get(HOST_LABEL.in(section), first);
    boolean hasOwnerLabels = in.get(HAS_OWNER_LABELS.in(section));
    List<String> ownerLabels = in.get(OWNER_LABELS.in(section));
    boolean pushesDown = in.get(PUSH_DOWN.in(section));
    if (pushesDown && kind == Kind.VICTORIAMETRICS) {
      in.problem(section + ": pushDown is not allowed, because MetricsQL has other results");
    }
    Set<String> dropLabels = Set.copyOf(in.get(DROP_LABELS.in(section)));
    Duration timeout = in.get(TIMEOUT.in(section));
    int maxBytes = in.get(MAX_BYTES.in(section));
    long maxSamples = in.get(MAX_SAMPLES.in(section));
    AccessSettings access = AccessSettings.read(in, section, "the store");
    if (url.isEmpty() && !in.has(URL.in(section))) {
      in.problem(section + ": url is needed");
    }
    return url.map(
        to ->
            new SourceSettings(
                name,
                to,
                kind,
                holds,
                headers,
                matchers,
                hostLabel,
                hostLabels,
                hasOwnerLabels,
                ownerLabels,
                pushesDown,
                dropLabels,
                timeout,
                maxBytes,
                maxSamples,
                access));
  }

  private static boolean isHeader(String text) {
    java.util.regex.Matcher parts = HEADER.matcher(text);
    return parts.matches() && !OWN_HEADERS.contains(parts.group(1).toLowerCase(Locale.ROOT));
  }

  private static String text(List<Matcher> matchers) {
    return "{" + String.join(", ", matchers.stream().map(Matcher::toString).toList()) + "}";
  }

  private static Optional<List<Matcher>> selector(String text) {
    try {
      return Optional.of(Parser.parseSelector(text));
    } catch (ParseException e) {
      return Optional.empty();
    }
  }
}
