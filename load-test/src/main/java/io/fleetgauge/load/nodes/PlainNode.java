package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * A node whose probe has no driver to read: it reads the host and another exporter there. Not for
 * several threads.
 */
public final class PlainNode implements PlayedNode {
  private static final long NANOS = 1_000_000;
  private static final double MOST_ACTIVITY = 0.3;

  private final String hostname;
  private final long seed;
  private final HostModel host;
  private final Sampler sampler;
  private long time;

  private PlainNode(
      String hostname,
      String address,
      FleetLayout fleet,
      long first,
      BiFunction<TickClass, LongSupplier, Reader> exporter) {
    this.hostname = hostname;
    this.seed = fleet.seed() + hostname.hashCode();
    this.time = first;
    TickClasses classes = TickClasses.of(fleet.ticks());
    host = new HostModel(hostname, hostname.hashCode(), classes, false, fleet.seed(), first);
    List<Reader> readers = new ArrayList<>(host.readers());
    readers.add(exporter.apply(classes.core(), () -> time));
    sampler =
        new Sampler(
            readers,
            NodeLabelling.of(hostname, address, "rack-0"),
            () -> GpuOwners.NONE,
            "gpu-probe",
            fleet.tick(),
            () -> time,
            () -> time * NANOS,
            TickSink.NONE);
  }

  /**
   * The node of the cluster's controllers, with the exporters of Slurm and Kubernetes.
   *
   * @param first time of the first tick, ms since the epoch
   */
  public static PlainNode controller(FleetLayout fleet, Incidents incidents, long first) {
    return new PlainNode(
        "controller-01",
        "10.20.9.1",
        fleet,
        first,
        (core, clock) -> new Cluster(fleet, incidents, core, clock));
  }

  /**
   * A workstation whose GPU is read by nvidia_gpu_exporter.
   *
   * @param first time of the first tick, ms since the epoch
   */
  public static PlainNode workstation(FleetLayout fleet, long first) {
    return new PlainNode("workstation-01", "10.20.9.2", fleet, first, OtherExporter::new);
  }

  @Override
  public String hostname() {
    return hostname;
  }

  @Override
  public Optional<Tick> tick(long newTime) throws InterruptedException {
    time = newTime;
    host.turnTo(time, HostLoad.of(MOST_ACTIVITY * Noise.of(seed, 1, time / 600_000)), List.of());
    return Optional.of(sampler.readAt(time));
  }

  @Override
  public void close() {
    sampler.close();
  }
}
