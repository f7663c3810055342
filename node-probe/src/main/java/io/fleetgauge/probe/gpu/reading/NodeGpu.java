package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.FieldValues;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.Tier;

/** One GPU as the reader knows it: its handle, its labels, and all that is asked of it. */
public final class NodeGpu {
  private static final Tier[] TIERS = Tier.values();

  /** More than any board has. */
  private static final int MOST_LINKS = 64;

  private static final int SCRATCH = 256;

  private final NvmlDevice device;
  private final Labels labels;
  private final int minor;
  private volatile long readAt;
  private volatile boolean lost;
  private final Labels infoSeries;
  private final MigInstances instances;
  private final NativeMemory scratch;
  private final ProcessMemory list;
  private final LinkSeries ofLinks;

  // What is known of the questions that the GPU answers: made anew when it is divided or joined.
  private final FieldPlan[] fields = new FieldPlan[TIERS.length];
  private CallPlan calls;
  private FabricReading fabric;
  private SupportedMetrics supported;
  private Traffic traffic;
  private Profiling profiling;
  private GpuProcessReader processes;

  /** Null until the first one. */
  private QuickReading quick;

  /**
   * @param info labels of the GPU's info series
   * @param ofLinks series of each link
   */
  public NodeGpu(
      Nvml nvml, NvmlDevice device, Labels labels, Labels info, LinkSeries ofLinks, long now) {
    this.device = device;
    this.labels = labels;
    this.readAt = now;
    this.infoSeries = info.with(Labels.NAME, "gpu_info");
    this.ofLinks = ofLinks;
    scratch = nvml.allocate(SCRATCH);
    list = new ProcessMemory(nvml);
    minor = minor(nvml, device, scratch);
    instances = new MigInstances(device, labels, scratch, list);
    plan(nvml);
  }

  /** Begins to ask everything, as if nothing were known of what the GPU supports. */
  private void plan(Nvml nvml) {
    int links = links(nvml, device);
    traffic = new Traffic(labels);
    supported = new SupportedMetrics(labels);
    calls = new CallPlan(GpuCalls.OF_GPU, labels, supported, scratch);
    fabric = new FabricReading(labels, supported, scratch);
    for (Tier tier : TIERS) {
      boolean isAsked = tier != Tier.LINK || ofLinks != LinkSeries.NONE && links > 0;
      fields[tier.ordinal()] =
          isAsked
              ? new FieldPlan(
                  nvml, tier, GpuFields.of(tier, links, ofLinks), labels, supported, traffic)
              : null;
    }
    profiling =
        Profiling.of(nvml, device, -1, labels, supported, ofLinks == LinkSeries.ALL ? links : 0);
    processes = new GpuProcessReader(labels, supported, list, true);
  }

  private static int minor(Nvml nvml, NvmlDevice device, NativeMemory out) {
    boolean told = nvml.ask(NvmlCall.MINOR, device, out) == NvmlReturn.SUCCESS;
    return told && out.i32(0) >= 0 ? out.i32(0) : -1;
  }

  private static int links(Nvml nvml, NvmlDevice device) {
    FieldValues one = nvml.fields(1);
    one.ask(0, GpuFields.LINK_COUNT, 0);
    int code = nvml.fields(device, 1, one);
    boolean told = code == NvmlReturn.SUCCESS && one.code(0) == NvmlReturn.SUCCESS;
    double links = told ? one.number(0) : 0;
    return links >= 0 && links <= MOST_LINKS ? (int) links : 0;
  }

  public NvmlDevice device() {
    return device;
  }

  /** gpu, UUID, device, modelName, pci_bus_id. */
  public Labels labels() {
    return labels;
  }

  /** For any thread. */
  public GpuIdentity identity() {
    return new GpuIdentity(labels, minor, instances.identities());
  }

  /** When everything that was due was read the last time. For any thread. */
  public long readAt() {
    return readAt;
  }

  /** Tells whether the driver has lost it, or does not count it any more. For any thread. */
  public boolean isLost() {
    return lost;
  }

  public void lose() {
    lost = true;
  }

  /**
   * Reads what is due.
   *
   * @return the code that ended the reading, or success
   */
  public int read(Nvml nvml, GpuSnapshot readings, ValueCounts counts, long now) {
    readings.add(Tier.CORE, infoSeries, 1);
    // First, because the fabric decides whether links are read.
    int code = fabric.read(nvml, device, readings, counts, now);
    for (int i = 0; i < TIERS.length && !ends(code); i++) {
      if (isAsked(TIERS[i]) && readings.isDue(TIERS[i])) {
        code = fields[i].read(nvml, device, readings, counts, now);
      }
    }
    if (ends(code)) {
      return code;
    }
    code = calls.read(nvml, device, readings, counts, now);
    if (code == NvmlReturn.SUCCESS) {
      code = instances.read(nvml, readings, counts, now);
    }
    if (code == NvmlReturn.SUCCESS && readings.isDue(GpuProcessReader.METRIC.tier())) {
      code = processes(nvml, readings, counts, now);
    }
    if (code == NvmlReturn.SUCCESS) {
      code = profiling.read(nvml, device, readings, counts, now);
      code = ends(code) ? code : NvmlReturn.SUCCESS;
    }
    traffic.measuredElsewhere(profiling.isSupported());
    traffic.emit(readings, now);
    supported.report(readings);
    if (code == NvmlReturn.SUCCESS) {
      readAt = now;
    }
    if (instances.takeLayoutChange() && !ends(code)) {
      freeSamples(nvml);
      plan(nvml);
    }
    return code;
  }

  private boolean isAsked(Tier tier) {
    boolean isWanted = tier != Tier.LINK || ofLinks == LinkSeries.ALL || fabric.hasFabric();
    return isWanted && fields[tier.ordinal()] != null;
  }

  private int processes(Nvml nvml, GpuSnapshot readings, ValueCounts counts, long now) {
    processes.begin();
    int code = processes.read(nvml, device, counts, now);
    return code == NvmlReturn.SUCCESS
        ? processes.end(nvml, device, readings, counts, now, instances.isDivided())
        : code;
  }

  /**
   * Reads what is read every second.
   *
   * @return the code that ended the reading, or success
   */
  public int readQuick(Nvml nvml, QuickGpu into, ValueCounts counts, long now) {
    if (quick == null) {
      quick = new QuickReading(nvml, device, labels, scratch);
    }
    return quick.read(nvml, device, into, counts, now);
  }

  /** Tells whether a code means that the GPU or the library is not there any more. */
  static boolean ends(int code) {
    return code == NvmlReturn.GPU_IS_LOST || NvmlReturn.isLibraryWide(code);
  }

  /** Gives back what the driver allocated. */
  public void free(Nvml nvml) {
    instances.free(nvml);
    freeSamples(nvml);
  }

  private void freeSamples(Nvml nvml) {
    profiling.free(nvml);
    if (quick != null) {
      quick.free(nvml);
      quick = null;
    }
  }
}
