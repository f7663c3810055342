package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code udp_queues}. */
public final class UdpQueues implements Collector {
  private static final int QUEUE_COLUMN = 5;

  private final Metric queues = new Metric("node_udp_queues", "queue", "ip");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    int found = read(files, out, "net/udp", "v4") + read(files, out, "net/udp6", "v6");
    if (found == 0) {
      throw new MissingSource("net/udp");
    }
  }

  private int read(NodeFiles files, CollectorReadings out, String file, String ip)
      throws IOException {
    KernelText text;
    try {
      text = files.proc(file);
    } catch (MissingSource e) {
      return 0; // the protocol is off
    }
    double sent = 0;
    double received = 0;
    if (!text.skipHeader("sl", 1)) {
      return 1;
    }
    while (text.nextLine()) {
      // "00000015:00000000", bytes to send and bytes received
      if (text.skip(QUEUE_COLUMN - 1) && text.nextWord(':') && text.wordEnd() == ':') {
        double toSend = text.hex(0, 1);
        double toRead = text.nextHex();
        sent += Double.isNaN(toSend) ? 0 : toSend;
        received += Double.isNaN(toRead) ? 0 : toRead;
      } else {
        text.damaged();
      }
    }
    out.add(queues, sent, "tx", ip);
    out.add(queues, received, "rx", ip);
    return 1;
  }
}
