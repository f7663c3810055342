package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Settings of reading GPUs.
 *
 * @param enabled {@code gpu.enabled}
 * @param library {@code gpu.library}
 * @param driverRoots {@code gpu.driverRoots}
 * @param links {@code gpu.links}; empty for the state and errors of links to NVSwitches
 * @param expected {@code gpu.expected}; 0 for as many as were seen
 * @param kernelLog {@code gpu.kernelLog}
 * @param collectors {@code gpu.collectors}
 * @param labels {@code gpu.labels}
 * @param devices {@code gpu.devices}
 * @param dashes {@code gpu.replaceBlanksInModelName}
 */
public record GpuSettings(
    boolean enabled,
    String library,
    List<Path> driverRoots,
    Optional<Boolean> links,
    int expected,
    Path kernelLog,
    Optional<Path> collectors,
    List<String> labels,
    DeviceChoice devices,
    boolean dashes) {
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
      Key.optional(
          "gpu.links",
          KeyType.flag(),
          "Whether each NVLink has its own series: all, up to 220 for each GPU, or none. Not set:"
              + " state and errors, up to 72 for each GPU, of boards that the fabric manager"
              + " registers, which are those of Hopper and newer that NVSwitches connect.");
  private static final Key<Integer> EXPECTED =
      Key.of(
          "gpu.expected",
          KeyType.integer(0, MOST_GPUS),
          0,
          "Expected number of GPUs of the node, as the series `gpu_expected`; 0 for the highest"
              + " number that the driver has reported.");
  private static final Key<Path> KERNEL_LOG =
      Key.of(
          "gpu.kernelLog",
          KeyType.path(),
          Path.of("/dev/kmsg"),
          "Device from which the kernel's messages about GPUs are read.");
  private static final Key<Path> COLLECTORS =
      Key.optional(
          "gpu.collectors",
          KeyType.file(),
          "File in the form of dcgm-exporter's list of counters: only its `DCGM_*` metrics are"
              + " sent, and `/metrics` shows its types and help. Read again when it has changed.");
  private static final Key<List<String>> LABELS =
      Key.of(
          "gpu.labels",
          KeyType.listOf(
              KeyType.form(
                  "word",
                  "one of " + String.join(", ", GpuMetrics.labels()),
                  text -> text,
                  text -> Optional.of(text).filter(GpuMetrics.labels()::contains)),
              0),
          List.of(),
          "Labels of dcgm-exporter that are added to every series of a GPU.");
  private static final Key<DeviceChoice> DEVICES =
      Key.of(
          "gpu.devices",
          KeyType.form(
              "devices",
              "f for all, g or g:0,1 for GPUs, i for MIG instances, or g and i joined by +",
              DeviceChoice::toString,
              DeviceChoice::parse),
          DeviceChoice.ALL,
          "GPUs and MIG instances whose readings are sent, as in dcgm-exporter's `--devices`.");
  private static final Key<Boolean> DASHES =
      Key.of(
          "gpu.replaceBlanksInModelName",
          KeyType.flag(),
          false,
          "Whether blanks in the label `modelName` are replaced by dashes.");

  public static GpuSettings read(ConfigReader in) {
    return new GpuSettings(
        in.get(ENABLED),
        in.get(LIBRARY),
        in.get(DRIVER_ROOTS),
        in.find(LINKS),
        in.get(EXPECTED),
        in.get(KERNEL_LOG),
        in.find(COLLECTORS),
        in.get(LABELS),
        in.get(DEVICES),
        in.get(DASHES));
  }
}
