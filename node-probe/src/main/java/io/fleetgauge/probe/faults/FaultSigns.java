package io.fleetgauge.probe.faults;

import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.snapshot.QuickGpu;
import io.fleetgauge.probe.gpu.snapshot.QuickMetric;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuEvent;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds faults in what is read every second, by what has changed. What is there at the first look
 * happened before, and is no fault. Not for several threads.
 */
final class FaultSigns {
  /** Events that a metric which is read every second shows. */
  private static final Map<QuickMetric, GpuEvent> SHOWN = shown();

  private static final int MOST_GPUS = 1_024;

  private final Map<String, Map<QuickMetric, Double>> seenOf = new HashMap<>();
  private final Set<String> lost = new HashSet<>();
  private boolean hung;

  private static Map<QuickMetric, GpuEvent> shown() {
    Map<QuickMetric, GpuEvent> shown = new EnumMap<>(QuickMetric.class);
    for (GpuEvent event : GpuEvent.values()) {
      QuickMetric metric = QuickMetric.readAs(event.metric());
      if (metric != null) {
        shown.put(metric, event);
      }
    }
    return shown;
  }

  /**
   * Looks at a reading.
   *
   * @param time of the reading, ms since the epoch
   */
  List<GpuFault> of(List<QuickGpu> gpus, long time) {
    List<GpuFault> faults = new ArrayList<>();
    for (QuickGpu gpu : gpus) {
      String uuid = gpu.labels().value("UUID");
      if (!seenOf.containsKey(uuid) && seenOf.size() == MOST_GPUS) {
        continue;
      }
      boolean isKnown = seenOf.containsKey(uuid);
      Map<QuickMetric, Double> seen = seenOf.computeIfAbsent(uuid, key -> new HashMap<>());
      if (!gpu.isLost()) {
        lost.remove(uuid);
      } else if (lost.add(uuid) && isKnown) {
        faults.add(new GpuFault(GpuEvent.GPU_LOST, 0, gpu.labels(), time));
      }
      SHOWN.forEach(
          (metric, kind) -> {
            double value = gpu.value(metric);
            Double before = Double.isNaN(value) ? null : seen.put(metric, value);
            if (before != null && kind.isShown(before, value)) {
              faults.add(new GpuFault(kind, 0, gpu.labels(), time));
            }
          });
    }
    return faults;
  }

  /**
   * Looks at the driver call in progress.
   *
   * @param stuck if it hangs
   * @return a fault that began when the call did, once for each call
   */
  Optional<GpuFault> of(Optional<GpuThread.Hung> stuck, long time) {
    boolean isNew = stuck.isPresent() && !hung;
    hung = stuck.isPresent();
    return isNew
        ? stuck.map(
            call ->
                new GpuFault(
                    GpuEvent.DRIVER_HUNG, 0, Labels.EMPTY, time - call.nanos() / 1_000_000))
        : Optional.empty();
  }
}
