package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** node_exporter's collector {@code hwmon}: sensors of the kernel's drivers. */
public final class HwMon implements Collector {
  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^a-z0-9:_]");
  private static final Pattern OUTER_LINES = Pattern.compile("^_+|_+$");

  private final Filter chips;
  private final HwMonSensors sensors;
  private final Metric names = new Metric("node_hwmon_chip_names", "chip", "chip_name");

  /** A folder of a chip, its name by its place in the machine, and the one that it says. */
  private record Chip(String folder, String place, String name) {}

  /**
   * @param sensors which sensors are read, as chip;sensor
   */
  public HwMon(Filter chips, Filter sensors) {
    this.chips = chips;
    this.sensors = new HwMonSensors(sensors);
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/hwmon/");
    List<Chip> found = new ArrayList<>();
    Map<String, Integer> places = new HashMap<>();
    for (String each : files.listed(folder)) {
      String path = folder + each;
      if (new File(path).isDirectory()) {
        String name = clean(files.lineOrEmpty(path + "/name"));
        Chip chip = new Chip(path, place(path, name), name);
        found.add(chip);
        places.merge(chip.place(), 1, Integer::sum);
        places.merge(chip.place() + "\0" + name, 1, Integer::sum);
      }
    }
    for (Chip chip : found) {
      String label = chip.place();
      if (places.get(chip.place()) > 1) {
        boolean isUnique = places.get(chip.place() + "\0" + chip.name()) == 1;
        String own = clean(new File(chip.folder()).getName());
        label += "_" + (isUnique && !chip.name().isEmpty() ? chip.name() : own);
      }
      if (chips.takes(label)) {
        if (!chip.name().isEmpty()) {
          out.add(names, 1, label, chip.name());
        }
        sensors.read(files, out, chip.folder(), label);
      }
    }
  }

  /** The last two folders of the device, which do not depend on the order of loading drivers. */
  private static String place(String path, String name) {
    try {
      Path device = Path.of(path, "device").toRealPath();
      String own = clean(device.getFileName().toString());
      Path parent = device.getParent().getFileName();
      String kind = parent == null ? "" : clean(parent.toString());
      if (!own.isEmpty()) {
        return kind.isEmpty() ? own : kind + "_" + own;
      }
    } catch (IOException e) {
      // It belongs to no device.
    }
    return name.isEmpty() ? clean(new File(path).getName()) : name;
  }

  static String clean(String name) {
    String lower = NOT_IN_NAMES.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("_");
    return OUTER_LINES.matcher(lower).replaceAll("");
  }
}
