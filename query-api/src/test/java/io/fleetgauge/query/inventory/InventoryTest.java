package io.fleetgauge.query.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.inventory.InventoryHost.State;
import io.fleetgauge.sample.Labels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class InventoryTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final long TICK = 15_000;
  private static final Duration KEEP = Duration.ofDays(7);
  private static final String CLUSTER = "f8a1c2d3-0001-4e5f-8a9b-0c1d2e3f4a5b";

  private final List<HostState> states = new ArrayList<>();
  private final List<Answer.Sample> samples = new ArrayList<>();
  private final Map<String, Integer> peaks = new HashMap<>();
  private final Map<String, String> domains = new HashMap<>();
  private final List<PlannedHost> planned = new ArrayList<>();

  private Inventory inventory() {
    return Inventory.of(new Observed(states, samples, peaks, domains), planned, KEEP, NOW);
  }

  private InventoryHost host(String name) {
    return inventory().hosts().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** A host that was heard some time ago, with GPUs that its probe read then. */
  private void host(String name, long age, int gpus) {
    states.add(new HostState(name, NOW - age, TICK, 1_000));
    sample(Labels.of(Labels.NAME, "gpu_expected", "Hostname", name), gpus);
    for (int gpu = 0; gpu < gpus; gpu++) {
      sample(gpu("gpu_info", name, gpu), 1);
    }
  }

  private void sample(Labels labels, double value) {
    samples.add(new Answer.Sample(labels, value));
  }

  private static Labels gpu(String metric, String host, int gpu, String... more) {
    return Labels.of(
            Labels.NAME,
            metric,
            "Hostname",
            host,
            "UUID",
            "GPU-" + host + "-" + gpu,
            "gpu",
            Integer.toString(gpu),
            "modelName",
            "NVIDIA H100",
            "rack",
            "r1")
        .with(Labels.of(more));
  }

  private static PlannedHost planned(String name, int gpus, String domain) {
    return new PlannedHost(name, OptionalInt.of(gpus), OptionalInt.empty(), domain, "r9");
  }

  private void links(String host, int gpu, int active, int inactive, int asleep) {
    sample(gpu("gpu_nvlink_links", host, gpu, "state", "active"), active);
    sample(gpu("gpu_nvlink_links", host, gpu, "state", "inactive"), inactive);
    sample(gpu("gpu_nvlink_links", host, gpu, "state", "sleep"), asleep);
  }

  private void register(String host, int gpu) {
    sample(gpu("gpu_fabric_ready", host, gpu, "condition", "completed"), 1);
    sample(gpu("gpu_fabric_info", host, gpu, "cluster_uuid", CLUSTER, "clique_id", "2"), 1);
  }

  private void fault(Labels of, String kind, String severity, double value) {
    sample(of.with("kind", kind).with("severity", severity), value);
  }

  @Test
  void aHostIsPresentSilentOrMissing() {
    host("n1", TICK, 8);
    host("n2", KEEP.toMillis(), 8);
    host("gone", KEEP.toMillis() + 1, 8);
    planned.add(planned("n3", 8, ""));
    assertThat(inventory().hosts())
        .extracting(host -> host.name() + " " + host.state() + " " + host.count().present())
        .containsExactly("n1 PRESENT 8", "n2 SILENT 0", "n3 MISSING 0");
    assertThat(host("n2").seen()).hasValue(NOW - KEEP.toMillis());
    assertThat(host("n3").seen()).isEmpty();
    assertThat(inventory().expectedHosts()).containsOnlyKeys("n1", "n2", "n3");
  }

  @Test
  void aHostHasTheLabelsThatItsProbeGivesAllSeries() {
    host("n1", KEEP.toMillis(), 8);
    Labels place = Labels.of("Hostname", "n1", "rack", "r1", "region", "eu");
    sample(place.with(Labels.NAME, "gpu_expected"), 8);
    planned.add(planned("n1", 8, ""));
    planned.add(planned("n2", 8, ""));
    assertThat(inventory().expectedHosts())
        .containsEntry("n1", place)
        .containsEntry("n2", Labels.of("Hostname", "n2", "rack", "r9"));
  }

  @Test
  void aHostWithoutGpusIsListedAndNotExpected() {
    host("n1", 0, 0);
    assertThat(host("n1").state()).isEqualTo(State.PRESENT);
    assertThat(inventory().expectedHosts()).isEmpty();
  }

  @Test
  void whatIsSilentKeepsItsGpus() {
    host("n2", 3_600_000, 2);
    assertThat(host("n2").count()).isEqualTo(new GpuCount(2, 0, 0));
    assertThat(host("n2").rack()).isEqualTo("r1");
    assertThat(host("n2").gpus())
        .extracting(gpu -> gpu.uuid() + " " + gpu.index() + " " + gpu.isPresent())
        .containsExactly("GPU-n2-0 0 false", "GPU-n2-1 1 false");
  }

  @Test
  void aPlannedHostStaysHoweverLongItWasSilent() {
    host("n1", KEEP.toMillis() + 1, 8);
    planned.add(planned("n1", 8, ""));
    assertThat(host("n1").state()).isEqualTo(State.SILENT);
  }

  @Test
  void aHostOfDerivedSamplesAloneWasNeverThere() {
    states.add(new HostState("n1", Long.MIN_VALUE, TICK, 3));
    states.add(new HostState("no-host-1", NOW, TICK, 3));
    assertThat(inventory().hosts()).isEmpty();
    planned.add(planned("n1", 8, ""));
    assertThat(host("n1").state()).isEqualTo(State.MISSING);
  }

  @Test
  void theMostGpusOfADayAreExpectedUnlessTheFileSaysOtherwise() {
    host("n1", 0, 7);
    assertThat(host("n1").count()).isEqualTo(new GpuCount(7, 7, 7));
    peaks.put("n1", 8);
    assertThat(host("n1").count()).isEqualTo(new GpuCount(8, 7, 7));
    planned.add(planned("n1", 6, ""));
    assertThat(host("n1").count()).isEqualTo(new GpuCount(6, 7, 7));
  }

  @Test
  void aLostGpuIsKnownAndNotPresent() {
    host("n1", 0, 1);
    sample(gpu("gpu_lost", "n1", 0), 0);
    sample(gpu("gpu_lost", "n1", 1), 1);
    assertThat(host("n1").count()).isEqualTo(new GpuCount(2, 1, 1));
    assertThat(host("n1").gpus()).extracting(InventoryGpu::isPresent).containsExactly(true, false);
  }

  @Test
  void aGpuIsHealthyWithoutAnOpenCriticalFaultOfItsOwnOrOfItsHost() {
    host("n1", 0, 4);
    Labels job = Labels.of(Labels.NAME, "gpu_fault_active", "Hostname", "n1");
    fault(gpu("gpu_fault_active", "n1", 0), "gpu_lost", "critical", 1);
    fault(gpu("gpu_fault_active", "n1", 1), "gpu_lost", "critical", 0);
    fault(gpu("gpu_fault_active", "n1", 2), "ecc_storm", "warning", 1);
    fault(gpu("gpu_fault_active", "n1", 3).with("shadow", "true"), "gpu_lost", "critical", 1);
    fault(job, "hang", "critical", 1);
    assertThat(host("n1").count()).isEqualTo(new GpuCount(4, 4, 3));
    assertThat(host("n1").gpus().getFirst().faults()).containsExactly("gpu_lost");
    fault(job, "driver_hang", "critical", 1);
    assertThat(host("n1").count()).isEqualTo(new GpuCount(4, 4, 0));
    assertThat(host("n1").faults()).containsExactly("driver_hang");
  }

  @Test
  void allLinksOfAFabricAreExpectedAndOfOthersAsManyAsTheBestHas() {
    host("n1", 0, 2);
    links("n1", 0, 17, 1, 0);
    links("n1", 1, 10, 0, 8);
    register("n1", 0);
    register("n1", 1);
    assertThat(host("n1").links()).isEqualTo(new LinkCount(36, 35));
    host("n2", 0, 2);
    links("n2", 0, 12, 6, 0);
    links("n2", 1, 11, 7, 0);
    assertThat(host("n2").links()).isEqualTo(new LinkCount(24, 23));
    planned.add(new PlannedHost("n2", OptionalInt.empty(), OptionalInt.of(18), "", ""));
    assertThat(host("n2").links()).isEqualTo(new LinkCount(36, 23));
    host("n3", 3_600_000, 1);
    links("n3", 0, 18, 0, 0);
    assertThat(host("n3").links()).isEqualTo(new LinkCount(18, 0));
  }

  @Test
  void aDomainCountsTheGpusOfItsHostsAlsoOfThoseThatAreSilentOrNotRegistered() {
    for (int i = 1; i <= 18; i++) {
      String name = "n%02d".formatted(i);
      host(name, i == 18 ? 3_600_000 : 0, 4);
      if (i == 17) {
        domains.put(name, CLUSTER + "/2");
      } else {
        register(name, 3);
      }
    }
    fault(gpu("gpu_fault_active", "n01", 0), "gpu_lost", "critical", 1);
    assertThat(inventory().domains())
        .containsExactly(
            new InventoryDomain(CLUSTER + "/2", 18, new GpuCount(72, 68, 67), new LinkCount(0, 0)));
  }

  @Test
  void aDomainHasTheNameThatTheFileGivesToSomeOfItsHosts() {
    host("n1", 0, 4);
    host("n2", 0, 4);
    register("n1", 0);
    register("n2", 0);
    planned.add(planned("n1", 4, "nvl72-a"));
    planned.add(planned("n3", 4, "nvl72-a"));
    assertThat(inventory().domains())
        .containsExactly(
            new InventoryDomain("nvl72-a", 3, new GpuCount(12, 8, 8), new LinkCount(0, 0)));
    assertThat(host("n2").gpus().getFirst().domain()).isEqualTo("nvl72-a");
  }

  @Test
  void schedulersNameHostsWithTheirDomainOrWithout() {
    host("n1.example.org", 0, 8);
    host("n2", 0, 8);
    sample(Labels.of(Labels.NAME, "slurm_job_info", "nodes", "n[1-3]"), 1);
    sample(
        Labels.of(
            Labels.NAME,
            "kube_node_status_capacity",
            "node",
            "n2.example.org",
            "resource",
            "nvidia_com_gpu"),
        9);
    sample(
        Labels.of(Labels.NAME, "kube_node_status_capacity", "node", "cpu1", "resource", "cpu"), 64);
    assertThat(inventory().hosts())
        .extracting(host -> host.name() + " " + host.state() + " " + host.count().expected())
        .containsExactly("n1.example.org PRESENT 8", "n2 PRESENT 9", "n3 MISSING 0");
  }

  @Test
  void itsSamplesCountHostsGpusAndDomains() {
    host("n1", 0, 4);
    host("n2", 3_600_000, 4);
    register("n1", 0);
    planned.add(planned("n3", 2, ""));
    assertThat(inventory().samples(NOW)).extracting(DerivedSample::time).containsOnly(NOW);
    assertThat(inventory().samples(NOW))
        .extracting(sample -> sample.labels() + " " + sample.value())
        .containsExactlyInAnyOrder(
            "gpu_inventory_hosts{state=\"present\"} 1.0",
            "gpu_inventory_hosts{state=\"silent\"} 1.0",
            "gpu_inventory_hosts{state=\"missing\"} 1.0",
            "gpu_inventory_gpus{Hostname=\"n1\", state=\"expected\"} 4.0",
            "gpu_inventory_gpus{Hostname=\"n1\", state=\"present\"} 4.0",
            "gpu_inventory_gpus{Hostname=\"n1\", state=\"healthy\"} 4.0",
            "gpu_inventory_gpus{Hostname=\"n2\", state=\"expected\"} 4.0",
            "gpu_inventory_gpus{Hostname=\"n2\", state=\"present\"} 0.0",
            "gpu_inventory_gpus{Hostname=\"n2\", state=\"healthy\"} 0.0",
            "gpu_inventory_gpus{Hostname=\"n3\", state=\"expected\"} 2.0",
            "gpu_inventory_gpus{Hostname=\"n3\", state=\"present\"} 0.0",
            "gpu_inventory_gpus{Hostname=\"n3\", state=\"healthy\"} 0.0",
            "gpu_inventory_domain_info{Hostname=\"n1\", domain=\"" + CLUSTER + "/2\"} 1.0",
            "gpu_domain_gpus{domain=\"" + CLUSTER + "/2\", state=\"expected\"} 4.0",
            "gpu_domain_gpus{domain=\"" + CLUSTER + "/2\", state=\"present\"} 4.0",
            "gpu_domain_gpus{domain=\"" + CLUSTER + "/2\", state=\"healthy\"} 4.0");
  }
}
