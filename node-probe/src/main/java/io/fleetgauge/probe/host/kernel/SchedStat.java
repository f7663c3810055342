package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code schedstat}. */
public final class SchedStat implements Collector {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Columns of a CPU's line before the three that are read. */
  private static final int OTHERS = 6;

  private final Metric running = new Metric("node_schedstat_running_seconds_total", "cpu");
  private final Metric waiting = new Metric("node_schedstat_waiting_seconds_total", "cpu");
  private final Metric slices = new Metric("node_schedstat_timeslices_total", "cpu");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("schedstat");
    while (text.nextLine()) {
      if (!text.lineStartsWith("cpu") || !text.nextWord()) {
        continue;
      }
      String cpu = text.word(3, 0);
      if (Double.isNaN(text.number(3, 0))) {
        continue;
      }
      if (text.wordsLeft() < OTHERS + 3) {
        text.damaged();
        continue;
      }
      text.skip(OTHERS);
      out.add(running, text.nextNumber() / NANOS_PER_SECOND, cpu);
      out.add(waiting, text.nextNumber() / NANOS_PER_SECOND, cpu);
      out.add(slices, text.nextNumber(), cpu);
    }
  }
}
