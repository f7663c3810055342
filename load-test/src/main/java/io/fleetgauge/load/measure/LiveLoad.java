package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.ResidentMemory;
import io.fleetgauge.load.traffic.FleetTraffic;
import io.fleetgauge.load.traffic.GpuFleet;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The cost of systems while the hosts send every 15 s, all systems at the same time. */
final class LiveLoad {
  private final PrintWriter out;
  private final FleetTraffic traffic;
  private final List<Target> targets;

  LiveLoad(PrintWriter out, FleetTraffic traffic, List<Target> targets) {
    this.out = out;
    this.traffic = traffic;
    this.targets = targets;
  }

  void run(int seconds) throws Exception {
    List<ResidentMemory> memory = new ArrayList<>();
    List<double[]> before = new ArrayList<>();
    List<double[]> after = new ArrayList<>();
    try (LiveTraffic live = new LiveTraffic(traffic, targets)) {
      live.awaitFirstTicks();
      for (Target target : targets) {
        memory.add(new ResidentMemory(target.system().processes()));
        before.add(target.cpuOfEach());
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (System.nanoTime() < end) {
        for (ResidentMemory each : memory) {
          each.look();
        }
        TimeUnit.SECONDS.sleep(1);
      }
      for (Target target : targets) {
        after.add(target.cpuOfEach());
      }
    }
    double rate = 1_000.0 * traffic.fleet().size() * GpuFleet.SERIES / GpuFleet.TICK;
    out.printf(
        Locale.ROOT,
        "%nlive: %d hosts each 15 s, %,.0f samples/s, a connection a host, for %d s%n%n",
        traffic.fleet().size(),
        rate,
        seconds);
    out.printf(
        "%-22s %-24s %-14s %s%n",
        "", "cores (query API)", "CPU-s/million", "RSS MiB of each (query), of all");
    for (int i = 0; i < targets.size(); i++) {
      Target target = targets.get(i);
      int stores = target.system().stores().size();
      double[] used = new double[after.get(i).length];
      for (int j = 0; j < used.length; j++) {
        used[j] = (after.get(i)[j] - before.get(i)[j]) / seconds;
      }
      double storing = Arrays.stream(used).limit(stores).sum();
      double all = Arrays.stream(used).sum();
      double[] resident = memory.get(i).highest();
      out.printf(
          Locale.ROOT,
          "%-22s %-24s %-14.1f %s, %.0f%n",
          target.system().name(),
          "%.3f".formatted(storing) + (all > storing ? " (%.3f)".formatted(all - storing) : ""),
          all / rate * 1e6,
          ResidentMemory.range(Arrays.copyOf(resident, stores))
              + (resident.length > stores ? " (%.0f)".formatted(resident[stores]) : ""),
          Arrays.stream(resident).sum());
    }
    out.flush();
  }
}
