package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code netstat}. */
public final class NetStat implements Collector {
  private static final int MAX_COLUMNS = 512;

  private final Fields fields;
  private final Metric[] columns = new Metric[MAX_COLUMNS];

  /**
   * @param wanted the fields that are read, such as {@code Tcp_InSegs}
   */
  public NetStat(Filter wanted) {
    this.fields =
        new Fields(field -> wanted.takes(field) ? new Metric("node_netstat_" + field) : null);
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    int found = table(files, out, "net/netstat") + table(files, out, "net/snmp");
    if (found == 0) {
      throw new MissingSource("net/netstat");
    }
    try {
      list(files, out, "net/snmp6");
    } catch (MissingSource e) {
      // IPv6 is off.
    }
  }

  /**
   * Two lines for each protocol: names and values. A line that does not belong to the one before
   * begins the next protocol.
   */
  private int table(NodeFiles files, CollectorReadings out, String file) throws IOException {
    KernelText text;
    try {
      text = files.proc(file);
    } catch (MissingSource e) {
      return 0;
    }
    boolean hasLine = text.nextLine();
    while (hasLine) {
      if (!text.nextWord()) {
        hasLine = text.nextLine();
        continue;
      }
      String protocol = text.word();
      int count = 0;
      while (count < MAX_COLUMNS && text.nextWord()) {
        columns[count++] = fields.of(protocol.replace(':', '_').concat(text.word()));
      }
      hasLine = text.nextLine();
      boolean fits = hasLine && text.nextWord() && text.wordIs(protocol);
      if (fits && text.wordsLeft() == count) {
        values(out, text, count);
      } else {
        text.damaged();
      }
      if (fits) {
        hasLine = text.nextLine();
      } else {
        text.toLineStart();
      }
    }
    return 1;
  }

  private void values(CollectorReadings out, KernelText text, int count) {
    for (int i = 0; i < count; i++) {
      text.nextWord();
      if (columns[i] != null) {
        out.add(columns[i], text.number());
      }
    }
  }

  /** A line for each value; the protocol's name ends with a 6. */
  private void list(NodeFiles files, CollectorReadings out, String file) throws IOException {
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
