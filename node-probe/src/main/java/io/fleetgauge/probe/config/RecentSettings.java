package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.time.Duration;

/**
 * Settings of what a probe keeps of the last minutes at a high rate, and of the windows of faults.
 *
 * @param enabled {@code recent.enabled}
 * @param step {@code recent.step}
 * @param length {@code recent.length}
 * @param after {@code recent.faults.after}
 * @param kept {@code recent.faults.kept}
 * @param perHour {@code recent.faults.perHour}
 * @param upload {@code recent.faults.upload}
 */
public record RecentSettings(
    boolean enabled,
    Duration step,
    Duration length,
    Duration after,
    int kept,
    int perHour,
    boolean upload) {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static final Key<Boolean> ENABLED =
      Key.of(
          "recent.enabled",
          KeyType.flag(),
          true,
          "Whether the last minutes are recorded at a high rate in memory, for `GET"
              + " /v1/recent`.");
  private static final Key<Duration> STEP =
      Key.of(
          "recent.step",
          KeyType.duration(SECOND, Duration.ofMinutes(1)),
          SECOND,
          "Interval between these readings.");
  private static final Key<Duration> LENGTH =
      Key.of(
          "recent.length",
          KeyType.duration(Duration.ofMinutes(1), Duration.ofHours(1)),
          Duration.ofMinutes(10),
          "How long these readings are kept.");
  private static final Key<Duration> AFTER =
      Key.of(
          "recent.faults.after",
          KeyType.duration(SECOND, Duration.ofMinutes(5)),
          Duration.ofSeconds(30),
          "How long the recording of a fault continues after the fault; at most"
              + " `recent.length`.");
  private static final Key<Integer> KEPT =
      Key.of(
          "recent.faults.kept",
          KeyType.integer(1, 64),
          8,
          "Maximum number of recordings of faults, in memory and in the folder of the spool;"
              + " the oldest is removed first.");
  private static final Key<Integer> PER_HOUR =
      Key.of(
          "recent.faults.perHour",
          KeyType.integer(0, 60),
          6,
          "Maximum number of recordings that begin within an hour; further faults are counted"
              + " and not recorded.");
  private static final Key<Boolean> UPLOAD =
      Key.of(
          "recent.faults.upload",
          KeyType.flag(),
          true,
          "Whether the recording of a fault is sent to the gateway, as series `gpu_recent_*`"
              + " and `node_recent_*`.");

  static RecentSettings read(ConfigReader in) {
    return new RecentSettings(
        in.get(ENABLED),
        in.get(STEP),
        in.get(LENGTH),
        in.get(AFTER),
        in.get(KEPT),
        in.get(PER_HOUR),
        in.get(UPLOAD));
  }
}
