package io.fleetgauge.query.config;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Alertmanagers that get alerts: the members of one cluster of Alertmanager, or several that are
 * reached in the same way. Each gets every alert.
 *
 * @param name of the section below {@code rules.alertmanagers}
 * @param urls {@code urls}, with a port and without a slash at the end
 * @param discovery {@code discovery}
 * @param pathPrefix {@code pathPrefix}: empty, or with a slash at the beginning and none at the end
 * @param timeout {@code timeout}
 * @param tenants {@code tenants}; empty for all rules
 * @param relabelling {@code relabel}
 * @param access credentials that are shown to the Alertmanagers
 */
public record AlertmanagerSettings(
    String name,
    List<URI> urls,
    Optional<DiscoverySettings> discovery,
    String pathPrefix,
    Duration timeout,
    List<String> tenants,
    Relabelling relabelling,
    AccessSettings access) {
  private static final String SECTION = "rules.alertmanagers";
  private static final int PORT = 9093;
  private static final int MOST = 20;
  private static final Pattern PREFIX = Pattern.compile("(/[\\w.~-]+)*/?");

  private static final Key<List<URI>> URLS =
      Key.of(
          "urls",
          KeyType.listOf(
              KeyType.form(
                  "URL",
                  "a URL such as http://alertmanager:9093, or https://example.org/alertmanager",
                  URI::toString,
                  AlertmanagerSettings::url),
              0),
          List.of(),
          "Addresses of Alertmanagers, each with the path below which it serves, if any. List every"
              + " member of a cluster of Alertmanager, and no load balancer.");
  private static final Key<String> PATH_PREFIX =
      Key.of(
          "pathPrefix",
          KeyType.form(
              "path",
              "a path such as /alertmanager",
              text -> text.isEmpty() ? "/" : text,
              text ->
                  Optional.of(text)
                      .filter(PREFIX.asMatchPredicate())
                      .map(AlertmanagerSettings::withoutSlash)),
          "",
          "Path below which discovered Alertmanagers serve.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          "timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
          Duration.ofSeconds(10),
          "Timeout of a request to an Alertmanager.");
  private static final Key<List<String>> TENANTS =
      Key.of(
          "tenants",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Tenants whose alerts are sent to these Alertmanagers; without any, the alerts of all"
              + " rules.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of alerts, or drop alerts, before they are sent to these"
              + " Alertmanagers; after `rules.notifications.relabel`.");

  public AlertmanagerSettings {
    urls = List.copyOf(urls);
    tenants = List.copyOf(tenants);
  }

  /**
   * One address and every default.
   *
   * @param url as {@link #url} gives it
   */
  public static AlertmanagerSettings at(String name, URI url) {
    return new AlertmanagerSettings(
        name,
        List.of(url),
        Optional.empty(),
        "",
        TIMEOUT.fallback().orElseThrow(),
        List.of(),
        Relabelling.NONE,
        AccessSettings.NONE);
  }

  static List<AlertmanagerSettings> read(ConfigReader in) {
    List<AlertmanagerSettings> all = new ArrayList<>();
    for (String name : in.plainNames(SECTION, MOST)) {
      all.add(read(in, name));
    }
    return List.copyOf(all);
  }

  private static AlertmanagerSettings read(ConfigReader in, String name) {
    String section = SECTION + "." + name;
    AlertmanagerSettings settings =
        new AlertmanagerSettings(
            name,
            in.get(URLS.in(section)),
            DiscoverySettings.readForOthers(in, section + ".discovery", PORT),
            in.get(PATH_PREFIX.in(section)),
            in.get(TIMEOUT.in(section)),
            in.get(TENANTS.in(section)),
            in.get(RELABEL.in(section)),
            AccessSettings.read(in, section, "the Alertmanager"));
    Key<?> method = Key.optional("discovery.method", KeyType.text(), "").in(section);
    if (settings.urls.isEmpty() && !in.has(URLS.in(section)) && !in.has(method)) {
      in.problem(section + ": urls or discovery.method is needed");
    }
    return settings;
  }

  private static String withoutSlash(String path) {
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  /**
   * Reads an address.
   *
   * @return with a port and without a slash at the end; empty if it is none
   */
  public static Optional<URI> url(String text) {
    try {
      URI url = new URI(text);
      boolean isHttps = "https".equals(url.getScheme());
      if (!isHttps && !"http".equals(url.getScheme())
          || url.getHost() == null
          || url.getRawUserInfo() != null
          || url.getRawQuery() != null
          || url.getRawFragment() != null
          || url.getPort() == 0
          || url.getPort() > 65_535
          || !PREFIX.matcher(url.getRawPath()).matches()) {
        return Optional.empty();
      }
      int port = url.getPort() > 0 ? url.getPort() : isHttps ? 443 : 80;
      return Optional.of(
          new URI(
              url.getScheme()
                  + "://"
                  + url.getHost()
                  + ":"
                  + port
                  + withoutSlash(url.getRawPath())));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }
}
