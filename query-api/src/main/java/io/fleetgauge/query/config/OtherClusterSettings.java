package io.fleetgauge.query.config;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Another cluster that is queried.
 *
 * @param name of the section below {@code clusters}: the value of the label {@code cluster}
 * @param urls {@code urls}, with a port and without a slash at the end; none for the query API's
 *     own cluster
 * @param label {@code label}
 * @param timeout {@code timeout}
 * @param maxBytes {@code maxBytes}
 * @param access credentials that are shown for callers that see everything
 * @param tenants {@code tenants}, by their names here
 */
public record OtherClusterSettings(
    String name,
    List<URI> urls,
    Label label,
    Duration timeout,
    int maxBytes,
    AccessSettings access,
    Map<String, Tenant> tenants) {
  /** Where the label {@code cluster} of series comes from. */
  public enum Label {
    /** Series that are stored without it get it when they are read. */
    ADDED,
    /** Series have it as they are stored. */
    EXPECTED
  }

  /**
   * A tenant as the cluster knows it; one of both.
   *
   * @param token {@code tokenFile}
   * @param name {@code tenant}
   */
  public record Tenant(Optional<Path> token, Optional<String> name) {}

  static final String SECTION = "clusters";
  private static final int MOST = 32;
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,100}");

  private static final Key<List<URI>> URLS =
      Key.of(
          "urls",
          KeyType.listOf(
              KeyType.form(
                  "URL",
                  "a URL such as https://fleetgauge.example:9090",
                  URI::toString,
                  AlertmanagerSettings::url),
              0),
          List.of(),
          "Addresses of query APIs of the cluster. The first that can be reached is asked. Without"
              + " any, the section is about the own cluster of this query API, and is called by its"
              + " `cluster.name`.");
  private static final Key<Label> LABEL =
      Key.of(
          "label",
          KeyType.choice(Label.class),
          Label.ADDED,
          "Source of the label `cluster`, whose value is the name of the section: `added` gives it"
              + " to all series of the cluster that are not stored with a label of this name;"
              + " `expected` reads only series that are stored with it.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          "timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
          Duration.ofSeconds(10),
          "Longest time to wait for an answer to a light query. The time is three times that within"
              + " which 99 of 100 answers came, at least 2 s, and at most this.");
  private static final Key<Integer> MAX_BYTES =
      Key.of(
          "maxBytes",
          KeyType.size(1 << 20, 1 << 30),
          256 << 20,
          "Maximum size of an answer of the cluster; a larger one is not used.");
  private static final Key<Path> TENANT_TOKEN =
      Key.optional(
          "tokenFile",
          KeyType.file(),
          "File with a token of the cluster for queries of this tenant.");
  private static final Key<String> TENANT_NAME =
      Key.optional(
          "tenant",
          KeyType.text(),
          "Name of this tenant in the cluster, which is sent as `X-Scope-OrgID` in place of a"
              + " token: the cluster has to trust this query API as a proxy.");

  public OtherClusterSettings {
    urls = List.copyOf(urls);
    tenants = Map.copyOf(tenants);
  }

  /** One address and every default. */
  public static OtherClusterSettings at(String name, URI url) {
    return new OtherClusterSettings(
        name,
        List.of(url),
        Label.ADDED,
        TIMEOUT.fallback().orElseThrow(),
        MAX_BYTES.fallback().orElseThrow(),
        AccessSettings.NONE,
        Map.of());
  }

  /** The same, with tenants. */
  public OtherClusterSettings with(Map<String, Tenant> otherTenants) {
    return new OtherClusterSettings(name, urls, label, timeout, maxBytes, access, otherTenants);
  }

  /** The same, with other credentials. */
  public OtherClusterSettings with(AccessSettings otherAccess) {
    return new OtherClusterSettings(name, urls, label, timeout, maxBytes, otherAccess, tenants);
  }

  /** The same, with another source of the label. */
  public OtherClusterSettings with(Label otherLabel) {
    return new OtherClusterSettings(name, urls, otherLabel, timeout, maxBytes, access, tenants);
  }

  /** The name of its section. */
  public String section() {
    return SECTION + "." + name;
  }

  static Optional<OtherClusterSettings> read(ConfigReader in, String name) {
    if (!NAME.matcher(name).matches()) {
      in.problem(
          SECTION
              + ": the name "
              + name
              + " is not allowed; allowed are letters, digits, _ and -, 100 at most");
      return Optional.empty();
    }
    String section = SECTION + "." + name;
    return Optional.of(
        new OtherClusterSettings(
            name,
            in.get(URLS.in(section)),
            in.get(LABEL.in(section)),
            in.get(TIMEOUT.in(section)),
            in.get(MAX_BYTES.in(section)),
            AccessSettings.read(in, section, "the query API"),
            tenants(in, section + ".tenants")));
  }

  private static Map<String, Tenant> tenants(ConfigReader in, String section) {
    Map<String, Tenant> all = new TreeMap<>();
    for (String name : in.names(section, "TENANT")) {
      String below = section + "." + name;
      Tenant tenant = new Tenant(in.find(TENANT_TOKEN.in(below)), in.find(TENANT_NAME.in(below)));
      if (tenant.token.isPresent() && tenant.name.isPresent()) {
        in.problem(below + ": only one of tokenFile and tenant is allowed");
      }
      all.put(name, tenant);
    }
    return all;
  }

  static List<String> names(ConfigReader in) {
    List<String> names = in.names(SECTION, "NAME");
    if (names.size() > MOST) {
      in.problem(SECTION + ": more than " + MOST + " sections are not allowed");
    }
    return names;
  }
}
