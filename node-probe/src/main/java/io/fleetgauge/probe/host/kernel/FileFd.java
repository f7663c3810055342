package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code filefd}. */
public final class FileFd implements Collector {
  private final Metric allocated = new Metric("node_filefd_allocated");
  private final Metric maximum = new Metric("node_filefd_maximum");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("sys/fs/file-nr");
    if (text.nextLine()) {
      if (text.wordsLeft() < 3) {
        text.damaged();
        return;
      }
      out.add(allocated, text.nextNumber());
      text.nextWord(); // always 0
      out.add(maximum, text.nextNumber());
    }
  }
}
