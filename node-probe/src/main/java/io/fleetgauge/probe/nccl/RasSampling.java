package io.fleetgauge.probe.nccl;

import io.fleetgauge.probe.config.NcclSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Series of what NCCL's RAS ports tell of the jobs of this node. It never waits. */
public final class RasSampling implements Reader, AutoCloseable {
  private static final String COMMUNICATOR = "communicator";

  private final RasThread thread;
  private final TickClass core;

  private RasSampling(RasThread thread, TickClass core) {
    this.thread = thread;
    this.core = core;
  }

  /**
   * Starts to read.
   *
   * @param proc where the proc file system of the node is mounted
   * @param gpus the processes of each GPU; empty while the driver does not answer
   * @param owner what the owner of a process has in common, by the process
   */
  public static RasSampling start(
      NcclSettings settings,
      Path proc,
      Supplier<Optional<List<GpuProcesses>>> gpus,
      IntFunction<String> owner,
      TickClass core) {
    return new RasSampling(new RasThread(settings, proc, gpus, owner).start(), core);
  }

  /** Series of a thread that the caller lets read. */
  static RasSampling of(RasThread thread, TickClass core) {
    return new RasSampling(thread, core);
  }

  @Override
  public String name() {
    return "nccl_ras";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    RasReadings.Counts counts = thread.counts();
    counts
        .errors()
        .forEach(
            (reason, count) ->
                out.add(core, "gpu_nccl_ras_errors_total", Labels.of("reason", reason), count));
    counts
        .events()
        .forEach(
            (event, count) ->
                out.add(core, "gpu_nccl_ras_events_total", Labels.of("event", event), count));
    Optional<RasReadings> newest = thread.newest();
    if (newest.isEmpty()) {
      return;
    }
    newest
        .get()
        .up()
        .ifPresent(
            up -> {
              out.add(core, "gpu_nccl_ras_up", Labels.EMPTY, up);
              out.add(core, "gpu_nccl_ras_jobs_unseen", Labels.EMPTY, newest.get().unseen());
            });
    for (RasSeries each : newest.get().series()) {
      Labels of = each.gpu().with(COMMUNICATOR, each.communicator());
      each.operations().ifPresent(count -> out.add(core, "gpu_nccl_operations_total", of, count));
      each.rank().ifPresent(rank -> out.add(core, "gpu_nccl_rank", of, rank));
      out.add(core, "gpu_nccl_ranks", of, each.ranks());
      out.add(core, "gpu_nccl_ranks_missing", of, each.missing());
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
