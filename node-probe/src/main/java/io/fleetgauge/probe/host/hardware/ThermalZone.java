package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code thermal_zone}. */
public final class ThermalZone implements Collector {
  private static final double MILLI = 1_000;
  private static final String ZONE = "thermal_zone";
  private static final String DEVICE = "cooling_device";

  private final Metric temperature = new Metric("node_thermal_zone_temp", "zone", "type");
  private final Metric current = new Metric("node_cooling_device_cur_state", "name", "type");
  private final Metric maximum = new Metric("node_cooling_device_max_state", "name", "type");

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    String folder = files.inSys("class/thermal/");
    for (String name : files.list(folder)) {
      String path = folder + name;
      if (name.startsWith(ZONE)) {
        String zone = name.substring(ZONE.length());
        double degrees = files.number(path + "/temp") / MILLI;
        out.add(temperature, degrees, zone, files.lineOrEmpty(path + "/type"));
      } else if (name.startsWith(DEVICE)) {
        String number = name.substring(DEVICE.length());
        String type = files.lineOrEmpty(path + "/type");
        out.add(current, files.number(path + "/cur_state"), number, type);
        out.add(maximum, files.number(path + "/max_state"), number, type);
      }
    }
  }
}
