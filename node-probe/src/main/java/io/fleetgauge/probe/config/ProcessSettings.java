package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.Optional;

/**
 * Settings of how a probe finds the owners of processes on its GPUs, and what it tells of them.
 *
 * @param enabled {@code attribution.processes.enabled}
 * @param limit {@code attribution.processes.limit}
 * @param perProcess {@code attribution.processes.perProcess}
 * @param usedGpuMemory {@code attribution.processes.usedGpuMemory}
 * @param port {@code attribution.processes.port}
 */
public record ProcessSettings(
    boolean enabled, int limit, boolean perProcess, boolean usedGpuMemory, Optional<Integer> port) {
  private static final String SECTION = "attribution.processes.";

  private static final Key<Boolean> ENABLED =
      Key.of(
          SECTION + "enabled",
          KeyType.flag(),
          true,
          "Whether the processes that use GPUs are read: their containers, pods, jobs, users"
              + " and memory. It needs the PID namespace of the node (`hostPID: true`).");
  private static final Key<Integer> LIMIT =
      Key.of(
          SECTION + "limit",
          KeyType.integer(0, 4_096),
          64,
          "Maximum number of processes, containers, pods and jobs of one GPU or MIG instance with"
              + " separate series; further ones are summed in a series with `slot=\"rest\"`.");
  private static final Key<Boolean> PER_PROCESS =
      Key.of(
          SECTION + "perProcess",
          KeyType.flag(),
          true,
          "Whether each process has series, with its number and the name of its program. Without"
              + " them, only containers, pods and jobs have series.");
  private static final Key<Boolean> USED_GPU_MEMORY =
      Key.of(
          SECTION + "usedGpuMemory",
          KeyType.flag(),
          true,
          "Whether `used_gpu_memory` is sent too: the memory of each process, with the labels"
              + " `container_name`, `container_id`, `gpu`, `pid` and `unit`.");
  private static final Key<Integer> PORT =
      Key.optional(
          SECTION + "port",
          KeyType.port(),
          "Port that serves `used_gpu_memory` alone at `/metrics`, for Prometheus servers that"
              + " scrape an exporter of it, which has port 9900; not served by default.");

  public static ProcessSettings read(ConfigReader in) {
    return new ProcessSettings(
        in.get(ENABLED),
        in.get(LIMIT),
        in.get(PER_PROCESS),
        in.get(USED_GPU_MEMORY),
        in.find(PORT));
  }
}
