package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owners of the processes that use a GPU. One thread asks, at each reading of the GPUs; any may
 * look at what was found.
 */
public final class ProcessOwners implements OwnerSource {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessOwners.class);
  private static final long KEPT_NANOS = 60_000_000_000L;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ProcessFiles files;
  private final UserNames users;
  private final ContainerNames names;
  private final LongSupplier nanos;

  /** Variables that processes were started with: they do not change, and are read once. */
  private Map<Instance, SlurmVariables> variables = new HashMap<>();

  private volatile Found found;
  private volatile long errors;

  /** A process, and not another one that has got its number later. */
  private record Instance(int pid, long started) {}

  private record Found(List<Claim> claims, long at) {}

  /**
   * @param proc where the proc file system of the node is mounted
   * @param root where its root file system is
   */
  public ProcessOwners(Path proc, Path root, ContainerNames names) {
    this(proc, root, names, System::nanoTime);
  }

  /**
   * @param nanos a clock that only moves forward
   */
  ProcessOwners(Path proc, Path root, ContainerNames names, LongSupplier nanos) {
    this.files = new ProcessFiles(proc);
    this.users = new UserNames(root);
    this.names = names;
    this.nanos = nanos;
  }

  @Override
  public String name() {
    return "processes";
  }

  @Override
  public Basis basis() {
    return Basis.PROCESS;
  }

  @Override
  public Knowledge newest() {
    Found now = found;
    if (now == null) {
      return Knowledge.unknown(OptionalLong.empty(), errors);
    }
    long age = nanos.getAsLong() - now.at;
    OptionalLong millis = OptionalLong.of(age / NANOS_PER_MILLI);
    return age > KEPT_NANOS
        ? Knowledge.unknown(millis, errors)
        : new Knowledge(now.claims, true, millis, errors, 0);
  }

  /** Finds out whose these processes are, by their numbers. Not for several threads. */
  Map<Integer, OwnedProcess> follow(List<GpuProcesses> gpus) {
    users.look();
    Map<Integer, OwnedProcess> byPid = new HashMap<>();
    Map<Instance, SlurmVariables> still = new HashMap<>();
    Set<String> containers = new HashSet<>();
    for (GpuProcesses gpu : gpus) {
      for (GpuProcess process : gpu.processes()) {
        byPid.computeIfAbsent(process.pid(), pid -> owned(pid, still, containers));
      }
    }
    variables = still;
    names.want(containers);
    if (!gpus.isEmpty()) { // otherwise the driver tells of no GPU
      found = new Found(claims(gpus, byPid), nanos.getAsLong());
    }
    return byPid;
  }

  private OwnedProcess owned(int pid, Map<Instance, SlurmVariables> still, Set<String> containers) {
    ProcessFiles.Seen seen;
    try {
      seen = files.look(pid);
    } catch (ProcessFiles.Unreadable e) {
      failed(e);
      return OwnedProcess.unowned(pid, "", OwnedProcess.UNREADABLE);
    }
    if (seen == null) {
      return OwnedProcess.unowned(pid, "", OwnedProcess.GONE);
    }
    if (seen.isMpsServer()) {
      return OwnedProcess.unowned(pid, seen.program(), OwnedProcess.MPS_SERVER);
    }
    Cgroup group = seen.cgroup();
    if (seen.life() == ProcessFiles.Life.ZOMBIE && group.equals(Cgroup.NONE)) {
      return OwnedProcess.unowned(pid, seen.program(), OwnedProcess.ZOMBIE);
    }
    if (!group.container().isEmpty()) {
      containers.add(group.container());
    }
    return OwnedProcess.of(
        seen,
        names.of(group.container()),
        variables(seen, still),
        users.of(group.uid().isEmpty() ? seen.uid() : group.uid()));
  }

  /** Only of jobs, and of containers outside of pods, which a job may have started. */
  private SlurmVariables variables(ProcessFiles.Seen seen, Map<Instance, SlurmVariables> still) {
    Cgroup group = seen.cgroup();
    boolean isOfUse = !group.job().isEmpty() || group.isContainer() && group.pod().isEmpty();
    if (!isOfUse || seen.life() == ProcessFiles.Life.ZOMBIE) {
      return SlurmVariables.NONE;
    }
    Instance of = new Instance(seen.pid(), seen.started());
    SlurmVariables known = variables.get(of);
    if (known == null && seen.life() == ProcessFiles.Life.RUNNING) {
      try {
        known = SlurmVariables.of(files.environment(seen));
      } catch (ProcessFiles.Unreadable e) {
        failed(e);
        known = SlurmVariables.NONE;
      }
    }
    if (known != null) {
      still.put(of, known);
    }
    return known == null ? SlurmVariables.NONE : known;
  }

  private void failed(ProcessFiles.Unreadable failure) {
    if (errors == 0) {
      LOG.warn(
          "{}; the owners of such processes are not known, see gpu_unowned_processes",
          failure.getMessage());
    }
    errors = errors + 1;
  }

  /** One for each owner of a GPU: what some of its processes do not tell, others may. */
  private static List<Claim> claims(List<GpuProcesses> gpus, Map<Integer, OwnedProcess> byPid) {
    List<Claim> claims = new ArrayList<>();
    for (GpuProcesses gpu : gpus) {
      Map<String, Labels> byOwner = new LinkedHashMap<>();
      for (GpuProcess process : gpu.processes()) {
        OwnedProcess of = byPid.get(process.pid());
        if (of.isOwned() && !of.owner().isEmpty()) {
          byOwner.merge(of.ownerKey(), of.owner(), (first, more) -> more.with(first));
        }
      }
      GpuOwners.Gpu of = GpuOwners.Gpu.of(gpu.labels());
      byOwner.values().forEach(owner -> claims.add(new Claim(of, owner)));
    }
    return claims;
  }
}
