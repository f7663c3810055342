package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** CPUs as sys shows them: throttling per core and package, isolated and online CPUs. */
final class CpuTopology {
  /** A file with a count, and the labels of its series. */
  private record Throttle(String file, String[] labels) {}

  private final Metric ofCores = new Metric("node_cpu_core_throttles_total", "package", "core");
  private final Metric ofPackages = new Metric("node_cpu_package_throttles_total", "package");
  private final Metric isolated = new Metric("node_cpu_isolated", "cpu");
  private final Metric online = new Metric("node_cpu_online", "cpu");

  // Which CPU is in which core does not change while the CPUs are the same.
  private String[] names = {};
  private List<Throttle> cores = List.of();
  private List<Throttle> packages = List.of();
  private List<String> isolatedCpus = List.of();

  void read(NodeFiles files, CollectorReadings out) {
    String folder = files.inSys("devices/system/cpu/");
    String[] now =
        Arrays.stream(files.list(folder)).filter(CpuTopology::isCpu).toArray(String[]::new);
    if (!Arrays.equals(now, names)) {
      names = now;
      learn(files, folder);
    }
    for (Throttle core : cores) {
      out.add(ofCores, files.number(core.file()), core.labels());
    }
    for (Throttle each : packages) {
      out.add(ofPackages, files.number(each.file()), each.labels());
    }
    for (String cpu : isolatedCpus) {
      out.add(isolated, 1, cpu);
    }
    // Without the file of the first CPU, the machine cannot take any away.
    if (names.length > 0 && files.isThere(folder + names[0] + "/online")) {
      for (String cpu : names) {
        boolean isOn = files.number(folder + cpu + "/online") == 1;
        out.add(online, isOn ? 1 : 0, cpu.substring(3));
      }
    }
  }

  private static boolean isCpu(String name) {
    return name.length() > 3
        && name.startsWith("cpu")
        && name.chars().skip(3).allMatch(c -> c >= '0' && c <= '9');
  }

  private void learn(NodeFiles files, String folder) {
    cores = new ArrayList<>();
    packages = new ArrayList<>();
    Set<List<String>> seen = new HashSet<>();
    for (String cpu : names) {
      String path = folder + cpu;
      String inPackage = files.lineOrEmpty(path + "/topology/physical_package_id");
      String core = files.lineOrEmpty(path + "/topology/core_id");
      if (inPackage.isEmpty() || core.isEmpty()) {
        continue;
      }
      String ofCore = path + "/thermal_throttle/core_throttle_count";
      if (files.isThere(ofCore) && seen.add(List.of(inPackage, core))) {
        cores.add(new Throttle(ofCore, new String[] {inPackage, core}));
      }
      String ofPackage = path + "/thermal_throttle/package_throttle_count";
      if (files.isThere(ofPackage) && seen.add(List.of(inPackage))) {
        packages.add(new Throttle(ofPackage, new String[] {inPackage}));
      }
    }
    isolatedCpus = CpuList.of(files.lineOrEmpty(folder + "isolated"));
  }
}
