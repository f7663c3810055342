package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a probe keeps until a gateway acknowledges it.
 *
 * @param memory {@code spool.memory}: how much time of it is in memory, 1s to 7d
 * @param maxBytes {@code spool.maxMemory}: the same in bytes, 64KiB to 8GiB
 * @param folder {@code spool.folder}, where it lies on the disk as well; empty with {@code
 *     spool.enabled: false}, and then it is lost with the process
 * @param retention {@code spool.retention}: how long it is kept, 1m to 30d; then the oldest is
 *     dropped and counted
 * @param maxDiskBytes {@code spool.maxDisk}: most bytes of it on the disk, 1MiB to 1TiB; above it
 *     the oldest are dropped and counted
 */
public record SpoolSettings(
    Duration memory, long maxBytes, Optional<Path> folder, Duration retention, long maxDiskBytes) {

  /** Every default, but nothing on the disk. */
  public static SpoolSettings inMemory() {
    return new SpoolSettings(
        Duration.ofMinutes(15), 64L << 20, Optional.empty(), Duration.ofHours(6), 1L << 30);
  }

  static SpoolSettings read(ConfigReader in) {
    boolean enabled = in.flag("spool.enabled", true);
    Path folder = Path.of(in.text("spool.folder", "fleetgauge-spool"));
    return new SpoolSettings(
        in.duration(
            "spool.memory", Duration.ofMinutes(15), Duration.ofSeconds(1), Duration.ofDays(7)),
        in.bytes("spool.maxMemory", 64L << 20, 64 << 10, 8L << 30),
        enabled ? Optional.of(folder) : Optional.empty(),
        in.duration(
            "spool.retention", Duration.ofHours(6), Duration.ofMinutes(1), Duration.ofDays(30)),
        in.bytes("spool.maxDisk", 1L << 30, 1 << 20, 1L << 40));
  }
}
