package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Settings of {@code /metrics} of a probe, as it shows GPUs. What is sent to gateways does not
 * depend on it.
 *
 * @param vocabulary {@code metrics.vocabulary}
 * @param hostname {@code metrics.hostname}
 */
public record PageSettings(String vocabulary, boolean hostname) {
  /** Names and units as they are stored. */
  public static final String STORED = "dcgm-exporter-4.8";

  /** Names and units since dcgm-exporter 4.9. */
  public static final String NEWER = "dcgm-exporter-4.9";

  private static final TreeSet<String> KNOWN = new TreeSet<>(Set.of(STORED, NEWER));

  private static final Key<String> VOCABULARY =
      Key.of(
          "metrics.vocabulary",
          KeyType.form(
              "word",
              "one of " + String.join(", ", KNOWN),
              text -> text,
              text -> Optional.of(text).filter(KNOWN::contains)),
          STORED,
          "Version of dcgm-exporter whose names, units and labels `/metrics` of the probe has"
              + " for GPUs. It does not change what is sent to gateways.");
  private static final Key<Boolean> HOSTNAME =
      Key.of(
          "metrics.hostname",
          KeyType.flag(),
          true,
          "Whether `/metrics` of the probe shows the label `Hostname`.");

  public static PageSettings read(ConfigReader in) {
    return new PageSettings(in.get(VOCABULARY), in.get(HOSTNAME));
  }
}
