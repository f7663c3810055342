package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Fields;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** node_exporter's collector {@code rapl}: energy of CPU packages and memory. */
public final class Rapl implements Collector {
  private static final double MICRO = 1e6;
  private static final Pattern NUMBERED = Pattern.compile("([^-]*)-(\\d+)");

  private final Fields joules =
      new Fields(zone -> new Metric("node_rapl_" + zone + "_joules_total", "index", "path"));
  private final Map<String, Integer> counts = new HashMap<>();

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/powercap/");
    counts.clear();
    for (String zone : files.listed(folder)) {
      String path = folder + zone;
      String name = files.line(path + "/name");
      if (name == null) {
        continue;
      }
      Matcher numbered = NUMBERED.matcher(name);
      boolean hasIndex = numbered.matches();
      String kind = hasIndex ? numbered.group(1) : name;
      int index =
          hasIndex && numbered.group(2).length() < 9
              ? Integer.parseInt(numbered.group(2))
              : counts.getOrDefault(kind, 0);
      counts.put(kind, index + 1);
      double energy = files.number(path + "/energy_uj") / MICRO;
      Metric metric = joules.of(kind.replaceAll("[^a-zA-Z0-9_]", "_"));
      out.add(metric, energy, Integer.toString(index), path);
    }
  }
}
