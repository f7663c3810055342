package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.config.ProcessSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Series of what processes, containers, pods and jobs use of the node's GPUs. It reads after the
 * GPUs, and says nothing while their driver does not answer.
 */
public final class ProcessSampling implements Reader {
  private final Supplier<Optional<List<GpuProcesses>>> gpus;
  private final ProcessOwners owners;
  private final Runnable found;
  private final BiFunction<GpuOwners.Gpu, Labels, Labels> records;
  private final ProcessSeries series;
  private final TickClass core;
  private volatile Map<Integer, OwnedProcess> newest = Map.of();

  /**
   * @param gpus the processes of each GPU; empty while the driver does not answer
   * @param found is told when the owners of the processes are known, before records are asked for
   * @param records what a scheduler's record adds to an owner on a GPU
   */
  public ProcessSampling(
      ProcessSettings settings,
      Supplier<Optional<List<GpuProcesses>>> gpus,
      ProcessOwners owners,
      Runnable found,
      BiFunction<GpuOwners.Gpu, Labels, Labels> records,
      TickClass core) {
    this.gpus = gpus;
    this.owners = owners;
    this.found = found;
    this.records = records;
    this.series =
        new ProcessSeries(settings.limit(), settings.perProcess(), settings.usedGpuMemory());
    this.core = core;
  }

  @Override
  public String name() {
    return "processes_of_gpus";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) throws IOException {
    List<GpuProcesses> now =
        gpus.get()
            .orElseThrow(() -> new IOException("the GPU driver has not listed its processes"));
    Map<Integer, OwnedProcess> byPid = owners.follow(now);
    found.run();
    series.add(out.of(core), now, byPid, records);
    newest = byPid;
  }

  /** {@code used_gpu_memory} with the labels of the exporter of that name. For any thread. */
  public Tick usedGpuMemory() {
    return UsedGpuMemory.of(gpus.get(), newest);
  }

  /** A key of the owner of a process: processes of one owner have the same. For any thread. */
  public String owner(int pid) {
    OwnedProcess of = newest.get(pid);
    return of == null || !of.isOwned() ? "process " + pid : of.ownerKey();
  }

  /** Labels of the owner of a process on a GPU; empty if it is not known. For any thread. */
  public Labels owner(GpuOwners.Gpu gpu, int pid) {
    OwnedProcess of = newest.get(pid);
    return of == null || !of.isOwned()
        ? Labels.EMPTY
        : records.apply(gpu, of.proven()).with(of.owner());
  }

  /** Tells whether processes use the GPUs, as the exporter numbers it. For any thread. */
  int status() {
    return UsedGpuMemory.Status.of(gpus.get()).code;
  }

  /** For any thread. */
  Map<ProcessSeries.Kind, Integer> leftOut() {
    return series.leftOut();
  }
}
