package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owners of GPUs do on the CPU: time, I/O, processes that are blocked. It tells a job that
 * computes from one that waits.
 *
 * <p>A process counts for the GPUs that it holds. A child of it, such as one that loads data,
 * counts for the same GPUs. What else runs in the control group of the container or job counts in
 * equal parts for all GPUs of it on this node, so that the sum over the GPUs of a job is what the
 * job has done. Counters go on when processes come and go: increments are added up here.
 */
public final class OwnerUsage implements Reader {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerUsage.class);

  private static final int MOST_PROCESSES = 4_096;
  private static final int MOST_ANCESTORS = 32;

  private final Supplier<Optional<List<GpuProcesses>>> gpus;
  private final ProcessWork files;
  private final JobGroup groups;
  private final TickClass tickClass;
  private final Map<GpuOwners.Gpu, Total> totals = new LinkedHashMap<>();
  private Map<Instance, Work> before = new HashMap<>();
  private Map<Path, Long> diskBefore = new HashMap<>();

  /** When the last reading was, in ticks of the kernel since its start. */
  private long lastRead = Long.MAX_VALUE;

  private boolean saidUnseen;

  private record Instance(int pid, long started) {}

  private record Work(long ticks, OptionalLong bytes) {}

  /** What has been counted of a GPU. */
  private static final class Total {
    double seconds;
    double bytes;
    int blocked;
    boolean isSeen;
    boolean hasBytes;
  }

  /** The processes of one container or job, or of one process without such a group. */
  private static final class Job {
    final Map<Integer, Set<GpuOwners.Gpu>> holders = new LinkedHashMap<>();
    final Set<GpuOwners.Gpu> gpus = new LinkedHashSet<>();
  }

  /**
   * @param gpus the processes of each GPU; empty while the driver does not answer
   * @param proc where the proc file system of the node is mounted
   * @param cgroups where its control groups are
   */
  public OwnerUsage(
      Supplier<Optional<List<GpuProcesses>>> gpus, Path proc, Path cgroups, TickClass tickClass) {
    this.gpus = gpus;
    this.files = new ProcessWork(proc);
    this.groups = new JobGroup(cgroups);
    this.tickClass = tickClass;
  }

  @Override
  public String name() {
    return "owners_of_gpus_usage";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(tickClass);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) throws IOException {
    List<GpuProcesses> now =
        gpus.get()
            .orElseThrow(() -> new IOException("the GPU driver has not listed its processes"));
    Map<GpuOwners.Gpu, Labels> all = new LinkedHashMap<>();
    for (GpuProcesses gpu : now) {
      GpuOwners.Gpu of = GpuOwners.Gpu.of(gpu.labels());
      all.put(of, gpu.labels());
      Total total = totals.computeIfAbsent(of, key -> new Total());
      total.blocked = 0;
      // Without a process there is nothing that could not be seen.
      total.isSeen = gpu.processes().isEmpty();
    }
    totals.keySet().retainAll(all.keySet());
    Map<Instance, Work> still = new HashMap<>();
    Map<Path, Long> disks = new HashMap<>();
    long ticks = files.uptime();
    for (Map.Entry<Object, Job> job : jobs(now).entrySet()) {
      Path group = job.getKey() instanceof Path path ? path : null;
      count(job.getValue(), group, still, disks);
    }
    before = still;
    diskBefore = disks;
    lastRead = ticks;
    all.forEach((gpu, labels) -> add(out, totals.get(gpu), labels));
  }

  private void add(Readings out, Total total, Labels gpu) {
    if (!total.isSeen) {
      return;
    }
    out.add(tickClass, "gpu_owner_cpu_seconds_total", gpu, total.seconds);
    out.add(tickClass, "gpu_owner_blocked_processes", gpu, total.blocked);
    if (total.hasBytes) {
      out.add(tickClass, "gpu_owner_io_bytes_total", gpu, total.bytes);
    }
  }

  private Map<Object, Job> jobs(List<GpuProcesses> now) {
    Map<Object, Job> jobs = new LinkedHashMap<>();
    Map<Integer, Object> keys = new HashMap<>();
    for (GpuProcesses gpu : now) {
      GpuOwners.Gpu of = GpuOwners.Gpu.of(gpu.labels());
      for (GpuProcess process : gpu.processes()) {
        if (keys.size() >= MOST_PROCESSES) {
          break;
        }
        Object key =
            keys.computeIfAbsent(
                process.pid(),
                pid -> groups.of(files.groups(pid)).map(Object.class::cast).orElse(pid));
        Job job = jobs.computeIfAbsent(key, name -> new Job());
        job.gpus.add(of);
        job.holders.computeIfAbsent(process.pid(), pid -> new LinkedHashSet<>()).add(of);
      }
    }
    return jobs;
  }

  /**
   * Counts what the processes of a job have done since the last reading.
   *
   * @param group its control group; null without one
   */
  private void count(Job job, Path group, Map<Instance, Work> still, Map<Path, Long> disks) {
    Set<Integer> pids = new LinkedHashSet<>(job.holders.keySet());
    if (group != null) {
      pids.addAll(JobGroup.processes(group));
    }
    Map<Integer, ProcessWork.Seen> seen = new LinkedHashMap<>();
    for (int pid : pids) {
      ProcessWork.Seen process = files.look(pid);
      if (process != null) {
        seen.put(pid, process);
      } else if (job.holders.containsKey(pid)) {
        unseen(pid);
      }
    }
    boolean hasBytes = false;
    for (Map.Entry<Integer, ProcessWork.Seen> each : seen.entrySet()) {
      ProcessWork.Seen process = each.getValue();
      Set<GpuOwners.Gpu> of = gpusOf(each.getKey(), job, seen);
      Instance instance = new Instance(each.getKey(), process.started());
      Work last = before.get(instance);
      OptionalLong bytes =
          process.isBlocked()
              ? last == null ? OptionalLong.empty() : last.bytes()
              : files.bytes(each.getKey());
      still.put(instance, new Work(process.ticks(), bytes));
      hasBytes |= bytes.isPresent();
      // One that is older than the last reading was not of an owner then.
      boolean isNew = last == null && process.started() > lastRead;
      long ticks = last != null ? process.ticks() - last.ticks() : isNew ? process.ticks() : 0;
      long more =
          bytes.isEmpty()
              ? 0
              : last != null && last.bytes().isPresent()
                  ? bytes.getAsLong() - last.bytes().getAsLong()
                  : isNew ? bytes.getAsLong() : 0;
      for (GpuOwners.Gpu gpu : of) {
        Total total = totals.get(gpu);
        total.isSeen = true;
        total.seconds += Math.max(0, ticks) / (double) ProcessWork.TICKS / of.size();
        total.bytes += (double) Math.max(0, more) / of.size();
        total.blocked += process.isBlocked() ? 1 : 0;
      }
    }
    if (!hasBytes && group != null && !seen.isEmpty()) {
      hasBytes = disks(job, group, disks);
    }
    for (GpuOwners.Gpu gpu : job.gpus) {
      totals.get(gpu).hasBytes |= hasBytes;
    }
  }

  /** The GPUs that a process counts for: its own, those of an ancestor, or all of the job. */
  private static Set<GpuOwners.Gpu> gpusOf(int pid, Job job, Map<Integer, ProcessWork.Seen> seen) {
    int at = pid;
    for (int i = 0; i < MOST_ANCESTORS; i++) {
      Set<GpuOwners.Gpu> held = job.holders.get(at);
      if (held != null) {
        return held;
      }
      ProcessWork.Seen process = seen.get(at);
      if (process == null) {
        break;
      }
      at = process.parent();
    }
    return job.gpus;
  }

  /** Counts the disks of a job whose processes may not be asked for their I/O. */
  private boolean disks(Job job, Path group, Map<Path, Long> disks) {
    OptionalLong bytes = JobGroup.diskBytes(group);
    if (bytes.isEmpty()) {
      return false;
    }
    disks.put(group, bytes.getAsLong());
    long last = diskBefore.getOrDefault(group, bytes.getAsLong());
    for (GpuOwners.Gpu gpu : job.gpus) {
      totals.get(gpu).bytes += (double) Math.max(0, bytes.getAsLong() - last) / job.gpus.size();
    }
    return true;
  }

  private void unseen(int pid) {
    if (!saidUnseen) {
      saidUnseen = true;
      LOG.info(
          "process {} holds a GPU and cannot be seen below proc; without its files there is no"
              + " gpu_owner_cpu_seconds_total, see hidepid and hostPID",
          pid);
    }
  }
}
