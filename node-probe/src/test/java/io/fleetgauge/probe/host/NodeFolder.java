package io.fleetgauge.probe.host;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Files of a node below a folder that a collector reads: {@code proc}, {@code sys}, {@code root}.
 */
public final class NodeFolder {
  private final Path folder;
  private final Faults faults = new Faults();

  public NodeFolder(Path folder) {
    this.folder = folder;
  }

  public void file(String name, String content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  /** The samples of one reading of a collector, as Prometheus's text format has them. */
  public List<String> read(Collector collector) throws IOException {
    NodeFiles files =
        new NodeFiles(
            folder.resolve("proc"), folder.resolve("sys"), folder.resolve("root"), faults);
    Tick.Builder tick = new Tick.Builder();
    CollectorReadings readings = new CollectorReadings(faults);
    readings.begin(tick);
    collector.read(files, readings);
    Tick read = tick.at(0);
    return TextExposition.write(read, KnownMetrics.families(read))
        .lines()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  /** What could not be understood. */
  public long failures() {
    return faults.count();
  }
}
