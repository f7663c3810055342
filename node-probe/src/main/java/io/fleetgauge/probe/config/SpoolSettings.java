package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of what a probe keeps until a gateway acknowledges it.
 *
 * @param memory {@code spool.memory}
 * @param maxBytes {@code spool.maxMemory}
 * @param folder {@code spool.folder}; empty when {@code spool.enabled} is false
 * @param retention {@code spool.retention}
 * @param maxDiskBytes {@code spool.maxDisk}
 */
public record SpoolSettings(
    Duration memory, long maxBytes, Optional<Path> folder, Duration retention, long maxDiskBytes) {
  private static final Key<Boolean> ENABLED =
      Key.of(
          "spool.enabled",
          KeyType.flag(),
          true,
          "Whether ticks that no gateway has acknowledged are also written to disk; without it they"
              + " are lost when the probe stops.");
  private static final Key<Path> FOLDER =
      Key.of(
          "spool.folder",
          KeyType.path(),
          Path.of("fleetgauge-spool"),
          "Folder of the spool on disk.");
  private static final Key<Duration> MEMORY =
      Key.of(
          "spool.memory",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofDays(7)),
          Duration.ofMinutes(15),
          "Maximum time for which unacknowledged ticks are kept in memory.");
  private static final Key<Long> MAX_MEMORY =
      Key.of(
          "spool.maxMemory",
          KeyType.size(64L << 10, 8L << 30),
          12L << 20,
          "Maximum memory for unacknowledged ticks; older ones are on disk only. It is part of"
              + " the heap, of which a probe has 64 MiB, and never more than a quarter of it.");
  private static final Key<Duration> RETENTION =
      Key.of(
          "spool.retention",
          KeyType.duration(Duration.ofMinutes(1), Duration.ofDays(30)),
          Duration.ofHours(6),
          "Age at which an unacknowledged tick is dropped and counted.");
  private static final Key<Long> MAX_DISK =
      Key.of(
          "spool.maxDisk",
          KeyType.size(1L << 20, 1L << 40),
          1L << 30,
          "Maximum size of the spool on disk; above it the oldest ticks are dropped and"
              + " counted.");

  static SpoolSettings read(ConfigReader in) {
    boolean enabled = in.get(ENABLED);
    Path folder = in.get(FOLDER);
    return new SpoolSettings(
        in.get(MEMORY),
        in.get(MAX_MEMORY),
        enabled ? Optional.of(folder) : Optional.empty(),
        in.get(RETENTION),
        in.get(MAX_DISK));
  }
}
