package io.fleetgauge.query.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Hosts and GPUs that should be there.
 *
 * @param file {@code inventory.file}
 * @param keep {@code inventory.keep}
 */
public record InventorySettings(Optional<Path> file, Duration keep) {
  private static final Key<Path> FILE =
      Key.optional(
          "inventory.file",
          KeyType.file(),
          "File with the hosts that there should be, in the form that `docs/operating.md`"
              + " describes. Read again when it has changed.");
  private static final Key<Duration> KEEP =
      Key.of(
          "inventory.keep",
          KeyType.duration(Duration.ofMinutes(1), Duration.ofDays(366)),
          Duration.ofDays(7),
          "Time for which a host that has stopped sending stays in the inventory, unless the file"
              + " has it.");

  /** Without a file. */
  static InventorySettings none() {
    return new InventorySettings(Optional.empty(), KEEP.fallback().orElseThrow());
  }

  static InventorySettings read(ConfigReader in) {
    return new InventorySettings(in.find(FILE), in.get(KEEP));
  }
}
