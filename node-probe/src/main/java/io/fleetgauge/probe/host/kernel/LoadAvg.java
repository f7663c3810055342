package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code loadavg}. */
public final class LoadAvg implements Collector {
  private final Metric[] loads = {
    new Metric("node_load1"), new Metric("node_load5"), new Metric("node_load15")
  };

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("loadavg");
    if (text.nextLine()) {
      for (Metric load : loads) {
        out.add(load, text.nextNumber());
      }
    }
  }
}
