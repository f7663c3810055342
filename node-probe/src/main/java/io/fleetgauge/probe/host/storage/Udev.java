package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.HashMap;
import java.util.Map;

/** Disks as udev knows them: model, serial number, file system, device mapper, ATA. */
final class Udev {
  private static final String PROPERTY = "E:";

  private final Metric info =
      new Metric(
          "node_disk_info",
          "device",
          "major",
          "minor",
          "path",
          "wwn",
          "model",
          "serial",
          "revision",
          "rotational");
  private final Metric fileSystem =
      new Metric("node_disk_filesystem_info", "device", "type", "usage", "uuid", "version");
  private final Metric mapper =
      new Metric(
          "node_disk_device_mapper_info",
          "device",
          "name",
          "uuid",
          "vg_name",
          "lv_name",
          "lv_layer");
  private final Metric cache = new Metric("node_disk_ata_write_cache", "device");
  private final Metric cacheOn = new Metric("node_disk_ata_write_cache_enabled", "device");
  private final Metric rotation = new Metric("node_disk_ata_rotation_rate_rpm", "device");
  private final Map<String, String> known = new HashMap<>();
  private String file = "";

  void read(NodeFiles files, CollectorReadings out, String device, String major, String minor) {
    load(files, files.inRoot("/run/udev/data/b" + major + ":" + minor));
    String serial = of("SCSI_IDENT_SERIAL");
    if (serial.isEmpty()) {
      serial = of("ID_SERIAL_SHORT");
    }
    if (serial.isEmpty()) {
      serial = of("ID_SERIAL");
    }
    boolean turns = files.number(files.inSys("block/" + device + "/queue/rotational")) == 1;
    out.add(
        info,
        1,
        device,
        major,
        minor,
        of("ID_PATH"),
        of("ID_WWN"),
        of("ID_MODEL"),
        serial,
        of("ID_REVISION"),
        turns ? "1" : "0");
    if (!of("ID_FS_TYPE").isEmpty()) {
      out.add(
          fileSystem,
          1,
          device,
          of("ID_FS_TYPE"),
          of("ID_FS_USAGE"),
          of("ID_FS_UUID"),
          of("ID_FS_VERSION"));
    }
    if (!of("DM_NAME").isEmpty()) {
      out.add(
          mapper,
          1,
          device,
          of("DM_NAME"),
          of("DM_UUID"),
          of("DM_VG_NAME"),
          of("DM_LV_NAME"),
          of("DM_LV_LAYER"));
    }
    if (!of("ID_ATA").isEmpty()) {
      out.add(cache, number(files, "ID_ATA_WRITE_CACHE"), device);
      out.add(cacheOn, number(files, "ID_ATA_WRITE_CACHE_ENABLED"), device);
      out.add(rotation, number(files, "ID_ATA_ROTATION_RATE_RPM"), device);
    }
  }

  private void load(NodeFiles files, String path) {
    file = path;
    known.clear();
    KernelText text = files.small(file);
    while (text != null && text.nextLine()) {
      if (text.lineStartsWith(PROPERTY)) {
        String line = text.line();
        int equals = line.indexOf('=');
        if (equals > PROPERTY.length()) {
          known.put(line.substring(PROPERTY.length(), equals), line.substring(equals + 1));
        } else {
          text.damaged();
        }
      }
    }
  }

  private String of(String property) {
    return known.getOrDefault(property, "");
  }

  private double number(NodeFiles files, String property) {
    String text = of(property);
    if (text.isEmpty()) {
      return Double.NaN;
    }
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      files.damaged("no number where one belongs in " + file + ", " + property + "=" + text);
      return Double.NaN;
    }
  }
}
