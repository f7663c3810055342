package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;

/** node_exporter's collector {@code softnet}. */
public final class SoftNet implements Collector {
  private static final int FEWEST_COLUMNS = 9;
  private static final int MOST_COLUMNS = 15;
  private static final int CPU_COLUMN = 12;

  private final Metric[] metrics = new Metric[MOST_COLUMNS];
  private final double[] row = new double[MOST_COLUMNS];

  public SoftNet() {
    metrics[0] = metric("processed_total");
    metrics[1] = metric("dropped_total");
    metrics[2] = metric("times_squeezed_total");
    metrics[8] = metric("cpu_collision_total");
    metrics[9] = metric("received_rps_total");
    metrics[10] = metric("flow_limit_count_total");
    metrics[11] = metric("backlog_len");
  }

  private static Metric metric(String name) {
    return new Metric("node_softnet_" + name, "cpu");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("net/softnet_stat");
    for (int line = 0; text.nextLineOrLast(); line++) {
      int columns = Math.min(MOST_COLUMNS, text.wordsLeft());
      if (columns < FEWEST_COLUMNS) {
        text.damaged();
        continue;
      }
      for (int i = 0; i < MOST_COLUMNS; i++) {
        // An older kernel has fewer; node_exporter takes 0 for the others.
        row[i] = i < columns ? text.nextHex() : 0;
      }
      double number = columns > CPU_COLUMN ? row[CPU_COLUMN] : line;
      if (number != number) {
        continue;
      }
      String cpu = Integer.toString((int) number);
      for (int i = 0; i < MOST_COLUMNS; i++) {
        if (metrics[i] != null) {
          out.add(metrics[i], row[i], cpu);
        }
      }
    }
  }
}
