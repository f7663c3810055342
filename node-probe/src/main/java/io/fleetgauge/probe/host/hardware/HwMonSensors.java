package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sensors of a chip: files such as {@code temp1_input}, each in the unit of its kind. */
final class HwMonSensors {
  private static final double MILLI = 1_000;
  private static final double MICRO = 1e6;
  private static final Pattern FILE =
      Pattern.compile("(?<kind>[^0-9]+)(?<id>\\d*)?(_(?<what>.+))?");
  private static final Set<String> KINDS =
      Set.of(
          "vrm",
          "beep_enable",
          "update_interval",
          "in",
          "cpu",
          "fan",
          "pwm",
          "temp",
          "curr",
          "power",
          "energy",
          "humidity",
          "intrusion",
          "freq");
  private static final Set<String> RPM = Set.of("input", "min", "max", "target");
  private static final Set<String> INTERVALS =
      Set.of("average_interval", "average_interval_min", "average_interval_max");

  /** The name of a file: its sensor, the sensor's kind, and what is said of the sensor. */
  private record Name(String sensor, String kind, String what) {}

  /** The form in which a value is reported. */
  private record Form(String name, double divisor) {}

  private static final Name OTHER = new Name("", "", "");

  private final Filter wanted;
  private final Map<String, Name> known = new HashMap<>();
  private final Fields metrics = new Fields(name -> new Metric(name, "chip", "sensor"));
  private final Metric labels = new Metric("node_hwmon_sensor_label", "chip", "sensor", "label");

  HwMonSensors(Filter wanted) {
    this.wanted = wanted;
  }

  void read(NodeFiles files, CollectorReadings out, String folder, String chip) {
    Map<String, Map<String, String>> found = new TreeMap<>();
    find(files, folder, found);
    // Older drivers have their sensors in the device's own folder.
    find(files, folder + "/device", found);
    found.forEach(
        (sensor, said) -> {
          if (wanted.takes(chip + ";" + sensor)) {
            read(out, chip, sensor, said);
          }
        });
  }

  private void find(NodeFiles files, String folder, Map<String, Map<String, String>> found) {
    for (String file : files.list(folder)) {
      Name name =
          known.size() < 4_096 ? known.computeIfAbsent(file, HwMonSensors::name) : name(file);
      if (name != OTHER) {
        String value = files.line(folder + "/" + file);
        if (value != null) {
          found.computeIfAbsent(name.sensor(), none -> new TreeMap<>()).put(name.what(), value);
        }
      }
    }
  }

  private static Name name(String file) {
    Matcher parts = FILE.matcher(file);
    if (!parts.matches() || !KINDS.contains(parts.group("kind"))) {
      return OTHER;
    }
    String id = parts.group("id").isEmpty() ? "0" : parts.group("id");
    String what = parts.group("what") == null ? "" : parts.group("what");
    return new Name(parts.group("kind") + id, parts.group("kind"), what);
  }

  private void read(CollectorReadings out, String chip, String sensor, Map<String, String> said) {
    String kind = name(sensor).kind();
    String label = said.remove("label");
    if (label != null) {
      out.add(labels, 1, chip, sensor, label);
    }
    boolean hasOwn = said.containsKey("");
    said.forEach(
        (what, text) -> {
          double value = kind.equals("beep_enable") ? text.equals("1") ? 1 : 0 : number(text);
          if (value == value) {
            Form form = form(kind, what, hasOwn);
            if (kind.equals("freq") && what.equals("input")) {
              if (label != null) {
                String named = HwMon.clean(label);
                out.add(metrics.of("node_hwmon_freq_freq_mhz"), value / MICRO, chip, named);
              }
            } else {
              out.add(metrics.of(form.name()), value / form.divisor(), chip, sensor);
            }
          }
        });
  }

  /** NaN if it is no number: some files of drivers are text. */
  private static double number(String text) {
    if (text.isEmpty() || !text.matches("[+-]?\\d{1,19}(\\.\\d{1,9})?")) {
      return Double.NaN;
    }
    return Double.parseDouble(text);
  }

  private static Form form(String kind, String what, boolean hasOwn) {
    String prefix = "node_hwmon_";
    switch (kind) {
      case "beep_enable":
        return new Form(prefix + "beep_enabled", 1);
      case "vrm":
        return new Form(prefix + "voltage_regulator_version", 1);
      case "update_interval":
        return new Form(prefix + "update_interval_seconds", MILLI);
      default:
        break;
    }
    String name = prefix + kind;
    if (what.equals("input")) {
      name += hasOwn ? "_input" : "";
    } else if (!what.isEmpty()) {
      name += "_" + HwMon.clean(what);
    }
    if (what.equals("fault") || what.equals("alarm")) {
      return new Form(name, 1);
    }
    if (what.equals("beep")) {
      return new Form(name + "_enabled", 1);
    }
    return switch (kind) {
      case "in", "cpu" -> new Form(name + "_volts", MILLI);
      case "temp" -> what.equals("type") ? new Form(name, 1) : new Form(name + "_celsius", MILLI);
      case "curr" -> new Form(name + "_amps", MILLI);
      case "energy" -> new Form(name + "_joule_total", MICRO);
      case "humidity" -> new Form(name, MICRO);
      case "power" ->
          what.equals("accuracy")
              ? new Form(name, MICRO)
              : INTERVALS.contains(what)
                  ? new Form(name + "_seconds", MILLI)
                  : new Form(name + "_watt", MICRO);
      case "fan" -> new Form(RPM.contains(what) ? name + "_rpm" : name, 1);
      default -> new Form(name, 1);
    };
  }
}
