package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.SimulatedGpu;
import io.fleetgauge.load.nodes.jobs.Activity;
import io.fleetgauge.load.nodes.jobs.JobPlay;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the probe reads of the processes that hold each GPU: their CPU time and bytes, the memory of
 * the host that their owners use, and what NCCL tells of their ranks. Not for several threads.
 */
final class OwnerReadout implements Reader {
  private static final String COMMUNICATOR = "communicator";

  private final TickClass core;
  private final List<Labels> gpus = new ArrayList<>();
  private final List<Activity> activities = new ArrayList<>();
  private final List<Optional<JobPlay>> plays = new ArrayList<>();
  private final List<Boolean> unowned = new ArrayList<>();
  private final List<PlayedMemory> memory = new ArrayList<>();
  private final double[] cpuSeconds;
  private final double[] bytes;
  private final int host;

  OwnerReadout(int host, List<SimulatedGpu> gpus, TickClass core) {
    this.host = host;
    this.core = core;
    for (int i = 0; i < gpus.size(); i++) {
      this.gpus.add(labels(i, gpus.get(i)));
    }
    cpuSeconds = new double[gpus.size()];
    bytes = new double[gpus.size()];
  }

  /** Labels of a GPU, as all series of it have them. */
  static Labels labels(int index, SimulatedGpu gpu) {
    return Labels.of(
        "gpu",
        "" + index,
        "UUID",
        gpu.uuid(),
        "device",
        "nvidia" + index,
        "modelName",
        gpu.model(),
        "pci_bus_id",
        gpu.address());
  }

  /** Begins a tick. */
  void begin() {
    activities.clear();
    plays.clear();
    unowned.clear();
  }

  /** The next GPU, in order of their indices. */
  void add(Activity activity, Optional<JobPlay> play, boolean isUnowned, double seconds) {
    int gpu = activities.size();
    activities.add(activity);
    plays.add(play);
    unowned.add(isUnowned);
    cpuSeconds[gpu] += activity.cores() * seconds;
    bytes[gpu] += Math.rint((activity.read() + activity.written()) * seconds);
  }

  /** What owners use of the host's memory at the tick. */
  void useMemory(Collection<PlayedMemory> used) {
    memory.clear();
    memory.addAll(used);
  }

  @Override
  public String name() {
    return "owners";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    for (int gpu = 0; gpu < activities.size(); gpu++) {
      Activity activity = activities.get(gpu);
      add(out, gpu, "gpu_owner_cpu_seconds_total", Math.rint(100 * cpuSeconds[gpu]) / 100);
      add(out, gpu, "gpu_owner_io_bytes_total", bytes[gpu]);
      add(out, gpu, "gpu_owner_blocked_processes", activity.blocked());
      if (unowned.get(gpu)) {
        Labels series = named(gpu, "gpu_unowned_processes").with("reason", "gone");
        out.add(core, series, 1);
      }
      nccl(out, gpu);
    }
    for (PlayedMemory each : memory) {
      Labels series = each.owner().with(GpuOwners.SLOT, Integer.toString(each.slot()));
      out.add(core, "gpu_owner_host_memory_bytes", series, each.bytes());
    }
  }

  private void nccl(Readings out, int gpu) {
    Optional<JobPlay> of = plays.get(gpu).filter(JobPlay::isSeenByNccl);
    int rank = of.map(play -> play.job().rank(host, gpu)).orElse(-1);
    if (rank < 0 || of.get().isMissing(rank)) {
      return;
    }
    JobPlay play = of.get();
    String communicator = String.format("0x%016x", play.job().seed() * 0x9e3779b97f4a7c15L);
    rank(out, gpu, communicator, "gpu_nccl_operations_total", play.operations(rank));
    rank(out, gpu, communicator, "gpu_nccl_rank", rank);
    rank(out, gpu, communicator, "gpu_nccl_ranks", play.job().ranks().size());
    rank(out, gpu, communicator, "gpu_nccl_ranks_missing", play.missing());
  }

  private void rank(Readings out, int gpu, String communicator, String metric, double value) {
    out.add(core, named(gpu, metric).with(COMMUNICATOR, communicator), value);
  }

  private void add(Readings out, int gpu, String metric, double value) {
    out.add(core, named(gpu, metric), value);
  }

  private Labels named(int gpu, String metric) {
    return gpus.get(gpu).with(Labels.NAME, metric);
  }
}
