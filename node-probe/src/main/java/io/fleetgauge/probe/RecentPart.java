package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.faults.RecentReport;
import io.fleetgauge.probe.faults.Recorder;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Tick;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The last minutes at a high rate, and the windows of faults. */
final class RecentPart implements ProbePart {
  /** Folder of the windows of faults in that of the spool. */
  private static final String FAULTS = "faults";

  private final String hostname;
  private final TickClass core;
  private final Optional<Recorder> recorder;

  /**
   * @param gpus started before
   * @param clock ms since the epoch
   * @param out takes the ticks of a window
   */
  RecentPart(
      ProbeConfig config,
      GpuPart gpus,
      NodeLabels node,
      TickClass core,
      LongSupplier clock,
      Consumer<List<Tick>> out) {
    this.hostname = config.hostname();
    this.core = core;
    this.recorder =
        config.recent().enabled()
            ? Optional.of(
                new Recorder(
                    config.recent(),
                    gpus.thread(),
                    new NodeFiles(
                        config.host().proc(),
                        config.host().sys(),
                        config.host().root(),
                        new Faults()),
                    node,
                    config.spool().folder().map(folder -> folder.resolve(FAULTS)),
                    clock,
                    System::nanoTime,
                    out))
            : Optional.empty();
  }

  @Override
  public void start() {
    recorder.ifPresent(Recorder::start);
  }

  /** A critical XID has happened. Never waits; for any thread. */
  void xid(String address, int code, long time) {
    recorder.ifPresent(to -> to.xid(address, code, time));
  }

  /** The route that shows what is kept. */
  RecentRoute route() {
    return new RecentRoute(hostname, recorder);
  }

  @Override
  public List<Reader> readers() {
    return recorder.<Reader>map(from -> new RecentReport(from, core)).stream().toList();
  }

  @Override
  public void close() {
    recorder.ifPresent(Recorder::close);
  }
}
