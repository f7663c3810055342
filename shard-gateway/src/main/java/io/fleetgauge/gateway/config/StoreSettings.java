package io.fleetgauge.gateway.config;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The samples that a gateway keeps: where, for how long, and how many.
 *
 * @param folder {@code store.folder}
 * @param retention {@code store.retention}
 * @param maxDiskBytes {@code store.maxDisk}
 * @param memory {@code store.memory}
 * @param outOfOrder {@code store.outOfOrder}
 * @param maxSeriesPerHost {@code store.maxSeriesPerHost}
 * @param maxSeriesPerTenant {@code store.maxSeriesPerTenant}
 * @param maxSeries {@code store.maxSeries}
 * @param gpuLabel {@code store.gpuLabel}
 * @param ownerLabels {@code store.ownerLabels}
 */
public record StoreSettings(
    Path folder,
    Duration retention,
    long maxDiskBytes,
    Duration memory,
    Duration outOfOrder,
    int maxSeriesPerHost,
    int maxSeriesPerTenant,
    int maxSeries,
    String gpuLabel,
    List<String> ownerLabels) {
  private static final Duration LEAST_MEMORY = Duration.ofSeconds(2);
  private static final Duration LONGEST_RETENTION = Duration.ofDays(400);

  private static final Key<Path> FOLDER =
      Key.of(
          "store.folder",
          KeyType.path(),
          Path.of("fleetgauge-data"),
          "Folder of blocks and journal; no other gateway may use it.");
  private static final Key<Duration> RETENTION =
      Key.of(
          "store.retention",
          KeyType.duration(Duration.ofMinutes(1), LONGEST_RETENTION),
          Duration.ofDays(7),
          "Age at which samples are deleted.");
  private static final Key<Long> MAX_DISK =
      Key.of(
          "store.maxDisk",
          KeyType.size(1L << 20, 100L << 40),
          100L << 30,
          "Maximum size of blocks; above it the oldest blocks are deleted.");
  private static final Key<Duration> MEMORY =
      Key.derived(
          "store.memory",
          KeyType.duration(LEAST_MEMORY, LONGEST_RETENTION),
          "`2h`, or `store.retention` if that is less",
          "Time that samples stay in memory before they are written to a block; at most"
              + " `store.retention`.");
  private static final Key<Duration> OUT_OF_ORDER =
      Key.derived(
          "store.outOfOrder",
          KeyType.duration(Duration.ZERO, LONGEST_RETENTION.dividedBy(2)),
          "`1h`, or half of `store.memory` if that is less",
          "Maximum age of an accepted sample, measured from the newest sample of its host; at"
              + " most half of `store.memory`.");
  private static final Key<Integer> MAX_SERIES_PER_HOST =
      Key.of(
          "store.maxSeriesPerHost",
          KeyType.integer(1, 10_000_000),
          100_000,
          "Maximum number of series of one host; samples of further series are rejected and"
              + " counted.");
  private static final Key<Integer> MAX_SERIES_PER_TENANT =
      Key.of(
          "store.maxSeriesPerTenant",
          KeyType.integer(1, 100_000_000),
          1_000_000,
          "Maximum number of series with one value of the label `tenant`.");
  private static final Key<Integer> MAX_SERIES =
      Key.of(
          "store.maxSeries",
          KeyType.integer(1, 100_000_000),
          2_000_000,
          "Maximum number of series of this gateway.");
  private static final Key<String> GPU_LABEL =
      Key.of(
          "store.gpuLabel",
          KeyType.text(),
          Dimensions.UUID,
          "Label that identifies a GPU; series that have it belong to a GPU.");
  private static final Key<List<String>> OWNER_LABELS =
      Key.of(
          "store.ownerLabels",
          KeyType.listOf(KeyType.text(), 1),
          OwnerLabels.KNOWN,
          "Labels of a GPU's series that name its owner; they may change over time without making"
              + " new series.");

  /** Every default, in another folder and with another retention. */
  public static StoreSettings defaults(Path folder, Duration retention) {
    Duration memory = least(Duration.ofHours(2), retention);
    return new StoreSettings(
        folder,
        retention,
        MAX_DISK.fallback().orElseThrow(),
        memory,
        memory.dividedBy(2),
        MAX_SERIES_PER_HOST.fallback().orElseThrow(),
        MAX_SERIES_PER_TENANT.fallback().orElseThrow(),
        MAX_SERIES.fallback().orElseThrow(),
        GPU_LABEL.fallback().orElseThrow(),
        OWNER_LABELS.fallback().orElseThrow());
  }

  static StoreSettings read(ConfigReader in) {
    Path folder = in.get(FOLDER);
    Duration retention = in.get(RETENTION);
    long maxDisk = in.get(MAX_DISK);
    Duration memory =
        in.get(
            MEMORY,
            KeyType.duration(LEAST_MEMORY, retention),
            least(Duration.ofHours(2), retention));
    Duration half = memory.dividedBy(2);
    Duration outOfOrder =
        in.get(
            OUT_OF_ORDER, KeyType.duration(Duration.ZERO, half), least(Duration.ofHours(1), half));
    return new StoreSettings(
        folder,
        retention,
        maxDisk,
        memory,
        outOfOrder,
        in.get(MAX_SERIES_PER_HOST),
        in.get(MAX_SERIES_PER_TENANT),
        in.get(MAX_SERIES),
        in.get(GPU_LABEL),
        in.get(OWNER_LABELS));
  }

  private static Duration least(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
