package io.fleetgauge.cluster.status;

import io.fleetgauge.runtime.process.Main;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Status of a process, by itself.
 *
 * <pre>
 * {"version": "0.1.0", "java": "25.0.1", "now": MS, "startedAt": MS, "processors": N, "load": F,
 *  "heapUsed": BYTES, "heapMax": BYTES, "rss": BYTES}
 * </pre>
 *
 * Load is the average of the machine in the last minute; load and rss are absent where the system
 * does not say.
 */
public final class ProcessStatus {
  private static final Path OWN_STATUS = Path.of("/proc/self/status");

  private ProcessStatus() {}

  /**
   * @param now ms since the epoch
   */
  public static JsonObject of(long now) {
    RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
    Runtime runtime = Runtime.getRuntime();
    JsonObject status =
        new JsonObject()
            .put("version", Main.VERSION)
            .put("java", Runtime.version().toString())
            .put("now", now)
            .put("startedAt", jvm.getStartTime())
            .put("processors", runtime.availableProcessors())
            .put("heapUsed", runtime.totalMemory() - runtime.freeMemory())
            .put("heapMax", runtime.maxMemory());
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    if (load >= 0) {
      status.put("load", load);
    }
    residentBytes().ifPresent(bytes -> status.put("rss", bytes));
    return status;
  }

  private static OptionalLong residentBytes() {
    try {
      for (String line : Files.readAllLines(OWN_STATUS)) {
        if (line.startsWith("VmRSS:")) {
          return OptionalLong.of(Long.parseLong(line.replaceAll("\\D", "")) << 10);
        }
      }
      return OptionalLong.empty();
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty(); // not Linux
    }
  }
}
