package io.fleetgauge.load.measure;

import io.fleetgauge.load.measure.Panels.Panel;
import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.traffic.FleetTraffic;
import io.fleetgauge.load.traffic.GpuFleet;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The cost of dashboards that refresh: one client with one connection asks for all panels, again
 * and again, each time with the window moved by 15 s; with the cache of results and without. Each
 * system has the machine to itself while it is asked. Then some panels whose window ends now, while
 * samples arrive.
 */
final class RefreshLoad {
  /** Rounds of a pass: 440 queries. */
  private static final int ROUNDS = 10;

  private static final int FIRST = 100;
  private static final int LIVE_ROUNDS = 30;
  private static final int SLOW_PANELS = 15;
  private static final String PROMETHEUS = "prometheus";
  private static final String NO_CACHE = "&nocache=1";

  private final PrintWriter out;
  private final FleetTraffic traffic;
  private final List<Target> targets;
  private final int passes;

  /** The work of one system, with the cache or without. */
  private static final class Result {
    final String name;
    final boolean cached;
    final Timings first = new Timings();
    final Timings last = new Timings();
    final Map<Panel, Timings> panels = new LinkedHashMap<>();
    double cpu;
    double firstCpu;
    double firstPassCpu;
    double lastPassCpu;

    Result(String name, boolean cached) {
      this.name = name;
      this.cached = cached;
    }

    double of(String window) {
      Timings all = new Timings();
      panels.forEach(
          (panel, timings) -> {
            if (panel.window().startsWith(window)) {
              all.add(timings.median());
            }
          });
      return all.median();
    }
  }

  RefreshLoad(PrintWriter out, FleetTraffic traffic, List<Target> targets, int passes) {
    this.out = out;
    this.traffic = traffic;
    this.targets = targets;
    this.passes = passes;
  }

  /** Asks for windows that end where the samples end. */
  void run() throws Exception {
    long end = traffic.nextTime() / GpuFleet.TICK * GpuFleet.TICK - GpuFleet.TICK;
    List<Result> results = new ArrayList<>();
    for (Target target : targets) {
      List<Result> ofTarget = new ArrayList<>();
      ofTarget.add(new Result(target.system().name(), true));
      if (!target.system().name().equals(PROMETHEUS)) {
        ofTarget.add(new Result(target.system().name() + ", nocache", false));
      }
      passes(target, end, ofTarget);
      results.addAll(ofTarget);
    }
    out.printf(
        Locale.ROOT,
        "%nrefresh: %d panels, the window moved by 15 s each round, one client, ms; pass %d of"
            + " %d queries%n%n",
        Panels.ALL.size(),
        passes,
        ROUNDS * Panels.ALL.size());
    out.printf(
        "%-32s %8s %8s %8s %8s %8s %10s %24s %10s%n",
        "",
        "p50",
        "p99",
        "instant",
        "1 h",
        "6 h",
        "CPU/query",
        "first 100: p50, CPU",
        "CPU pass 1");
    for (Result result : results) {
      out.printf(
          Locale.ROOT,
          "%-32s %8.2f %8.2f %8.2f %8.2f %8.2f %10.2f %24s %10.2f%n",
          result.name,
          result.last.median(),
          result.last.quantile(0.99),
          result.of("instant"),
          result.of("1 h"),
          result.of("6 h"),
          result.lastPassCpu,
          "%.1f, %.1f".formatted(result.first.median(), result.firstCpu),
          result.firstPassCpu);
    }
    slowPanels(results);
    out.flush();
  }

  private void slowPanels(List<Result> results) {
    Result ours = results.getFirst();
    out.printf("%nslowest panels of %s, p50 in ms%n", ours.name);
    List<Result> others = results.stream().filter(each -> each != ours).toList();
    out.printf("%-42s %9s", "", "");
    others.forEach(each -> out.printf(" %24s", each.name));
    out.println();
    // With and without its cache: a panel that is slow in either way.
    Result uncached = results.size() > 1 ? results.get(1) : ours;
    Comparator<Panel> slowest =
        Comparator.comparingDouble(
            panel ->
                -Math.max(ours.panels.get(panel).median(), uncached.panels.get(panel).median()));
    Panels.ALL.stream()
        .sorted(slowest)
        .limit(SLOW_PANELS)
        .forEach(
            panel -> {
              out.printf(
                  Locale.ROOT,
                  "%-42s %9.2f",
                  panel.title() + ", " + panel.window(),
                  ours.panels.get(panel).median());
              others.forEach(
                  each -> out.printf(Locale.ROOT, " %24.2f", each.panels.get(panel).median()));
              out.println();
            });
  }

  /**
   * Asks with the cache and without. After a first pass of each they take turns, so that both are
   * equally warm; who is first changes from round to round.
   */
  private void passes(Target target, long end, List<Result> results) throws Exception {
    int rounds = passes * ROUNDS;
    try (Connection connection = new Connection(target.system().query().address())) {
      for (Result result : results) {
        for (int round = 0; round < ROUNDS; round++) {
          ask(target, connection, result, round, end);
        }
      }
      for (int round = ROUNDS; round < rounds; round++) {
        for (int turn = 0; turn < results.size(); turn++) {
          ask(target, connection, results.get((round + turn) % results.size()), round, end);
        }
      }
    }
  }

  private void ask(Target target, Connection connection, Result result, int round, long end)
      throws Exception {
    int rounds = passes * ROUNDS;
    long to = end - (rounds - 1 - round) * GpuFleet.TICK;
    double begin = target.cpu();
    for (Panel panel : Panels.ALL) {
      double took = panel.ask(connection, to / 1_000, result.cached ? "" : NO_CACHE);
      if (result.first.size() < FIRST) {
        result.first.add(took);
        if (result.first.size() == FIRST) {
          result.firstCpu = (result.cpu + target.cpu() - begin) / FIRST * 1_000;
        }
      }
      if (round >= rounds - ROUNDS) {
        result.last.add(took);
        result.panels.computeIfAbsent(panel, none -> new Timings()).add(took);
      }
    }
    result.cpu += target.cpu() - begin;
    if (round % ROUNDS == ROUNDS - 1) {
      double ofPass = result.cpu / ROUNDS / Panels.ALL.size() * 1_000;
      result.firstPassCpu = round < ROUNDS ? ofPass : result.firstPassCpu;
      result.lastPassCpu = ofPass;
      result.cpu = 0;
    }
  }

  /** Asks for eight panels of an hour that end now, while samples arrive. */
  void live() throws Exception {
    try (LiveTraffic arriving = new LiveTraffic(traffic, targets)) {
      arriving.awaitFirstTicks();
      askLive();
    }
  }

  private void askLive() throws Exception {
    List<Panel> panels =
        Panels.ALL.stream().filter(panel -> panel.window().startsWith("1 h")).limit(8).toList();
    out.printf("%nlive: 8 panels of 1 h whose window ends now, one client, ms%n%n");
    out.printf("%-32s %8s %8s %22s%n", "", "p50", "p99", "p50 and p99, nocache");
    for (Target target : targets) {
      Timings cached = new Timings();
      Timings uncached = new Timings();
      try (Connection connection = new Connection(target.system().query().address())) {
        for (int round = -LIVE_ROUNDS / 3; round < LIVE_ROUNDS; round++) {
          for (Panel panel : panels) {
            double with = panel.ask(connection, System.currentTimeMillis() / 1_000, "");
            double without = panel.ask(connection, System.currentTimeMillis() / 1_000, NO_CACHE);
            if (round >= 0) {
              cached.add(with);
              uncached.add(without);
            }
          }
          TimeUnit.MILLISECONDS.sleep(500);
        }
      }
      out.printf(
          Locale.ROOT,
          "%-32s %8.2f %8.2f %22s%n",
          target.system().name(),
          cached.median(),
          cached.quantile(0.99),
          "%.2f, %.2f".formatted(uncached.median(), uncached.quantile(0.99)));
    }
    out.flush();
  }
}
