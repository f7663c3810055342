package io.fleetgauge.load.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.JobKind;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.HostTicks;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.FaultKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Labelled traces, as detectors see them. */
class TraceTest {
  /** NVLinks of a board, one of which is down. */
  private static final Set<Double> ONE_LESS = Set.of(11.0, 17.0);

  private static final int BEFORE = 12;
  private static final Set<String> OWNER = Set.of("job", "tenant", "hpc_job");

  /** What hosts read, by host and time. */
  private static Map<String, TreeMap<Long, HostTick>> play(
      Trace trace, Predicate<String> hosts, long from, long to) throws InterruptedException {
    Map<String, TreeMap<Long, HostTick>> ticks = new HashMap<>();
    for (PlayedNode node : trace.nodes()) {
      if (hosts.test(node.hostname())) {
        TreeMap<Long, HostTick> ofHost = new TreeMap<>();
        HostTicks host = new HostTicks(node.hostname(), OWNER);
        for (long at = from; at < to; at += trace.tick()) {
          Optional<Tick> tick = node.tick(at);
          if (tick.isPresent()) {
            host.feed(series(tick.get()), read -> ofHost.put(read.time(), read));
          }
        }
        ticks.put(node.hostname(), ofHost);
      }
    }
    return ticks;
  }

  /** What the hosts of a label's job, or its host, read a while before it and while it lasts. */
  private static Map<String, TreeMap<Long, HostTick>> play(Trace trace, TraceLabel label, int most)
      throws InterruptedException {
    Set<String> hosts = new TreeSet<>(Set.of(label.host()));
    if (label.kind().scope() == FaultKind.Scope.JOB) {
      job(trace, label.job()).ranks().forEach(rank -> hosts.add(rank.place().hostname()));
    }
    long to = Math.min(label.to(), label.from() + most * trace.tick());
    return play(trace, hosts::contains, label.from() - BEFORE * trace.tick(), to);
  }

  private static Job job(Trace trace, String name) {
    return trace.jobs().stream().filter(job -> job.name().equals(name)).findFirst().orElseThrow();
  }

  private static List<Series> series(Tick tick) {
    List<Series> all = new ArrayList<>();
    for (int i = 0; i < tick.size(); i++) {
      all.add(
          new Series(
              tick.series().get(i), new long[] {tick.time()}, new double[] {tick.values()[i]}));
    }
    return all;
  }

  @Test
  void aTraceIsAFunctionOfItsSeed() throws Exception {
    TraceSpec spec = TraceSpec.mix(3, 4, Duration.ofHours(2), 5_000);
    try (Trace once = Trace.of(spec);
        Trace again = Trace.of(spec);
        Trace other = Trace.of(TraceSpec.mix(4, 4, Duration.ofHours(2), 5_000))) {
      assertThat(again.labels()).isEqualTo(once.labels()).isNotEmpty();
      assertThat(other.labels()).isNotEqualTo(once.labels());
      for (int node = 0; node < once.nodes().size(); node++) {
        for (long at = once.start(); at < once.end(); at += once.tick()) {
          Optional<Tick> one = once.nodes().get(node).tick(at);
          Optional<Tick> two = again.nodes().get(node).tick(at);
          assertThat(two.map(Tick::series)).isEqualTo(one.map(Tick::series));
          if (one.isPresent()) {
            assertThat(two.get().values()).containsExactly(one.get().values());
          }
        }
      }
    }
  }

  @Test
  void tracesHaveJobsOfAllKindsOnOneToEightNodes() {
    Set<JobKind> kinds = EnumSet.noneOf(JobKind.class);
    Set<Long> nodes = new TreeSet<>();
    for (long seed = 1; seed <= 10; seed++) {
      try (Trace trace = Trace.of(TraceSpec.healthy(seed, 24, Duration.ofDays(2)))) {
        for (Job job : trace.jobs()) {
          kinds.add(job.kind());
          nodes.add(job.ranks().stream().map(rank -> rank.place()).distinct().count());
        }
      }
    }
    assertThat(kinds).containsExactlyInAnyOrder(JobKind.values());
    assertThat(nodes).contains(1L, 2L, 4L, 8L);
  }

  @Test
  void aHealthyTraceRequiresNothingToBeTold() throws Exception {
    try (Trace trace = Trace.of(TraceSpec.healthy(11, 8, Duration.ofHours(6)))) {
      assertThat(trace.labels()).noneMatch(TraceLabel::required);
      play(trace, host -> true, trace.start(), trace.end())
          .forEach(
              (host, ticks) -> {
                assertThat(ticks).hasSize((int) ((trace.end() - trace.start()) / trace.tick()));
                ticks.values().forEach(TraceTest::assertHealthy);
              });
    }
  }

  private static void assertHealthy(HostTick tick) {
    assertThat(tick.get(Signal.DRIVER_RESPONSIVE)).isEqualTo(1);
    tick.ports().forEach((port, of) -> assertThat(of.get(Signal.PORT_STATE)).as(port).isEqualTo(4));
    for (GpuTick gpu : tick.gpus()) {
      assertThat(gpu.get(Signal.LOST)).isZero();
      assertThat(gpu.readings().get(Signal.OWNER_BLOCKED, 0)).isZero();
      assertThat(gpu.readings().get(Signal.RECOVERY_ACTION, 0)).isZero();
      assertThat(gpu.readings().get(Signal.REMAP_FAILURE, 0)).isZero();
      assertThat(gpu.readings().get(Signal.ECC_UNCORRECTED, 0)).isZero();
      assertThat(gpu.readings().get(Signal.OWNER_BLOCKED, 0)).isZero();
      assertThat(gpu.readings().get(Signal.HW_THERMAL_SECONDS, 0)).isZero();
      gpu.codes().forEach((code, of) -> assertThat(of.get(Signal.XIDS, 0)).as(code).isZero());
      gpu.links()
          .forEach((link, of) -> assertThat(of.get(Signal.LINK_STATE, 1)).as(link).isEqualTo(1));
    }
  }

  @ParameterizedTest
  @EnumSource(FaultKind.class)
  void everyKindOfFaultHasTracesOfItsOwn(FaultKind kind) {
    List<TraceLabel> labels = new ArrayList<>();
    for (long seed = 1; seed <= 4; seed++) {
      try (Trace trace = Trace.of(TraceSpec.of(seed, 8, Duration.ofDays(5), kind))) {
        labels.addAll(trace.labels());
      }
    }
    assertThat(labels).filteredOn(label -> label.kind() == kind).isNotEmpty();
    assertThat(labels).allSatisfy(label -> assertThat(label.from()).isLessThan(label.to()));
    assertThat(labels)
        .filteredOn(label -> label.required() && label.kind().scope() == FaultKind.Scope.JOB)
        .allSatisfy(label -> assertThat(label.job()).isNotEmpty());
  }

  /** The sign of a fault in the readings of its GPU or host. */
  private static Optional<Predicate<HostTick>> sign(TraceLabel label) {
    return switch (label.kind()) {
      case DRIVER_HANG -> Optional.of(tick -> tick.get(Signal.DRIVER_RESPONSIVE) == 0);
      case NIC_DOWN ->
          Optional.of(tick -> tick.ports().get(label.part()).get(Signal.PORT_STATE) < 4);
      case NIC_ERRORS ->
          Optional.of(tick -> tick.ports().get(label.part()).get(Signal.PORT_SYMBOL_ERRORS) > 0);
      case NIC_SLOW ->
          Optional.of(tick -> tick.ports().get(label.part()).rate(Signal.PORT_SLOW_RESTARTS) > 10);
      case GPU_MISSING -> Optional.of(tick -> tick.get(Signal.COUNTED) < tick.get(Signal.EXPECTED));
      case GPU_LOST -> on(label, gpu -> gpu.get(Signal.LOST) == 1);
      case RECOVERY_ACTION -> on(label, gpu -> gpu.get(Signal.RECOVERY_ACTION) > 0);
      case ECC_STORM -> on(label, gpu -> gpu.rate(Signal.ECC_CORRECTED) > 1);
      case ROW_REMAP_FAILED -> on(label, gpu -> gpu.get(Signal.REMAP_FAILURE) == 1);
      case ROW_REMAP_PENDING -> on(label, gpu -> gpu.get(Signal.REMAP_PENDING) == 1);
      case ROW_SPARE_LOW -> on(label, gpu -> gpu.get(Signal.BANKS_LOW) > 0);
      case THERMAL_SLOWDOWN -> on(label, gpu -> gpu.get(Signal.HW_THERMAL_SECONDS) > 0);
      case THERMAL_SOFTWARE -> on(label, gpu -> gpu.get(Signal.SW_THERMAL_SECONDS) > 0);
      case POWER_BRAKE -> on(label, gpu -> gpu.get(Signal.POWER_BRAKE_SECONDS) > 0);
      case POWER_RANGE ->
          on(label, gpu -> gpu.get(Signal.POWER) > 1.3 * gpu.get(Signal.POWER_LIMIT));
      case PSTATE_STUCK -> on(label, gpu -> gpu.get(Signal.PERFORMANCE_STATE) == 8);
      case PCIE_NARROW ->
          on(label, gpu -> gpu.get(Signal.PCIE_WIDTH) < gpu.get(Signal.PCIE_MAX_WIDTH));
      case PCIE_REPLAYS -> on(label, gpu -> gpu.rate(Signal.PCIE_REPLAYS) > 1);
      case NVLINK_DOWN -> on(label, gpu -> ONE_LESS.contains(gpu.get(Signal.LINKS_ACTIVE)));
      case MEMORY_UNOWNED ->
          on(label, gpu -> gpu.get(Signal.MEMORY_USED) > 500 && gpu.get(Signal.PROCESSES) == 0);
      default -> Optional.empty();
    };
  }

  private static Optional<Predicate<HostTick>> on(TraceLabel label, Predicate<GpuTick> sign) {
    return Optional.of(
        tick ->
            tick.gpus().stream()
                .anyMatch(gpu -> gpu.uuid().equals(label.uuid()) && sign.test(gpu)));
  }

  @Test
  void aFaultShowsInItsSeriesFromItsBeginningToItsEndAndNotBefore() throws Exception {
    Map<FaultKind, Integer> seen = new TreeMap<>();
    for (FaultKind kind : FaultKind.values()) {
      try (Trace trace = Trace.of(TraceSpec.of(21, 4, Duration.ofHours(6), kind))) {
        List<TraceLabel> labels =
            trace.labels().stream().filter(each -> each.kind() == kind && each.required()).toList();
        if (labels.isEmpty() || sign(labels.getFirst()).isEmpty()) {
          continue;
        }
        for (TraceLabel label : labels) {
          TreeMap<Long, HostTick> host = play(trace, label, 60).get(label.host());
          Predicate<HostTick> sign = sign(label).orElseThrow();
          // Some series are read every other tick, and a hung driver is late by one.
          int without = 0;
          for (HostTick tick : host.tailMap(label.from()).values()) {
            without = sign.test(tick) ? 0 : without + 1;
            assertThat(without).as(label + " at " + tick.time()).isLessThan(3);
          }
          for (HostTick tick : host.headMap(label.from()).values()) {
            assertThat(sign.test(tick)).as(label + " at " + tick.time()).isFalse();
          }
          seen.merge(kind, 1, Integer::sum);
        }
      }
    }
    assertThat(seen).hasSizeGreaterThan(14);
  }

  /** The readings of a job's GPUs at a time, by rank. */
  private static List<GpuTick> gpus(
      Map<String, TreeMap<Long, HostTick>> ticks, Trace trace, String job, long time) {
    return job(trace, job).ranks().stream()
        .map(
            rank ->
                ticks
                    .get(rank.place().hostname())
                    .floorEntry(time)
                    .getValue()
                    .gpus()
                    .get(rank.gpu()))
        .toList();
  }

  @Test
  void aJobThatHangsMovesNothingAndItsFirstRankIsTheOneBehind() throws Exception {
    Set<String> causes = new TreeSet<>();
    for (long seed = 31; seed < 34; seed++) {
      try (Trace trace = Trace.of(TraceSpec.of(seed, 6, Duration.ofHours(8), FaultKind.HANG))) {
        for (TraceLabel label : trace.labels()) {
          if (label.kind() != FaultKind.HANG) {
            continue;
          }
          causes.add(label.cause());
          var ticks = play(trace, label, 40);
          long middle = label.from() + 10 * trace.tick();
          List<GpuTick> during = gpus(ticks, trace, label.job(), middle);
          List<GpuTick> later = gpus(ticks, trace, label.job(), label.from() + 20 * trace.tick());
          assertThat(during.stream().allMatch(TraceTest::isStill)).as(label.toString()).isTrue();
          for (int rank = 0; rank < during.size(); rank++) {
            assertThat(operations(later.get(rank))).isEqualTo(operations(during.get(rank)));
          }
          double most =
              during.stream()
                  .flatMap(gpu -> operations(gpu).stream())
                  .mapToDouble(Double::doubleValue)
                  .max()
                  .orElse(0);
          List<Integer> behind = new ArrayList<>();
          for (int rank = 0; rank < during.size(); rank++) {
            if (operations(during.get(rank)).stream().anyMatch(count -> count < most)) {
              behind.add(rank);
            }
          }
          if (label.firstRank() < 0) {
            assertThat(behind).as(label.toString()).isEmpty();
          } else if (!behind.isEmpty()) {
            assertThat(behind).as(label.toString()).contains(label.firstRank());
          }
        }
      }
    }
    assertThat(causes).contains("symmetric", "kernel", "collective", "data_loader", "storage");
  }

  private static List<Double> operations(GpuTick gpu) {
    return gpu.ranks().values().stream()
        .filter(of -> of.has(Signal.OPERATIONS))
        .map(of -> of.get(Signal.OPERATIONS))
        .toList();
  }

  private static boolean isStill(GpuTick gpu) {
    return gpu.readings().get(Signal.TENSOR_ACTIVE, 0) < 0.01
        && gpu.readings().get(Signal.NVLINK_BYTES, 0) == 0
        && gpu.readings().get(Signal.OWNER_IO_BYTES, 0) == 0;
  }

  @Test
  void aStragglerIsSlowWhileAllOthersWaitForItAtFullUtilisation() throws Exception {
    Set<String> causes = new TreeSet<>();
    for (long seed = 41; seed < 47; seed++) {
      try (Trace trace =
          Trace.of(TraceSpec.of(seed, 10, Duration.ofHours(10), FaultKind.STRAGGLER))) {
        for (TraceLabel label : trace.labels()) {
          if (!label.required() || label.kind() != FaultKind.STRAGGLER) {
            continue;
          }
          causes.add(label.cause());
          var ticks = play(trace, label, 10);
          List<GpuTick> gpus = gpus(ticks, trace, label.job(), label.from() + 2 * trace.tick());
          GpuTick slow = gpus.get(label.firstRank());
          double clock = gpus.stream().mapToDouble(gpu -> gpu.get(Signal.SM_CLOCK)).max().orElse(0);
          if (label.cause().equals("clock")) {
            assertThat(slow.get(Signal.SM_CLOCK)).isLessThan(0.9 * clock);
            assertThat(gpus).allMatch(gpu -> gpu.get(Signal.UTILISATION) == 100);
          } else {
            assertThat(slow.get(Signal.SM_CLOCK)).isGreaterThan(0.95 * clock);
          }
        }
      }
    }
    assertThat(causes).contains("clock", "link", "host_cpu", "nic");
  }

  @Test
  void theRecoveriesOfALinkGrowForDaysBeforeItIsDown() throws Exception {
    for (long seed = 1; ; seed++) {
      try (Trace trace =
          Trace.of(TraceSpec.of(seed, 1, Duration.ofDays(5), FaultKind.NVLINK_TREND))) {
        Optional<TraceLabel> label =
            trace.labels().stream().filter(of -> of.kind() == FaultKind.NVLINK_TREND).findFirst();
        if (label.isEmpty()) {
          continue; // a board without links, or too late a failure
        }
        TraceLabel trend = label.get();
        assertThat(trace.labels())
            .anyMatch(of -> of.kind() == FaultKind.NVLINK_DOWN && of.from() == trend.to());
        long day = Duration.ofDays(1).toMillis();
        Map<Long, Double> byDay = new TreeMap<>();
        Predicate<GpuTick> isIt = gpu -> gpu.uuid().equals(trend.uuid());
        for (HostTick tick :
            play(trace, trend.host()::equals, trace.start(), trend.to())
                .get(trend.host())
                .values()) {
          for (GpuTick gpu : tick.gpus().stream().filter(isIt).toList()) {
            Readings link = gpu.links().get(trend.part());
            double more = link == null ? 0 : link.get(Signal.LINK_RECOVERY, 0);
            byDay.merge(Math.floorDiv(tick.time() - trend.from(), day), more, Double::sum);
          }
        }
        List<Double> days =
            byDay.entrySet().stream()
                .filter(of -> of.getKey() >= 0 && of.getKey() < (trend.to() - trend.from()) / day)
                .map(Map.Entry::getValue)
                .collect(Collectors.toList());
        assertThat(days.getFirst()).isGreaterThanOrEqualTo(8);
        for (int i = 1; i < days.size(); i++) {
          assertThat(days.get(i)).isGreaterThan(1.4 * days.get(i - 1));
        }
        assertThat(byDay.getOrDefault(-1L, 0.0)).isLessThan(4);
        return;
      }
    }
  }

  @Test
  void aRankThatEvaluatesAloneLooksLikeAHangAndComputes() throws Exception {
    int seen = 0;
    for (long seed = 51; seen == 0; seed++) {
      try (Trace trace = Trace.of(TraceSpec.healthy(seed, 6, Duration.ofHours(6)))) {
        for (Job job : trace.jobs()) {
          if (job.kind() != JobKind.EVALUATION || seen > 0) {
            continue;
          }
          Set<String> hosts = new TreeSet<>();
          job.ranks().forEach(rank -> hosts.add(rank.place().hostname()));
          var ticks = play(trace, hosts::contains, trace.start(), trace.end());
          for (long at = Math.max(job.began(), trace.start() + 60_000);
              at < Math.min(job.ends(), trace.end());
              at += trace.tick()) {
            List<GpuTick> gpus = gpus(ticks, trace, job.name(), at);
            boolean othersWait =
                gpus.stream()
                    .skip(1)
                    .allMatch(gpu -> gpu.get(Signal.UTILISATION) == 100 && isStill(gpu));
            if (othersWait && gpus.getFirst().has(Signal.TENSOR_ACTIVE)) {
              boolean writes = gpus.getFirst().get(Signal.OWNER_IO_BYTES) > 0;
              boolean computes = gpus.getFirst().get(Signal.TENSOR_ACTIVE) > 0.05;
              assertThat(writes || computes).isTrue();
              seen += computes ? 1 : 0;
            }
          }
        }
      }
    }
    assertThat(seen).isPositive();
  }
}
