package io.fleetgauge.sample.prometheus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Type, unit and help of the metrics of nodes and of their reading. {@code host-metrics.csv} has
 * the help; a name there that ends with a star is of all metrics that begin so, and {@code {}} in
 * its help is the rest of a metric's name. node_exporter's types follow from the names.
 */
final class HostMetrics {
  private static final String ANY = "node_";

  /** Families whose fields node_exporter passes on without knowing what they are. */
  private static final String[] UNTYPED = {"node_netstat_", "node_vmstat_"};

  private static final String[][] UNITS = {
    {"_bytes", "bytes"},
    {"_seconds", "seconds"},
    {"_celsius", "celsius"},
    {"_temp", "celsius"},
    {"_hertz", "hertz"},
    {"_joules", "joules"},
    {"_joule", "joules"},
    {"_volts", "volts"},
    {"_amps", "amperes"},
    {"_watt", "watts"},
    {"_rpm", "rpm"},
    {"_bits", "bits"},
    {"_bytes_per_second", "bytes/s"}
  };

  private static final Map<String, String> HELP = new HashMap<>();
  private static final Map<String, String> HELP_OF_PREFIX = new HashMap<>();

  static {
    read();
  }

  private HostMetrics() {}

  /** The metadata of a metric; empty when it is neither node_exporter's nor in the table. */
  static Optional<MetricMetadata> of(String name) {
    return name.startsWith(ANY) || HELP.containsKey(name)
        ? Optional.of(new MetricMetadata(type(name), help(name), unit(name)))
        : Optional.empty();
  }

  private static String type(String name) {
    for (String prefix : UNTYPED) {
      if (name.startsWith(prefix)) {
        return "unknown";
      }
    }
    return name.endsWith("_total") ? "counter" : "gauge";
  }

  private static String unit(String name) {
    String base = name.endsWith("_total") ? name.substring(0, name.length() - 6) : name;
    for (String[] unit : UNITS) {
      if (base.endsWith(unit[0])) {
        return unit[1];
      }
    }
    return "";
  }

  private static String help(String name) {
    String help = HELP.get(name);
    for (int end = name.length(); help == null && end > ANY.length(); end--) {
      String ofPrefix = HELP_OF_PREFIX.get(name.substring(0, end));
      if (ofPrefix != null) {
        help = ofPrefix.replace("{}", name.substring(end).replace('_', ' ').strip());
      }
    }
    return help == null ? "Metric of the node: " + name.substring(ANY.length()) + "." : help;
  }

  private static void read() {
    try (InputStream in = HostMetrics.class.getResourceAsStream("host-metrics.csv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().skip(1).toList()) { // the first has the names of columns
        String[] cells = line.split(",", 2);
        String help =
            cells[1].startsWith("\"") ? cells[1].substring(1, cells[1].length() - 1) : cells[1];
        if (cells[0].endsWith("*")) {
          HELP_OF_PREFIX.put(cells[0].substring(0, cells[0].length() - 1), help);
        } else {
          HELP.put(cells[0], help);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
