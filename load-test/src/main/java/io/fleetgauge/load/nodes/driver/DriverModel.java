package io.fleetgauge.load.nodes.driver;

import io.fleetgauge.probe.nvml.NvmlLibrary;
import io.fleetgauge.probe.nvml.NvmlReturn;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * NVML over simulated GPUs. A handle is the GPU's number times 256, and the instance's number, from
 * 1, where there is one. Every call takes a little of the node's time. It has more than 600 lines,
 * because it has a short method for each function of the library.
 */
public final class DriverModel implements NvmlLibrary {
  private static final int SUCCESS = NvmlReturn.SUCCESS;
  private static final int NOT_SUPPORTED = NvmlReturn.NOT_SUPPORTED;
  private static final int INVALID_ARGUMENT = NvmlReturn.INVALID_ARGUMENT;
  private static final int PROCESS_BYTES = 24;
  private static final int FIRST_PID = 10_000;
  private static final int PIDS_OF_A_GPU = 100;
  private static final int NOT_FOUND = 6;

  /** Duration of a call, ns. */
  private static final long CALL = 15_000;

  private static final long SLOW_CALL = 1_600_000_000L;
  private static final int GPU = 256;
  private static final int FIELD_ENTRY = 40;
  private static final int METRIC_ENTRY = 40;
  private static final int METRIC_HEAD = 24;
  private static final long MIB = 1L << 20;
  private static final int UNSIGNED_LONG = 3;
  private static final int COMPLETED = 3;
  private static final int IN_PROGRESS = 2;

  /** Conditions of the fabric, by their numbers in incidents. */
  private static final int UNFINISHED = 1;

  private static final int FAILED = 2;
  private static final int NO_CLIQUE = 3;
  private static final int NO_CLUSTER = 4;
  private static final Runtime MEMORY = Runtime.getSystemRuntime();

  private final List<SimulatedGpu> gpus;
  private final PlayedClock clock;

  /** Handles by address of profiling samples. */
  private final Map<Long, Long> samples = new HashMap<>();

  private volatile OptionalLong hungUntil = OptionalLong.empty();

  public DriverModel(List<SimulatedGpu> gpus, PlayedClock clock) {
    this.gpus = List.copyOf(gpus);
    this.clock = clock;
  }

  /** Calls that are made before that time, ns, return then. */
  public void hangUntil(OptionalLong nanos) {
    hungUntil = nanos;
  }

  /**
   * The number of a process that holds a GPU.
   *
   * @param part number of the GPU's instance, or of the process among those that share it, from 0
   */
  public static int pid(int gpu, int part) {
    return FIRST_PID + PIDS_OF_A_GPU * gpu + part;
  }

  private SimulatedGpu gpu(Pointer device) {
    return gpus.get((int) (device.address() / GPU) - 1);
  }

  /** The instance; -1 for the whole GPU. */
  private static int instance(Pointer device) {
    return (int) (device.address() % GPU) - 1;
  }

  private int enter() {
    OptionalLong end = hungUntil;
    if (end.isPresent() && clock.nanos() < end.getAsLong()) {
      clock.waitUntil(end.getAsLong());
    }
    clock.spend(CALL);
    return SUCCESS;
  }

  private int enter(Pointer device) {
    enter();
    SimulatedGpu gpu = gpu(device);
    if (gpu.has(Fault.SLOW_DRIVER)) {
      clock.spend(SLOW_CALL);
    }
    boolean isLost = gpu.has(Fault.LOST) || gpu.has(Fault.LOST_SILENTLY);
    return isLost ? NvmlReturn.GPU_IS_LOST : SUCCESS;
  }

  private int u32(Pointer device, Pointer out, long value) {
    int code = enter(device);
    if (code == SUCCESS) {
      out.putInt(0, (int) value);
    }
    return code;
  }

  private int u64(Pointer device, Pointer out, long value) {
    int code = enter(device);
    if (code == SUCCESS) {
      out.putLong(0, value);
    }
    return code;
  }

  /** A value that a board may lack, and that an instance has not of its own. */
  private int u32If(boolean supported, Pointer device, Pointer out, long value) {
    boolean has = supported && instance(device) < 0;
    return has ? u32(device, out, value) : refuse(device);
  }

  private int refuse(Pointer device) {
    int code = enter(device);
    return code == SUCCESS ? NOT_SUPPORTED : code;
  }

  private static void put(Pointer out, int length, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    out.put(0, bytes, 0, Math.min(bytes.length, length - 1));
    out.putByte(Math.min(bytes.length, length - 1), (byte) 0);
  }

  private int text(Pointer device, Pointer out, int length, String text) {
    int code = enter(device);
    if (code == SUCCESS) {
      put(out, length, text);
    }
    return code;
  }

  @Override
  public int nvmlInit_v2() {
    return enter();
  }

  @Override
  public int nvmlShutdown() {
    return SUCCESS;
  }

  @Override
  public int nvmlSystemGetDriverVersion(Pointer text, int length) {
    put(text, length, gpus.getFirst().board.driver());
    return enter();
  }

  @Override
  public int nvmlSystemGetNVMLVersion(Pointer text, int length) {
    put(text, length, "13." + gpus.getFirst().board.driver());
    return enter();
  }

  @Override
  public int nvmlSystemGetCudaDriverVersion(Pointer version) {
    version.putInt(0, gpus.getFirst().board.hasMargin() ? 13_010 : 12_020);
    return enter();
  }

  @Override
  public int nvmlDeviceGetCount_v2(Pointer count) {
    count.putInt(0, gpus.size());
    return enter();
  }

  @Override
  public int nvmlDeviceGetHandleByIndex_v2(int index, Pointer device) {
    device.putLong(0, (index + 1L) * GPU);
    return enter(Pointer.wrap(MEMORY, (index + 1L) * GPU));
  }

  @Override
  public int nvmlDeviceGetUUID(Pointer device, Pointer text, int length) {
    return text(device, text, length, gpu(device).uuid());
  }

  @Override
  public int nvmlDeviceGetName(Pointer device, Pointer text, int length) {
    return text(device, text, length, gpu(device).board.model());
  }

  @Override
  public int nvmlDeviceGetSerial(Pointer device, Pointer text, int length) {
    long number = Integer.toUnsignedLong(gpu(device).uuid().hashCode());
    return text(device, text, length, String.format("165%010d", number));
  }

  @Override
  public int nvmlDeviceGetVbiosVersion(Pointer device, Pointer text, int length) {
    return text(device, text, length, "96.00.99.00.0" + gpu(device).board.architecture);
  }

  @Override
  public int nvmlDeviceGetBoardPartNumber(Pointer device, Pointer text, int length) {
    return text(device, text, length, "900-2G520-00" + gpu(device).board.architecture + "0-000");
  }

  @Override
  public int nvmlDeviceGetArchitecture(Pointer device, Pointer architecture) {
    return u32(device, architecture, gpu(device).board.architecture);
  }

  @Override
  public int nvmlDeviceGetPciInfo_v3(Pointer device, Pointer pciInfo) {
    return text(device, pciInfo.slice(36), 32, gpu(device).address());
  }

  @Override
  public int nvmlDeviceGetUtilizationRates(Pointer device, Pointer rates) {
    SimulatedGpu gpu = gpu(device);
    int code = u32If(gpu.instances == 0, device, rates, gpu.utilisation());
    if (code == SUCCESS) {
      rates.putInt(4, gpu.memoryUtilisation());
    }
    return code;
  }

  private int engine(Pointer device, Pointer percent) {
    return u32If(gpu(device).instances == 0, device, percent, 0);
  }

  @Override
  public int nvmlDeviceGetEncoderUtilization(Pointer device, Pointer percent, Pointer micros) {
    return engine(device, percent);
  }

  @Override
  public int nvmlDeviceGetDecoderUtilization(Pointer device, Pointer percent, Pointer micros) {
    return engine(device, percent);
  }

  @Override
  public int nvmlDeviceGetJpgUtilization(Pointer device, Pointer percent, Pointer micros) {
    return engine(device, percent);
  }

  @Override
  public int nvmlDeviceGetOfaUtilization(Pointer device, Pointer percent, Pointer micros) {
    return engine(device, percent);
  }

  @Override
  public int nvmlDeviceGetMemoryInfo_v2(Pointer device, Pointer memory) {
    int code = enter(device);
    SimulatedGpu gpu = gpu(device);
    boolean whole = instance(device) < 0;
    if (code == SUCCESS) {
      long total = whole ? gpu.board.memoryMib : SimulatedGpu.INSTANCE_MIB;
      long reserved = whole ? gpu.board.reservedMib : 0;
      long used = gpu.usedMib(instance(device));
      memory.putLong(8, total * MIB);
      memory.putLong(16, reserved * MIB);
      memory.putLong(24, (total - reserved - used) * MIB);
      memory.putLong(32, used * MIB);
    }
    return code;
  }

  @Override
  public int nvmlDeviceGetMemoryInfo(Pointer device, Pointer memory) {
    int code = enter(device);
    SimulatedGpu gpu = gpu(device);
    if (code == SUCCESS) {
      long used = gpu.usedMib(-1) + gpu.board.reservedMib;
      memory.putLong(0, gpu.board.memoryMib * MIB);
      memory.putLong(8, (gpu.board.memoryMib - used) * MIB);
      memory.putLong(16, used * MIB);
    }
    return code;
  }

  @Override
  public int nvmlDeviceGetBAR1MemoryInfo(Pointer device, Pointer memory) {
    int code = instance(device) < 0 ? enter(device) : refuse(device);
    if (code == SUCCESS) {
      memory.putLong(0, 131_072 * MIB);
      memory.putLong(8, 131_070 * MIB);
      memory.putLong(16, 2 * MIB);
    }
    return code;
  }

  @Override
  public int nvmlDeviceGetPowerUsage(Pointer device, Pointer milliwatts) {
    return u32If(true, device, milliwatts, gpu(device).milliwatts());
  }

  private int limit(Pointer device, Pointer out) {
    return u32If(true, device, out, Math.round(gpu(device).board.limitWatts * 1000));
  }

  @Override
  public int nvmlDeviceGetEnforcedPowerLimit(Pointer device, Pointer milliwatts) {
    return limit(device, milliwatts);
  }

  @Override
  public int nvmlDeviceGetPowerManagementLimit(Pointer device, Pointer milliwatts) {
    return limit(device, milliwatts);
  }

  @Override
  public int nvmlDeviceGetPowerManagementDefaultLimit(Pointer device, Pointer milliwatts) {
    return limit(device, milliwatts);
  }

  @Override
  public int nvmlDeviceGetPowerManagementLimitConstraints(
      Pointer device, Pointer min, Pointer max) {
    max.putInt(0, (int) Math.round(gpu(device).board.limitWatts * 1000));
    return u32If(true, device, min, Math.round(gpu(device).board.limitWatts * 300));
  }

  @Override
  public int nvmlDeviceGetTotalEnergyConsumption(Pointer device, Pointer millijoules) {
    return u64(device, millijoules, gpu(device).millijoules());
  }

  @Override
  public int nvmlDeviceGetTemperature(Pointer device, int sensor, Pointer celsius) {
    return u32If(true, device, celsius, gpu(device).celsius());
  }

  @Override
  public int nvmlDeviceGetTemperatureV(Pointer device, Pointer temperature) {
    return gpu(device).board.hasMargin()
        ? u32(device, temperature.slice(8), gpu(device).celsius())
        : missing();
  }

  /** An older driver lacks the function. */
  private int missing() {
    enter();
    return NvmlReturn.FUNCTION_NOT_FOUND;
  }

  @Override
  public int nvmlDeviceGetMarginTemperature(Pointer device, Pointer margin) {
    SimulatedGpu gpu = gpu(device);
    long left = Math.round(SimulatedGpu.SLOWDOWN_CELSIUS - gpu.celsius());
    return gpu.board.hasMargin() ? u32If(true, device, margin.slice(4), left) : missing();
  }

  @Override
  public int nvmlDeviceGetTemperatureThreshold(Pointer device, int threshold, Pointer celsius) {
    int[] thresholds = {92, (int) SimulatedGpu.SLOWDOWN_CELSIUS, 95, 83};
    boolean has = gpu(device).board.hasThresholds();
    return u32If(has, device, celsius, thresholds[threshold & 3]);
  }

  @Override
  public int nvmlDeviceGetClockInfo(Pointer device, int type, Pointer megahertz) {
    SimulatedGpu gpu = gpu(device);
    int other = type == 2 ? gpu.board.memoryMegahertz : gpu.videoMegahertz();
    return u32If(true, device, megahertz, type == 1 ? gpu.megahertz() : other);
  }

  @Override
  public int nvmlDeviceGetMaxClockInfo(Pointer device, int type, Pointer megahertz) {
    Board board = gpu(device).board;
    int most = type == 2 ? board.memoryMegahertz : board.mostMegahertz;
    return u32If(true, device, megahertz, most);
  }

  @Override
  public int nvmlDeviceGetCurrentClocksEventReasons(Pointer device, Pointer mask) {
    return u64(device, mask, gpu(device).reasons());
  }

  @Override
  public int nvmlDeviceGetCurrentClocksThrottleReasons(Pointer device, Pointer mask) {
    return u64(device, mask, gpu(device).reasons());
  }

  @Override
  public int nvmlDeviceGetPerformanceState(Pointer device, Pointer state) {
    return u32If(true, device, state, gpu(device).has(Fault.STUCK_STATE) ? 8 : 0);
  }

  @Override
  public int nvmlDeviceGetFanSpeed(Pointer device, Pointer percent) {
    return refuse(device); // all of these boards are cooled by the chassis
  }

  @Override
  public int nvmlDeviceGetPcieReplayCounter(Pointer device, Pointer count) {
    return u32If(true, device, count, gpu(device).replays());
  }

  @Override
  public int nvmlDeviceGetCurrPcieLinkGeneration(Pointer device, Pointer generation) {
    SimulatedGpu gpu = gpu(device);
    // An A100 saves power on its link while it is idle.
    boolean slow = gpu.has(Fault.SLOW_PCIE) || gpu.board == Board.A100 && gpu.isIdle();
    return u32If(true, device, generation, slow ? 1 : gpu.board.pcieGeneration);
  }

  @Override
  public int nvmlDeviceGetCurrPcieLinkWidth(Pointer device, Pointer lanes) {
    return u32If(true, device, lanes, gpu(device).has(Fault.NARROW_LINK) ? 8 : 16);
  }

  @Override
  public int nvmlDeviceGetMaxPcieLinkGeneration(Pointer device, Pointer generation) {
    return u32If(true, device, generation, gpu(device).board.pcieGeneration);
  }

  @Override
  public int nvmlDeviceGetMaxPcieLinkWidth(Pointer device, Pointer lanes) {
    return u32If(true, device, lanes, 16);
  }

  @Override
  public int nvmlDeviceGetMinorNumber(Pointer device, Pointer minor) {
    return u32If(true, device, minor, gpu(device).index);
  }

  @Override
  public int nvmlDeviceGetPersistenceMode(Pointer device, Pointer mode) {
    return u32If(true, device, mode, 1);
  }

  @Override
  public int nvmlDeviceGetEccMode(Pointer device, Pointer current, Pointer pending) {
    pending.putInt(0, 1);
    return u32If(true, device, current, 1);
  }

  @Override
  public int nvmlDeviceGetMemoryErrorCounter(
      Pointer device, int error, int counter, int location, Pointer count) {
    SimulatedGpu gpu = gpu(device);
    boolean dram = location == 2;
    return u64(device, count, !dram ? 0 : error == 0 ? gpu.corrected() : gpu.uncorrected());
  }

  @Override
  public int nvmlDeviceGetSramEccErrorStatus(Pointer device, Pointer status) {
    return gpu(device).board.hasMargin() ? u32(device, status.slice(96), 0) : missing();
  }

  @Override
  public int nvmlDeviceGetRowRemapperHistogram(Pointer device, Pointer banks) {
    SimulatedGpu gpu = gpu(device);
    boolean low = gpu.has(Fault.REMAP_LOW);
    int code = u32If(gpu.board.hasMemorySensor(), device, banks, low ? 2_559 : 2_560);
    if (code == SUCCESS) {
      int[] others = {0, 0, low ? 1 : 0, 0};
      for (int i = 0; i < others.length; i++) {
        banks.putInt(4 + 4 * i, others[i]);
      }
    }
    return code;
  }

  @Override
  public int nvmlDeviceGetGpuFabricInfoV(Pointer device, Pointer fabric) {
    SimulatedGpu gpu = gpu(device);
    int code = gpu.board.hasFabric() ? enter(device) : refuse(device);
    if (code == SUCCESS) {
      int bad = gpu.fabricFault();
      boolean spansNodes = gpu.board == Board.GB200;
      byte[] cluster = new byte[16];
      Arrays.fill(cluster, (byte) (spansNodes && bad != NO_CLUSTER ? 0x5a : 0));
      fabric.put(4, cluster, 0, cluster.length);
      fabric.putInt(20, bad == FAILED ? NvmlReturn.UNKNOWN : SUCCESS);
      fabric.putInt(24, spansNodes && bad != NO_CLIQUE ? 7 : 0);
      fabric.putByte(28, (byte) (bad == UNFINISHED ? IN_PROGRESS : COMPLETED));
      fabric.putInt(32, 0);
      fabric.putByte(36, (byte) (bad > 0 ? 2 : 1));
    }
    return code;
  }

  @Override
  public int nvmlDeviceGetGpuFabricInfo(Pointer device, Pointer fabric) {
    return missing(); // of older drivers
  }

  @Override
  public int nvmlDeviceGetFieldValues(Pointer device, int count, Pointer values) {
    int code = enter(device);
    SimulatedGpu gpu = gpu(device);
    for (int i = 0; i < count && code == SUCCESS; i++) {
      int at = FIELD_ENTRY * i;
      long value = GpuFieldValues.of(gpu, values.getInt(at), values.getInt(at + 4));
      values.putInt(at + 24, UNSIGNED_LONG);
      values.putInt(at + 28, value < 0 ? NOT_SUPPORTED : SUCCESS);
      values.putLong(at + 32, Math.max(0, value));
    }
    return code;
  }

  /** Entries of 24 bytes: pid u32, used memory u64 at 8. */
  @Override
  public int nvmlDeviceGetComputeRunningProcesses_v3(
      Pointer device, Pointer count, Pointer processes) {
    SimulatedGpu gpu = gpu(device);
    int there = gpu.processes(instance(device));
    int room = count.getInt(0);
    int code = u32(device, count, there);
    if (code != SUCCESS || there > room) {
      return code == SUCCESS ? NvmlReturn.INSUFFICIENT_SIZE : code;
    }
    long bytes = there == 0 ? 0 : (gpu.usedMib(instance(device)) << 20) / there;
    for (int i = 0; i < there; i++) {
      long at = (long) PROCESS_BYTES * i;
      processes.putInt(at, pid(gpu.index, Math.max(0, instance(device)) + i));
      processes.putLong(at + 8, bytes);
      processes.putInt(at + 16, -1);
      processes.putInt(at + 20, -1);
    }
    return SUCCESS;
  }

  @Override
  public int nvmlDeviceGetComputeRunningProcesses_v2(
      Pointer device, Pointer count, Pointer processes) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetGraphicsRunningProcesses_v3(
      Pointer device, Pointer count, Pointer processes) {
    return u32(device, count, 0);
  }

  @Override
  public int nvmlDeviceGetGraphicsRunningProcesses_v2(
      Pointer device, Pointer count, Pointer processes) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetMPSComputeRunningProcesses_v3(
      Pointer device, Pointer count, Pointer processes) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetMPSComputeRunningProcesses_v2(
      Pointer device, Pointer count, Pointer processes) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetRunningProcessDetailList(Pointer device, Pointer list) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetConfComputeMemSizeInfo(Pointer device, Pointer sizes) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetProcessUtilization(
      Pointer device, Pointer samples, Pointer count, long after) {
    return refuse(device);
  }

  @Override
  public int nvmlDeviceGetMigMode(Pointer device, Pointer current, Pointer pending) {
    int on = gpu(device).instances > 0 ? 1 : 0;
    pending.putInt(0, on);
    return u32If(gpu(device).board.hasMemorySensor(), device, current, on);
  }

  @Override
  public int nvmlDeviceGetMaxMigDeviceCount(Pointer device, Pointer count) {
    return u32(device, count, 7);
  }

  @Override
  public int nvmlDeviceGetMigDeviceHandleByIndex(Pointer device, int index, Pointer instance) {
    int code = enter(device);
    if (code == SUCCESS && index >= gpu(device).instances) {
      return NOT_FOUND;
    }
    instance.putLong(0, device.address() + index + 1);
    return code;
  }

  @Override
  public int nvmlDeviceGetGpuInstanceId(Pointer instance, Pointer id) {
    return u32(instance, id, instance(instance) + 1L);
  }

  @Override
  public int nvmlDeviceGetComputeInstanceId(Pointer instance, Pointer id) {
    return u32(instance, id, 0);
  }

  @Override
  public int nvmlDeviceGetAttributes_v2(Pointer instance, Pointer attributes) {
    attributes.putInt(20, 0);
    attributes.putLong(32, SimulatedGpu.INSTANCE_MIB);
    return u32(instance, attributes.slice(24), SimulatedGpu.INSTANCE_SLICES);
  }

  @Override
  public int nvmlGpmQueryDeviceSupport(Pointer device, Pointer support) {
    return u32(device, support.slice(4), gpu(device).board.hasProfiling() ? 1 : 0);
  }

  @Override
  public int nvmlGpmSampleAlloc(Pointer sample) {
    long address = samples.size() + 1L;
    samples.put(address, 0L);
    sample.putLong(0, address);
    return enter();
  }

  @Override
  public int nvmlGpmSampleFree(Pointer sample) {
    return SUCCESS;
  }

  @Override
  public int nvmlGpmSampleGet(Pointer device, Pointer sample) {
    samples.put(sample.address(), device.address());
    return enter(device);
  }

  @Override
  public int nvmlGpmMigSampleGet(Pointer device, int gpuInstance, Pointer sample) {
    samples.put(sample.address(), device.address() + gpuInstance);
    return instance(device) < 0 ? enter(device) : INVALID_ARGUMENT;
  }

  @Override
  public int nvmlGpmMetricsGet(Pointer metrics) {
    Pointer device = Pointer.wrap(MEMORY, samples.get(metrics.getLong(16)));
    int code = enter(device);
    for (int i = 0; i < metrics.getInt(4) && code == SUCCESS; i++) {
      int at = METRIC_HEAD + METRIC_ENTRY * i;
      double value = gpu(device).profile(metrics.getInt(at), instance(device));
      metrics.putInt(at + 4, Double.isNaN(value) ? NOT_SUPPORTED : SUCCESS);
      metrics.putDouble(at + 8, value);
    }
    return code;
  }

  @Override
  public int nvmlEventSetCreate(Pointer set) {
    return NOT_SUPPORTED;
  }

  @Override
  public int nvmlEventSetFree(Pointer set) {
    return SUCCESS;
  }

  @Override
  public int nvmlDeviceGetSupportedEventTypes(Pointer device, Pointer mask) {
    return NOT_SUPPORTED;
  }

  @Override
  public int nvmlDeviceRegisterEvents(Pointer device, long mask, Pointer set) {
    return NOT_SUPPORTED;
  }

  @Override
  public int nvmlEventSetWait_v2(Pointer set, Pointer data, int millis) {
    return NvmlReturn.TIMEOUT;
  }
}
