package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code vmstat}. */
public final class VmStat implements Collector {
  private final Fields fields;

  /**
   * @param wanted the fields that are read
   */
  public VmStat(Filter wanted) {
    this.fields =
        new Fields(field -> wanted.takes(field) ? new Metric("node_vmstat_" + field) : null);
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("vmstat");
    while (text.nextLine()) {
      if (text.nextWord()) {
        Metric metric = fields.of(text.word());
        if (metric != null) {
          out.add(metric, text.nextNumber());
        }
      }
    }
  }
}
