package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** node_exporter's collector {@code cpu}. */
public final class Cpu implements Collector {
  /** The kernel's clock for user space, 1/s; 100 on every Linux that GPUs run on. */
  private static final double TICKS_PER_SECOND = 100;

  private static final String[] MODES = {
    "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"
  };
  private static final String[] GUEST_MODES = {"user", "nice"};
  private static final int IDLE = 3;

  /** A fall of the idle time by so much means that the CPU was taken away and came back. */
  private static final double RESTART_SECONDS = 3;

  private final CpuTopology topology = new CpuTopology();
  private final Metric seconds = new Metric("node_cpu_seconds_total", "cpu", "mode");
  private final Metric guest = new Metric("node_cpu_guest_seconds_total", "cpu", "mode");
  private final Map<String, double[]> highest = new HashMap<>();
  private final double[] row = new double[MODES.length + GUEST_MODES.length];

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    KernelText stat = files.proc("stat");
    int cpus = 0;
    while (stat.nextLine()) {
      if (!stat.lineStartsWith("cpu") || !stat.nextWord() || stat.wordIs("cpu")) {
        continue;
      }
      String cpu = stat.word(3, 0);
      if (Double.isNaN(stat.number(3, 0))) {
        continue;
      }
      for (int i = 0; i < row.length; i++) {
        row[i] = stat.nextNumber() / TICKS_PER_SECOND;
      }
      keepRising(cpu);
      for (int i = 0; i < MODES.length; i++) {
        out.add(seconds, row[i], cpu, MODES[i]);
      }
      for (int i = 0; i < GUEST_MODES.length; i++) {
        out.add(guest, row[MODES.length + i], cpu, GUEST_MODES[i]);
      }
      cpus++;
    }
    if (highest.size() > cpus) {
      highest.clear(); // some are gone; the others begin anew
    }
    topology.read(files, out);
  }

  /** The kernel estimates some of these times, and takes a little back at times. */
  private void keepRising(String cpu) {
    double[] before = highest.computeIfAbsent(cpu, none -> new double[row.length]);
    if (before[IDLE] - row[IDLE] >= RESTART_SECONDS) {
      Arrays.fill(before, 0);
    }
    for (int i = 0; i < row.length; i++) {
      if (row[i] < before[i]) {
        row[i] = before[i];
      } else if (row[i] == row[i]) {
        before[i] = row[i];
      }
    }
  }
}
