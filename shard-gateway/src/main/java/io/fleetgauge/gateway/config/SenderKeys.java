package io.fleetgauge.gateway.config;

import io.fleetgauge.gateway.sender.SenderSettings;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The receivers of samples in a configuration. */
final class SenderKeys {
  private static final String SECTION = "remoteWrite";
  private static final int MOST = 20;

  private static final Key<URI> URL =
      Key.optional(
          "url",
          KeyType.form(
              "URL",
              "a URL such as https://metrics.example.org/api/v1/write",
              URI::toString,
              SenderKeys::address),
          "Address of the receiver, to which samples are sent by remote write.");
  private static final Key<Version> VERSION =
      Key.of(
          "version",
          KeyType.form(
              "text",
              "1.0 or 2.0",
              version -> version == Version.V1 ? "1.0" : "2.0",
              SenderKeys::version),
          Version.V1,
          "Version of remote write.");
  private static final Key<Map<String, String>> HEADERS =
      Key.of(
          "headers",
          KeyType.headers(),
          Map.of(),
          "Headers of each request, such as `X-Scope-OrgID`.");
  private static final Key<List<String>> MATCH =
      Key.of(
          "match",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Selectors of the series that are sent; without any, all are.");
  private static final Key<Boolean> ROLLUPS =
      Key.of(
          "rollups",
          KeyType.flag(),
          false,
          "Whether rollups are sent, too, as series such as `METRIC:sum` and"
              + " `METRIC:rate60s:max`.");
  private static final Key<Boolean> OWNERS =
      Key.of(
          "ownerLabels",
          KeyType.flag(),
          false,
          "Whether series of GPUs are sent with the labels of their owners, such as `job` and"
              + " `pod`.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of series before they are sent, or drop series.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          "timeout",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(30),
          "Timeout of a request.");
  private static final Key<Duration> DELAY =
      Key.of(
          "delay",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(10),
          "Age at which samples are sent; those that come later are sent on their own.");
  private static final Key<Integer> MAX_SAMPLES =
      Key.of(
          "maxSamplesPerRequest",
          KeyType.integer(1, 1_000_000),
          2_000,
          "Maximum number of samples in a request.");
  private static final Key<Integer> MAX_REQUESTS =
      Key.of(
          "maxRequests",
          KeyType.integer(2, 1_000),
          16,
          "Maximum number of requests of a gateway that wait for a response at one time.");
  private static final Key<Integer> BACKLOG_RATE =
      Key.of(
          "backlogSamplesPerSecond",
          KeyType.integer(1, 100_000_000),
          100_000,
          "Maximum rate at which a gateway sends what a receiver missed while it was away.");

  private SenderKeys() {}

  /** The receivers of a configuration; there are none by default. */
  static List<SenderSettings> read(ConfigReader in) {
    List<SenderSettings> all = new ArrayList<>();
    for (String name : in.plainNames(SECTION, MOST)) {
      read(in, name).ifPresent(all::add);
    }
    return List.copyOf(all);
  }

  private static Optional<SenderSettings> read(ConfigReader in, String name) {
    String section = SECTION + "." + name;
    List<List<Matcher>> match = new ArrayList<>();
    for (String selector : in.get(MATCH.in(section))) {
      try {
        match.add(Parser.parseSelector(selector));
      } catch (ParseException e) {
        in.problem(section + ".match: " + selector + " is no selector: " + e.getMessage());
      }
    }
    Optional<URI> url = in.find(URL.in(section));
    Version version = in.get(VERSION.in(section));
    Map<String, String> headers = in.get(HEADERS.in(section));
    boolean hasRollups = in.get(ROLLUPS.in(section));
    boolean hasOwners = in.get(OWNERS.in(section));
    Relabelling relabelling = in.get(RELABEL.in(section));
    Duration timeout = in.get(TIMEOUT.in(section));
    Duration delay = in.get(DELAY.in(section));
    int maxSamples = in.get(MAX_SAMPLES.in(section));
    int maxRequests = in.get(MAX_REQUESTS.in(section));
    int backlogRate = in.get(BACKLOG_RATE.in(section));
    AccessSettings access = AccessSettings.read(in, section, "the receiver");
    if (url.isEmpty() && !in.has(URL.in(section))) {
      in.problem(section + ": url is needed");
    }
    return url.map(
        to ->
            new SenderSettings(
                name,
                to,
                version,
                headers,
                match,
                hasRollups,
                hasOwners,
                relabelling,
                timeout,
                delay,
                maxSamples,
                maxRequests,
                backlogRate,
                access));
  }

  private static Optional<Version> version(String text) {
    return switch (text) {
      case "1.0" -> Optional.of(Version.V1);
      case "2.0" -> Optional.of(Version.V2);
      default -> Optional.empty();
    };
  }

  private static Optional<URI> address(String text) {
    try {
      URI url = URI.create(text);
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      boolean isPlain = url.getRawUserInfo() == null && url.getRawFragment() == null;
      return Optional.of(url).filter(any -> isHttp && isPlain && any.getHost() != null);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
