package io.fleetgauge.load.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Incidents;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Ticks of simulated nodes. */
class SimulatedNodeTest {
  private static final long START = 1_790_000_000_000L / 3_600_000 * 3_600_000;
  private static final Duration TICK = Duration.ofSeconds(15);
  private static final int MOST_SERIES = 1_150;
  private static final FleetLayout FLEET = FleetLayout.of(10, TICK, 7);

  private static List<Tick> play(Place place, Incidents incidents, int ticks)
      throws InterruptedException {
    List<Tick> played = new ArrayList<>();
    try (SimulatedNode node = new SimulatedNode(place, FLEET, incidents, START)) {
      for (int i = 0; i < ticks; i++) {
        node.tick(START + i * TICK.toMillis()).ifPresent(played::add);
      }
    }
    return played;
  }

  /** The newest value of each series that lives after all ticks. */
  private static Map<Labels, Double> living(List<Tick> ticks) {
    Map<Labels, Double> living = new TreeMap<>();
    for (Tick tick : ticks) {
      for (int i = 0; i < tick.size(); i++) {
        if (Staleness.isMarker(tick.values()[i])) {
          living.remove(tick.series().get(i));
        } else {
          living.put(tick.series().get(i), tick.values()[i]);
        }
      }
    }
    return living;
  }

  private static Map<String, Double> of(Map<Labels, Double> living, String metric, String label) {
    return living.entrySet().stream()
        .filter(each -> each.getKey().metric().equals(metric))
        .collect(Collectors.toMap(each -> each.getKey().value(label), Map.Entry::getValue));
  }

  private static Incidents one(Fault fault, int gpu, int fromTick, int toTick) {
    long from = START + fromTick * TICK.toMillis();
    return new Incidents(
        List.of(new Incident(fault, 0, gpu, from, START + toTick * TICK.toMillis())));
  }

  @Test
  void aNodeSendsNoMoreSeriesThanAMachineCanHoldForAFleet() throws Exception {
    for (Place place : FLEET.places()) {
      assertThat(living(play(place, Incidents.NONE, 40)))
          .as(place.toString())
          .hasSizeBetween(500, MOST_SERIES);
    }
  }

  @Test
  void theSameSeedAndTimesMakeTheSameTicks() throws Exception {
    Place place = FLEET.places().get(6);
    Incidents faults = Incidents.around(START, FLEET, Incidents.Amount.MANY);
    List<Tick> once = play(place, faults, 60);
    List<Tick> again = play(place, faults, 60);
    assertThat(again).hasSameSizeAs(once);
    for (int i = 0; i < once.size(); i++) {
      assertThat(again.get(i).series()).isEqualTo(once.get(i).series());
      assertThat(again.get(i).values()).containsExactly(once.get(i).values());
    }
  }

  @Test
  void everyMetricOfANodeIsOneThatARealProbeKnows() throws Exception {
    Set<String> unknown = new TreeSet<>();
    for (Place place : FLEET.places()) {
      for (Tick tick : play(place, Incidents.NONE, 3)) {
        Set<String> known = KnownMetrics.families(tick).keySet();
        tick.series().stream().map(Labels::metric).forEach(unknown::add);
        unknown.removeAll(known);
      }
    }
    unknown.removeIf(metric -> metric.startsWith("gpu_probe_call_seconds_"));
    unknown.removeIf(metric -> metric.startsWith("gpu_owner_") || metric.startsWith("gpu_nccl_"));
    assertThat(unknown).isEmpty();
  }

  @Test
  void powerTemperatureEnergyAndTrafficFollowTheJob() throws Exception {
    Map<Labels, Double> living = living(play(FLEET.places().get(0), Incidents.NONE, 180));
    Labels gpu =
        living.keySet().stream()
            .filter(each -> each.metric().equals("DCGM_FI_DEV_GPU_UTIL"))
            .findFirst()
            .orElseThrow();
    assertThat(gpu.value("hpc_job")).isNotEmpty();
    assertThat(living.get(gpu)).isBetween(80.0, 100.0);
    double watts = living.get(gpu.with(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE"));
    assertThat(watts).isBetween(500.0, 700.0);
    assertThat(living.get(gpu.with(Labels.NAME, "DCGM_FI_DEV_GPU_TEMP")))
        .isCloseTo(27 + watts * 35 / 700, within(3.0));
    assertThat(living.get(gpu.with(Labels.NAME, "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL")))
        .isGreaterThan(50_000);
    assertThat(living.get(gpu.with(Labels.NAME, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")))
        .isBetween(0.3, 0.6);
  }

  @Test
  void instancesHaveTheirOwnMemoryAndOwner() throws Exception {
    Map<Labels, Double> living = living(play(FLEET.places().get(6), Incidents.NONE, 60));
    List<Labels> instances =
        living.keySet().stream()
            .filter(each -> each.metric().equals("DCGM_FI_DEV_FB_TOTAL"))
            .filter(each -> each.value("GPU_I_PROFILE").equals("3g.40gb"))
            .toList();
    assertThat(instances).hasSize(8);
    assertThat(instances).extracting(each -> each.value("GPU_I_ID")).contains("1", "2");
    assertThat(instances).allSatisfy(each -> assertThat(living).containsEntry(each, 40_448.0));
    assertThat(instances.stream().map(each -> each.value("pod")).distinct()).hasSizeGreaterThan(2);
  }

  @Test
  void theProcessOfEachJobHasItsMemoryByProcessContainerPodAndJob() throws Exception {
    for (Place place : List.of(FLEET.places().get(0), FLEET.places().get(6))) {
      Map<Labels, Double> living = living(play(place, Incidents.NONE, 60));
      List<Labels> held =
          living.keySet().stream()
              .filter(each -> each.metric().equals("gpu_processes"))
              .filter(each -> living.get(each) == 1)
              .toList();
      assertThat(held).isNotEmpty().allSatisfy(each -> assertMemory(living, each));
      assertThat(of(living, "used_gpu_memory_status", "")).containsValue(0.0);
      assertThat(living.keySet())
          .filteredOn(each -> each.metric().equals("used_gpu_memory"))
          .hasSameSizeAs(held)
          .allSatisfy(each -> assertThat(each.value("container_name")).startsWith("k8s_"));
    }
  }

  /** The device has as many bytes by each of the metrics as the driver tells. */
  private static void assertMemory(Map<Labels, Double> living, Labels device) {
    List<String> metrics =
        new ArrayList<>(
            List.of(
                "used_gpu_memory",
                "gpu_process_memory_bytes",
                "gpu_container_memory_bytes",
                "gpu_pod_memory_bytes"));
    if (!device.value("hpc_job").isEmpty()) {
      metrics.add("gpu_job_memory_bytes");
    }
    for (String metric : metrics) {
      List<Labels> of =
          living.keySet().stream()
              .filter(each -> each.metric().equals(metric))
              .filter(each -> each.value("gpu").equals(device.value("gpu")))
              .filter(each -> each.value("GPU_I_ID").equals(device.value("GPU_I_ID")))
              .toList();
      double used = living.get(device.with(Labels.NAME, "DCGM_FI_DEV_FB_USED").without("kind"));
      assertThat(of).as(metric).hasSize(1);
      assertThat(living.get(of.getFirst())).as(metric).isEqualTo(used * (1 << 20));
      assertThat(of.getFirst().value("job")).isEqualTo(device.value("job")).isNotEmpty();
      assertThat(of.getFirst().value("pod")).isEqualTo(device.value("pod")).isNotEmpty();
    }
  }

  @Test
  void aHungDriverEndsNoSeriesAndTheNodeSaysSinceWhen() throws Exception {
    List<Tick> ticks = play(FLEET.places().get(0), one(Fault.HUNG_DRIVER, Incident.ALL, 4, 20), 16);
    Map<Labels, Double> living = living(ticks);
    assertThat(of(living, "gpu_probe_driver_responsive", "")).containsValue(0.0);
    assertThat(of(living, "gpu_probe_call_state", "")).containsValue(3.0);
    assertThat(of(living, "DCGM_FI_DEV_GPU_TEMP", "gpu")).hasSize(8);
    assertThat(of(living, "gpu_probe_sample_age_seconds", "gpu"))
        .allSatisfy((gpu, age) -> assertThat(age).isCloseTo(180, within(1.0)));
    Map<Labels, Double> later =
        living(play(FLEET.places().get(0), one(Fault.HUNG_DRIVER, Incident.ALL, 4, 20), 24));
    assertThat(of(later, "gpu_probe_driver_responsive", "")).containsValue(1.0);
  }

  @Test
  void aLostGpuIsMissedAndReportedAndTheOthersAreRead() throws Exception {
    Map<Labels, Double> living = living(play(FLEET.places().get(0), one(Fault.LOST, 3, 4, 40), 12));
    assertThat(of(living, "gpu_lost", "gpu")).containsEntry("3", 1.0).containsEntry("2", 0.0);
    assertThat(of(living, "gpu_probe_devices", "state"))
        .containsEntry("ok", 7.0)
        .containsEntry("lost", 1.0);
    assertThat(of(living, "DCGM_FI_DEV_XID_ERRORS", "gpu")).containsEntry("3", 79.0);
    assertThat(of(living, "DCGM_FI_DEV_GPU_TEMP", "gpu")).hasSize(7).doesNotContainKey("3");
  }

  @Test
  void aSilentNodeSendsNothing() throws Exception {
    Incidents silence = one(Fault.SILENT, Incident.ALL, 2, 5);
    assertThat(play(FLEET.places().get(0), silence, 6)).hasSize(3);
  }
}
