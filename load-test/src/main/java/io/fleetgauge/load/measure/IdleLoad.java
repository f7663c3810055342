package io.fleetgauge.load.measure;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The cost of systems while nobody sends or asks anything. */
final class IdleLoad {
  private final PrintWriter out;
  private final List<Target> targets;

  IdleLoad(PrintWriter out, List<Target> targets) {
    this.out = out;
    this.targets = targets;
  }

  void run(int seconds) throws Exception {
    List<double[]> before = new ArrayList<>();
    for (Target target : targets) {
      before.add(target.cpuOfEach());
    }
    TimeUnit.SECONDS.sleep(seconds);
    List<double[]> cores = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      double[] used = targets.get(i).cpuOfEach();
      for (int j = 0; j < used.length; j++) {
        used[j] = (used[j] - before.get(i)[j]) / seconds;
      }
      cores.add(used);
    }
    out.printf("%nidle: no samples and no queries for %d s%n%n", seconds);
    for (int i = 0; i < targets.size(); i++) {
      Target target = targets.get(i);
      out.printf(
          "%-22s %s%n",
          target.system().name(), described(cores.get(i), target.system().stores().size()));
    }
    out.flush();
  }

  /**
   * @param cores of each process, those that store first
   */
  static String described(double[] cores, int stores) {
    String all = "idle: %s cores in all".formatted(number(Arrays.stream(cores).sum()));
    if (cores.length == stores) {
      return all;
    }
    double[] sorted = Arrays.copyOf(cores, stores);
    Arrays.sort(sorted);
    String lowest = number(sorted[0]);
    String highest = number(sorted[stores - 1]);
    return all
        + " (gateway %s, query API %s)"
            .formatted(
                lowest.equals(highest) ? lowest : lowest + "-" + highest, number(cores[stores]));
  }

  private static String number(double cores) {
    return String.format(Locale.ROOT, "%.3f", cores);
  }
}
