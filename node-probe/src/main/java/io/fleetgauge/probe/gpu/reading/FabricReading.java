package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A GPU's registration with the fabric of its NVSwitches. Boards without one answer state 0, or
 * nothing: A100 and older, PCIe boards, and those that bridges connect. The newest form that the
 * driver has is read.
 */
final class FabricReading {
  /** The place of each value in an answer; -1 for one that the form lacks. */
  private record Form(NvmlCall call, int cluster, int status, int clique, int state, int mask) {
    /** The metrics that it gives. */
    List<String> metrics() {
      List<String> names = new ArrayList<>(List.of(STATE.name(), READY.name(), INFO.name()));
      if (mask >= 0) {
        names.add(MASK.name());
      }
      if (call == NvmlCall.FABRIC) {
        names.add(SUMMARY.name());
      }
      return names;
    }
  }

  private static final GpuMetric STATE = GpuMetrics.of("DCGM_FI_DEV_FABRIC_MANAGER_STATUS");
  private static final GpuMetric MASK = GpuMetrics.of("DCGM_FI_DEV_FABRIC_HEALTH_MASK");
  private static final GpuMetric SUMMARY = GpuMetrics.of("gpu_fabric_health_summary");
  private static final GpuMetric READY = GpuMetrics.of("gpu_fabric_ready");
  private static final GpuMetric INFO = GpuMetrics.of("gpu_fabric_info");

  static final List<GpuMetric> METRICS = List.of(STATE, MASK, SUMMARY, READY, INFO);

  private static final Tier TIER = Tier.HEALTH;
  private static final int SUMMARY_AT = 36;
  private static final int COMPLETED = 3;
  private static final UUID NO_CLUSTER = new UUID(0, 0);

  private static final List<Form> FORMS =
      List.of(
          new Form(NvmlCall.FABRIC, 4, 20, 24, 28, 32),
          new Form(NvmlCall.FABRIC_V2, 4, 20, 24, 28, 32),
          new Form(NvmlCall.FABRIC_V1, 0, 16, 20, 24, -1));

  private final Labels gpu;
  private final NativeMemory out;
  private final Support[] support = new Support[FORMS.size()];
  private final Labels state;
  private final Labels mask;
  private final Labels summary;
  private final Labels completed;
  private final Labels success;
  private final Labels inClique;
  private final Labels inCluster;

  /** Labels of the cluster that was told last. */
  private Labels info = Labels.EMPTY;

  private UUID cluster = NO_CLUSTER;
  private long clique;
  private boolean hasFabric;

  FabricReading(Labels gpu, SupportedMetrics supported, NativeMemory out) {
    this.gpu = gpu;
    this.out = out;
    state = gpu.with(Labels.NAME, STATE.name());
    mask = gpu.with(Labels.NAME, MASK.name());
    summary = gpu.with(Labels.NAME, SUMMARY.name());
    completed = condition("completed");
    success = condition("success");
    inClique = condition("clique");
    inCluster = condition("cluster");
    for (int i = 0; i < support.length; i++) {
      support[i] = supported.question(FORMS.get(i).metrics());
    }
  }

  private Labels condition(String name) {
    return gpu.with("condition", name).with(Labels.NAME, READY.name());
  }

  /** Tells whether NVSwitches connect the GPU, as far as was read. */
  boolean hasFabric() {
    return hasFabric;
  }

  /**
   * Reads it if it is due.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, NvmlDevice device, GpuSnapshot readings, ValueCounts counts, long now) {
    for (int i = 0; i < support.length && readings.isDue(TIER); i++) {
      if (support[i].isWorthAsking(now)) {
        int code = nvml.ask(FORMS.get(i).call(), device, out);
        support[i].answered(code, now);
        if (code == NvmlReturn.SUCCESS) {
          take(FORMS.get(i), readings, counts);
        } else if (NodeGpu.ends(code)) {
          return code;
        }
      }
      if (!support[i].isUnsupported()) {
        break;
      }
    }
    return NvmlReturn.SUCCESS;
  }

  private void take(Form form, GpuSnapshot readings, ValueCounts counts) {
    int told = out.u8(form.state());
    hasFabric = told > 0 && told <= COMPLETED;
    readings.add(TIER, state, told);
    if (form.mask() >= 0 && out.i32(form.mask()) != -1) {
      readings.add(TIER, mask, out.u32(form.mask()));
    } else if (form.mask() >= 0) {
      counts.dropped(form.call());
    }
    if (form.call() == NvmlCall.FABRIC) {
      readings.add(TIER, summary, out.u8(SUMMARY_AT));
    }
    if (!hasFabric) {
      return;
    }
    boolean isCompleted = told == COMPLETED;
    UUID of = new UUID(bigEndian(form.cluster()), bigEndian(form.cluster() + 8));
    boolean hasCluster = isCompleted && !of.equals(NO_CLUSTER);
    long in = out.u32(form.clique());
    readings.add(TIER, completed, isCompleted ? 1 : 0);
    // The status says something only once the registration has completed.
    boolean isSuccess = isCompleted && out.i32(form.status()) == NvmlReturn.SUCCESS;
    readings.add(TIER, success, isSuccess ? 1 : 0);
    readings.add(TIER, inClique, isCompleted && in != 0 ? 1 : 0);
    readings.add(TIER, inCluster, hasCluster ? 1 : 0);
    if (hasCluster) {
      readings.add(TIER, info(of, in), 1);
    }
  }

  private Labels info(UUID of, long in) {
    if (!of.equals(cluster) || in != clique) {
      cluster = of;
      clique = in;
      info =
          gpu.with("cluster_uuid", of.toString())
              .with("clique_id", Long.toString(in))
              .with(Labels.NAME, INFO.name());
    }
    return info;
  }

  private long bigEndian(int at) {
    long bits = 0;
    for (int i = 0; i < 8; i++) {
      bits = bits << 8 | out.u8(at + i);
    }
    return bits;
  }
}
