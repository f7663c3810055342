package io.fleetgauge.load.measure;

import io.fleetgauge.load.fleet.Installation;
import io.fleetgauge.load.system.MeasuredProcess;
import io.fleetgauge.load.system.MeasuredSystem;
import io.fleetgauge.load.system.ResidentMemory;
import io.fleetgauge.load.traffic.Backlog;
import io.fleetgauge.load.traffic.Bodies;
import io.fleetgauge.load.traffic.GpuFleet;
import io.fleetgauge.load.traffic.GpuHost;
import io.fleetgauge.sample.Tick;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * What intake costs: each system in turn is started, gets the same backlog, rests for a minute, is
 * asked whether it has all of it, and is stopped. Not for several threads.
 */
final class IntakeLoad {
  private final Path folder;
  private final PrintWriter out;
  private final LoadPlan plan;
  private final long firstTime;
  private final Map<String, Backlog> backlogs = new HashMap<>();
  private boolean isHeaded;
  private int started;

  IntakeLoad(Path folder, PrintWriter out, LoadPlan plan) {
    this.folder = folder;
    this.out = out;
    this.plan = plan;
    firstTime = (System.currentTimeMillis() / GpuHost.TICK - plan.ticks()) * GpuHost.TICK;
  }

  /**
   * Measures gateways.
   *
   * @param mode {@code frames} or {@code remote-write}
   * @return whether all samples are there afterwards
   */
  boolean gateways(Installation installation, int gateways, int copies, String heap, String mode)
      throws Exception {
    Backlog backlog = backlog(mode);
    String name = "%d x %d, %s".formatted(gateways, copies, mode);
    try (MeasuredSystem system =
        MeasuredSystem.gateways(installation, nextFolder(), name, gateways, copies, heap)) {
      return measure(system, backlog);
    }
  }

  void peer(String program) throws Exception {
    Backlog backlog = backlog("remote-write");
    try (MeasuredSystem system = MeasuredSystem.peer(nextFolder(), program)) {
      measure(system, backlog);
    }
  }

  private Path nextFolder() throws Exception {
    return Files.createDirectories(folder.resolve("system-" + ++started));
  }

  private Backlog backlog(String mode) throws Exception {
    Backlog known = backlogs.get(mode);
    if (known != null) {
      return known;
    }
    GpuFleet fleet = new GpuFleet(plan.hosts(), plan.seed());
    List<Bodies> bodies =
        IntStream.range(0, LoadPlan.SENDERS)
            .<Bodies>mapToObj(
                none ->
                    mode.equals("frames")
                        ? new Bodies.Frames(LoadPlan.FRAME_TICKS)
                        : new Bodies.Writes(LoadPlan.WRITE_SAMPLES))
            .toList();
    Backlog made = Backlog.make(folder.resolve(mode), fleet, bodies, firstTime, plan.ticks());
    backlogs.put(mode, made);
    long active = (long) plan.hosts() * GpuHost.SERIES;
    if (!isHeaded) {
      out.printf(
          Locale.ROOT,
          "%d hosts x %d series with labels of %.0f bytes, %.2f new series an hour for each, %s h"
              + " of ticks of 15 s: %,d samples%n%n",
          plan.hosts(),
          GpuHost.SERIES,
          fleet.labelBytes(),
          (fleet.seriesEver() - active) / plan.hours() / active,
          plan.hours(),
          made.samples());
      out.printf(
          "%-22s %-20s %-18s %-10s %-26s %s%n",
          "",
          "samples/s",
          "CPU-s/million",
          "half of",
          "RSS MiB of each that stores",
          "disk, bytes a");
      out.printf(
          "%-22s %-20s %-18s %-10s %-26s %s%n",
          "",
          "warm (cold)",
          "warm (cold)",
          "warm after",
          "most, after " + plan.restSeconds() + " s (query)",
          "sample and copy");
      isHeaded = true;
    }
    out.flush();
    return made;
  }

  private boolean measure(MeasuredSystem system, Backlog backlog) throws Exception {
    Intake.Result result = new Intake(system, backlog).run();
    double cpu = cpu(system);
    TimeUnit.SECONDS.sleep(plan.restSeconds());
    double idle = plan.restSeconds() == 0 ? Double.NaN : (cpu(system) - cpu) / plan.restSeconds();
    double[] later = new ResidentMemory(system.processes()).look();
    int stores = system.stores().size();
    out.printf(
        Locale.ROOT,
        "%-22s %-20s %-18s %-10s %-26s %.2f%n",
        system.name(),
        "%,.0f (%,.0f)"
            .formatted(result.warm().samplesPerSecond(), result.cold().samplesPerSecond()),
        "%.2f (%.2f)".formatted(result.warm().cpuPerMillion(), result.cold().cpuPerMillion()),
        Double.isNaN(result.halfSpeedSeconds())
            ? "never"
            : "%.0f s".formatted(result.halfSpeedSeconds()),
        ResidentMemory.range(Arrays.copyOf(result.memory().highest(), stores))
            + ", "
            + ResidentMemory.range(Arrays.copyOf(later, stores))
            + (later.length > stores ? " (%.0f)".formatted(later[stores]) : ""),
        (double) system.diskBytes() / backlog.samples() / system.copies());
    out.printf(
        Locale.ROOT,
        "    settled after %.0f s, then %.3f cores in all; senders waited %d times%n",
        result.settledSeconds(),
        idle,
        result.pauses());
    boolean isKept = isKept(system, backlog);
    out.flush();
    return isKept;
  }

  private static double cpu(MeasuredSystem system) throws Exception {
    double seconds = 0;
    for (MeasuredProcess each : system.processes()) {
      seconds += each.cost().cpuSeconds();
    }
    return seconds;
  }

  private boolean isKept(MeasuredSystem system, Backlog backlog) throws Exception {
    long to = firstTime + plan.ticks() * GpuHost.TICK;
    try (KeptSamples kept = new KeptSamples(system)) {
      long found = kept.count(firstTime, to);
      GpuHost host = new GpuHost(plan.hosts() - 1, plan.seed());
      List<Tick> ticks = new ArrayList<>();
      for (long time = firstTime; time < to; time += GpuHost.TICK) {
        ticks.add(host.next(time));
      }
      long different = kept.different(ticks);
      out.printf(
          Locale.ROOT,
          "    %,d of %,d samples are there; %,d of one host's are missing or different%n",
          found,
          backlog.samples(),
          different);
      return found == backlog.samples() && different == 0;
    }
  }
}
