package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code entropy}. */
public final class Entropy implements Collector {
  private final Metric available = new Metric("node_entropy_available_bits");
  private final Metric pool = new Metric("node_entropy_pool_size_bits");

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    out.add(available, files.number(files.inProc("sys/kernel/random/entropy_avail")));
    out.add(pool, files.number(files.inProc("sys/kernel/random/poolsize")));
  }
}
