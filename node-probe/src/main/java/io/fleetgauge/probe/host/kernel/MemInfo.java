package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code meminfo}; every field of the file, also new ones. */
public final class MemInfo implements Collector {
  private final Fields counts = new Fields(field -> new Metric(name(field)));
  private final Fields bytes = new Fields(field -> new Metric(name(field) + "_bytes"));

  /** The field {@code Active(anon)} is the metric {@code node_memory_Active_anon_bytes}. */
  private static String name(String field) {
    return "node_memory_" + field.replace('(', '_').replace(")", "").replaceAll("\\W", "_");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("meminfo");
    while (text.nextLine()) {
      if (!text.nextWord()) {
        continue;
      }
      if (text.wordEnd() != ':') {
        text.damaged();
        continue;
      }
      String field = text.word(0, 1);
      double value = text.nextNumber();
      if (!text.nextWord()) {
        out.add(counts.of(field), value);
      } else if (text.wordIs("kB")) {
        out.add(bytes.of(field), value * 1_024);
      } else {
        text.damaged();
      }
    }
  }
}
