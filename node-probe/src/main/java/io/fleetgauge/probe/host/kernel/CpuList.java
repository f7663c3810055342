package io.fleetgauge.probe.host.kernel;

import java.util.ArrayList;
import java.util.List;

/** The kernel's form of a set of CPUs, such as {@code 0-3,8}. */
final class CpuList {
  private static final int MAX_CPUS = 8_192;

  private CpuList() {}

  /** The numbers; none if the text is not of the form. */
  static List<String> of(String text) {
    List<String> cpus = new ArrayList<>();
    for (String range : text.split(",")) {
      String[] ends = range.split("-", 2);
      try {
        int last = Integer.parseInt(ends[ends.length - 1]);
        for (int cpu = Integer.parseInt(ends[0]); cpu <= Math.min(last, MAX_CPUS); cpu++) {
          cpus.add(Integer.toString(cpu));
        }
      } catch (NumberFormatException e) {
        return List.of();
      }
    }
    return cpus;
  }
}
