package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.Missing;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.io.IOException;

/** node_exporter's collector {@code netstat}. */
public final class NetStat implements Collector {
  private static final int MAX_COLUMNS = 512;

  private final NodeFiles files;
  private final Fields fields;
  private final Metric[] columns = new Metric[MAX_COLUMNS];

  /**
   * @param wanted the fields that are read, such as {@code Tcp_InSegs}
   */
  public NetStat(NodeFiles files, Filter wanted) {
    this.files = files;
    this.fields =
        new Fields(field -> wanted.takes(field) ? new Metric("node_netstat_" + field) : null);
  }

  @Override
  public void read(Readings out) throws IOException {
    table(out, "net/netstat");
    table(out, "net/snmp");
    try {
      list(out, "net/snmp6");
    } catch (Missing e) {
      // IPv6 is off.
    }
  }

  /** Two lines for each protocol: names and values. */
  private void table(Readings out, String file) throws IOException {
    KernelText text = files.proc(file);
    while (text.nextLine()) {
      if (!text.nextWord()) {
        continue;
      }
      String protocol = text.word();
      int count = 0;
      while (count < MAX_COLUMNS && text.nextWord()) {
        columns[count++] = fields.of(protocol.replace(':', '_').concat(text.word()));
      }
      if (!text.nextLine() || !text.nextWord() || !text.wordIs(protocol)) {
        text.damaged();
      } else if (text.wordsLeft() != count) {
        text.damaged();
      } else {
        for (int i = 0; i < count; i++) {
          text.nextWord();
          if (columns[i] != null) {
            out.add(columns[i], text.number());
          }
        }
      }
    }
  }

  /** A line for each value; the protocol's name ends with a 6. */
  private void list(Readings out, String file) throws IOException {
    KernelText text = files.proc(file);
    while (text.nextLine()) {
      if (text.nextWord()) {
        String word = text.word();
        int six = word.indexOf('6');
        if (six > 0) {
          Metric metric = fields.of(word.substring(0, six + 1) + "_" + word.substring(six + 1));
          if (metric != null) {
            out.add(metric, text.nextNumber());
          }
        }
      }
    }
  }
}
