package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.gpu.reading.NodeGpu;
import io.fleetgauge.probe.gpu.snapshot.GpuSnapshot;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.gpu.snapshot.ValueCounts;
import io.fleetgauge.probe.nvml.CallLog;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all GPUs with plain calls that may block. Only {@link GpuThread}'s thread may call it; what
 * other threads may look at says so.
 */
final class GpuReader {
  private static final Logger LOG = LoggerFactory.getLogger(GpuReader.class);

  /** Time until the library, the driver or a missing GPU is looked for again. */
  static final long RETRY_NANOS = 30_000_000_000L;

  /** A GPU whose reading takes longer is left alone for a while, so that the others are read. */
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private static final long PAUSE_NANOS = 60_000_000_000L;

  /** More than any node has. */
  private static final int MOST_GPUS = 256;

  private static final String[] ARCHITECTURES = {
    "", "", "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"
  };

  private final GpuSource source;
  private final Driver driver;
  private final LongSupplier nanos;
  private final CallLog log;
  private final ValueCounts counts = new ValueCounts();

  /** GPUs that were slow, and until when they are left alone. */
  private final Map<NodeGpu, Long> pausedUntil = new HashMap<>();

  private Nvml nvml;
  private NativeMemory out;
  private boolean initialised;
  private long retryAt;
  private volatile List<NodeGpu> gpus = List.of();
  private volatile Census census = new Census(0, 0, 0);
  private volatile int mostSeen;
  private volatile String state = "";

  /** The last line of the log about the GPUs that were found. */
  private String toldOfGpus = "";

  /**
   * GPUs that the driver counts and gives no handle of.
   *
   * @param counted what the driver counts
   * @param denied those whose handle needs more rights
   * @param failed those whose handle could not be had for another reason
   */
  record Census(int counted, int denied, int failed) {}

  GpuReader(GpuSource source, LongSupplier nanos) {
    this(source, log -> Nvml.load(source.library(), source.roots(), log), nanos);
  }

  GpuReader(GpuSource source, Driver driver, LongSupplier nanos) {
    this.source = source;
    this.driver = driver;
    this.nanos = nanos;
    this.log = new CallLog(nanos);
    this.retryAt = nanos.getAsLong();
  }

  /** Why there are no GPUs to read; empty when there are. For any thread. */
  String state() {
    return state;
  }

  /** For any thread. */
  CallLog log() {
    return log;
  }

  /** For any thread. */
  ValueCounts counts() {
    return counts;
  }

  /** The GPUs that were found, lost ones among them. For any thread. */
  List<NodeGpu> gpus() {
    return gpus;
  }

  /** For any thread. */
  Census census() {
    return census;
  }

  /** The number of GPUs that there should be: configured, or the most counted. For any thread. */
  int expected() {
    return source.expected() > 0 ? source.expected() : mostSeen;
  }

  /** Time of the clock by which readings are dated, ns. For any thread. */
  long now() {
    return nanos.getAsLong();
  }

  void read(GpuSnapshot readings) {
    long now = nanos.getAsLong();
    if (!initialised && !(now - retryAt >= 0 && open(now))) {
      return;
    }
    if (now - retryAt >= 0) {
      lookAgain(now);
    }
    List<NodeGpu> all = gpus;
    for (int i = 0; i < all.size() && initialised; i++) {
      NodeGpu gpu = all.get(i);
      if (!gpu.isLost() && !isPaused(gpu, now)) {
        read(gpu, readings, now);
      }
    }
  }

  private void read(NodeGpu gpu, GpuSnapshot readings, long now) {
    long before = nanos.getAsLong();
    ended(gpu, gpu.read(nvml, readings, counts, now), before, now);
  }

  /** Reads what is read every second; nothing before the first {@link #read}. */
  List<QuickGpu> readQuick() {
    long now = nanos.getAsLong();
    List<QuickGpu> quick = new ArrayList<>();
    List<NodeGpu> all = gpus;
    for (int i = 0; i < all.size() && initialised; i++) {
      NodeGpu gpu = all.get(i);
      QuickGpu one = new QuickGpu(gpu.labels(), gpu.isLost());
      if (!gpu.isLost() && !isPaused(gpu, now)) {
        long before = nanos.getAsLong();
        ended(gpu, gpu.readQuick(nvml, one, counts, before), before, now);
      }
      quick.add(gpu.isLost() && !one.isLost() ? one.lose() : one);
    }
    return quick;
  }

  private void ended(NodeGpu gpu, int code, long before, long now) {
    if (nanos.getAsLong() - before > PATIENCE_NANOS) {
      pausedUntil.put(gpu, nanos.getAsLong() + PAUSE_NANOS);
      LOG.warn("GPU {} is slow and not read for a minute", gpu.labels().value("UUID"));
    }
    if (code == NvmlReturn.GPU_IS_LOST) {
      LOG.error("GPU {} is lost", gpu.labels().value("UUID"));
      gpu.lose();
      retryAt = now + RETRY_NANOS;
    } else if (NvmlReturn.isLibraryWide(code)) {
      begin("NVML must be initialized again: a call returned " + code, now);
    }
  }

  private boolean isPaused(NodeGpu gpu, long now) {
    Long until = pausedUntil.isEmpty() ? null : pausedUntil.get(gpu);
    if (until != null && now - until >= 0) {
      pausedUntil.remove(gpu);
      return false;
    }
    return until != null;
  }

  private boolean open(long now) {
    retryAt = now + RETRY_NANOS;
    try {
      if (nvml == null) {
        nvml = driver.open(log);
        out = nvml.allocate(256);
      }
    } catch (UnsatisfiedLinkError e) {
      say("no GPUs are read: the library " + source.library() + " is not here");
      return false;
    }
    int code = nvml.init();
    if (code != NvmlReturn.SUCCESS) {
      say("no GPUs are read: the driver's initialization returned " + code);
      return false;
    }
    initialised = true;
    enumerate(now);
    return true;
  }

  private void lookAgain(long now) {
    retryAt = now + RETRY_NANOS;
    boolean missing = census.denied() + census.failed() > 0;
    for (NodeGpu gpu : gpus) {
      missing |= gpu.isLost();
    }
    int code = nvml.ask(NvmlCall.COUNT, null, out);
    if (NvmlReturn.isLibraryWide(code)) {
      begin("NVML must be initialized again: the count of GPUs returned " + code, now);
    } else if (code == NvmlReturn.SUCCESS
        && (missing || gpus.isEmpty() || out.u32(0) != census.counted())) {
      enumerate(now);
    }
  }

  private void enumerate(long now) {
    int code = nvml.ask(NvmlCall.COUNT, null, out);
    int count = code == NvmlReturn.SUCCESS ? (int) Math.min(MOST_GPUS, out.u32(0)) : 0;
    List<NodeGpu> found = new ArrayList<>();
    int denied = 0;
    int failed = 0;
    for (int i = 0; i < count; i++) {
      code = nvml.handle(i, out);
      if (code == NvmlReturn.NO_PERMISSION) {
        denied++;
      } else if (code != NvmlReturn.SUCCESS) {
        failed++;
      } else {
        found.add(gpu(nvml.device(out, i), i, now));
      }
    }
    for (NodeGpu old : gpus) {
      boolean isThere = false;
      for (NodeGpu gpu : found) {
        isThere |= gpu.labels().value("UUID").equals(old.labels().value("UUID"));
      }
      if (!isThere && found.size() < MOST_GPUS) {
        old.lose(); // it vanished: its absence is told under its labels
        found.add(old);
        failed = Math.max(0, failed - 1);
      }
    }
    census = new Census(count, denied, failed);
    mostSeen = Math.max(mostSeen, count);
    gpus = List.copyOf(found);
    pausedUntil.keySet().retainAll(gpus);
    say(count == 0 ? "no GPUs are read: the driver sees none" : "");
    String told = count + " GPUs, " + (denied + failed) + " of them without a handle";
    if (count > 0 && !told.equals(toldOfGpus)) {
      String first = gpus.isEmpty() ? "?" : gpus.getFirst().labels().value("modelName");
      LOG.info("{}; the first is a {}", told, first);
    }
    toldOfGpus = told;
  }

  /** The GPU of a handle: the one that is known already, unless it was lost. */
  private NodeGpu gpu(NvmlDevice device, int index, long now) {
    String uuid = nvml.text(NvmlCall.UUID, device);
    for (NodeGpu old : gpus) {
      boolean same = !uuid.isEmpty() && old.labels().value("UUID").equals(uuid);
      if (same && !old.isLost() && old.device().address() == device.address()) {
        return old;
      }
    }
    Labels labels =
        Labels.of(
            "gpu",
            Integer.toString(index),
            "UUID",
            uuid,
            "device",
            "nvidia" + index,
            "modelName",
            modelName(device),
            "pci_bus_id",
            nvml.text(NvmlCall.PCI, device));
    for (String label : source.labels()) {
      labels = labels.with(label, asked(label, device));
    }
    return new NodeGpu(nvml, device, labels, info(device, labels), source.links(), now);
  }

  private String modelName(NvmlDevice device) {
    String name = nvml.text(NvmlCall.NAME, device);
    return source.dashes() ? name.strip().replaceAll("\\s+", "-") : name;
  }

  /** The value of a label that was asked for. */
  private String asked(String label, NvmlDevice device) {
    return switch (label) {
      case "DCGM_FI_DRIVER_VERSION" -> nvml.text(NvmlCall.DRIVER_VERSION, null);
      case "DCGM_FI_NVML_VERSION" -> nvml.text(NvmlCall.NVML_VERSION, null);
      case "DCGM_FI_DEV_SERIAL" -> nvml.text(NvmlCall.SERIAL, device);
      case "DCGM_FI_DEV_VBIOS_VERSION" -> nvml.text(NvmlCall.VBIOS, device);
      default -> throw new IllegalArgumentException("no label of a GPU: " + label);
    };
  }

  private Labels info(NvmlDevice device, Labels labels) {
    return labels.with(
        Labels.of(
            "driver_version",
            nvml.text(NvmlCall.DRIVER_VERSION, null),
            "nvml_version",
            nvml.text(NvmlCall.NVML_VERSION, null),
            "cuda_version",
            cuda(),
            "vbios_version",
            nvml.text(NvmlCall.VBIOS, device),
            "serial",
            nvml.text(NvmlCall.SERIAL, device),
            "board_part_number",
            nvml.text(NvmlCall.PART_NUMBER, device),
            "architecture",
            architecture(device)));
  }

  private String cuda() {
    if (nvml.ask(NvmlCall.CUDA_VERSION, null, out) != NvmlReturn.SUCCESS) {
      return "";
    }
    int version = out.i32(0);
    boolean sane = version > 0 && version < 1_000_000;
    return sane ? version / 1000 + "." + version % 1000 / 10 : "";
  }

  private String architecture(NvmlDevice device) {
    if (nvml.ask(NvmlCall.ARCHITECTURE, device, out) != NvmlReturn.SUCCESS) {
      return "";
    }
    long code = out.u32(0);
    return code < ARCHITECTURES.length ? ARCHITECTURES[(int) code] : "";
  }

  private void say(String newState) {
    if (!newState.equals(state) && !newState.isEmpty()) {
      LOG.info(newState);
    }
    state = newState;
  }

  /** Forgets what the driver allocated, which is lost with it: nothing is given back one by one. */
  private void begin(String why, long now) {
    initialised = false;
    gpus = List.of();
    census = new Census(0, 0, 0);
    nvml.shutdown();
    say(why);
    retryAt = now + RETRY_NANOS;
  }

  void close() {
    if (initialised) {
      for (NodeGpu gpu : gpus) {
        if (!gpu.isLost()) {
          gpu.free(nvml);
        }
      }
      initialised = false;
      gpus = List.of();
      nvml.shutdown();
    }
  }
}
