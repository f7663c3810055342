package io.fleetgauge.probe.xid;

import io.fleetgauge.probe.nvml.CallLog;
import io.fleetgauge.probe.nvml.EventSet;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlDevice;
import io.fleetgauge.probe.nvml.NvmlReturn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for events of the driver, which it initialises for itself: the driver counts its users, so
 * that neither this thread nor that of readings takes it from the other.
 */
final class DriverEvents implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverEvents.class);
  private static final long XID = 0x8;
  private static final int WAIT_MILLIS = 500;
  private static final Duration AGAIN = Duration.ofSeconds(30);

  /** A GPU that is lost may end every wait at once. */
  private static final Duration NEW_SET = Duration.ofSeconds(1);

  /** The number of waits without an event after which GPUs are counted again. */
  private static final int COUNT_EVERY = 60;

  private static final int MOST_GPUS = 256;

  private final String library;
  private final List<Path> roots;
  private final XidCounts counts;
  private final SourceThread thread = new SourceThread();
  private final Map<Long, String> addresses = new HashMap<>();
  private Nvml nvml;
  private volatile long events;
  private volatile boolean registered;

  DriverEvents(String library, List<Path> roots, XidCounts counts) {
    this.library = library;
    this.roots = roots;
    this.counts = counts;
  }

  void start() {
    thread.start("nvml-events", this::follow, AGAIN);
  }

  /** Events of XIDs that came. */
  long events() {
    return events;
  }

  /** Tells whether events would come. */
  boolean isRegistered() {
    return registered;
  }

  private void follow() {
    try {
      if (nvml == null) {
        nvml = Nvml.load(library, roots, new CallLog(System::nanoTime));
      }
      if (nvml.init() == NvmlReturn.SUCCESS) {
        follow(nvml);
        nvml.shutdown();
      }
    } catch (UnsatisfiedLinkError e) {
      LOG.debug("no events without the library {}", library);
    }
  }

  /** Follows events until the set must be made anew: a GPU came, went or is lost. */
  private void follow(Nvml nvml) {
    NativeMemory out = nvml.allocate(128);
    while (!thread.isClosed()) {
      if (nvml.ask(NvmlCall.EVENT_SET, null, out) != NvmlReturn.SUCCESS) {
        return;
      }
      EventSet set = nvml.eventSet(out);
      int gpus = count(nvml, out);
      registered = register(nvml, out, set, gpus);
      boolean goesOn = registered && wait(nvml, out, set, gpus);
      registered = false;
      nvml.eventSetFree(set);
      if (!goesOn) {
        return;
      }
    }
  }

  private static int count(Nvml nvml, NativeMemory out) {
    boolean told = nvml.ask(NvmlCall.COUNT, null, out) == NvmlReturn.SUCCESS;
    return told ? (int) Math.min(MOST_GPUS, out.u32(0)) : 0;
  }

  private boolean register(Nvml nvml, NativeMemory out, EventSet set, int gpus) {
    addresses.clear();
    for (int i = 0; i < gpus; i++) {
      if (nvml.handle(i, out) != NvmlReturn.SUCCESS) {
        continue;
      }
      NvmlDevice device = nvml.device(out, i);
      boolean supported =
          nvml.ask(NvmlCall.EVENT_TYPES, device, out) == NvmlReturn.SUCCESS
              && (out.i64(0) & XID) != 0;
      if (supported && nvml.register(device, XID, set) == NvmlReturn.SUCCESS) {
        addresses.put(device.address(), KernelLine.address(nvml.text(NvmlCall.PCI, device)));
      }
    }
    return !addresses.isEmpty();
  }

  /**
   * @return whether to go on with a new set at once
   */
  private boolean wait(Nvml nvml, NativeMemory out, EventSet set, int gpus) {
    int idle = 0;
    while (!thread.isClosed()) {
      int code = nvml.await(set, out, WAIT_MILLIS);
      if (code == NvmlReturn.SUCCESS) {
        take(out);
      } else if (code == NvmlReturn.GPU_IS_LOST || code == NvmlReturn.UNKNOWN) {
        registered = false;
        thread.pause(NEW_SET); // the other GPUs go on: the next set is without the lost one
        return true;
      } else if (code != NvmlReturn.TIMEOUT) {
        return false;
      } else if (++idle % COUNT_EVERY == 0 && count(nvml, out) != gpus) {
        return true;
      }
    }
    return false;
  }

  private void take(NativeMemory out) {
    String address = addresses.getOrDefault(out.i64(0), "");
    long code = out.i64(16);
    if (out.i64(8) == XID && !address.isEmpty() && code > 0 && code <= NvmlReturn.UNKNOWN) {
      events = events + 1;
      if (counts.count(address, (int) code)) {
        LOG.warn("GPU {} reports XID {}", address, code);
      }
    }
  }

  @Override
  public void close() {
    thread.stop();
    if (!thread.join()) {
      LOG.warn("waiting for GPU events is stuck; leaving it");
    }
  }
}
