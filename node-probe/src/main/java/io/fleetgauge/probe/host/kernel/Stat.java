package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code stat}. */
public final class Stat implements Collector {
  private static final String[] FIELDS = {
    "intr", "ctxt", "btime", "processes", "procs_running", "procs_blocked"
  };

  private final Metric[] metrics = {
    new Metric("node_intr_total"),
    new Metric("node_context_switches_total"),
    new Metric("node_boot_time_seconds"),
    new Metric("node_forks_total"),
    new Metric("node_procs_running"),
    new Metric("node_procs_blocked")
  };

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("stat");
    while (text.nextLine()) {
      if (text.nextWord()) {
        for (int i = 0; i < FIELDS.length; i++) {
          if (text.wordIs(FIELDS[i])) {
            out.add(metrics[i], text.nextNumber());
            break;
          }
        }
      }
    }
  }
}
