package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code bonding}. */
public final class Bonding implements Collector {
  private final Metric slaves = new Metric("node_bonding_slaves", "master");
  private final Metric active = new Metric("node_bonding_active", "master");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/net/");
    String masters = files.line(folder + "bonding_masters");
    if (masters == null) {
      throw new MissingSource(folder + "bonding_masters");
    }
    for (String master : masters.split(" ")) {
      String path = folder + master;
      String all = master.isEmpty() ? null : files.line(path + "/bonding/slaves");
      if (all == null) {
        continue;
      }
      int count = 0;
      int up = 0;
      for (String slave : all.split(" ")) {
        if (!slave.isEmpty()) {
          String state = files.line(path + "/lower_" + slave + "/bonding_slave/mii_status");
          if (state == null) {
            state = files.lineOrEmpty(path + "/slave_" + slave + "/bonding_slave/mii_status");
          }
          count++;
          up += state.equals("up") ? 1 : 0;
        }
      }
      out.add(slaves, count, master);
      out.add(active, up, master);
    }
  }
}
