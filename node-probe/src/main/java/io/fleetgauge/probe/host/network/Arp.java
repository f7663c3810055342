package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** node_exporter's collector {@code arp}. */
public final class Arp implements Collector {
  private static final int COLUMNS = 6;

  private final Filter devices;
  private final Metric entries = new Metric("node_arp_entries", "device");
  private final Map<String, Integer> counts = new HashMap<>();

  public Arp(Filter devices) {
    this.devices = devices;
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("net/arp");
    counts.clear();
    text.skipHeader("IP", 1);
    while (text.nextLine()) {
      if (text.wordsLeft() < COLUMNS) {
        text.damaged();
        continue;
      }
      text.skip(COLUMNS);
      String device = text.word();
      if (devices.takes(device)) {
        counts.merge(device, 1, Integer::sum);
      }
    }
    counts.forEach((device, count) -> out.add(entries, count, device));
  }
}
