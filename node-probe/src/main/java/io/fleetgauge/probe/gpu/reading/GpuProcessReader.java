package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The processes that use a GPU or a GPU instance. A process may be in several lists of the driver,
 * and those of a GPU instance are listed by each of its compute instances; here it is once.
 */
final class GpuProcessReader {
  static final GpuMetric METRIC = GpuMetrics.of("gpu_processes");

  /** A kind of processes; drivers before R510 have the older call only. */
  private enum Kind {
    COMPUTE("compute", NvmlCall.COMPUTE_PROCESSES, NvmlCall.COMPUTE_PROCESSES_V2),
    GRAPHICS("graphics", NvmlCall.GRAPHICS_PROCESSES, NvmlCall.GRAPHICS_PROCESSES_V2),
    MPS("mps", NvmlCall.MPS_PROCESSES, NvmlCall.MPS_PROCESSES_V2);

    final String label;
    final NvmlCall call;
    final NvmlCall older;

    Kind(String label, NvmlCall call, NvmlCall older) {
      this.label = label;
      this.call = call;
      this.older = older;
    }
  }

  private static final Kind[] KINDS = Kind.values();

  /** A GPU has fewer contexts than that. */
  private static final long MOST = 1 << 16;

  /** Linux numbers processes below this. */
  private static final long MOST_PID = 1 << 22;

  /** More memory than any GPU has. */
  private static final long MOST_BYTES = 1L << 44;

  private static final long NOT_TOLD = -1;
  private static final int USUAL_STRIDE = 24;
  private static final int WIDE_STRIDE = 32;

  private final Labels of;
  private final Labels[] series = new Labels[KINDS.length];
  private final Support[] support = new Support[KINDS.length];
  private final Support[] olderSupport = new Support[KINDS.length];

  /** True if the driver lacks the newer call. */
  private final boolean[] isMissing = new boolean[KINDS.length];

  private final ProcessMemory room;
  private final ProcessUtilization utilization;
  private int stride;

  // Of one reading.
  private final long[] counts = new long[KINDS.length];
  private final List<Set<Integer>> listed = new ArrayList<>();
  private final Map<Integer, Long> bytesByPid = new LinkedHashMap<>();
  private boolean isTold;

  /**
   * @param isWhole whether these are of a whole GPU: drivers tell the use of a GPU by process, and
   *     not that of an instance
   */
  GpuProcessReader(Labels of, SupportedMetrics supported, ProcessMemory room, boolean isWhole) {
    this.of = of;
    this.room = room;
    this.utilization = isWhole ? new ProcessUtilization(supported, room) : null;
    for (Kind kind : KINDS) {
      int i = kind.ordinal();
      series[i] = of.with("kind", kind.label).with(Labels.NAME, METRIC.name());
      support[i] = supported.question(List.of(METRIC.name()));
      olderSupport[i] = supported.question(List.of(METRIC.name()));
      listed.add(new HashSet<>());
    }
  }

  /** Forgets what was read. */
  void begin() {
    isTold = false;
    bytesByPid.clear();
    for (int i = 0; i < counts.length; i++) {
      counts[i] = NOT_TOLD;
      listed.get(i).clear();
    }
  }

  /**
   * Reads the lists of a device: of the GPU, or of one of the instance's MIG devices.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, NvmlDevice device, ValueCounts dropped, long now) {
    if (stride == 0) {
      stride = stride(nvml, device);
    }
    for (Kind kind : KINDS) {
      int code = read(nvml, device, kind, dropped, now);
      if (code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code)) {
        return code;
      }
    }
    return NvmlReturn.SUCCESS;
  }

  private int read(Nvml nvml, NvmlDevice device, Kind kind, ValueCounts dropped, long now) {
    int i = kind.ordinal();
    Support question = isMissing[i] ? olderSupport[i] : support[i];
    if (!question.isWorthAsking(now)) {
      return NvmlReturn.SUCCESS;
    }
    NvmlCall call = isMissing[i] ? kind.older : kind.call;
    int code = room.ask(nvml, memory -> nvml.ask(call, device, memory));
    question.answered(code, now);
    if (code == NvmlReturn.FUNCTION_NOT_FOUND && !isMissing[i]) {
      isMissing[i] = true;
      return read(nvml, device, kind, dropped, now);
    }
    take(i, call, code, dropped);
    return code;
  }

  private void take(int kind, NvmlCall call, int code, ValueCounts dropped) {
    NativeMemory memory = room.memory();
    // Where there is too little room, the driver still tells the number.
    if (code != NvmlReturn.SUCCESS && code != NvmlReturn.INSUFFICIENT_SIZE) {
      return;
    }
    long count = memory.u32(0);
    if (count > MOST || code == NvmlReturn.SUCCESS && !room.holds(count)) {
      dropped.dropped(call);
      return;
    }
    counts[kind] = Math.max(0, counts[kind]);
    if (code == NvmlReturn.INSUFFICIENT_SIZE) {
      counts[kind] += count;
      return;
    }
    isTold = true;
    int width = width(memory, (int) count);
    for (int i = 0; i < count; i++) {
      int at = ProcessMemory.FIRST_ENTRY + i * width;
      if (!isPlausible(memory, at)) {
        dropped.dropped(call);
        counts[kind]++;
      } else if (listed.get(kind).add(memory.i32(at))) {
        counts[kind]++;
        // In several lists it is the same memory.
        bytesByPid.merge(memory.i32(at), memory.i64(at + 8), Math::max);
      }
    }
  }

  /** Entries that make no sense may be of another width than expected. */
  private int width(NativeMemory memory, int count) {
    int other = stride == USUAL_STRIDE ? WIDE_STRIDE : USUAL_STRIDE;
    return !arePlausible(memory, count, stride) && arePlausible(memory, count, other)
        ? other
        : stride;
  }

  private static boolean arePlausible(NativeMemory memory, int count, int width) {
    for (int i = 0; i < count; i++) {
      if (!isPlausible(memory, ProcessMemory.FIRST_ENTRY + i * width)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlausible(NativeMemory memory, int at) {
    long pid = memory.u32(at);
    long bytes = memory.i64(at + 8);
    return pid > 0 && pid < MOST_PID && bytes >= NOT_TOLD && bytes < MOST_BYTES;
  }

  /**
   * Early drivers of R535 wrote a longer entry under the same name; they have one of these two
   * functions and not yet the other.
   */
  private int stride(Nvml nvml, NvmlDevice device) {
    NativeMemory out = nvml.allocate(WIDE_STRIDE);
    boolean isWide =
        !nvml.has(NvmlCall.PROCESS_DETAILS, device, out)
            && nvml.has(NvmlCall.PROTECTED_MEMORY, device, out);
    return isWide ? WIDE_STRIDE : USUAL_STRIDE;
  }

  /**
   * Adds the numbers of processes, and who they are when it is told.
   *
   * @param device of the whole GPU
   * @param isDivided whether its instances tell who they are
   */
  int end(
      Nvml nvml,
      NvmlDevice device,
      GpuSnapshot out,
      ValueCounts dropped,
      long now,
      boolean isDivided) {
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] >= 0) {
        out.add(Tier.CORE, series[i], counts[i]);
      }
    }
    if (!isTold || isDivided) {
      return NvmlReturn.SUCCESS;
    }
    Map<Integer, Double> used = Map.of();
    if (utilization != null && !bytesByPid.isEmpty()) {
      int code = utilization.read(nvml, device, bytesByPid.keySet(), dropped, now);
      if (code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code)) {
        return code;
      }
      used = utilization.newest();
    }
    List<GpuProcess> processes = new ArrayList<>(bytesByPid.size());
    for (Map.Entry<Integer, Long> each : bytesByPid.entrySet()) {
      long bytes = each.getValue();
      Double share = used.get(each.getKey());
      processes.add(
          new GpuProcess(
              each.getKey(),
              bytes == NOT_TOLD ? OptionalLong.empty() : OptionalLong.of(bytes),
              share == null ? OptionalDouble.empty() : OptionalDouble.of(share)));
    }
    out.add(new GpuProcesses(of, processes));
    return NvmlReturn.SUCCESS;
  }
}
