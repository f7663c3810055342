package io.fleetgauge.query.config;

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
 * Which rules are evaluated, and how.
 *
 * @param bundled {@code rules.bundled}
 * @param runbooks {@code rules.runbooks}; empty for the pages that the query API serves
 * @param files {@code rules.files}
 * @param tenants {@code rules.tenants.NAME.files} by tenant, sorted by name
 * @param evaluationInterval {@code rules.evaluationInterval}
 * @param queryOffset {@code rules.queryOffset}
 * @param resendDelay {@code rules.resendDelay}
 * @param deadline {@code rules.deadline}; empty for half the interval of the group
 * @param partial {@code rules.partial}
 * @param externalLabels {@code rules.externalLabels}
 * @param externalUrl {@code rules.externalUrl}
 * @param folder {@code rules.folder}
 * @param maxGroups {@code rules.maxGroups}
 * @param maxRules {@code rules.maxRules}
 * @param catchUp {@code rules.catchUp}
 */
public record RulesSettings(
    boolean bundled,
    Optional<URI> runbooks,
    List<String> files,
    Map<String, List<String>> tenants,
    Duration evaluationInterval,
    Duration queryOffset,
    Duration resendDelay,
    Optional<Duration> deadline,
    Partial partial,
    Map<String, String> externalLabels,
    Optional<URI> externalUrl,
    Optional<Path> folder,
    int maxGroups,
    int maxRules,
    Duration catchUp) {

  /** Actions of an evaluation whose queries cannot see all hosts. */
  public enum Partial {
    KEEP,
    EVALUATE
  }

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Pattern ADDRESS =
      Pattern.compile("https?://(\\[[0-9a-fA-F:.]+\\]|[a-zA-Z0-9._-]+)(:\\d{1,5})?(/[\\w./~-]*)?");

  private static final KeyType<URI> URL =
      KeyType.form(
          "URL",
          "a URL such as https://fleet.example/console",
          URI::toString,
          text -> Optional.of(text).filter(ADDRESS.asMatchPredicate()).map(URI::create));

  private static final Key<Boolean> BUNDLED =
      Key.of(
          "rules.bundled",
          KeyType.flag(),
          true,
          "Whether the bundled alerts and recording rules about GPUs and nodes are evaluated, which"
              + " are installed in the folder `rules/fleetgauge`.");
  private static final Key<URI> RUNBOOKS =
      Key.derived(
          "rules.runbooks",
          URL,
          "`rules.externalUrl` and `/runbooks`",
          "Address of the folder of runbooks: links of the bundled alerts are this, a slash and the"
              + " name of a page.");
  private static final Key<List<String>> FILES =
      Key.of(
          "rules.files",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Rule files in the form of Prometheus. The last part of a path may contain `*`, `?` and"
              + " `[a-z]`, such as `/etc/fleetgauge/rules/*.yaml`. Files are read again when they"
              + " change.");
  private static final Key<List<String>> TENANT_FILES =
      Key.of(
          "files",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Rule files of this tenant, as in `rules.files`. Their queries have the scope and the"
              + " limits of the tenant.");
  private static final Key<Duration> EVALUATION_INTERVAL =
      Key.of(
          "rules.evaluationInterval",
          KeyType.duration(SECOND, DAY),
          Duration.ofMinutes(1),
          "Interval between evaluations of a group that sets no `interval`.");
  private static final Key<Duration> QUERY_OFFSET =
      Key.of(
          "rules.queryOffset",
          KeyType.duration(Duration.ZERO, DAY),
          Duration.ZERO,
          "Offset of the query time before the evaluation time, for a group that sets no"
              + " `query_offset`.");
  private static final Key<Duration> RESEND_DELAY =
      Key.of(
          "rules.resendDelay",
          KeyType.duration(SECOND, DAY),
          Duration.ofMinutes(1),
          "Time after which an alert that still fires is sent to Alertmanager again.");
  private static final Key<Duration> DEADLINE =
      Key.derived(
          "rules.deadline",
          KeyType.duration(Duration.ofMillis(100), HOUR),
          "half the interval of the group",
          "Maximum time that an evaluation waits for samples of late hosts.");
  private static final Key<Partial> PARTIAL =
      Key.of(
          "rules.partial",
          KeyType.choice(Partial.class),
          Partial.KEEP,
          "Behavior of an evaluation without all hosts after the deadline, for a group that sets no"
              + " `partial`. With `keep`, alerts keep their state and recording rules write"
              + " nothing; with `evaluate`, rules are evaluated with the available samples.");
  private static final Key<Map<String, String>> EXTERNAL_LABELS =
      Key.of(
          "rules.externalLabels",
          KeyType.labels(),
          Map.of(),
          "Labels that are added to alerts when they are sent, and that templates see as"
              + " `$externalLabels`.");
  private static final Key<URI> EXTERNAL_URL =
      Key.derived(
          "rules.externalUrl",
          URL,
          "the host name and `http.port`",
          "Address at which users reach the query API. Links in alerts begin with it.");
  private static final Key<Path> FOLDER =
      Key.optional(
          "rules.folder",
          KeyType.path(),
          "Folder for rule groups that are set by API, and for the states of alerts; no other"
              + " process may use it. Without it, groups cannot be set by API, and states are in"
              + " memory only.");
  private static final Key<Integer> MAX_GROUPS =
      Key.of(
          "rules.maxGroups",
          KeyType.integer(1, 1_000_000),
          2_000,
          "Maximum number of rule groups of a tenant, for groups of files and for those set by"
              + " API each.");
  private static final Key<Integer> MAX_RULES =
      Key.of(
          "rules.maxRules",
          KeyType.integer(1, 10_000_000),
          20_000,
          "Maximum number of rules of a tenant, for rules of files and for those set by API"
              + " each.");
  private static final Key<Duration> CATCH_UP =
      Key.of(
          "rules.catchUp",
          KeyType.duration(Duration.ZERO, DAY),
          HOUR,
          "Maximum age of missed evaluations that are run after an outage of all query APIs.");

  /** No rules. */
  public static RulesSettings none() {
    return of(List.of(), Optional.empty());
  }

  /** The rules of these files only, and this folder. */
  public static RulesSettings of(List<String> files, Optional<Path> folder) {
    return of(false, files, Optional.empty(), folder);
  }

  /** The bundled rules only, and this folder. */
  public static RulesSettings bundled(URI externalUrl, Path folder) {
    return of(true, List.of(), Optional.of(externalUrl), Optional.of(folder));
  }

  private static RulesSettings of(
      boolean bundled, List<String> files, Optional<URI> externalUrl, Optional<Path> folder) {
    return new RulesSettings(
        bundled,
        Optional.empty(),
        files,
        Map.of(),
        EVALUATION_INTERVAL.fallback().orElseThrow(),
        QUERY_OFFSET.fallback().orElseThrow(),
        RESEND_DELAY.fallback().orElseThrow(),
        Optional.empty(),
        PARTIAL.fallback().orElseThrow(),
        Map.of(),
        externalUrl,
        folder,
        MAX_GROUPS.fallback().orElseThrow(),
        MAX_RULES.fallback().orElseThrow(),
        CATCH_UP.fallback().orElseThrow());
  }

  static RulesSettings read(ConfigReader in) {
    Map<String, List<String>> tenants = new TreeMap<>();
    for (String name : in.names("rules.tenants", "NAME")) {
      tenants.put(name, in.get(TENANT_FILES.in("rules.tenants." + name)));
    }
    return new RulesSettings(
        in.get(BUNDLED),
        in.find(RUNBOOKS),
        in.get(FILES),
        tenants,
        in.get(EVALUATION_INTERVAL),
        in.get(QUERY_OFFSET),
        in.get(RESEND_DELAY),
        in.find(DEADLINE),
        in.get(PARTIAL),
        in.get(EXTERNAL_LABELS),
        in.find(EXTERNAL_URL),
        in.find(FOLDER),
        in.get(MAX_GROUPS),
        in.get(MAX_RULES),
        in.get(CATCH_UP));
  }
}
