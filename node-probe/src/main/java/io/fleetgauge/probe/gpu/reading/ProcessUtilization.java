package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Shares of processes in a GPU's utilisation. The driver tells for each process the share of a
 * while in which it had a kernel running; kernels of several processes overlap, so that these
 * shares may add up to more than the GPU has. The GPU's own value is divided in their proportion.
 */
final class ProcessUtilization {
  private static final String METRIC = "gpu_process_utilization_ratio";
  private static final long PERCENT = 100;

  /** Where an entry has its time, and its percentage of the SMs. */
  private static final int TIME = 8;

  private static final int SM = 16;

  /** After so many answers without an entry, what the driver said of the time is forgotten. */
  private static final int PATIENCE = 8;

  private final Support support;
  private final ProcessMemory room;
  private final Map<Integer, Long> newestByPid = new HashMap<>();
  private final Map<Integer, Long> percentByPid = new HashMap<>();
  private final Map<Integer, Double> ratioByPid = new HashMap<>();
  private long after;
  private int empty;

  ProcessUtilization(SupportedMetrics supported, ProcessMemory room) {
    this.support = supported.question(List.of(METRIC));
    this.room = room;
  }

  /** Utilization of each process that was asked for; empty when the driver did not tell. */
  Map<Integer, Double> newest() {
    return ratioByPid;
  }

  int read(Nvml nvml, NvmlDevice device, Set<Integer> pids, ValueCounts dropped, long now) {
    ratioByPid.clear();
    if (!support.isWorthAsking(now)) {
      return NvmlReturn.SUCCESS;
    }
    int code = room.ask(nvml, memory -> nvml.processUtilization(device, memory, after));
    support.answered(code, now);
    newestByPid.clear();
    percentByPid.clear();
    if (code == NvmlReturn.SUCCESS) {
      take(room.memory(), pids, dropped);
    } else if (code != NvmlReturn.NOT_FOUND) {
      return code;
    }
    empty = code == NvmlReturn.NOT_FOUND ? empty + 1 : 0;
    if (empty >= PATIENCE) {
      empty = 0;
      after = 0;
    }
    NativeMemory memory = room.memory();
    code = nvml.ask(NvmlCall.UTILIZATION, device, memory);
    if (code != NvmlReturn.SUCCESS) {
      return code;
    }
    long gpu = memory.u32(0);
    if (gpu <= PERCENT) { // otherwise the reading of this value counts it
      divide(gpu, pids);
    }
    return code;
  }

  private void take(NativeMemory memory, Set<Integer> pids, ValueCounts dropped) {
    long count = memory.u32(0);
    if (!room.holds(count)) {
      dropped.dropped(NvmlCall.PROCESS_UTILIZATION);
      return;
    }
    for (int i = 0; i < count; i++) {
      int at = ProcessMemory.FIRST_ENTRY + i * ProcessMemory.ENTRY;
      int pid = memory.i32(at);
      long time = memory.i64(at + TIME);
      long percent = memory.u32(at + SM);
      if (time <= 0 || percent > PERCENT) {
        dropped.dropped(NvmlCall.PROCESS_UTILIZATION);
      } else {
        after = Math.max(after, time);
        if (pids.contains(pid) && time >= newestByPid.getOrDefault(pid, 0L)) {
          newestByPid.put(pid, time);
          percentByPid.put(pid, percent);
        }
      }
    }
  }

  private void divide(long gpu, Set<Integer> pids) {
    long total = 0;
    for (long percent : percentByPid.values()) {
      total += percent;
    }
    for (int pid : pids) {
      long own = percentByPid.getOrDefault(pid, 0L);
      ratioByPid.put(pid, total == 0 ? 0 : (double) (gpu * own) / (total * PERCENT));
    }
  }
}
