package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code nfs}: the client. */
public final class Nfs implements Collector {
  private final Metric packets = new Metric("node_nfs_packets_total", "protocol");
  private final Metric connections = new Metric("node_nfs_connections_total");
  private final Metric rpcs = new Metric("node_nfs_rpcs_total");
  private final Metric retransmissions = new Metric("node_nfs_rpc_retransmissions_total");
  private final Metric refreshes = new Metric("node_nfs_rpc_authentication_refreshes_total");
  private final Metric requests = new Metric("node_nfs_requests_total", "proto", "method");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("net/rpc/nfs");
    while (text.nextLine()) {
      if (!text.nextWord()) {
        continue;
      }
      switch (text.word()) {
        case "net" -> {
          text.nextWord(); // all packets
          out.add(packets, text.nextNumber(), "udp");
          out.add(packets, text.nextNumber(), "tcp");
          out.add(connections, text.nextNumber());
        }
        case "rpc" -> {
          out.add(rpcs, text.nextNumber());
          out.add(retransmissions, text.nextNumber());
          out.add(refreshes, text.nextNumber());
        }
        case "proc2" -> NfsProcedures.read(out, text, requests, "2", NfsProcedures.V2);
        case "proc3" -> NfsProcedures.read(out, text, requests, "3", NfsProcedures.V3);
        case "proc4" -> NfsProcedures.read(out, text, requests, "4", NfsProcedures.CLIENT_V4);
        default -> {}
      }
    }
  }
}
