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
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owners of GPUs do on the CPU: time, I/O, processes that are blocked, and how much of the
 * host's memory they use. It tells a job that computes from one that waits.
 *
 * <p>A process counts for the GPUs that it holds. A child of it, such as one that loads data,
 * counts for the same GPUs. What else runs in the control group of the container or job counts in
 * equal parts for all GPUs of it on this node, and so does the CPU time that the group has counted
 * and no process shows any more, as of processes that came and went. So the sum over the GPUs of a
 * job is what the job has done. Counters go on when processes come and go: increments are added up
 * here. The memory is that of the group as a whole.
 */
public final class OwnerUsage implements Reader {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerUsage.class);

  private static final int MOST_PROCESSES = 4_096;
  private static final int MOST_ANCESTORS = 32;
  private static final int MOST_OWNERS = 256;
  private static final long NANOS_PER_TICK = 1_000_000_000 / ProcessWork.TICKS;

  private final Supplier<Optional<List<GpuProcesses>>> gpus;
  private final BiFunction<GpuOwners.Gpu, Integer, Labels> owners;
  private final ProcessWork files;
  private final JobGroup groups;
  private final GroupFiles groupFiles = new GroupFiles();
  private final ProcessSlots slots = new ProcessSlots(MOST_OWNERS);
  private final TickClass tickClass;
  private final Map<GpuOwners.Gpu, Total> totals = new LinkedHashMap<>();
  private Map<Instance, Work> before = new HashMap<>();
  private Map<Path, Long> diskBefore = new HashMap<>();
  private Map<Path, Long> cpuBefore = new HashMap<>();

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
    final Optional<JobGroup.Folders> group;
    final Map<Integer, Set<GpuOwners.Gpu>> holders = new LinkedHashMap<>();
    final Set<GpuOwners.Gpu> gpus = new LinkedHashSet<>();

    Job(Optional<JobGroup.Folders> group) {
      this.group = group;
    }
  }

  /**
   * @param gpus the processes of each GPU; empty while the driver does not answer
   * @param owners labels of the owner of a process on a GPU; empty if it is not known
   * @param proc where the proc file system of the node is mounted
   * @param cgroups where its control groups are
   */
  public OwnerUsage(
      Supplier<Optional<List<GpuProcesses>>> gpus,
      BiFunction<GpuOwners.Gpu, Integer, Labels> owners,
      Path proc,
      Path cgroups,
      TickClass tickClass) {
    this.gpus = gpus;
    this.owners = owners;
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
    Map<Path, Long> cpus = new HashMap<>();
    long ticks = files.uptime();
    List<Job> jobs = jobs(now);
    for (Job job : jobs) {
      long counted = count(job, still, disks);
      job.group
          .flatMap(JobGroup.Folders::cpu)
          .ifPresent(file -> countRest(job, file, counted, cpus));
    }
    before = still;
    diskBefore = disks;
    cpuBefore = cpus;
    lastRead = ticks;
    all.forEach((gpu, labels) -> add(out, totals.get(gpu), labels));
    memory(out, jobs);
    out.add(tickClass, "gpu_owner_groups_unread_total", Labels.EMPTY, groupFiles.unread());
  }

  /**
   * Counts the CPU time of a group that its processes do not show.
   *
   * @param counted what they show, in ticks of the kernel
   */
  private void countRest(Job job, Path file, long counted, Map<Path, Long> cpus) {
    OptionalLong now = groupFiles.cpuNanos(file);
    Long last = cpuBefore.get(file);
    if (now.isEmpty() || last == null) {
      now.ifPresent(nanos -> cpus.put(file, nanos));
      return;
    }
    // Whole ticks, as processes have them: what is less, or too much by now, counts later.
    long rest = (now.getAsLong() - last) / NANOS_PER_TICK - counted;
    if (rest > 0) {
      for (GpuOwners.Gpu gpu : job.gpus) {
        totals.get(gpu).seconds += rest / (double) ProcessWork.TICKS / job.gpus.size();
      }
    }
    long done = last + (counted + Math.max(0, rest)) * NANOS_PER_TICK;
    cpus.put(file, now.getAsLong() < last ? now.getAsLong() : done);
  }

  private void memory(Readings out, List<Job> jobs) {
    Map<Path, Job> byGroup = new LinkedHashMap<>();
    for (Job job : jobs) {
      job.group.flatMap(JobGroup.Folders::memory).ifPresent(folder -> byGroup.put(folder, job));
    }
    Map<String, Integer> numbers = slots.of(byGroup.keySet().stream().map(Path::toString).toList());
    byGroup.forEach(
        (folder, job) -> {
          Labels owner = owner(job);
          Integer slot = numbers.get(folder.toString());
          OptionalLong bytes =
              slot == null || owner.isEmpty()
                  ? OptionalLong.empty()
                  : groupFiles.memoryBytes(folder);
          if (bytes.isPresent()) {
            Labels series = owner.with(GpuOwners.SLOT, slot.toString());
            out.add(tickClass, "gpu_owner_host_memory_bytes", series, bytes.getAsLong());
          }
        });
  }

  /** Labels of the owner of a job: what some of its processes do not tell, others may. */
  private Labels owner(Job job) {
    Labels owner = Labels.EMPTY;
    for (Map.Entry<Integer, Set<GpuOwners.Gpu>> each : job.holders.entrySet()) {
      owner = owners.apply(each.getValue().iterator().next(), each.getKey()).with(owner);
    }
    return owner;
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

  private List<Job> jobs(List<GpuProcesses> now) {
    Map<Object, Job> jobs = new LinkedHashMap<>();
    Map<Integer, Job> byPid = new HashMap<>();
    for (GpuProcesses gpu : now) {
      GpuOwners.Gpu of = GpuOwners.Gpu.of(gpu.labels());
      for (GpuProcess process : gpu.processes()) {
        if (byPid.size() >= MOST_PROCESSES) {
          break;
        }
        Job job =
            byPid.computeIfAbsent(
                process.pid(),
                pid -> {
                  Optional<JobGroup.Folders> group = groups.of(files.groups(pid));
                  Object key = group.<Object>map(JobGroup.Folders::processes).orElse(pid);
                  return jobs.computeIfAbsent(key, name -> new Job(group));
                });
        job.gpus.add(of);
        job.holders.computeIfAbsent(process.pid(), pid -> new LinkedHashSet<>()).add(of);
      }
    }
    return List.copyOf(jobs.values());
  }

  /**
   * Counts what the processes of a job have done since the last reading.
   *
   * @return their CPU time, in ticks of the kernel
   */
  private long count(Job job, Map<Instance, Work> still, Map<Path, Long> disks) {
    Set<Integer> pids = new LinkedHashSet<>(job.holders.keySet());
    job.group.ifPresent(group -> pids.addAll(JobGroup.processes(group.processes())));
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
    long all = 0;
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
      all += Math.max(0, ticks);
      for (GpuOwners.Gpu gpu : of) {
        Total total = totals.get(gpu);
        total.isSeen = true;
        total.seconds += Math.max(0, ticks) / (double) ProcessWork.TICKS / of.size();
        total.bytes += (double) Math.max(0, more) / of.size();
        total.blocked += process.isBlocked() ? 1 : 0;
      }
    }
    if (!hasBytes && job.group.isPresent() && !seen.isEmpty()) {
      hasBytes = disks(job, job.group.get().processes(), disks);
    }
    for (GpuOwners.Gpu gpu : job.gpus) {
      totals.get(gpu).hasBytes |= hasBytes;
    }
    return all;
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
