package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.xid.XidListener;
import io.fleetgauge.probe.xid.XidSampling;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The errors that the node's GPUs and NVSwitches report of themselves. */
final class XidPart implements ProbePart {
  private final ProbeConfig config;
  private final GpuPart gpus;
  private final TickClass core;
  private final LongSupplier clock;
  private final XidListener critical;
  private Optional<XidSampling> sampling = Optional.empty();

  /**
   * @param gpus started before
   * @param clock ms since the epoch
   * @param critical takes errors after which a GPU or its node has to be drained
   */
  XidPart(
      ProbeConfig config, GpuPart gpus, TickClass core, LongSupplier clock, XidListener critical) {
    this.config = config;
    this.gpus = gpus;
    this.core = core;
    this.clock = clock;
    this.critical = critical;
  }

  @Override
  public void start() {
    sampling =
        gpus.thread()
            .map(
                thread ->
                    new XidSampling(
                        config.gpu().library(),
                        config.gpu().driverRoots(),
                        config.gpu().kernelLog(),
                        config.host().proc(),
                        thread::gpus,
                        core,
                        clock,
                        critical));
  }

  @Override
  public List<Reader> readers() {
    return sampling.map(gpus::chosen).stream().toList();
  }

  @Override
  public void close() {
    sampling.ifPresent(XidSampling::close);
  }
}
