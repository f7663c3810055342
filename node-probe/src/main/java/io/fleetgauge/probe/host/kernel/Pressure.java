package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code pressure}. */
public final class Pressure implements Collector {
  private static final double MICROS_PER_SECOND = 1e6;

  /** A file, and what it says of tasks of which some and of which all wait. */
  private record Resource(String file, Metric some, Metric full) {}

  private final Resource[] resources = {
    // A CPU always has a task to run when tasks wait for it: nothing is stalled.
    new Resource("pressure/cpu", waiting("cpu"), null),
    new Resource("pressure/io", waiting("io"), stalled("io")),
    new Resource("pressure/memory", waiting("memory"), stalled("memory")),
    new Resource("pressure/irq", null, stalled("irq")),
  };

  private static Metric waiting(String resource) {
    return new Metric("node_pressure_" + resource + "_waiting_seconds_total");
  }

  private static Metric stalled(String resource) {
    return new Metric("node_pressure_" + resource + "_stalled_seconds_total");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    int found = 0;
    for (Resource each : resources) {
      try {
        read(files, out, each);
        found++;
      } catch (IOException e) {
        // An older kernel has fewer of these files, and one may refuse to tell: it does not
        // measure.
      }
    }
    if (found == 0) {
      throw new MissingSource("pressure");
    }
  }

  private static void read(NodeFiles files, CollectorReadings out, Resource resource)
      throws IOException {
    KernelText text = files.proc(resource.file());
    while (text.nextLineOrLast()) {
      if (!text.nextWord()) {
        continue;
      }
      Metric metric =
          text.wordIs("some") ? resource.some() : text.wordIs("full") ? resource.full() : null;
      while (metric != null && text.nextWord()) {
        if (text.wordStartsWith("total=")) {
          out.add(metric, text.number("total=".length(), 0) / MICROS_PER_SECOND);
        }
      }
    }
  }
}
