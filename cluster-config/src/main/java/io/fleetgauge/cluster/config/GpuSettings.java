package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import io.fleetgauge.cluster.config.key.Key;
import io.fleetgauge.cluster.config.key.KeyType;
import java.nio.file.Path;
import java.util.List;

/**
 * How a probe reads GPUs.
 *
 * @param enabled {@code gpu.enabled}
 * @param library {@code gpu.library}
 * @param driverRoots {@code gpu.driverRoots}
 * @param links {@code gpu.links}
 * @param expected {@code gpu.expected}; 0 for as many as were seen
 * @param kernelLog {@code gpu.kernelLog}
 */
public record GpuSettings(
    boolean enabled,
    String library,
    List<Path> driverRoots,
    boolean links,
    int expected,
    Path kernelLog) {
  private static final int MOST_GPUS = 256;

  private static final Key<Boolean> ENABLED =
      Key.of("gpu.enabled", KeyType.flag(), true, "Whether GPUs are read.");
  private static final Key<String> LIBRARY =
      Key.of(
          "gpu.library", KeyType.text(), "libnvidia-ml.so.1", "Name or path of the NVML library.");
  private static final Key<List<Path>> DRIVER_ROOTS =
      Key.of(
          "gpu.driverRoots",
          KeyType.listOf(KeyType.path(), 0),
          List.of(
              Path.of("/run/nvidia/driver"),
              Path.of("/host"),
              Path.of("/home/kubernetes/bin/nvidia")),
          "Folders that may hold an installed driver; they are searched when the loader does not"
              + " find the library by its name.");
  private static final Key<Boolean> LINKS =
      Key.of(
          "gpu.links",
          KeyType.flag(),
          false,
          "Whether each NVLink has its own series, up to 170 for each GPU.");
  private static final Key<Integer> EXPECTED =
      Key.of(
          "gpu.expected",
          KeyType.integer(0, MOST_GPUS),
          0,
          "How many GPUs the node should have, as the series `gpu_expected`; 0 for the most that"
              + " the driver has counted.");
  private static final Key<Path> KERNEL_LOG =
      Key.of(
          "gpu.kernelLog",
          KeyType.path(),
          Path.of("/dev/kmsg"),
          "Device from which the kernel's messages about GPUs are read.");

  /** Every default. */
  public static GpuSettings defaults() {
    return new GpuSettings(
        ENABLED.fallback().orElseThrow(),
        LIBRARY.fallback().orElseThrow(),
        DRIVER_ROOTS.fallback().orElseThrow(),
        LINKS.fallback().orElseThrow(),
        EXPECTED.fallback().orElseThrow(),
        KERNEL_LOG.fallback().orElseThrow());
  }

  static GpuSettings read(ConfigReader in) {
    return new GpuSettings(
        in.get(ENABLED),
        in.get(LIBRARY),
        in.get(DRIVER_ROOTS),
        in.get(LINKS),
        in.get(EXPECTED),
        in.get(KERNEL_LOG));
  }
}
