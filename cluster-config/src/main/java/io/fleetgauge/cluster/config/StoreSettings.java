package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a gateway keeps, where, and how much of it.
 *
 * @param folder {@code store.folder}: where blocks and journal lie; of this gateway alone
 * @param retention {@code store.retention}: how long samples are kept, 1m to 400d
 * @param maxDiskBytes {@code store.maxDisk}: most bytes of blocks, 1MiB to 100 TiB; above it the
 *     oldest go
 * @param memory {@code store.memory}: how long samples stay in memory before a block takes them, 2s
 *     to the retention
 * @param outOfOrder {@code store.outOfOrder}: how far behind a host's newest sample others may
 *     come, up to half of {@code store.memory}
 * @param maxSeriesPerHost {@code store.maxSeriesPerHost}: most series of one host, 1 to 10^7
 * @param maxSeriesPerTenant {@code store.maxSeriesPerTenant}: most series with one value of the
 *     label {@code tenant}, 1 to 10^8
 * @param maxSeries {@code store.maxSeries}: most series of this gateway, 1 to 10^8
 * @param gpuLabel {@code store.gpuLabel}: series with this label are a GPU's
 * @param ownerLabels {@code store.ownerLabels}: the labels of a GPU's series that say who owns it
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

  /** Every default, in another folder and with another retention. */
  public static StoreSettings defaults(Path folder, Duration retention) {
    Duration memory = least(Duration.ofHours(2), retention);
    return new StoreSettings(
        folder,
        retention,
        100L << 30,
        memory,
        memory.dividedBy(2),
        100_000,
        1_000_000,
        2_000_000,
        "UUID",
        List.of("job", "tenant", "pod", "namespace", "container"));
  }

  static StoreSettings read(ConfigReader in) {
    Path folder = Path.of(in.text("store.folder", "fleetgauge-data"));
    Duration retention =
        in.duration(
            "store.retention", Duration.ofDays(7), Duration.ofMinutes(1), Duration.ofDays(400));
    StoreSettings defaults = defaults(folder, retention);
    Duration memory = in.duration("store.memory", defaults.memory, LEAST_MEMORY, retention);
    Duration half = memory.dividedBy(2);
    return new StoreSettings(
        folder,
        retention,
        in.bytes("store.maxDisk", defaults.maxDiskBytes, 1 << 20, 100L << 40),
        memory,
        in.duration("store.outOfOrder", least(Duration.ofHours(1), half), Duration.ZERO, half),
        (int) in.number("store.maxSeriesPerHost", defaults.maxSeriesPerHost, 1, 10_000_000),
        (int) in.number("store.maxSeriesPerTenant", defaults.maxSeriesPerTenant, 1, 100_000_000),
        (int) in.number("store.maxSeries", defaults.maxSeries, 1, 100_000_000),
        in.text("store.gpuLabel", defaults.gpuLabel),
        in.texts("store.ownerLabels", defaults.ownerLabels));
  }

  private static Duration least(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
