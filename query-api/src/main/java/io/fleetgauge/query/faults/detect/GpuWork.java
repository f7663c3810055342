package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.XidClass;

/**
 * What a GPU of a job does at a step, and what it did while it worked. The work of a GPU is told by
 * what moves: tensor cores, memory, links. Utilization alone says only that a kernel runs, and a
 * kernel that waits for another GPU runs, too.
 */
final class GpuWork extends Copied {
  /** A reading that comes at every tick and has not come for so long is old, ms. */
  private static final long READ_MILLIS = 40_000;

  /** Time over which the level of work is learned, ms. */
  private static final double LEARN_MILLIS = 600_000;

  /** Before all times, and far enough from the end of numbers that times can be subtracted. */
  static final long NEVER = Long.MIN_VALUE / 4;

  /** A sign of a fault belongs to what comes within this time, ms. */
  static final long RECENT_MILLIS = 180_000;

  private static final double BUSY_UTILISATION = 99;
  private static final double IDLE_UTILISATION = 5;
  private static final double PARTS = 0.03;

  /** Activity of memory that only refreshes itself is 4e-6 to 5e-6. */
  private static final double STILL_DRAM = 1e-5;

  /** What a GPU does. */
  enum State {
    /** It computes or moves data. */
    WORKS,
    /** A kernel runs all the time, and nothing is computed or moved. */
    SPINS,
    /** No kernel runs. */
    IDLE,
    /** Neither: kernels run for a part of the time, and nothing is computed or moved. */
    INERT,
    /** Nothing is known of it now. */
    BLIND
  }

  State state = State.BLIND;

  /** Watts; {@code NaN} if they are not known. */
  double power = Double.NaN;

  /** Watts while it works. */
  double workingPower = Double.NaN;

  double utilisation = Double.NaN;
  double active = Double.NaN;
  double workingTensor = Double.NaN;
  double tensor = Double.NaN;

  /** Bytes/s over NVLink and PCIe. */
  double links = Double.NaN;

  double workingLinks = Double.NaN;

  /** Cores that its processes use. */
  double cpu = Double.NaN;

  double workingCpu = Double.NaN;

  /** Bytes/s that its processes read and write. */
  double io = Double.NaN;

  boolean isBlocked;
  boolean hadProcesses;
  boolean hasProcesses = true;

  /** The last step at which it worked, ms. */
  long workedAt = NEVER;

  /** The last step at which its processes used the CPU, ms. */
  long cpuAt = NEVER;

  /** The last step at which it was read how much CPU time they used, ms. */
  long cpuReadAt = NEVER;

  /** The last step at which the job had the GPU, ms. */
  long seenAt = NEVER;

  /** The last sign of a fault: when, and of what. */
  long faultAt = NEVER;

  String fault = "";

  /** The last sign of a fault that ends work: when. */
  long fatalAt = NEVER;

  private long ioReadAt = NEVER;
  private long countedAt = NEVER;
  private int learned;

  GpuWork copy() {
    return (GpuWork) shallow();
  }

  /** Goes on to a step. */
  void on(JobGpu at, long time, HangLimits limits) {
    seenAt = time;
    HostTick host = at.host();
    GpuTick gpu = at.gpu();
    boolean hangs = host.readings().get(Signal.DRIVER_RESPONSIVE, 1) == 0;
    boolean isLost = gpu.readings().get(Signal.LOST, 0) > 0;
    if (!at.fresh()) {
      fault(time, "its host is silent", false);
      state = State.BLIND;
      return;
    }
    faults(host, gpu, time);
    boolean isOwned = gpu.readings().get(Signal.PROCESSES, 1) > 0;
    hasProcesses = isOwned;
    hadProcesses |= gpu.has(Signal.PROCESSES) && isOwned;
    if (hadProcesses && !isOwned) {
      fault(time, "its process is gone", false);
    }
    isBlocked = gpu.readings().get(Signal.OWNER_BLOCKED, 0) > 0;
    count(gpu, time);
    if (isLost || hangs || countedAt > NEVER && time - countedAt > READ_MILLIS) {
      if (isLost) {
        fault(time, "the GPU is lost", true);
      } else if (hangs) {
        fault(time, "the driver does not answer", true);
      }
      state = State.BLIND;
      return;
    }
    state = state(gpu, limits);
    if (state == State.WORKS) {
      workedAt = time;
    }
  }

  private void count(GpuTick gpu, long time) {
    double byLink = sum(gpu.rate(Signal.NVLINK_BYTES), gpu.rate(Signal.PCIE_BYTES));
    if (!Double.isNaN(byLink)) {
      countedAt = time;
      links = byLink;
    }
    if (gpu.has(Signal.OWNER_CPU_SECONDS)) {
      cpu = gpu.rate(Signal.OWNER_CPU_SECONDS);
      cpuAt = cpu > 0 || cpuAt == NEVER ? time : cpuAt;
      cpuReadAt = time;
    } else if (time - cpuReadAt > READ_MILLIS) {
      cpu = Double.NaN;
    }
    if (gpu.has(Signal.OWNER_IO_BYTES)) {
      io = gpu.rate(Signal.OWNER_IO_BYTES);
      ioReadAt = time;
    } else if (time - ioReadAt > READ_MILLIS) {
      io = Double.NaN;
    }
  }

  private State state(GpuTick gpu, HangLimits limits) {
    double powerBefore = power;
    double activeBefore = active;
    power = gpu.get(Signal.POWER);
    utilisation = gpu.get(Signal.UTILISATION);
    active = gpu.get(Signal.SM_ACTIVE);
    tensor = gpu.get(Signal.TENSOR_ACTIVE);
    if (Double.isNaN(utilisation)) {
      return State.BLIND;
    }
    double dram = gpu.get(Signal.DRAM_ACTIVE);
    boolean isProfiled = !Double.isNaN(tensor) || !Double.isNaN(dram);
    boolean moves =
        links >= Math.max(limits.linkBytes(), limits.linkShare() * workingLinks(0))
            && !polls(dram, limits);
    boolean computes =
        isProfiled
            ? tensor >= limits.tensor() || dram >= limits.dram()
            : gpu.get(Signal.MEMORY_UTILISATION) >= 1;
    if (moves || computes) {
      learn();
      return State.WORKS;
    }
    if (utilisation <= IDLE_UTILISATION) {
      return State.IDLE;
    }
    double limit = gpu.get(Signal.POWER_LIMIT);
    boolean isUneven =
        Math.abs(power - powerBefore) > limits.flatness() * limit
            || Math.abs(active - activeBefore) > PARTS;
    boolean isPart = utilisation < BUSY_UTILISATION;
    if (isUneven || isPart && !isProfiled) {
      return State.WORKS;
    }
    return isPart ? State.INERT : State.SPINS;
  }

  /**
   * Returns true if the traffic of the links is none of data: a kernel that waits reads a flag in
   * the host's memory again and again, and data would appear in the GPU's memory, too.
   */
  private boolean polls(double dram, HangLimits limits) {
    return dram < STILL_DRAM + links / limits.memoryBytes();
  }

  private void learn() {
    learned++;
    double weight = Math.max(1.0 / learned, HangLimits.STEP_MILLIS / LEARN_MILLIS);
    workingPower = mix(workingPower, power, weight);
    workingTensor = mix(workingTensor, tensor, weight);
    workingLinks = mix(workingLinks, links, weight);
    workingCpu = mix(workingCpu, cpu, weight);
  }

  private double workingLinks(double otherwise) {
    return Double.isNaN(workingLinks) ? otherwise : workingLinks;
  }

  private static double mix(double mean, double value, double weight) {
    return Double.isNaN(value) ? mean : Double.isNaN(mean) ? value : mean + weight * (value - mean);
  }

  private void faults(HostTick host, GpuTick gpu, long time) {
    gpu.codes()
        .forEach(
            (code, readings) -> {
              if (readings.get(Signal.XIDS, 0) > 0) {
                fault(time, "XID " + code, isCritical(code));
              }
            });
    if (gpu.readings().get(Signal.ECC_UNCORRECTED, 0) > 0) {
      fault(time, "memory error that cannot be corrected", true);
    }
    if (rises(gpu.readings(), Signal.LINK_RECOVERIES_FAILED)
        || rises(gpu.readings(), Signal.LINK_CRC_ERRORS)
        || rises(gpu.readings(), Signal.LINK_REPLAYS)
        || rises(gpu.readings(), Signal.LINK_RECOVERIES)) {
      fault(time, "errors of its NVLinks", false);
    }
    if (host.ports().values().stream().anyMatch(port -> rises(port, Signal.PORT_DOWNED))) {
      fault(time, "a network port of its host went down", false);
    }
    if (host.readings().get(Signal.CALL_STATE, 0) >= 2) {
      fault(time, "a call of the driver is late", false);
    }
  }

  private static boolean rises(Readings readings, Signal signal) {
    return readings.get(signal, 0) > 0;
  }

  private static boolean isCritical(String code) {
    try {
      return XidClass.isCritical(Integer.parseInt(code));
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private void fault(long time, String what, boolean isFatal) {
    if (!isFatal && time - fatalAt < RECENT_MILLIS) {
      return; // what follows from it tells less
    }
    faultAt = time;
    fault = what;
    fatalAt = isFatal ? time : fatalAt;
  }

  /** Returns true if its processes do on the CPU what no waiting process does. */
  boolean computesOnCpu(HangLimits limits) {
    double level = Double.isNaN(workingCpu) ? 0 : workingCpu;
    return cpu >= Math.max(limits.cpuCores(), limits.cpuShare() * level);
  }

  /**
   * Returns true if its processes have used no CPU time at all for a while: a debugger has stopped
   * them. Those of a job that hangs poll.
   */
  boolean isStopped(long time) {
    return hasProcesses
        && !isBlocked
        && cpuReadAt == time
        && time - cpuAt >= JobProgress.STOPPED_MILLIS;
  }

  private static double sum(double one, double other) {
    return Double.isNaN(one) ? other : Double.isNaN(other) ? one : one + other;
  }
}
