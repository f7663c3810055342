package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.Missing;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** node_exporter's collector {@code tapestats}. */
public final class TapeStats implements Collector {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final Pattern TAPE = Pattern.compile("st\\d+");

  /** A file of a tape: its metric, and what its unit is divided by. */
  private record Counter(String file, Metric metric, double divisor) {}

  private final NodeFiles files;
  private final List<Counter> counters = new ArrayList<>();

  public TapeStats(NodeFiles files) {
    this.files = files;
    counter("in_flight", "io_now", 1);
    counter("io_ns", "io_time_seconds_total", NANOS_PER_SECOND);
    counter("other_cnt", "io_others_total", 1);
    counter("read_byte_cnt", "read_bytes_total", 1);
    counter("read_cnt", "reads_completed_total", 1);
    counter("read_ns", "read_time_seconds_total", NANOS_PER_SECOND);
    counter("resid_cnt", "residual_total", 1);
    counter("write_byte_cnt", "written_bytes_total", 1);
    counter("write_cnt", "writes_completed_total", 1);
    counter("write_ns", "write_time_seconds_total", NANOS_PER_SECOND);
  }

  private void counter(String file, String name, double divisor) {
    counters.add(new Counter(file, new Metric("node_tape_" + name, "device"), divisor));
  }

  @Override
  public void read(Readings out) throws Missing {
    String folder = files.inSys("class/scsi_tape/");
    for (String device : files.listed(folder)) {
      // The same tape has further names, for its modes.
      if (TAPE.matcher(device).matches()) {
        for (Counter each : counters) {
          double value = files.number(folder + device + "/stats/" + each.file());
          out.add(each.metric(), value / each.divisor(), device);
        }
      }
    }
  }
}
