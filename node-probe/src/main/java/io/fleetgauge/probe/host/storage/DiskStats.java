package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** node_exporter's collector {@code diskstats}. */
public final class DiskStats implements Collector {
  private static final int SECTOR_BYTES = 512;
  private static final double MILLIS = 1_000;

  /** Columns of kernels before 4.18; 5.5 has 17, and later ones may have more. */
  private static final int FEWEST_COLUMNS = 11;

  /** A column: its metric, and what its unit is multiplied with and divided by. */
  private record Column(Metric metric, double factor, double divisor) {}

  private final Filter devices;
  private final List<Column> columns = new ArrayList<>();
  private final Udev udev = new Udev();

  public DiskStats(Filter devices) {
    this.devices = devices;
    column("reads_completed_total", 1, 1);
    column("reads_merged_total", 1, 1);
    column("read_bytes_total", SECTOR_BYTES, 1);
    column("read_time_seconds_total", 1, MILLIS);
    column("writes_completed_total", 1, 1);
    column("writes_merged_total", 1, 1);
    column("written_bytes_total", SECTOR_BYTES, 1);
    column("write_time_seconds_total", 1, MILLIS);
    column("io_now", 1, 1);
    column("io_time_seconds_total", 1, MILLIS);
    column("io_time_weighted_seconds_total", 1, MILLIS);
    column("discards_completed_total", 1, 1);
    column("discards_merged_total", 1, 1);
    column("discarded_sectors_total", 1, 1);
    column("discard_time_seconds_total", 1, MILLIS);
    column("flush_requests_total", 1, 1);
    column("flush_requests_time_seconds_total", 1, MILLIS);
  }

  // Division is exact where multiplication is not: 3 * 0.001 is not 0.003.
  private void column(String name, double factor, double divisor) {
    columns.add(new Column(new Metric("node_disk_" + name, "device"), factor, divisor));
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText text = files.proc("diskstats");
    while (text.nextLine()) {
      if (!text.nextWord()) {
        continue;
      }
      String major = text.word();
      String minor = text.nextWord() ? text.word() : "";
      String device = text.nextWord() ? text.word() : "";
      int count = Math.min(columns.size(), text.wordsLeft());
      if (count < FEWEST_COLUMNS) {
        text.damaged();
        continue;
      }
      if (!devices.takes(device)) {
        continue;
      }
      for (int i = 0; i < count; i++) {
        Column column = columns.get(i);
        double value = text.nextNumber() * column.factor() / column.divisor();
        out.add(column.metric(), value, device);
      }
      udev.read(files, out, device, major, minor);
    }
  }
}
