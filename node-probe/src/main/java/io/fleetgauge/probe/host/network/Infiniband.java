package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.ArrayList;
import java.util.List;

/** node_exporter's collector {@code infiniband}: ports of InfiniBand and RoCE adapters. */
public final class Infiniband implements Collector {
  private static final double BYTES_PER_GIGABIT = 125_000_000;
  private static final double MILLIS_PER_SECOND = 1_000;

  /** A file of a port with a counter: its metric, and what one unit of it is worth. */
  private record Counter(String file, Metric metric, double unit) {}

  private final Filter devices;
  private final Metric info =
      new Metric("node_infiniband_info", "device", "board_id", "firmware_version", "hca_type");
  private final Metric state = ofPort("state_id");
  private final Metric physicalState = ofPort("physical_state_id");
  private final Metric rate = ofPort("rate_bytes_per_second");
  private final Metric lifespan = ofPort("lifespan_seconds");
  private final List<Counter> counters = new ArrayList<>();

  public Infiniband(Filter devices) {
    this.devices = devices;
    for (String line : InfinibandCounters.LINES) {
      String[] words = line.split(" ");
      counters.add(
          new Counter(words[0], ofPort(words[1] + "_total"), Double.parseDouble(words[2])));
    }
  }

  private static Metric ofPort(String name) {
    return new Metric("node_infiniband_" + name, "device", "port");
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws MissingSource {
    String folder = files.inSys("class/infiniband/");
    for (String device : files.listed(folder)) {
      if (!devices.takes(device)) {
        continue;
      }
      String path = folder + device;
      out.add(
          info,
          1,
          device,
          files.lineOrEmpty(path + "/board_id"),
          files.lineOrEmpty(path + "/fw_ver"),
          files.lineOrEmpty(path + "/hca_type"));
      for (String port : files.list(path + "/ports")) {
        read(files, out, path + "/ports/" + port + "/", device, port);
      }
    }
  }

  private void read(
      NodeFiles files, CollectorReadings out, String path, String device, String port) {
    out.add(state, beforeColon(files, path + "state"), device, port);
    out.add(physicalState, beforeColon(files, path + "phys_state"), device, port);
    // "100 Gb/sec (4X EDR)"
    out.add(rate, files.number(path + "rate") * BYTES_PER_GIGABIT, device, port);
    for (Counter each : counters) {
      out.add(each.metric(), files.number(path + each.file()) * each.unit(), device, port);
    }
    double millis = files.number(path + "hw_counters/lifespan");
    out.add(lifespan, Math.floor(millis / MILLIS_PER_SECOND), device, port);
  }

  /** The number of {@code 4: ACTIVE}. */
  private static double beforeColon(NodeFiles files, String file) {
    KernelText text = files.small(file);
    return text != null && text.nextLine() && text.nextWord(':') && text.wordEnd() == ':'
        ? text.number(0, 1)
        : Double.NaN;
  }
}
