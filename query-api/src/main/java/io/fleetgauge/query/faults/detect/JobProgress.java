package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.detect.GpuWork.State;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The progress of a job: when anything of it moved last, on the GPU side or the CPU side, and how
 * it used to go on: how long it has worked, how steadily, and how long its pauses were.
 */
final class JobProgress extends Copied {
  /** Time over which it is learned how steadily a job goes on, ms. */
  private static final double LEARN_MILLIS = 600_000;

  /** Two steps without any sign that a GPU's processes run: they are stopped. */
  static final long STOPPED_MILLIS = 30_000;

  private static final long LONGEST_STEP_MILLIS = 60_000;

  /** A longer pause is none of the job's own: it was a hang, which somebody has ended. */
  private static final long LONGEST_PAUSE_MILLIS = 300_000;

  /** Pauses are remembered for so long at least, and for twice as long at most, ms. */
  private static final long REMEMBER_MILLIS = 6 * 3_600_000L;

  private static final long GONE_MILLIS = 600_000;
  private static final double DISK_BYTES = 5e6;
  private static final double HOST_CORES = 2;
  private static final double ROUGH = 0.05;
  private static final double TIMES = 3;

  Map<String, GpuWork> gpus = new TreeMap<>();
  private Map<String, HostLevel> hosts = new HashMap<>();

  /** The last step at which anything moved, ms. */
  long movedAt = GpuWork.NEVER;

  /** The last step at which a process whose GPU is idle computed on the CPU, ms. */
  long computedAt = GpuWork.NEVER;

  /** Time in which it has worked, ms. */
  long worked;

  private double moving;
  private double reading;

  /** Weight of the time that is known; the newest counts most. */
  private double known;

  /** Mean difference of the job's power from its mean while it works, as a part of the mean. */
  double swing;

  /** How many GPUs are in a state now. */
  int works;

  int spins;
  int idle;
  int inert;
  int blind;
  int withProcesses;

  /** Steps since anything moved, and those of them in which processes were blocked. */
  int stillSteps;

  int blockedSteps;

  /** Those of them in which something computed on the CPU. */
  private int computingSteps;

  private int workingSteps;
  private double meanPower = Double.NaN;
  private long time = GpuWork.NEVER;
  private Pause spinning = new Pause();
  private Pause idling = new Pause();
  private Pause first = new Pause();
  private boolean hasFault;
  private boolean wasTold;
  private long stillSpinning;
  private long stillIdling;
  private long stillFirst;

  /** How a host was while the job worked. */
  private record HostLevel(double rdma, double cores, double others, double disk) {
    static final HostLevel NONE = new HostLevel(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }

  /** The longest pause that ended by itself, in this part of the day and in the one before. */
  private static final class Pause extends Copied {
    private long part;
    private long longest;
    private long before;

    Pause copy() {
      return (Pause) shallow();
    }

    void ended(long millis, long now) {
      turnTo(now);
      longest = Math.max(longest, millis);
    }

    long length(long now) {
      turnTo(now);
      return Math.max(longest, before);
    }

    private void turnTo(long now) {
      long next = Math.floorDiv(now, REMEMBER_MILLIS);
      if (next != part) {
        before = next == part + 1 ? longest : 0;
        longest = 0;
        part = next;
      }
    }
  }

  JobProgress copy() {
    JobProgress copy = (JobProgress) shallow();
    copy.gpus = new TreeMap<>();
    gpus.forEach((uuid, gpu) -> copy.gpus.put(uuid, gpu.copy()));
    copy.hosts = new HashMap<>(hosts);
    copy.spinning = spinning.copy();
    copy.idling = idling.copy();
    copy.first = first.copy();
    return copy;
  }

  /**
   * Goes on to a step.
   *
   * @param countsMoved true if a count of operations of its ranks has changed
   */
  void on(JobStep step, boolean countsMoved, HangLimits limits) {
    long now = step.time();
    long passed = time == GpuWork.NEVER ? 0 : Math.min(now - time, LONGEST_STEP_MILLIS);
    time = now;
    look(step, limits);
    boolean isIdle = works == 0 && spins == 0;
    boolean moves = countsMoved || works > 0;
    boolean reads = false;
    boolean computes = false;
    Map<String, HostTick> fresh = new TreeMap<>();
    for (JobGpu at : step.gpus()) {
      if (at.fresh()) {
        GpuWork gpu = gpus.get(at.gpu().uuid());
        fresh.put(at.host().host(), at.host());
        reads |= gpu.io >= limits.ioBytes();
        computes |= gpu.state == State.IDLE && gpu.computesOnCpu(limits);
      }
    }
    fresh.values().removeIf(host -> !isAlone(step.job(), host));
    for (HostTick host : fresh.values()) {
      moves |= moves(host, isIdle, limits);
      computes |= works == 0 && isBusy(step.job(), host);
    }
    if (computes) {
      computedAt = now;
    }
    if (movedAt == GpuWork.NEVER || moves || reads) {
      moved(now, passed, reads);
    } else {
      stillSteps++;
      blockedSteps += isBlocked() ? 1 : 0;
      computingSteps += computes ? 1 : 0;
      stillSpinning = spins > 0 ? now - movedAt : stillSpinning;
      stillIdling = spins == 0 ? now - movedAt : stillIdling;
    }
    if (2 * works >= step.gpus().size() - blind && works > 0) {
      working(now, passed, fresh);
    }
  }

  /** Returns true if no other job has a GPU of the host: what the host does is of this job. */
  private static boolean isAlone(String job, HostTick host) {
    return host.gpus().stream().allMatch(gpu -> gpu.job().isEmpty() || gpu.job().equals(job));
  }

  private void look(JobStep step, HangLimits limits) {
    works = 0;
    spins = 0;
    idle = 0;
    inert = 0;
    blind = 0;
    withProcesses = 0;
    for (JobGpu at : step.gpus()) {
      GpuWork gpu = gpus.computeIfAbsent(at.gpu().uuid(), none -> new GpuWork());
      gpu.on(at, step.time(), limits);
      withProcesses += gpu.hasProcesses ? 1 : 0;
      switch (gpu.state) {
        case WORKS -> works++;
        case SPINS -> spins++;
        case IDLE -> idle++;
        case INERT -> inert++;
        case BLIND -> blind++;
      }
    }
    gpus.values().removeIf(gpu -> step.time() - gpu.seenAt > GONE_MILLIS);
  }

  private void moved(long now, long passed, boolean reads) {
    if (movedAt != GpuWork.NEVER) {
      double kept = Math.exp((movedAt - now) / LEARN_MILLIS);
      double weight = 1 - Math.exp(-passed / LEARN_MILLIS);
      known = known * kept + 1 - kept;
      moving = moving * kept + weight;
      reading = reading * kept + (reads ? weight : 0);
    }
    movedAt = now;
    stillSteps = 0;
    blockedSteps = 0;
    computingSteps = 0;
  }

  private void working(long now, long passed, Map<String, HostTick> fresh) {
    boolean isHang = wasTold && Math.max(stillSpinning, stillIdling) > LONGEST_PAUSE_MILLIS;
    if (!hasFault && !isHang) {
      spinning.ended(stillSpinning, now);
      idling.ended(stillIdling, now);
    }
    if (!hasFault && !wasTold && stillFirst >= STOPPED_MILLIS) {
      first.ended(stillFirst, now);
    }
    hasFault = false;
    wasTold = false;
    stillSpinning = 0;
    stillIdling = 0;
    stillFirst = 0;
    worked += passed;
    workingSteps++;
    double weight = Math.max(1.0 / workingSteps, HangLimits.STEP_MILLIS / LEARN_MILLIS);
    double power =
        gpus.values().stream()
            .filter(gpu -> gpu.seenAt == now && !Double.isNaN(gpu.power))
            .mapToDouble(gpu -> gpu.power)
            .average()
            .orElse(Double.NaN);
    if (!Double.isNaN(power)) {
      meanPower = Double.isNaN(meanPower) ? power : meanPower + weight * (power - meanPower);
      swing += weight * (Math.abs(power - meanPower) / meanPower - swing);
    }
    for (HostTick host : fresh.values()) {
      HostLevel level = hosts.getOrDefault(host.host(), HostLevel.NONE);
      hosts.put(
          host.host(),
          new HostLevel(
              mix(level.rdma, rdma(host), weight),
              mix(level.cores, cores(host), weight),
              mix(level.others, others(host), weight),
              mix(level.disk, host.rate(Signal.DISK_WRITTEN_BYTES), weight)));
    }
  }

  private static double mix(double mean, double value, double weight) {
    return Double.isNaN(value) ? mean : Double.isNaN(mean) ? value : mean + weight * (value - mean);
  }

  /** The others wait for the first rank, whose process does nothing. */
  void firstIdles() {
    stillFirst = Math.max(stillFirst, stillMillis());
  }

  /** The pause that lasts was told as a hang. */
  void isTold() {
    wasTold = true;
  }

  /** The pause that lasts is none of the job's own: nothing is learned of it. */
  void isFault() {
    hasFault = true;
  }

  /** Begins anew: the processes of the job have ended, and others that load first may follow. */
  void restarted() {
    movedAt = time;
    stillSteps = 0;
    blockedSteps = 0;
    computingSteps = 0;
    hasFault = true;
    worked = 0;
  }

  private boolean moves(HostTick host, boolean isIdle, HangLimits limits) {
    HostLevel level = hosts.getOrDefault(host.host(), HostLevel.NONE);
    double usual = Double.isNaN(level.rdma) ? 0 : level.rdma;
    if (rdma(host) >= Math.max(limits.linkBytes(), limits.linkShare() * usual)) {
      return true;
    }
    double disk = Double.isNaN(level.disk) ? 0 : level.disk;
    return isIdle && host.rate(Signal.DISK_WRITTEN_BYTES) >= Math.max(DISK_BYTES, TIMES * disk);
  }

  /** Returns true if something computed on the CPU for most of the time since anything moved. */
  boolean computes() {
    return 2 * computingSteps > stillSteps;
  }

  /**
   * Returns true if a host, or what runs there besides the processes that hold GPUs, uses clearly
   * more CPU than while the job worked: something computes.
   */
  boolean isBusy(String job, HostTick host) {
    HostLevel level = hosts.getOrDefault(host.host(), HostLevel.NONE);
    if (!isAlone(job, host)) {
      return false;
    }
    // Host and processes are accounted for in different ways, so that their difference is rough.
    double rough = ROUGH * level.cores + HOST_CORES;
    return cores(host) > level.cores + HOST_CORES || others(host) > level.others + rough;
  }

  /** Cores that processes use which hold no GPU, such as compilers and loaders of the job. */
  private double others(HostTick host) {
    double cores = cores(host);
    for (GpuTick gpu : host.gpus()) {
      GpuWork of = gpus.get(gpu.uuid());
      cores -= of == null ? 0 : of.cpu;
    }
    return Math.max(0, cores);
  }

  private static double cores(HostTick host) {
    Readings readings = host.readings();
    return readings.rate(Signal.CPU_SECONDS)
        - readings.rate(Signal.CPU_IDLE_SECONDS)
        - (readings.has(Signal.CPU_IOWAIT_SECONDS) ? readings.rate(Signal.CPU_IOWAIT_SECONDS) : 0);
  }

  private static double rdma(HostTick host) {
    double sum = Double.NaN;
    for (Readings port : host.ports().values()) {
      for (Signal signal : new Signal[] {Signal.PORT_RECEIVED, Signal.PORT_SENT}) {
        double rate = port.rate(signal);
        sum = Double.isNaN(rate) ? sum : Double.isNaN(sum) ? rate : sum + rate;
      }
    }
    return sum;
  }

  private boolean isBlocked() {
    return gpus.values().stream().anyMatch(gpu -> gpu.seenAt == time && gpu.isBlocked);
  }

  /**
   * Returns true if no process of the job has used any CPU time for a while, as processes do that
   * were stopped: by a scheduler that suspends the job, or by a debugger.
   */
  boolean isStopped() {
    long last = GpuWork.NEVER;
    for (GpuWork gpu : gpus.values()) {
      if (gpu.cpuReadAt == time) {
        last = Math.max(last, gpu.cpuAt);
      }
    }
    return last != GpuWork.NEVER && time - last >= STOPPED_MILLIS && !isBlocked();
  }

  /** Part of its time in which it moved, 0 to 1, up to {@link #movedAt}. */
  double duty() {
    return known == 0 ? 0 : moving / known;
  }

  /** Part of its time in which it read or wrote files, 0 to 1, up to {@link #movedAt}. */
  double ioDuty() {
    return known == 0 ? 0 : reading / known;
  }

  /** Signs of progress, GPU or CPU side, have been missing for so long, ms. */
  long stillMillis() {
    return time - Math.max(movedAt, computedAt);
  }

  /** The longest pause of its own in which GPUs waited for others, ms. */
  long longestSpinning() {
    return spinning.length(time);
  }

  /** The longest pause in which the others waited for an idle first rank; 0 for none, ms. */
  long longestFirst() {
    return first.length(time);
  }

  /** The longest pause of its own in which all GPUs were idle, and nothing moved, ms. */
  long longestIdle() {
    return idling.length(time);
  }
}
