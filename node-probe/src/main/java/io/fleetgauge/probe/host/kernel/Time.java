package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Libc;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.function.LongSupplier;

/** node_exporter's collector {@code time}. */
public final class Time implements Collector {
  private static final String PREFIX = "clocksource";

  private final LongSupplier clock;
  private final Metric seconds = new Metric("node_time_seconds");
  private final Metric offset = new Metric("node_time_zone_offset_seconds", "time_zone");
  private final Metric available =
      new Metric("node_time_clocksource_available_info", "device", "clocksource");
  private final Metric current =
      new Metric("node_time_clocksource_current_info", "device", "clocksource");

  /**
   * @param clock ms since the epoch
   */
  public Time(LongSupplier clock) {
    this.clock = clock;
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    long now = clock.getAsLong();
    out.add(seconds, now / 1e3);
    Libc.Zone zone = Libc.zone(now / 1_000);
    out.add(offset, zone.offset(), zone.name());
    String folder = files.inSys("devices/system/clocksource/");
    for (String device : files.list(folder)) {
      if (device.startsWith(PREFIX)) {
        String number = device.substring(PREFIX.length());
        String path = folder + device;
        for (String each : files.lineOrEmpty(path + "/available_clocksource").split(" ")) {
          if (!each.isEmpty()) {
            out.add(available, 1, number, each);
          }
        }
        String one = files.lineOrEmpty(path + "/current_clocksource");
        if (!one.isEmpty()) {
          out.add(current, 1, number, one);
        }
      }
    }
  }
}
