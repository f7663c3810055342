package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code kernel_hung}. */
public final class KernelHung implements Collector {
  private final Metric tasks = new Metric("node_kernel_hung_tasks_total");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String file = files.inProc("sys/kernel/hung_task_detect_count");
    if (!files.isThere(file)) {
      throw new MissingSource(file);
    }
    out.add(tasks, files.number(file));
  }
}
