package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MIG devices of one GPU. Handles and ids are used again for other instances, so the layout is
 * read before every reading, and an instance that differs in anything is a new one.
 */
final class MigInstances {
  private static final Logger LOG = LoggerFactory.getLogger(MigInstances.class);

  /** More than any board has; what a driver says beyond is not believed. */
  private static final int MOST = 32;

  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  /** Memory of instances is dealt in eighths. */
  private static final int EIGHTHS = 8;

  private final NvmlDevice gpu;
  private final Labels labels;
  private final NativeMemory out;
  private final ProcessMemory list;
  private final Instance[] instances = new Instance[MOST];
  private boolean unsupported;
  private int known;
  private Layout layout = Layout.UNKNOWN;
  private boolean changedLayout;
  private volatile List<GpuIdentity.Instance> identities = List.of();

  /** The properties that decide which questions a GPU answers. */
  private enum Layout {
    UNKNOWN,
    WHOLE,
    DIVISIBLE,
    DIVIDED
  }

  /** An identity that tells an instance from another. */
  private record Shape(long handle, long instance, long compute, long slices, long mib, long ofa) {}

  private static final class Instance {
    final Shape shape;
    final NvmlDevice device;
    final GpuIdentity.Instance identity;
    final CallPlan calls;
    final GpuProcessReader processes;
    final Profiling profiling;
    final SupportedMetrics supported;

    Instance(Nvml nvml, Shape shape, NvmlDevice device, Labels labels, MigInstances of) {
      this.shape = shape;
      this.device = device;
      identity = new GpuIdentity.Instance(labels, nvml.text(NvmlCall.UUID, device));
      supported = new SupportedMetrics(labels);
      calls = new CallPlan(GpuCalls.OF_INSTANCE, labels, supported, of.out);
      processes = new GpuProcessReader(labels, supported, of.list, false);
      profiling = Profiling.of(nvml, of.gpu, (int) shape.instance, labels, supported, 0);
    }
  }

  MigInstances(NvmlDevice gpu, Labels labels, NativeMemory out, ProcessMemory list) {
    this.gpu = gpu;
    this.labels = labels;
    this.out = out;
    this.list = list;
  }

  /** The MIG devices there are. For any thread. */
  List<GpuIdentity.Instance> identities() {
    return identities;
  }

  /** Tells whether the GPU is divided now. */
  boolean isDivided() {
    return known > 0;
  }

  /**
   * Tells whether the GPU may answer other questions than before: MIG was turned on or off, or its
   * first instance came or its last one went. True once for each change.
   */
  boolean takeLayoutChange() {
    boolean changed = changedLayout;
    changedLayout = false;
    return changed;
  }

  /**
   * Looks for the layout, and reads every instance.
   *
   * @return the code that ends the reading of this GPU, or success
   */
  int read(Nvml nvml, GpuSnapshot readings, ValueCounts counts, long now) {
    if (unsupported) {
      return NvmlReturn.SUCCESS;
    }
    if (readings.isDue(Tier.CORE)) {
      int code = look(nvml);
      if (code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code)) {
        return code;
      }
    }
    for (int i = 0; i < instances.length; i++) {
      if (instances[i] != null && isFirstOfItsGpuInstance(i)) {
        int code = read(nvml, i, readings, counts, now);
        if (code != NvmlReturn.SUCCESS) {
          return code;
        }
      }
    }
    return NvmlReturn.SUCCESS;
  }

  private int read(Nvml nvml, int i, GpuSnapshot readings, ValueCounts counts, long now) {
    Instance of = instances[i];
    int code = of.calls.read(nvml, of.device, readings, counts, now);
    if (code == NvmlReturn.SUCCESS && readings.isDue(GpuProcessReader.METRIC.tier())) {
      code = processes(nvml, i, readings, counts, now);
    }
    if (code == NvmlReturn.SUCCESS) {
      // The driver takes the GPU's handle here and the instance's id, not the instance's handle.
      int profiled = of.profiling.read(nvml, gpu, readings, counts, now);
      boolean ends = profiled == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(profiled);
      code = ends ? profiled : code;
    }
    of.supported.report(readings);
    return code;
  }

  /** Each compute instance lists its own processes, or those of its whole GPU instance. */
  private int processes(Nvml nvml, int first, GpuSnapshot readings, ValueCounts counts, long now) {
    GpuProcessReader processes = instances[first].processes;
    processes.begin();
    for (int i = first; i < instances.length; i++) {
      if (instances[i] != null && instances[i].shape.instance == instances[first].shape.instance) {
        int code = processes.read(nvml, instances[i].device, counts, now);
        if (code != NvmlReturn.SUCCESS) {
          return code;
        }
      }
    }
    return processes.end(nvml, instances[first].device, readings, counts, now, false);
  }

  /** Series are of GPU instances: of several compute instances in one, the first is read. */
  private boolean isFirstOfItsGpuInstance(int i) {
    for (int k = 0; k < i; k++) {
      if (instances[k] != null && instances[k].shape.instance == instances[i].shape.instance) {
        return false;
      }
    }
    return true;
  }

  private int look(Nvml nvml) {
    int code = nvml.ask(NvmlCall.MIG_MODE, gpu, out);
    if (NvmlReturn.isForGood(code)) {
      unsupported = true;
    }
    if (code != NvmlReturn.SUCCESS) {
      return code;
    }
    int count = 0;
    boolean isDivisible = out.i32(0) == 1;
    if (isDivisible) {
      code = nvml.ask(NvmlCall.MIG_COUNT, gpu, out);
      if (code != NvmlReturn.SUCCESS) {
        return code;
      }
      count = (int) Math.min(MOST, out.u32(0));
    }
    boolean changed = false;
    int now = 0;
    for (int i = 0; i < instances.length; i++) {
      boolean wasThere = instances[i] != null;
      changed |= i < count ? look(nvml, i) : wasThere && drop(nvml, i);
      now += instances[i] == null ? 0 : 1;
    }
    known = now;
    Layout found = now > 0 ? Layout.DIVIDED : isDivisible ? Layout.DIVISIBLE : Layout.WHOLE;
    changedLayout |= layout != Layout.UNKNOWN && layout != found;
    layout = found;
    if (changed) {
      tell();
      LOG.info("GPU {} has {} MIG devices", labels.value("UUID"), now);
    }
    return NvmlReturn.SUCCESS;
  }

  /** Looks at one place; answers whether it changed. */
  private boolean look(Nvml nvml, int i) {
    int code = nvml.ask(NvmlCall.MIG_HANDLE, gpu, out, i, 0, 0);
    if (code != NvmlReturn.SUCCESS) {
      return instances[i] != null && drop(nvml, i); // a place without an instance
    }
    Instance old = instances[i];
    boolean sameHandle = old != null && old.shape.handle == out.i64(0);
    NvmlDevice device = sameHandle ? old.device : nvml.device(out, gpu.gpu());
    Shape shape = shape(nvml, device);
    if (shape == null) {
      return old != null && drop(nvml, i);
    }
    if (old != null && Objects.equals(old.shape, shape)) {
      return false;
    }
    if (old != null) {
      drop(nvml, i);
    }
    Labels named =
        labels
            .with("GPU_I_ID", Long.toString(shape.instance))
            .with("GPU_I_PROFILE", profile(nvml, shape));
    instances[i] = new Instance(nvml, shape, device, named, this);
    return true;
  }

  private Shape shape(Nvml nvml, NvmlDevice device) {
    if (nvml.ask(NvmlCall.GPU_INSTANCE, device, out) != NvmlReturn.SUCCESS) {
      return null;
    }
    long instance = out.u32(0);
    if (nvml.ask(NvmlCall.COMPUTE_INSTANCE, device, out) != NvmlReturn.SUCCESS) {
      return null;
    }
    long compute = out.u32(0);
    if (nvml.ask(NvmlCall.ATTRIBUTES, device, out) != NvmlReturn.SUCCESS) {
      return null;
    }
    boolean sane = instance < 0xffff && compute < 0xffff && out.u32(24) <= MOST;
    return sane
        ? new Shape(device.address(), instance, compute, out.u32(24), out.i64(32), out.u32(20))
        : null;
  }

  /** The profile's name as the driver gives it, from its slices and memory: 3g.40gb. */
  private String profile(Nvml nvml, Shape shape) {
    long total = 0;
    if (nvml.ask(NvmlCall.MEMORY, gpu, out) == NvmlReturn.SUCCESS) {
      total = out.i64(0);
    }
    return profile(shape.slices, shape.mib, total);
  }

  static String profile(long slices, long mib, long total) {
    long gb;
    if (total <= 0) {
      gb = Math.round(mib / 1024.0);
    } else {
      double share = Math.ceil((double) mib * MIB / total * EIGHTHS) / EIGHTHS;
      gb = Math.round(share * ((total + GIB - 1) / GIB));
    }
    return slices + "g." + gb + "gb";
  }

  private void tell() {
    List<GpuIdentity.Instance> all = new ArrayList<>();
    for (Instance instance : instances) {
      if (instance != null) {
        all.add(instance.identity);
      }
    }
    identities = List.copyOf(all);
  }

  private boolean drop(Nvml nvml, int i) {
    instances[i].profiling.free(nvml);
    instances[i] = null;
    return true;
  }

  /** Gives back what the driver allocated. */
  void free(Nvml nvml) {
    for (int i = 0; i < instances.length; i++) {
      if (instances[i] != null) {
        drop(nvml, i);
      }
    }
    known = 0;
  }
}
