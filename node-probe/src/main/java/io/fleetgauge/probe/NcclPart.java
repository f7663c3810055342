package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.nccl.InspectorFiles;
import io.fleetgauge.probe.nccl.RasSampling;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.runtime.process.Lifecycle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** What NCCL tells of the jobs of the node. */
final class NcclPart implements ProbePart {
  private final Lifecycle lifecycle = new Lifecycle("NCCL");
  private final ProbeConfig config;
  private final GpuPart gpus;
  private final OwnerPart owners;
  private final TickClass core;
  private final LongSupplier clock;
  private final List<Reader> readers = new ArrayList<>();

  /**
   * @param gpus started before
   * @param owners started before
   * @param clock ms since the epoch
   */
  NcclPart(ProbeConfig config, GpuPart gpus, OwnerPart owners, TickClass core, LongSupplier clock) {
    this.config = config;
    this.gpus = gpus;
    this.owners = owners;
    this.core = core;
    this.clock = clock;
  }

  @Override
  public void start() {
    gpus.thread()
        .ifPresent(
            thread -> {
              if (config.nccl().enabled()) {
                RasSampling ras =
                    RasSampling.start(
                        config.nccl(),
                        config.host().proc(),
                        thread::processes,
                        pid -> owners.processes().map(all -> all.owner(pid)).orElse(""),
                        core);
                lifecycle.started("RAS ports", ProbeProcess.STOP_LIMIT, ras);
                readers.add(gpus.chosen(ras));
              }
              config
                  .host()
                  .textfiles()
                  .ifPresent(
                      folder ->
                          readers.add(
                              gpus.chosen(
                                  new InspectorFiles(folder, thread::identities, core, clock))));
            });
  }

  @Override
  public List<Reader> readers() {
    return List.copyOf(readers);
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
