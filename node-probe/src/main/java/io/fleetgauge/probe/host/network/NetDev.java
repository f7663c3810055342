package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code netdev}. */
public final class NetDev implements Collector {
  private static final String[] RECEIVE = {
    "bytes", "packets", "errs", "drop", "fifo", "frame", "compressed", "multicast"
  };
  private static final String[] TRANSMIT = {
    "bytes", "packets", "errs", "drop", "fifo", "colls", "carrier", "compressed"
  };

  private final Filter devices;
  private final Metric[] columns = new Metric[RECEIVE.length + TRANSMIT.length];
  private final Metric unhandled = metric("receive_nohandler");

  public NetDev(Filter devices) {
    this.devices = devices;
    for (int i = 0; i < RECEIVE.length; i++) {
      columns[i] = metric("receive_" + RECEIVE[i]);
    }
    for (int i = 0; i < TRANSMIT.length; i++) {
      columns[RECEIVE.length + i] = metric("transmit_" + TRANSMIT[i]);
    }
  }

  private static Metric metric(String name) {
    return new Metric("node_network_" + name + "_total", "device");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("net/dev");
    text.skipHeader("Inter-|", 2);
    while (text.nextLine()) {
      // The number of bytes may follow the colon without a blank.
      if (!text.nextWord(':') || text.wordEnd() != ':' || text.wordsLeft() < columns.length) {
        text.damaged();
        continue;
      }
      String device = text.word(0, 1);
      if (!devices.takes(device)) {
        continue;
      }
      for (Metric column : columns) {
        out.add(column, text.nextNumber(), device);
      }
      String file = "class/net/" + device + "/statistics/rx_nohandler";
      out.add(unhandled, files.number(files.inSys(file)), device);
    }
  }
}
