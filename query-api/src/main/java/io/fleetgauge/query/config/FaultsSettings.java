package io.fleetgauge.query.config;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.faults.engine.ShadowRule;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether faults are looked for, and how.
 *
 * @param enabled {@code faults.enabled}
 * @param interval {@code faults.interval}
 * @param thresholds {@code faults.thresholds}; empty for those that are shipped
 * @param contacts {@code faults.contacts}
 * @param shadows {@code faults.shadow}
 * @param receivers {@code faults.receivers}
 */
public record FaultsSettings(
    boolean enabled,
    Duration interval,
    Optional<Path> thresholds,
    Optional<Path> contacts,
    List<ShadowRule> shadows,
    List<FaultReceiverSettings> receivers) {
  private static final String ALL = "*";

  private static final Key<Boolean> ENABLED =
      Key.of(
          "faults.enabled",
          KeyType.flag(),
          true,
          "Whether faults of GPUs, hosts and jobs are looked for. One query API does it for the"
              + " cluster.");
  private static final Key<Duration> INTERVAL =
      Key.of(
          "faults.interval",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(5)),
          Duration.ofSeconds(15),
          "Interval between two looks at the samples of all hosts; as long as the interval of the"
              + " probes.");
  private static final Key<Path> THRESHOLDS =
      Key.optional(
          "faults.thresholds",
          KeyType.file(),
          "File that replaces thresholds, in the form of the shipped file that `docs/faults.md`"
              + " describes. It is read again when it changes; an entry that cannot be used is left"
              + " out, and told.");
  private static final Key<Path> CONTACTS =
      Key.optional(
          "faults.contacts",
          KeyType.file(),
          "File with mail addresses of users, accounts and tenants, in the form that"
              + " `docs/faults.md` describes. It is read again when it changes.");
  private static final Key<List<ShadowRule>> SHADOW =
      Key.of(
          "faults.shadow",
          KeyType.listOf(
              KeyType.form(
                  "faults",
                  "a kind of fault or `*`, optionally with matchers, such as straggler or"
                      + " *{rack=\"r7\"}",
                  FaultsSettings::text,
                  FaultsSettings::shadow),
              0),
          List.of(),
          "Faults that are recorded and not alerted, by kind and by labels of the GPU or host.");

  public FaultsSettings {
    shadows = List.copyOf(shadows);
    receivers = List.copyOf(receivers);
  }

  /** No faults are looked for. */
  public static FaultsSettings none() {
    return new FaultsSettings(
        false,
        INTERVAL.fallback().orElseThrow(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of());
  }

  /** Faults are looked for at this interval, and told to receivers. */
  public static FaultsSettings every(Duration interval, List<FaultReceiverSettings> receivers) {
    return new FaultsSettings(
        true, interval, Optional.empty(), Optional.empty(), List.of(), receivers);
  }

  static FaultsSettings read(ConfigReader in) {
    return new FaultsSettings(
        in.get(ENABLED),
        in.get(INTERVAL),
        in.find(THRESHOLDS),
        in.find(CONTACTS),
        in.get(SHADOW),
        FaultReceiverSettings.read(in));
  }

  private static String text(ShadowRule rule) {
    String kind = rule.kind().map(FaultKind::text).orElse(ALL);
    return rule.pool().isEmpty()
        ? kind
        : kind
            + rule.pool().stream()
                .map(Matcher::toString)
                .collect(Collectors.joining(",", "{", "}"));
  }

  private static Optional<ShadowRule> shadow(String text) {
    int brace = text.indexOf('{');
    String name = brace < 0 ? text : text.substring(0, brace);
    Optional<FaultKind> kind = FaultKind.find(name);
    if (kind.isEmpty() && !name.equals(ALL)) {
      return Optional.empty();
    }
    if (brace < 0) {
      return Optional.of(new ShadowRule(kind, List.of()));
    }
    try {
      List<Matcher> pool =
          Parser.parseSelector("x" + text.substring(brace)).stream()
              .filter(each -> !each.name().equals(Labels.NAME))
              .toList();
      return Optional.of(new ShadowRule(kind, pool));
    } catch (ParseException e) {
      return Optional.empty();
    }
  }
}
