package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.ArrayList;
import java.util.List;

/** node_exporter's collector {@code cpufreq}. */
public final class CpuFreq implements Collector {
  /** A metric and the file that has it, in kHz. */
  private record Frequency(Metric metric, String file) {}

  private final List<Frequency> frequencies = new ArrayList<>();
  private final Metric governor = new Metric("node_cpu_scaling_governor", "cpu", "governor");

  public CpuFreq() {
    frequency("frequency", "cpuinfo_cur_freq");
    frequency("frequency_avg", "cpuinfo_avg_freq");
    frequency("frequency_min", "cpuinfo_min_freq");
    frequency("frequency_max", "cpuinfo_max_freq");
    frequency("scaling_frequency", "scaling_cur_freq");
    frequency("scaling_frequency_min", "scaling_min_freq");
    frequency("scaling_frequency_max", "scaling_max_freq");
  }

  private void frequency(String name, String file) {
    frequencies.add(new Frequency(new Metric("node_cpu_" + name + "_hertz", "cpu"), file));
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) {
    String folder = files.inSys("devices/system/cpu/");
    for (String name : files.list(folder)) {
      if (!name.matches("cpu\\d+")) {
        continue;
      }
      String path = folder + name + "/cpufreq/";
      if (!files.isThere(path)) {
        continue;
      }
      String cpu = name.substring(3);
      for (Frequency each : frequencies) {
        out.add(each.metric(), files.number(path + each.file()) * 1_000, cpu);
      }
      String current = files.lineOrEmpty(path + "scaling_governor");
      if (!current.isEmpty()) {
        for (String each : files.lineOrEmpty(path + "scaling_available_governors").split(" ")) {
          out.add(governor, each.equals(current) ? 1 : 0, cpu, each);
        }
      }
    }
  }
}
