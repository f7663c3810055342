package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code sockstat}. */
public final class SockStat implements Collector {
  private final double pageBytes;
  private final Fields fields = new Fields(field -> new Metric("node_sockstat_" + field));

  /**
   * @param pageBytes bytes of a page of memory
   */
  public SockStat(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    int found = read(files, out, "net/sockstat") + read(files, out, "net/sockstat6");
    if (found == 0) {
      throw new MissingSource("net/sockstat");
    }
  }

  private int read(NodeFiles files, CollectorReadings out, String file) throws IOException {
    KernelText text;
    try {
      text = files.proc(file);
    } catch (MissingSource e) {
      return 0; // the protocol is off
    }
    while (text.nextLine()) {
      if (!text.nextWord() || text.wordEnd() != ':' || text.wordsLeft() % 2 != 0) {
        text.damaged();
        continue;
      }
      String protocol = text.word(0, 1);
      while (text.nextWord()) {
        String field = protocol + "_" + text.word();
        double value = text.nextNumber();
        out.add(fields.of(field), value);
        if (field.endsWith("_mem")) {
          out.add(fields.of(field + "_bytes"), value * pageBytes);
        }
      }
    }
    return 1;
  }
}
