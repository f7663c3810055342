package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings of how a probe registers itself in Consul.
 *
 * @param api the agent of the node
 * @param service {@code registration.consul.service}
 * @param id {@code registration.consul.id}
 * @param address {@code registration.consul.address}
 * @param tags {@code registration.consul.tags}
 * @param meta {@code registration.consul.meta}
 * @param check {@code registration.consul.check}
 * @param interval {@code registration.consul.interval}
 * @param deregisterAfter {@code registration.consul.deregisterAfter}
 */
public record RegistrationSettings(
    ConsulApi api,
    String service,
    String id,
    String address,
    List<String> tags,
    Map<String, String> meta,
    Check check,
    Duration interval,
    Duration deregisterAfter) {
  private static final String SECTION = "registration.consul.";

  /** The way in which Consul learns that the probe is well. */
  public enum Check {
    /** The agent asks the probe. */
    HTTP,
    /** The probe tells the agent. */
    TTL
  }

  private static final Key<Boolean> ENABLED =
      Key.of(
          SECTION + "enabled",
          KeyType.flag(),
          false,
          "Whether the probe registers itself in Consul, and deregisters itself when it stops.");
  private static final Key<String> SERVICE =
      Key.of(
          SECTION + "service",
          KeyType.text(),
          "fleetgauge-probe",
          "Name of the service in Consul.");
  private static final Key<String> ID =
      Key.derived(
          SECTION + "id",
          KeyType.text(),
          "`registration.consul.service`, a dash, and `hostname`",
          "Id of this instance of the service; unique on the agent.");
  private static final Key<String> ADDRESS =
      Key.derived(
          SECTION + "address",
          KeyType.text(),
          "`instance`",
          "Address at which others reach the probe.");
  private static final Key<List<String>> TAGS =
      Key.of(
          SECTION + "tags",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Tags of the service in Consul.");
  private static final Key<Map<String, String>> META =
      Key.of(
          SECTION + "meta",
          KeyType.labels(),
          Map.of(),
          "Metadata of the service in Consul, besides `hostname` and the host's `labels`.");
  private static final Key<Check> CHECK =
      Key.of(
          SECTION + "check",
          KeyType.choice(Check.class),
          Check.HTTP,
          "Health check: with `http`, the agent of Consul sends requests to the probe; with"
              + " `ttl`, the probe reports to its agent.");
  private static final Key<Duration> INTERVAL =
      Key.of(
          SECTION + "interval",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(10),
          "Interval between checks. With `ttl`, the probe is critical after three intervals"
              + " without a report.");
  private static final Key<Duration> DEREGISTER_AFTER =
      Key.of(
          SECTION + "deregisterAfter",
          KeyType.duration(Duration.ofMinutes(1), Duration.ofDays(30)),
          Duration.ofHours(1),
          "Time after which Consul removes a probe whose check keeps failing.");

  /**
   * Empty when the probe does not register itself.
   *
   * @param labels of the host, which become metadata
   */
  public static Optional<RegistrationSettings> read(
      ConfigReader in, String hostname, String instance, Map<String, String> labels) {
    boolean isEnabled = in.get(ENABLED);
    String service = in.get(SERVICE);
    RegistrationSettings settings =
        new RegistrationSettings(
            ConsulApi.read(in, SECTION),
            service,
            in.get(ID, service + "-" + hostname),
            in.get(ADDRESS, instance),
            in.get(TAGS),
            meta(hostname, labels, in.get(META)),
            in.get(CHECK),
            in.get(INTERVAL),
            in.get(DEREGISTER_AFTER));
    if (!isEnabled) {
      List<Key<?>> unused =
          new ArrayList<>(
              List.of(SERVICE, ID, ADDRESS, TAGS, META, CHECK, INTERVAL, DEREGISTER_AFTER));
      unused.addAll(ConsulApi.keys(SECTION));
      unused.stream()
          .filter(in::has)
          .forEach(
              key ->
                  in.problem(
                      key.name() + ": the key has no effect without " + ENABLED.name() + ": true"));
      return Optional.empty();
    }
    return Optional.of(settings);
  }

  private static Map<String, String> meta(
      String hostname, Map<String, String> labels, Map<String, String> more) {
    Map<String, String> meta = new TreeMap<>(labels);
    meta.put("hostname", hostname);
    meta.putAll(more);
    return meta;
  }
}
