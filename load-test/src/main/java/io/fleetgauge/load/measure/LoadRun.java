package io.fleetgauge.load.measure;

import io.fleetgauge.load.fleet.Installation;
import io.fleetgauge.load.system.MeasuredSystem;
import io.fleetgauge.load.system.ResidentMemory;
import io.fleetgauge.load.traffic.Backlog;
import io.fleetgauge.load.traffic.FleetTraffic;
import io.fleetgauge.load.traffic.FleetTraffic.Form;
import io.fleetgauge.load.traffic.GpuFleet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One load: each system in turn is started, gets the same backlog, and rests for a minute. What
 * follows is done with all systems: live samples, dashboards, scrapes. At last each is asked
 * whether it has everything. Not for several threads.
 */
final class LoadRun implements AutoCloseable {
  /** Connections on which a backlog comes. */
  private static final int SENDERS = 4;

  /** Longest time for which idle processes are measured, s. */
  private static final int IDLE_SECONDS = 20;

  /** Time for which the cost of rules is measured, s. */
  private static final int RULES_SECONDS = 60;

  private final Path folder;
  private final PrintWriter out;
  private final LoadPlan plan;
  private final FleetTraffic traffic;
  private final Map<Form, Backlog> backlog;
  private final long backlogSamples;
  private final List<Target> targets = new ArrayList<>();
  private boolean isComplete = true;
  private int started;

  /** Makes the backlog. */
  LoadRun(Path folder, PrintWriter out, LoadPlan plan, Set<Form> forms) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.out = out;
    this.plan = plan;
    long first = (System.currentTimeMillis() / GpuFleet.TICK - plan.ticks()) * GpuFleet.TICK;
    traffic =
        new FleetTraffic(new GpuFleet(plan.hosts(), plan.seed(), first), forms, SENDERS, first);
    backlog = new EnumMap<>(traffic.backlog(folder, plan.ticks()));
    backlogSamples = traffic.samples();
    GpuFleet fleet = traffic.fleet();
    long active = (long) plan.hosts() * GpuFleet.SERIES;
    out.printf(
        Locale.ROOT,
        "%n%d hosts x %d series with labels of %.0f bytes, %.2f new series an hour for each, %s h"
            + " of ticks of 15 s: %,d samples%n%n",
        plan.hosts(),
        GpuFleet.SERIES,
        fleet.labelBytes(),
        (fleet.seriesEver() - active) / plan.hours() / active,
        plan.hours(),
        backlogSamples);
    out.printf(
        "%-22s %-20s %-16s %-12s %-28s %s%n",
        "",
        "samples/s",
        "CPU-s/million",
        "half of warm",
        "RSS MiB of each: most,",
        "disk, bytes a");
    out.printf(
        "%-22s %-20s %-16s %-12s %-28s %s%n",
        "",
        "warm (cold)",
        "warm (cold)",
        "speed after",
        "after " + plan.restSeconds() + " s (query API)",
        "sample and copy");
    out.flush();
  }

  /** Measures gateways and a query API. */
  void gateways(Installation installation, int gateways, int copies, String heap, Form form)
      throws Exception {
    String name =
        "%d x %d, %s".formatted(gateways, copies, form == Form.FRAMES ? "frames" : "remote write");
    measure(
        new Target(
            MeasuredSystem.gateways(installation, nextFolder(), name, gateways, copies, heap),
            form));
  }

  /** Measures another program. */
  void peer(String program) throws Exception {
    measure(new Target(MeasuredSystem.peer(nextFolder(), program), Form.REMOTE_WRITE));
  }

  private Path nextFolder() throws IOException {
    return Files.createDirectories(folder.resolve("system-" + ++started));
  }

  private void measure(Target target) throws Exception {
    targets.add(target);
    intake(target);
    if (plan.isScale()) {
      FleetQueries.measure(out, target, traffic.nextTime());
    }
    if (!plan.goesOn()) {
      verify(target);
      target.system().close();
      targets.remove(target);
    }
  }

  private void intake(Target target) throws Exception {
    MeasuredSystem system = target.system();
    IntakeMeasurement.Result result =
        new IntakeMeasurement(target, backlog.get(target.form()), plan.hosts()).run();
    double cpu = target.cpu();
    TimeUnit.SECONDS.sleep(plan.restSeconds());
    double idle = plan.restSeconds() == 0 ? Double.NaN : (target.cpu() - cpu) / plan.restSeconds();
    double[] later = new ResidentMemory(system.processes()).look();
    int stores = system.stores().size();
    out.printf(
        Locale.ROOT,
        "%-22s %-20s %-16s %-12s %-28s %.2f%n",
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
        (double) system.diskBytes() / backlogSamples / system.copies());
    out.printf(
        Locale.ROOT,
        "    of the CPU, %.2f (%.2f) is compilation; settled after %.0f s, then %.3f cores in all;"
            + " senders waited %d times%n",
        result.warm().compilationPerMillion(),
        result.cold().compilationPerMillion(),
        result.settledSeconds(),
        idle,
        result.pauses());
    out.flush();
  }

  /** Measures all systems after the backlog. */
  void goOn() throws Exception {
    if (!plan.goesOn()) {
      return;
    }
    if (plan.refreshPasses() > 0) {
      new RefreshLoad(out, traffic, targets, plan.refreshPasses()).run();
    }
    if (plan.liveSeconds() > 0) {
      catchUp();
      new IdleLoad(out, targets).run(Math.min(IDLE_SECONDS, plan.liveSeconds()));
      catchUp();
      new LiveLoad(out, traffic, targets).run(plan.liveSeconds());
    }
    if (plan.refreshPasses() > 0) {
      catchUp();
      new RefreshLoad(out, traffic, targets, plan.refreshPasses()).live();
    }
    if (plan.federate()) {
      catchUp();
      new FederateLoad(out, traffic, targets).run();
    }
    if (plan.viewers()) {
      catchUp();
      new ViewerLoad(out, traffic, targets).run();
    }
    if (plan.rules() > 0) {
      catchUp();
      new RulesLoad(out, traffic, targets).run(plan.rules(), RULES_SECONDS);
    }
    out.println();
    for (Target target : targets) {
      out.println(target.system().name());
      verify(target);
    }
  }

  /** Sends what the hosts have read since the last tick that was sent. */
  private void catchUp() throws Exception {
    int ticks = (int) ((System.currentTimeMillis() - traffic.nextTime()) / GpuFleet.TICK);
    if (ticks > 0) {
      Map<Form, Backlog> more = traffic.backlog(folder, ticks);
      for (Target target : targets) {
        new IntakeMeasurement(target, more.get(target.form()), plan.hosts()).run();
      }
    }
  }

  private void verify(Target target) throws Exception {
    try (KeptSamples kept = new KeptSamples(target.system())) {
      long found = kept.count(traffic.firstTime(), traffic.nextTime());
      long different = kept.different(traffic.lastHost());
      out.printf(
          Locale.ROOT,
          "    %,d of %,d samples are there; %,d of one host's are missing or different%n",
          found,
          traffic.samples(),
          different);
      out.flush();
      if (target.system().ours()) {
        isComplete &= found == traffic.samples() && different == 0;
      }
    }
  }

  /** Tells whether our gateways had all samples, bit by bit. */
  boolean isComplete() {
    return isComplete;
  }

  @Override
  public void close() {
    targets.forEach(target -> target.system().close());
    traffic.fleet().close();
  }
}
