package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;

/** node_exporter's collector {@code dmi}. */
public final class Dmi implements Collector {
  private static final String[] FILES = {
    "bios_date",
    "bios_release",
    "bios_vendor",
    "bios_version",
    "board_asset_tag",
    "board_name",
    "board_serial",
    "board_vendor",
    "board_version",
    "chassis_asset_tag",
    "chassis_serial",
    "chassis_vendor",
    "chassis_version",
    "product_family",
    "product_name",
    "product_serial",
    "product_sku",
    "product_uuid",
    "product_version",
    "sys_vendor"
  };

  private final Metric info;
  private final String[] values = new String[FILES.length];

  public Dmi() {
    String[] labels = FILES.clone();
    labels[labels.length - 1] = "system_vendor";
    info = new Metric("node_dmi_info", labels);
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/dmi/id/");
    if (!files.isThere(folder)) {
      throw new MissingSource(folder);
    }
    for (int i = 0; i < FILES.length; i++) {
      values[i] = files.lineOrEmpty(folder + FILES[i]);
    }
    out.add(info, 1, values);
  }
}
