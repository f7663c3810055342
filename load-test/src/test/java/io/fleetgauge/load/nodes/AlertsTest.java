package io.fleetgauge.load.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.JobSchedule;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.query.faults.engine.FaultEngine;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bundled alerts about GPU fleets, evaluated by the real Prometheus rules engine on what
 * simulated nodes send and on the faults that a query API finds in it: each fires for the fault
 * that it is about, on the node that has it, and none fires while all is well.
 */
@Tag("slow")
class AlertsTest {
  private static final Path RULES =
      Path.of(System.getProperty("fleetgauge.root"), "distribution/src/main/rules/fleetgauge");

  /** Alerts about what no simulated node does; they have cases for promtool only. */
  private static final Set<String> NOT_SIMULATED =
      Set.of(
          "FaultsNotEvaluated",
          "GpuMemoryGrows",
          "GpuMissing",
          "GpuUnschedulable",
          "NodeFilesystemFull",
          "NodeFilesystemReadOnly",
          "NodeGpusHot",
          "NvlinkRecoveriesGrow");

  private static final long DAY = Duration.ofDays(1).toMillis();

  /** Four hours into a day, when the jobs of the day have begun. */
  private static final long START = 1_790_000_000_000L / DAY * DAY + DAY / 6;

  private static final Duration TICK = Duration.ofSeconds(30);
  private static final int TICKS = 290;
  private static final int SILENT_TICKS = 2;
  private static final int GPU = 1;

  /** A node with a fault, and the alerts that it fires. */
  private record Case(
      Fault fault, Board board, int fromMinute, int toMinute, List<String> alerts) {}

  private static final List<Case> CASES = cases();

  @TempDir private Path folder;

  private static Case of(Fault fault, int toMinute, String... alerts) {
    return new Case(fault, Board.GB200, 60, toMinute, List.of(alerts));
  }

  private static Case of(Fault fault, Board board, int from, int to, String... alerts) {
    return new Case(fault, board, from, to, List.of(alerts));
  }

  private static List<Case> cases() {
    return List.of(
        of(Fault.HUNG_DRIVER, 75, "GpuDriverUnresponsive", "GpuProbeSilent"),
        of(Fault.LOST, 90, "GpuLost", "GpuXid", "GpuProbeSilent"),
        of(Fault.SLOW_DRIVER, 100, "GpuCallsSlow", "GpuProbeSilent"),
        of(Fault.GSP_TIMEOUT, 70, "GpuXid"),
        of(Fault.PAGE_FAULTS, 100, "GpuXidApplication"),
        of(Fault.EXCEPTIONS, Board.GB200, 0, 145, "GpuXidSameGpuManyJobs", "GpuXidApplication"),
        of(Fault.RESET_NEEDED, 70, "GpuRecoveryActionNeeded", "GpuXid"),
        of(Fault.UNCORRECTABLE, 70, "GpuEccUncorrectable", "GpuXid"),
        of(Fault.CORRECTABLE, 110, "GpuEccCorrectableStorm"),
        of(Fault.REMAP_FAILED, 70, "GpuRowRemapFailed", "GpuXid"),
        of(Fault.REMAP_PENDING, 80, "GpuRowRemapPending", "GpuXid"),
        of(Fault.REMAP_LOW, 130, "GpuRemapSpareLow"),
        of(Fault.THERMAL_SLOWDOWN, 80, "GpuHwThermalSlowdown", "GpuHot", "JobStraggler"),
        of(Fault.POWER_BRAKE, 80, "GpuPowerBrake", "JobStraggler"),
        of(Fault.SOFTWARE_THERMAL, 130, "GpuSwThermalSlowdown", "GpuHot"),
        of(Fault.HOT_DIE, 80, "GpuHot"),
        of(Fault.HOT_DIE, Board.A100, 60, 90, "GpuHot"),
        of(Fault.HOT_MEMORY, 80, "GpuMemoryHot"),
        of(Fault.WRONG_POWER, 80, "GpuPowerOutOfRange"),
        of(Fault.STUCK_STATE, 80, "GpuClockStuckLow", "JobStraggler"),
        of(Fault.NARROW_LINK, 80, "PcieLinkNarrow"),
        of(Fault.SLOW_PCIE, 80, "PcieLinkSlow"),
        of(Fault.REPLAYS, 110, "PcieReplaysRising"),
        of(Fault.LINK_ERRORS, 100, "NvlinkErrorsRising", "GpuXid"),
        of(Fault.LINK_DOWN, 80, "NvlinkDown", "GpuXid"),
        of(Fault.FABRIC, 80, "FabricNotReady"),
        of(Fault.PORT_DOWN, 80, "NetworkPortDown"),
        of(Fault.PORT_ERRORS, 80, "NetworkPortErrors"),
        of(Fault.PORT_SLOW, 80, "NetworkPortSlow"),
        of(Fault.HANG, Board.H100, 80, 120, "GpuBusyButIdlePower", "JobHung"),
        of(Fault.MEMORY_HELD, 90, "GpuMemoryHeldByNobody"),
        of(Fault.IDLE, Board.GB200, 0, 145, "GpuAllocatedIdle"),
        of(Fault.STRAGGLER_CLOCK, Board.H100, 60, 90, "JobStraggler", "PowerOutlierInJob"),
        of(Fault.DROP, Board.H100, 60, 90, "GpuUtilizationDropped", "PowerOutlierInJob"),
        of(Fault.UNEVEN_MEMORY, Board.H100, 60, 110, "UnevenMemoryInJob"),
        of(Fault.SILENT, 90, "NodeDown"));
  }

  private static Place place(int number) {
    return new Place(number, number + 1, 0, CASES.get(number).board(), false);
  }

  /** One node after the other, each with a job of its own that lasts for the day. */
  private static FleetLayout fleet(int number) {
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < CASES.size(); i++) {
      places.add(place(i));
    }
    boolean shortJobs = CASES.get(number).fault() == Fault.EXCEPTIONS;
    Duration jobs = shortJobs ? Duration.ofMinutes(30) : Duration.ofDays(1);
    return new FleetLayout(places, jobs, TickSettings.every(TICK), 5);
  }

  private static Incidents incidents() {
    List<Incident> all = new ArrayList<>();
    for (int i = 0; i < CASES.size(); i++) {
      Case of = CASES.get(i);
      boolean whole = of.fault().isOfNode();
      all.add(
          new Incident(
              of.fault(),
              i,
              whole ? Incident.ALL : GPU,
              START + of.fromMinute() * 60_000L,
              START + of.toMinute() * 60_000L));
    }
    return new Incidents(all);
  }

  private static void play(Place place, FleetLayout fleet, Incidents incidents, RuleTestFile file)
      throws Exception {
    Predicate<Labels> kept = KeptSeries.OF_DASHBOARDS.or(KeptSeries.OF_DETECTORS);
    FaultPlay faults = new FaultPlay();
    try (SimulatedNode node =
        new SimulatedNode(place, fleet, new JobSchedule(fleet), incidents, kept, START)) {
      int silent = 0;
      List<Labels> last = List.of();
      for (int tick = 0; tick < TICKS; tick++) {
        long time = START + tick * TICK.toMillis();
        Optional<Tick> sent = node.tick(time);
        silent = sent.isPresent() ? 0 : silent + 1;
        last = sent.map(Tick::series).orElse(last);
        file.add(sent.orElse(inPlaceOf(last, time, silent)));
        file.add(faults.next(node.hostname(), sent, time));
      }
    }
  }

  /** What a query API finds on one node, as the series of open faults. */
  private static final class FaultPlay {
    private static final Set<String> METRICS = Set.copyOf(Signal.metrics());
    private static final Labels EVALUATED = Labels.of(Labels.NAME, FaultSeries.EVALUATED);

    private final FaultEngine engine = new FaultEngine(Thresholds.defaults(), OwnerLabels.KNOWN);
    private Set<Labels> active = Set.of();

    private static List<Series> series(Tick tick) {
      List<Series> all = new ArrayList<>();
      for (int i = 0; i < tick.size(); i++) {
        Labels labels = tick.series().get(i);
        if (METRICS.contains(labels.metric())
            && (tick.histograms() == null || tick.histograms()[i] == null)) {
          all.add(new Series(labels, new long[] {tick.time()}, new double[] {tick.values()[i]}));
        }
      }
      return all;
    }

    Tick next(String host, Optional<Tick> sent, long time) {
      sent.ifPresent(tick -> engine.feed(host, series(tick)));
      engine.at(time);
      Set<Labels> open = new TreeSet<>();
      engine.open().forEach(each -> open.add(FaultSeries.active(each, host)));
      Tick.Builder series = new Tick.Builder();
      open.forEach(each -> series.add(each, 1));
      active.stream()
          .filter(each -> !open.contains(each))
          .forEach(each -> series.add(each, Staleness.MARKER));
      active = open;
      return series.add(EVALUATED, (time - START) / 1e3).at(time); // promtool begins at 0
    }
  }

  private static RuleTestFile file() throws Exception {
    return new RuleTestFile(rules(), metrics(), START, TICK, TICKS);
  }

  /** Series that the owner of a silent host writes. */
  private static Tick inPlaceOf(List<Labels> last, long time, int silent) {
    Tick.Builder tick = new Tick.Builder();
    for (Labels series : last) {
      if (series.metric().equals("up")) {
        tick.add(series, 0);
      } else if (silent == SILENT_TICKS) {
        tick.add(series, Staleness.MARKER);
      }
    }
    return tick.at(time);
  }

  private static List<Path> rules() throws IOException {
    try (Stream<Path> files = Files.list(RULES)) {
      return files.sorted().toList();
    }
  }

  /** All rule files as one text. */
  private static String text() throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path each : rules()) {
      text.append(Files.readString(each));
    }
    return text.toString();
  }

  /** Names of the metrics that the rules read. */
  private static Set<String> metrics() throws Exception {
    Set<String> metrics = new HashSet<>();
    Matcher names =
        Pattern.compile("\\b(DCGM_[A-Z0-9_]+|gpu_[a-z_]+|node_[a-z_]+|up)\\b").matcher(text());
    while (names.find()) {
      metrics.add(names.group(1));
    }
    return metrics;
  }

  private static Set<String> alerts() throws Exception {
    return text()
        .lines()
        .filter(line -> line.contains("- alert: "))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .filter(alert -> !NOT_SIMULATED.contains(alert))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private String promtool(RuleTestFile file) throws Exception {
    Path written = folder.resolve("test.yaml");
    file.write(written);
    Process promtool =
        new ProcessBuilder(
                PeerPrograms.program("promtool").toString(), "test", "rules", written.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    assertThat(promtool.waitFor(10, TimeUnit.MINUTES)).isTrue();
    String output = Files.readString(folder.resolve("output"));
    return promtool.exitValue() == 0 ? "" : output;
  }

  @Test
  void everyAlertFiresForItsFaultAndOnThatNodeOnly() throws Exception {
    Map<String, Set<String>> expected = new TreeMap<>();
    for (int i = 0; i < CASES.size(); i++) {
      for (String alert : CASES.get(i).alerts()) {
        boolean isOfJob = alert.equals("UnevenMemoryInJob");
        String labels = isOfJob ? "{}" : "{Hostname=\"" + place(i).hostname() + "\"}";
        expected.computeIfAbsent(alert, key -> new TreeSet<>()).add(labels);
      }
    }
    assertThat(expected.keySet()).isEqualTo(alerts()).hasSize(38);
    RuleTestFile file = file();
    for (int i = 0; i < CASES.size(); i++) {
      play(place(i), fleet(i), incidents(), file);
    }
    expected.forEach(
        (alert, hosts) ->
            file.expect(
                "group by (Hostname) (count_over_time(ALERTS{alertname=\""
                    + alert
                    + "\", alertstate=\"firing\"}[4h]))",
                hosts));
    assertThat(promtool(file)).isEmpty();
  }

  @Test
  void noAlertFiresWhileAllIsWell() throws Exception {
    RuleTestFile file = file();
    FleetLayout fleet = FleetLayout.of(10, TICK, 3);
    for (Place place : fleet.places()) {
      if (place.position() == 0 || place.board() == Board.L40S) {
        play(place, fleet, Incidents.NONE, file); // each kind of node; jobs change every hour
      }
    }
    file.expect(
        "group by (alertname, Hostname) (count_over_time(ALERTS{alertstate=\"firing\"}[4h]))",
        Set.of());
    assertThat(promtool(file)).isEmpty();
  }
}
