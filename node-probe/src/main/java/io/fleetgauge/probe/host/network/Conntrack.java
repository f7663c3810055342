package io.fleetgauge.probe.host.network;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.Map;

/** node_exporter's collector {@code conntrack}. */
public final class Conntrack implements Collector {
  private static final int COLUMNS = 17;

  /** Columns that are read, and what they are called. */
  private static final Map<Integer, String> WANTED =
      Map.of(
          2, "found",
          4, "invalid",
          5, "ignore",
          8, "insert",
          9, "insert_failed",
          10, "drop",
          11, "early_drop",
          16, "search_restart");

  private final Metric entries = new Metric("node_nf_conntrack_entries");
  private final Metric limit = new Metric("node_nf_conntrack_entries_limit");
  private final Metric[] metrics = new Metric[COLUMNS];
  private final double[] sums = new double[COLUMNS];

  public Conntrack() {
    WANTED.forEach((at, name) -> metrics[at] = new Metric("node_nf_conntrack_stat_" + name));
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    String folder = files.inProc("sys/net/netfilter/");
    if (!files.isThere(folder + "nf_conntrack_count")) {
      throw new MissingSource(folder);
    }
    out.add(entries, files.number(folder + "nf_conntrack_count"));
    out.add(limit, files.number(folder + "nf_conntrack_max"));
    KernelText text = files.proc("net/stat/nf_conntrack");
    java.util.Arrays.fill(sums, 0);
    if (!text.skipHeader("entries", 1)) {
      return;
    }
    while (text.nextLine()) {
      if (text.wordsLeft() < COLUMNS) {
        text.damaged();
        java.util.Arrays.fill(sums, Double.NaN); // a sum that lacks a CPU would seem to be reset
        continue;
      }
      for (int i = 0; i < COLUMNS; i++) {
        sums[i] += text.nextHex();
      }
    }
    for (int i = 0; i < COLUMNS; i++) {
      if (metrics[i] != null) {
        out.add(metrics[i], sums[i]);
      }
    }
  }
}
