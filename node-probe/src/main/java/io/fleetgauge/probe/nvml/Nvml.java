package io.fleetgauge.probe.nvml;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/** The driver's library, as one thread calls it. Calls may block for minutes; none throws. */
public final class Nvml {
  /** Where drivers put the library below the root of the file system that they install to. */
  private static final List<String> FOLDERS =
      List.of(
          "usr/lib/x86_64-linux-gnu",
          "usr/lib/aarch64-linux-gnu",
          "usr/lib64",
          "usr/lib",
          "lib64",
          "usr/local/nvidia/lib64");

  private static final int TEXT = 96;

  private final NvmlLibrary library;
  private final Runtime runtime;
  private final CallLog log;
  private final NativeMemory scratch;

  private Nvml(NvmlLibrary library, Runtime runtime, CallLog log) {
    this.library = library;
    this.runtime = runtime;
    this.log = log;
    this.scratch = allocate(128);
  }

  /**
   * Loads the library from the first place that has it.
   *
   * @param name soname or path
   * @param roots folders to which a driver may be installed besides; tried for a plain soname
   * @throws UnsatisfiedLinkError if no place has it
   */
  public static Nvml load(String name, List<Path> roots, CallLog log) {
    UnsatisfiedLinkError first = null;
    for (String place : places(name, roots)) {
      try {
        NvmlLibrary library = LibraryLoader.create(NvmlLibrary.class).failImmediately().load(place);
        return new Nvml(library, Runtime.getRuntime(library), log);
      } catch (UnsatisfiedLinkError e) {
        first = first == null ? e : first;
      }
    }
    throw first;
  }

  /** A driver that is written in Java. */
  public static Nvml of(NvmlLibrary library, CallLog log) {
    return new Nvml(library, Runtime.getSystemRuntime(), log);
  }

  /** The name itself, then the files of this name below the roots. */
  static List<String> places(String name, List<Path> roots) {
    List<String> places = new ArrayList<>();
    places.add(name);
    if (!name.contains("/")) {
      for (Path root : roots) {
        for (String folder : FOLDERS) {
          Path file = root.resolve(folder).resolve(name);
          if (Files.exists(file)) {
            places.add(file.toString());
          }
        }
      }
    }
    return places;
  }

  /** Memory of at least 16 bytes, all zero. */
  public NativeMemory allocate(int bytes) {
    int size = Math.max(16, bytes);
    return new NativeMemory(runtime.getMemoryManager().allocateDirect(size, true), size);
  }

  public FieldValues fields(int entries) {
    return new FieldValues(allocate(FieldValues.bytes(entries)));
  }

  public CallLog log() {
    return log;
  }

  public int init() {
    return call(NvmlCall.INIT, -1, () -> library.nvmlInit_v2());
  }

  public int shutdown() {
    return call(NvmlCall.SHUTDOWN, -1, () -> library.nvmlShutdown());
  }

  /** A GPU of the driver; its address is what the call wrote to {@code out}. */
  public int handle(int index, NativeMemory out) {
    return call(
        NvmlCall.HANDLE, index, () -> library.nvmlDeviceGetHandleByIndex_v2(index, out.pointer));
  }

  /** The handle that {@link #handle} or {@link NvmlCall#MIG_HANDLE} wrote. */
  public NvmlDevice device(NativeMemory out, int gpu) {
    return new NvmlDevice(Pointer.wrap(runtime, out.i64(0)), gpu);
  }

  /** A text of a GPU, or of the driver when {@code device} is null; empty when it has none. */
  public String text(NvmlCall call, NvmlDevice device) {
    int code = ask(call, device, scratch, 0, 0, 0);
    return code != NvmlReturn.SUCCESS ? "" : scratch.text(call == NvmlCall.PCI ? 36 : 0);
  }

  public int ask(NvmlCall call, NvmlDevice device, NativeMemory out) {
    return ask(call, device, out, 0, 0, 0);
  }

  /**
   * Makes a call that writes to {@code out}.
   *
   * @param device null for a call of the library
   * @param a arguments between the device and the memory, of calls that have some
   */
  public int ask(NvmlCall call, NvmlDevice device, NativeMemory out, int a, int b, int c) {
    if (call.version != 0) {
      out.put32(0, call.version);
    }
    // A reading comes here hundreds of times, so nothing is allocated.
    log.begin(call, device == null ? -1 : device.gpu());
    int code;
    try {
      code = make(call, device == null ? null : device.pointer, out, a, b, c);
    } catch (UnsatisfiedLinkError e) {
      code = NvmlReturn.FUNCTION_NOT_FOUND;
    }
    log.end(code);
    return code;
  }

  private int make(NvmlCall call, Pointer device, NativeMemory memory, int a, int b, int c) {
    Pointer out = memory.pointer;
    return switch (call) {
      case COUNT -> library.nvmlDeviceGetCount_v2(out);
      case DRIVER_VERSION -> library.nvmlSystemGetDriverVersion(out, TEXT);
      case NVML_VERSION -> library.nvmlSystemGetNVMLVersion(out, TEXT);
      case CUDA_VERSION -> library.nvmlSystemGetCudaDriverVersion(out);
      case UUID -> library.nvmlDeviceGetUUID(device, out, TEXT);
      case MINOR -> library.nvmlDeviceGetMinorNumber(device, out);
      case NAME -> library.nvmlDeviceGetName(device, out, TEXT);
      case SERIAL -> library.nvmlDeviceGetSerial(device, out, TEXT);
      case VBIOS -> library.nvmlDeviceGetVbiosVersion(device, out, TEXT);
      case PART_NUMBER -> library.nvmlDeviceGetBoardPartNumber(device, out, TEXT);
      case ARCHITECTURE -> library.nvmlDeviceGetArchitecture(device, out);
      case PCI -> library.nvmlDeviceGetPciInfo_v3(device, out);
      case UTILIZATION -> library.nvmlDeviceGetUtilizationRates(device, out);
      case ENCODER -> library.nvmlDeviceGetEncoderUtilization(device, out, memory.second);
      case DECODER -> library.nvmlDeviceGetDecoderUtilization(device, out, memory.second);
      case JPG -> library.nvmlDeviceGetJpgUtilization(device, out, memory.second);
      case OFA -> library.nvmlDeviceGetOfaUtilization(device, out, memory.second);
      case MEMORY_V2 -> library.nvmlDeviceGetMemoryInfo_v2(device, out);
      case MEMORY -> library.nvmlDeviceGetMemoryInfo(device, out);
      case BAR1 -> library.nvmlDeviceGetBAR1MemoryInfo(device, out);
      case TEMPERATURE_V -> {
        memory.put32(4, 0);
        yield library.nvmlDeviceGetTemperatureV(device, out);
      }
      case TEMPERATURE -> library.nvmlDeviceGetTemperature(device, 0, out);
      case MARGIN -> library.nvmlDeviceGetMarginTemperature(device, out);
      case THRESHOLD -> library.nvmlDeviceGetTemperatureThreshold(device, a, out);
      case CLOCK -> library.nvmlDeviceGetClockInfo(device, a, out);
      case MAX_CLOCK -> library.nvmlDeviceGetMaxClockInfo(device, a, out);
      case EVENT_REASONS -> library.nvmlDeviceGetCurrentClocksEventReasons(device, out);
      case THROTTLE_REASONS -> library.nvmlDeviceGetCurrentClocksThrottleReasons(device, out);
      case POWER -> library.nvmlDeviceGetPowerUsage(device, out);
      case POWER_LIMIT_ENFORCED -> library.nvmlDeviceGetEnforcedPowerLimit(device, out);
      case POWER_LIMIT -> library.nvmlDeviceGetPowerManagementLimit(device, out);
      case POWER_LIMIT_DEFAULT -> library.nvmlDeviceGetPowerManagementDefaultLimit(device, out);
      case POWER_LIMIT_RANGE ->
          library.nvmlDeviceGetPowerManagementLimitConstraints(device, out, memory.second);
      case ENERGY -> library.nvmlDeviceGetTotalEnergyConsumption(device, out);
      case PSTATE -> library.nvmlDeviceGetPerformanceState(device, out);
      case FAN -> library.nvmlDeviceGetFanSpeed(device, out);
      case PCIE_REPLAYS -> library.nvmlDeviceGetPcieReplayCounter(device, out);
      case PCIE_GENERATION -> library.nvmlDeviceGetCurrPcieLinkGeneration(device, out);
      case PCIE_WIDTH -> library.nvmlDeviceGetCurrPcieLinkWidth(device, out);
      case PCIE_MAX_GENERATION -> library.nvmlDeviceGetMaxPcieLinkGeneration(device, out);
      case PCIE_MAX_WIDTH -> library.nvmlDeviceGetMaxPcieLinkWidth(device, out);
      case PERSISTENCE -> library.nvmlDeviceGetPersistenceMode(device, out);
      case ECC_MODE -> library.nvmlDeviceGetEccMode(device, out, memory.second);
      case ECC_MEMORY -> library.nvmlDeviceGetMemoryErrorCounter(device, a, b, c, out);
      case ECC_SRAM -> library.nvmlDeviceGetSramEccErrorStatus(device, out);
      case ROW_REMAP_BANKS -> library.nvmlDeviceGetRowRemapperHistogram(device, out);
      case FABRIC, FABRIC_V2 -> library.nvmlDeviceGetGpuFabricInfoV(device, out);
      case FABRIC_V1 -> library.nvmlDeviceGetGpuFabricInfo(device, out);
      case COMPUTE_PROCESSES ->
          library.nvmlDeviceGetComputeRunningProcesses_v3(device, out, memory.list);
      case GRAPHICS_PROCESSES ->
          library.nvmlDeviceGetGraphicsRunningProcesses_v3(device, out, memory.list);
      case COMPUTE_PROCESSES_V2 ->
          library.nvmlDeviceGetComputeRunningProcesses_v2(device, out, memory.list);
      case GRAPHICS_PROCESSES_V2 ->
          library.nvmlDeviceGetGraphicsRunningProcesses_v2(device, out, memory.list);
      case MPS_PROCESSES ->
          library.nvmlDeviceGetMPSComputeRunningProcesses_v3(device, out, memory.list);
      case MPS_PROCESSES_V2 ->
          library.nvmlDeviceGetMPSComputeRunningProcesses_v2(device, out, memory.list);
      case PROCESS_DETAILS -> library.nvmlDeviceGetRunningProcessDetailList(device, out);
      case PROTECTED_MEMORY -> library.nvmlDeviceGetConfComputeMemSizeInfo(device, out);
      case MIG_MODE -> library.nvmlDeviceGetMigMode(device, out, memory.second);
      case MIG_COUNT -> library.nvmlDeviceGetMaxMigDeviceCount(device, out);
      case MIG_HANDLE -> library.nvmlDeviceGetMigDeviceHandleByIndex(device, a, out);
      case GPU_INSTANCE -> library.nvmlDeviceGetGpuInstanceId(device, out);
      case COMPUTE_INSTANCE -> library.nvmlDeviceGetComputeInstanceId(device, out);
      case ATTRIBUTES -> library.nvmlDeviceGetAttributes_v2(device, out);
      case GPM_SUPPORT -> library.nvmlGpmQueryDeviceSupport(device, out);
      case GPM_ALLOC -> library.nvmlGpmSampleAlloc(out);
      case GPM_METRICS -> library.nvmlGpmMetricsGet(out);
      case EVENT_SET -> library.nvmlEventSetCreate(out);
      case EVENT_TYPES -> library.nvmlDeviceGetSupportedEventTypes(device, out);
      case INIT,
          SHUTDOWN,
          HANDLE,
          FIELDS,
          PROCESS_UTILIZATION,
          GPM_FREE,
          GPM_SAMPLE,
          GPM_MIG_SAMPLE,
          EVENT_SET_FREE,
          EVENT_REGISTER,
          EVENT_WAIT ->
          throw new IllegalArgumentException(call + " has a method of its own");
    };
  }

  /**
   * Tells whether the library has the function of a call at all, whatever the call answers.
   *
   * @param out zero, of at least 32 bytes
   */
  public boolean has(NvmlCall call, NvmlDevice device, NativeMemory out) {
    if (call.version != 0) {
      out.put32(0, call.version);
    }
    log.begin(call, device.gpu());
    boolean has = true;
    try {
      make(call, device.pointer, out, 0, 0, 0);
    } catch (UnsatisfiedLinkError e) {
      has = false;
    }
    log.end(NvmlReturn.SUCCESS);
    return has;
  }

  /**
   * Reads how much each process has used a GPU: like a list of processes, their number and the
   * entries from byte 8.
   *
   * @param after tells what came after this time, microseconds as the driver counts
   */
  public int processUtilization(NvmlDevice device, NativeMemory out, long after) {
    log.begin(NvmlCall.PROCESS_UTILIZATION, device.gpu());
    int code =
        code(
            () ->
                library.nvmlDeviceGetProcessUtilization(
                    device.pointer, out.list, out.pointer, after));
    // That no process has done anything is no error.
    log.end(code == NvmlReturn.NOT_FOUND ? NvmlReturn.SUCCESS : code);
    return code;
  }

  /** Reads the first {@code count} fields that {@code values} asks for. */
  public int fields(NvmlDevice device, int count, FieldValues values) {
    return call(
        NvmlCall.FIELDS,
        device.gpu(),
        () -> library.nvmlDeviceGetFieldValues(device.pointer, count, values.memory.pointer));
  }

  /** The sample that {@link NvmlCall#GPM_ALLOC} wrote. */
  public GpmSample gpmSample(NativeMemory out) {
    return new GpmSample(Pointer.wrap(runtime, out.i64(0)));
  }

  public int gpmFree(GpmSample sample) {
    return call(NvmlCall.GPM_FREE, -1, () -> library.nvmlGpmSampleFree(sample.pointer()));
  }

  /**
   * @param instance the GPU instance; -1 for the whole GPU
   */
  public int gpmTake(NvmlDevice device, int instance, GpmSample sample) {
    return call(
        instance < 0 ? NvmlCall.GPM_SAMPLE : NvmlCall.GPM_MIG_SAMPLE,
        device.gpu(),
        () ->
            instance < 0
                ? library.nvmlGpmSampleGet(device.pointer, sample.pointer())
                : library.nvmlGpmMigSampleGet(device.pointer, instance, sample.pointer()));
  }

  /** The set that {@link NvmlCall#EVENT_SET} wrote. */
  public EventSet eventSet(NativeMemory out) {
    return new EventSet(Pointer.wrap(runtime, out.i64(0)));
  }

  public int eventSetFree(EventSet set) {
    return call(NvmlCall.EVENT_SET_FREE, -1, () -> library.nvmlEventSetFree(set.pointer()));
  }

  public int register(NvmlDevice device, long types, EventSet set) {
    return call(
        NvmlCall.EVENT_REGISTER,
        device.gpu(),
        () -> library.nvmlDeviceRegisterEvents(device.pointer, types, set.pointer()));
  }

  /** Waits for an event; not in the log, because waiting is what it does. */
  public int await(EventSet set, NativeMemory out, int millis) {
    return code(() -> library.nvmlEventSetWait_v2(set.pointer(), out.pointer, millis));
  }

  private int call(NvmlCall call, int gpu, IntSupplier function) {
    log.begin(call, gpu);
    int code = code(function);
    log.end(code);
    return code;
  }

  private static int code(IntSupplier function) {
    try {
      return function.getAsInt();
    } catch (UnsatisfiedLinkError e) {
      return NvmlReturn.FUNCTION_NOT_FOUND; // an older driver without this function
    }
  }
}
