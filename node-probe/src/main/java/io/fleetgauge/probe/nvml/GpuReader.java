package io.fleetgauge.probe.nvml;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all GPUs with plain calls that may block. Only {@link GpuThread}'s thread may call it, but
 * for the counters.
 */
final class GpuReader {
  private static final Logger LOG = LoggerFactory.getLogger(GpuReader.class);

  /** How many readings pass before the library or the GPUs are looked for again. */
  private static final int RETRY_EVERY = 20;

  private final String libraryName;
  private final Map<List<String>, LongAdder> errors = new ConcurrentHashMap<>();
  private NvmlLibrary nvml;
  private Pointer out;
  private boolean initialised;
  private List<Gpu> gpus = List.of();
  private int untilRetry;
  private volatile String state = "";

  GpuReader(String libraryName) {
    this.libraryName = libraryName;
  }

  /** Why there are no GPUs to read; empty when there are. */
  String state() {
    return state;
  }

  /** How often a driver call failed, by the call and the code that NVML returned. */
  Map<List<String>, Long> errors() {
    Map<List<String>, Long> counts = new HashMap<>();
    errors.forEach((key, count) -> counts.put(key, count.sum()));
    return counts;
  }

  void read(Tick.Builder tick) {
    if (!initialised && !(untilRetry-- <= 0 && open())) {
      return;
    }
    for (Gpu gpu : gpus) {
      if (!gpu.lost) {
        read(gpu, tick);
      }
      if (!initialised) {
        return; // a call said that the whole library must begin anew
      }
    }
    boolean looksAgain = gpus.isEmpty() || gpus.stream().anyMatch(gpu -> gpu.lost);
    if (looksAgain && untilRetry-- <= 0) {
      enumerate();
    }
  }

  private void read(Gpu gpu, Tick.Builder tick) {
    for (GpuCall call : GpuCall.values()) {
      boolean replaced = call == GpuCall.MEMORY_V1 && !gpu.unsupported.contains(GpuCall.MEMORY);
      if (replaced || gpu.unsupported.contains(call)) {
        continue;
      }
      int code = code(() -> call.call(nvml, gpu.handle, out));
      if (code == NvmlReturn.SUCCESS) {
        call.take(out, (metric, value) -> tick.add(gpu.series(metric), value));
        continue;
      }
      count(call.name().toLowerCase(java.util.Locale.ROOT), code);
      if (NvmlReturn.isForGood(code)) {
        gpu.unsupported.add(call);
      } else if (code == NvmlReturn.GPU_IS_LOST) {
        LOG.error("GPU {} is lost", gpu.labels.value("UUID"));
        gpu.lost = true;
        untilRetry = RETRY_EVERY;
        return;
      } else if (NvmlReturn.isLibraryWide(code)) {
        close();
        say("NVML must be initialised anew: a call answered " + code);
        untilRetry = RETRY_EVERY;
        return;
      }
    }
  }

  private boolean open() {
    untilRetry = RETRY_EVERY;
    try {
      if (nvml == null) {
        nvml = LibraryLoader.create(NvmlLibrary.class).failImmediately().load(libraryName);
        out = Runtime.getRuntime(nvml).getMemoryManager().allocateDirect(256, true);
      }
    } catch (UnsatisfiedLinkError e) {
      say("no GPUs are read: the library " + libraryName + " is not here");
      return false;
    }
    int code = code(nvml::nvmlInit_v2);
    if (code != NvmlReturn.SUCCESS) {
      count("init", code);
      say("no GPUs are read: the driver's initialisation answered " + code);
      return false;
    }
    initialised = true;
    enumerate();
    return true;
  }

  private void enumerate() {
    untilRetry = RETRY_EVERY;
    List<Gpu> found = new ArrayList<>();
    int code = code(() -> nvml.nvmlDeviceGetCount_v2(out));
    int count = code == NvmlReturn.SUCCESS ? out.getInt(0) : 0;
    for (int i = 0; i < count; i++) {
      int index = i;
      code = code(() -> nvml.nvmlDeviceGetHandleByIndex_v2(index, out));
      if (code != NvmlReturn.SUCCESS) {
        count("handle", code);
        continue;
      }
      Pointer handle = out.getPointer(0);
      found.add(
          new Gpu(
              handle,
              Labels.of(
                  "gpu",
                  Integer.toString(i),
                  "UUID",
                  text("uuid", 0, () -> nvml.nvmlDeviceGetUUID(handle, out, 96)),
                  "device",
                  "nvidia" + i,
                  "modelName",
                  text("name", 0, () -> nvml.nvmlDeviceGetName(handle, out, 96)),
                  "pci_bus_id",
                  text("pci", 36, () -> nvml.nvmlDeviceGetPciInfo_v3(handle, out)))));
    }
    gpus = found;
    say(found.isEmpty() ? "no GPUs are read: the driver sees none" : "");
    if (!found.isEmpty()) {
      LOG.info("{} GPUs, the first a {}", found.size(), found.getFirst().labels.value("modelName"));
    }
  }

  private String text(String what, int at, Call call) {
    int code = code(call);
    if (code != NvmlReturn.SUCCESS) {
      count(what, code);
      return "";
    }
    byte[] bytes = new byte[96];
    out.get(at, bytes, 0, bytes.length);
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private interface Call {
    int run();
  }

  private static int code(Call call) {
    try {
      return call.run();
    } catch (UnsatisfiedLinkError e) {
      return NvmlReturn.FUNCTION_NOT_FOUND; // an older driver without this function
    }
  }

  private void count(String call, int code) {
    errors
        .computeIfAbsent(List.of(call, Integer.toString(code)), key -> new LongAdder())
        .increment();
  }

  private void say(String newState) {
    if (!newState.equals(state) && !newState.isEmpty()) {
      LOG.info(newState);
    }
    state = newState;
  }

  void close() {
    if (initialised) {
      initialised = false;
      gpus = List.of();
      code(nvml::nvmlShutdown);
    }
  }
}
