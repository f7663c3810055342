package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.PageFormat;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An exporter that a probe scrapes.
 *
 * @param name of the section below {@code scrape}
 * @param url {@code url}, with a port and a path
 * @param target the labels {@code job} and {@code instance} and those of {@code labels}
 * @param interval {@code interval}
 * @param timeout {@code timeout}
 * @param honorLabels {@code honorLabels}
 * @param honorTimestamps {@code honorTimestamps}
 * @param relabelling {@code metricRelabel}
 * @param fallback {@code fallbackFormat}
 * @param limits what a page may have
 * @param access what the probe shows to the exporter
 */
public record ScrapeSettings(
    String name,
    URI url,
    Labels target,
    Duration interval,
    Duration timeout,
    boolean honorLabels,
    boolean honorTimestamps,
    Relabelling relabelling,
    Optional<PageFormat> fallback,
    Limits limits,
    AccessSettings access) {

  /**
   * Limits of a page. One that goes beyond a limit counts as a failed scrape.
   *
   * @param bodyBytes {@code maxBody}, unpacked
   * @param samples {@code maxSamples}, after relabelling
   * @param labels {@code maxLabels} of a sample, after relabelling
   * @param nameBytes {@code maxLabelName}
   * @param valueBytes {@code maxLabelValue}
   */
  public record Limits(long bodyBytes, int samples, int labels, int nameBytes, int valueBytes) {}

  private static final String SECTION = "scrape";

  /** Most exporters. */
  private static final int MAX_TARGETS = 100;

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,100}");
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(10);
  private static final String LOCALHOST = "localhost";

  private static final Key<URI> URL =
      Key.required(
          "url",
          KeyType.form(
              "address",
              "http://host:port/path or https://host:port/path",
              URI::toString,
              ScrapeSettings::url),
          "Address of an exporter's page, from the node's point of view; without a path it is"
              + " `/metrics`.");
  private static final Key<String> JOB =
      Key.derived(
          "job",
          KeyType.text(),
          "the name of the section",
          "Value of the label `job` of the target.");
  private static final Key<String> INSTANCE =
      Key.derived(
          "instance",
          KeyType.text(),
          "host and port of `url`, with the address of the node in the place of a loopback one",
          "Value of the label `instance` of the target.");
  private static final Key<Map<String, String>> LABELS =
      Key.of("labels", KeyType.labels(), Map.of(), "Other labels of the target, of every series.");
  private static final Key<Duration> INTERVAL =
      Key.derived(
          "interval",
          KeyType.duration(SHORTEST, Duration.ofDays(1)),
          "`tick`",
          "Interval between scrapes; at least `tick`.");
  private static final Key<Duration> TIMEOUT =
      Key.derived(
          "timeout",
          KeyType.duration(Duration.ofMillis(10), Duration.ofMinutes(5)),
          "10s, or `interval` if that is shorter",
          "Timeout of a scrape; at most `interval`.");
  private static final Key<Boolean> HONOR_LABELS =
      Key.of(
          "honorLabels",
          KeyType.flag(),
          false,
          "Whether a label of the page takes precedence over one of the target; otherwise it is"
              + " renamed, such as `job` to `exported_job`.");
  private static final Key<Boolean> HONOR_TIMESTAMPS =
      Key.of(
          "honorTimestamps",
          KeyType.flag(),
          true,
          "Whether samples have the timestamps of the page, where it has any.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "metricRelabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of the page's samples, or drop samples, as"
              + " `metric_relabel_configs` of Prometheus does; `relabel` comes after it.");
  private static final Key<PageFormat> FALLBACK =
      Key.optional(
          "fallbackFormat",
          KeyType.choice(PageFormat.class),
          "Format of a page without a known `Content-Type`; without it the scrape fails.");
  private static final Key<Long> MAX_BODY =
      Key.of(
          "maxBody",
          KeyType.size(1L << 10, 256L << 20),
          16L << 20,
          "Maximum size of a decompressed page (exclusive).");
  private static final Key<Integer> MAX_SAMPLES =
      Key.of(
          "maxSamples",
          KeyType.integer(1, 100_000),
          20_000,
          "Maximum number of samples, after relabeling.");
  private static final Key<Integer> MAX_LABELS =
      Key.of(
          "maxLabels",
          KeyType.integer(1, 200),
          64,
          "Maximum number of labels of a sample, including its name, after relabeling.");
  private static final Key<Integer> MAX_NAME =
      Key.of(
          "maxLabelName",
          KeyType.integer(1, 4_096),
          256,
          "Maximum length of the name of a label, in bytes.");
  private static final Key<Integer> MAX_VALUE =
      Key.of(
          "maxLabelValue",
          KeyType.integer(1, 16_384),
          4_096,
          "Maximum length of the value of a label, in bytes.");

  /**
   * @param nodeInstance value of the label {@code instance} of the node
   * @param tick time between two ticks
   */
  public static List<ScrapeSettings> read(ConfigReader in, String nodeInstance, Duration tick) {
    List<String> names = in.names(SECTION, "NAME");
    if (names.size() > MAX_TARGETS) {
      in.problem(SECTION + ": more than " + MAX_TARGETS + " exporters are not allowed");
    }
    List<ScrapeSettings> all = new ArrayList<>();
    for (String name : names) {
      if (NAME.matcher(name).matches()) {
        read(in, name, nodeInstance, tick).ifPresent(all::add);
      } else {
        in.problem(
            SECTION
                + ": the name "
                + name
                + " is not allowed; allowed are letters, digits, _ and -, 100 at most");
      }
    }
    return List.copyOf(all);
  }

  private static Optional<ScrapeSettings> read(
      ConfigReader in, String name, String nodeInstance, Duration tick) {
    String section = SECTION + "." + name;
    Optional<URI> url = in.find(URL.in(section));
    Duration given = in.get(INTERVAL.in(section), tick);
    Duration interval = given.compareTo(tick) < 0 ? tick : given;
    Duration usual = USUAL_TIMEOUT.compareTo(interval) < 0 ? USUAL_TIMEOUT : interval;
    Duration timeout = in.get(TIMEOUT.in(section), usual);
    if (timeout.compareTo(interval) > 0) {
      in.problem(section + ".timeout: it is longer than the interval");
    }
    String instance =
        in.get(
            INSTANCE.in(section), url.map(address -> instance(address, nodeInstance)).orElse(""));
    String job = in.get(JOB.in(section), name);
    Labels target =
        Labels.of(in.get(LABELS.in(section))).with("job", job).with("instance", instance);
    boolean honorLabels = in.get(HONOR_LABELS.in(section));
    boolean honorTimestamps = in.get(HONOR_TIMESTAMPS.in(section));
    Relabelling relabelling = in.get(RELABEL.in(section));
    Optional<PageFormat> fallback = in.find(FALLBACK.in(section));
    Limits limits =
        new Limits(
            in.get(MAX_BODY.in(section)),
            in.get(MAX_SAMPLES.in(section)),
            in.get(MAX_LABELS.in(section)),
            in.get(MAX_NAME.in(section)),
            in.get(MAX_VALUE.in(section)));
    AccessSettings access = AccessSettings.read(in, section, "the exporter");
    return url.map(
        address ->
            new ScrapeSettings(
                name,
                address,
                target,
                interval,
                timeout,
                honorLabels,
                honorTimestamps,
                relabelling,
                fallback,
                limits,
                access));
  }

  private static Optional<URI> url(String text) {
    try {
      URI url = new URI(text);
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (!isHttp
          || url.getHost() == null
          || url.getRawUserInfo() != null
          || url.getRawFragment() != null
          || url.getPort() == 0
          || url.getPort() > 65_535) {
        return Optional.empty();
      }
      int port = url.getPort() > 0 ? url.getPort() : "https".equals(url.getScheme()) ? 443 : 80;
      String path = url.getRawPath().isEmpty() ? "/metrics" : url.getRawPath();
      String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
      return Optional.of(
          new URI(url.getScheme() + "://" + url.getHost() + ":" + port + path + query));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** The same on every node would tell nothing of the node. */
  private static String instance(URI url, String nodeInstance) {
    String host = url.getHost();
    boolean isHere = host.equals(LOCALHOST) || host.startsWith("127.") || host.equals("[::1]");
    if (!isHere) {
      return host + ":" + url.getPort();
    }
    String node = nodeInstance.replaceFirst("(?<=[^:]|\\]):\\d+$", "");
    boolean isIpv6 = node.indexOf(':') >= 0 && !node.startsWith("[");
    return (isIpv6 ? "[" + node + "]" : node) + ":" + url.getPort();
  }
}
