package io.fleetgauge.probe.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AttributionTest {
  private static final GpuOwners.Gpu A = GpuOwners.Gpu.whole("GPU-a");
  private static final GpuOwners.Gpu B = GpuOwners.Gpu.whole("GPU-b");
  private static final GpuOwners.Gpu B7 = new GpuOwners.Gpu("GPU-b", "7");
  private static final List<GpuIdentity> GPUS =
      List.of(DeviceIdsTest.gpu(0, 0, "GPU-a"), DeviceIdsTest.gpu(1, 1, "GPU-b", "7", "MIG-7"));

  private final ScriptedSource kubelet = new ScriptedSource("kubelet", Basis.ALLOCATION);
  private final ScriptedSource slurm = new ScriptedSource("slurm", Basis.ALLOCATION);
  private final ScriptedSource processes = new ScriptedSource("processes", Basis.PROCESS);
  private final ConfiguredOwner configured =
      new ConfiguredOwner(Labels.of("tenant", "lab"), () -> GPUS);
  private final Attribution attribution =
      new Attribution(
          List.of(configured, processes, kubelet, slurm), List.of("namespace", "account"));

  @Test
  void theRecordOfASchedulerWinsOverProcessesAndProcessesOverTheConfiguration() {
    assertThat(ownerOf(A)).isEqualTo(Labels.of("tenant", "lab"));
    processes.claim(A, "pod", "p1", "namespace", "n1");
    assertThat(ownerOf(A))
        .as("who runs there does not change the tenant of the node")
        .isEqualTo(Labels.of("pod", "p1", "namespace", "n1", "tenant", "lab"));
    kubelet.claim(A, "pod", "p2", "namespace", "n2");
    assertThat(ownerOf(A)).isEqualTo(Labels.of("pod", "p2", "namespace", "n2", "tenant", "n2"));
    assertThat(ownerOf(B7)).isEqualTo(Labels.of("tenant", "lab"));
  }

  @Test
  void onlyARecordTellsATenantAndTheFirstLabelThatIsThereDoes() {
    processes.claim(A, "pod", "p1", "tenant", "forged");
    assertThat(ownerOf(A)).isEqualTo(Labels.of("pod", "p1", "tenant", "lab"));
    slurm.claim(B, "hpc_job", "17", "account", "physics");
    assertThat(ownerOf(B))
        .isEqualTo(Labels.of("hpc_job", "17", "account", "physics", "tenant", "physics"));
    kubelet.claim(A, "pod", "p1", "tenant", "told");
    assertThat(ownerOf(A)).isEqualTo(Labels.of("pod", "p1", "tenant", "told"));
  }

  @Test
  void aGpuThatSeveralShareHasWhatTheyHaveInCommon() {
    kubelet.claim(A, "pod", "p1", "namespace", "n").claim(A, "pod", "p2", "namespace", "n");
    assertThat(ownerOf(A)).isEqualTo(Labels.of("namespace", "n", "tenant", "n", "shared", "true"));
    kubelet.claim(B, "pod", "p3").claim(B, "pod", "p3");
    assertThat(ownerOf(B)).as("one owner, said twice").isEqualTo(Labels.of("pod", "p3"));
  }

  @Test
  void ofTwoRecordsTheFirstSourcesCountsForEachGpu() {
    kubelet.claim(A, "pod", "p1");
    slurm.claim(A, "hpc_job", "1").claim(B, "hpc_job", "2");
    assertThat(ownerOf(A)).isEqualTo(Labels.of("pod", "p1"));
    assertThat(ownerOf(B)).isEqualTo(Labels.of("hpc_job", "2"));
  }

  @Test
  void ownersThatDoNotChangeStayTheSameObject() {
    kubelet.claim(A, "pod", "p1");
    GpuOwners before = attribution.get();
    assertThat(attribution.get()).isSameAs(before);
    kubelet.forget();
    assertThat(attribution.get()).isNotSameAs(before);
  }

  @Test
  void processesOfSomebodyElseAndProcessesOnAFreeGpuAreDisagreements() throws Exception {
    kubelet.claim(A, "pod", "p1", "namespace", "n");
    processes.claim(A, "pod", "p1", "namespace", "n").claim(B, "user", "eve");
    assertThat(series())
        .containsEntry("gpu_attribution_disagreements{kind=unallocated}", 1.0)
        .containsEntry("gpu_attribution_disagreements{kind=other_owner}", 0.0);
    processes.claim(A, "user", "eve");
    assertThat(series()).containsEntry("gpu_attribution_disagreements{kind=other_owner}", 1.0);
    kubelet.fail();
    slurm.fail();
    assertThat(series())
        .as("no record, nothing to disagree with")
        .containsEntry("gpu_attribution_disagreements{kind=unallocated}", 0.0)
        .containsEntry("gpu_attribution_disagreements{kind=other_owner}", 0.0);
  }

  @Test
  void aPodThatIsKnownByItsUidOnlyContradictsNoRecordOfAPod() throws Exception {
    kubelet.claim(A, "pod", "p1", "namespace", "n").claim(B, "hpc_job", "17");
    processes.claim(A, "pod_uid", "u1").claim(B, "pod_uid", "u2");
    assertThat(series()).containsEntry("gpu_attribution_disagreements{kind=other_owner}", 1.0);
  }

  @Test
  void aRecordAddsToAnOwnerOnlyIfItIsOfThisOwnerAlone() {
    kubelet.claim(A, "pod", "p1", "namespace", "n").claim(A, "pod", "p2", "namespace", "n");
    attribution.get();
    assertThat(attribution.record(A, Labels.of("pod", "p1", "namespace", "n")))
        .isEqualTo(Labels.of("pod", "p1", "namespace", "n", "tenant", "n"));
    assertThat(attribution.record(A, Labels.of("pod", "p3", "namespace", "n")))
        .isEqualTo(Labels.EMPTY);
    assertThat(attribution.record(A, Labels.of("pod_uid", "u")))
        .as("any pod")
        .isEqualTo(Labels.EMPTY);
    assertThat(attribution.record(A, Labels.of("namespace", "n")))
        .as("both")
        .isEqualTo(Labels.EMPTY);
    assertThat(attribution.record(A, Labels.of("user", "eve")))
        .as("a squatter")
        .isEqualTo(Labels.EMPTY);
    assertThat(attribution.record(B, Labels.of("user", "eve")))
        .as("without a scheduler the node's tenant counts")
        .isEqualTo(Labels.of("tenant", "lab"));
  }

  @Test
  void aFreeGpuIsToldAsFreeOnlyWhileASchedulerTells() throws Exception {
    kubelet.claim(B7, "pod", "p1");
    assertThat(series())
        .containsEntry("gpu_allocated{UUID=GPU-a}", 0.0)
        .containsEntry("gpu_allocated{UUID=GPU-b,GPU_I_ID=7}", 1.0)
        .as("a divided GPU is given away by its instances")
        .doesNotContainKey("gpu_allocated{UUID=GPU-b}");
    kubelet.fail();
    slurm.fail();
    assertThat(series().keySet()).noneMatch(name -> name.startsWith("gpu_allocated"));
    assertThat(series())
        .containsEntry("gpu_attribution_up{source=kubelet}", 0.0)
        .containsEntry("gpu_attribution_errors_total{source=kubelet}", 1.0)
        .containsEntry("gpu_attribution_age_seconds{source=kubelet}", 2.5);
  }

  @Test
  void eachOwnerOfASharedGpuHasAnInfoSeriesOfItsOwn() throws Exception {
    kubelet.claim(A, "pod", "p1").claim(A, "pod", "p2");
    assertThat(series())
        .containsEntry("gpu_allocation_info{UUID=GPU-a,pod=p1,slot=0,source=kubelet}", 1.0)
        .containsEntry("gpu_allocation_info{UUID=GPU-a,pod=p2,slot=1,source=kubelet}", 1.0)
        .containsEntry("gpu_attribution_claims{source=kubelet}", 2.0);
  }

  private Labels ownerOf(GpuOwners.Gpu gpu) {
    return attribution.get().byGpu().getOrDefault(gpu, Labels.EMPTY);
  }

  /** The series of one tick, by their name and the labels that tell them apart. */
  private Map<String, Double> series() throws InterruptedException {
    TickClass core = new TickClass(Duration.ofSeconds(15));
    try (Sampler sampler =
        new Sampler(
            List.of(new AttributionSampling(attribution, () -> GPUS, core)),
            new NodeLabels(Labels.EMPTY, Relabelling.NONE),
            attribution,
            "probe",
            Duration.ofSeconds(15),
            () -> 0,
            TickSink.NONE)) {
      Tick tick = sampler.readAt(0);
      Map<String, Double> values = new TreeMap<>();
      for (int i = 0; i < tick.size(); i++) {
        values.put(named(tick.series().get(i)), tick.values()[i]);
      }
      return values;
    }
  }

  private static String named(Labels series) {
    List<String> labels = new ArrayList<>();
    boolean isInfo = series.metric().endsWith("_info");
    for (String name : List.of("UUID", "GPU_I_ID", "kind", "pod", "slot", "source")) {
      boolean tells = !name.equals("pod") || isInfo;
      if (tells && !series.value(name).isEmpty()) {
        labels.add(name + "=" + series.value(name));
      }
    }
    return series.metric() + "{" + String.join(",", labels) + "}";
  }
}
