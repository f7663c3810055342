package io.fleetgauge.probe.attribution.kubelet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who really has a device that the kubelet lists for several pods.
 *
 * <p>Older kubelets list finished pods too. A device is given to a new pod only after the one
 * before has finished, so that of two pods the one that was listed later has it. When both were
 * there in the first answer, nobody is its owner. Not for several threads.
 */
final class Holders {
  private Map<Held, Long> since = new HashMap<>();
  private long answers;

  private record Id(String resource, String id) {}

  private record Held(Pod pod, Id device) {}

  /**
   * Devices with one holder each.
   *
   * @param finished pods that are listed and have finished
   * @param undecided devices that nobody can say the owner of
   */
  record Settled(List<PodDevice> devices, Set<Pod> finished, int undecided) {}

  /** Pods that have a device which another pod has too. */
  static Set<Pod> contested(List<PodDevice> devices) {
    Set<Pod> contested = new LinkedHashSet<>();
    for (Set<Pod> pods : holders(devices).values()) {
      if (pods.size() > 1) {
        contested.addAll(pods);
      }
    }
    return contested;
  }

  /**
   * @param devices of a whole answer
   * @param finished pods of it that are known to have finished
   */
  Settled settle(List<PodDevice> devices, Set<Pod> finished) {
    answers++;
    Map<Held, Long> seen = new HashMap<>();
    for (PodDevice each : devices) {
      Held held = held(each);
      seen.put(held, since.getOrDefault(held, answers));
    }
    since = seen;
    List<PodDevice> running =
        devices.stream().filter(each -> !finished.contains(each.pod())).toList();
    Set<Pod> gone = new HashSet<>();
    devices.stream().map(PodDevice::pod).filter(finished::contains).forEach(gone::add);
    Set<Held> lost = new HashSet<>();
    int undecided = 0;
    for (Map.Entry<Id, Set<Pod>> each : holders(running).entrySet()) {
      long newest =
          each.getValue().stream().mapToLong(pod -> since(pod, each.getKey())).max().orElse(0);
      List<Pod> latest =
          each.getValue().stream().filter(pod -> since(pod, each.getKey()) == newest).toList();
      undecided += latest.size() > 1 ? 1 : 0;
      for (Pod pod : each.getValue()) {
        boolean isOlder = !latest.contains(pod);
        if (isOlder || latest.size() > 1) {
          lost.add(new Held(pod, each.getKey()));
        }
        if (isOlder) {
          gone.add(pod);
        }
      }
    }
    List<PodDevice> settled = new ArrayList<>();
    for (PodDevice each : running) {
      if (!each.isExclusive() || !lost.contains(held(each))) {
        settled.add(each);
      }
    }
    return new Settled(List.copyOf(settled), Set.copyOf(gone), undecided);
  }

  private long since(Pod pod, Id device) {
    return since.getOrDefault(new Held(pod, device), answers);
  }

  private static Held held(PodDevice device) {
    return new Held(device.pod(), new Id(device.resource(), device.id()));
  }

  private static Map<Id, Set<Pod>> holders(List<PodDevice> devices) {
    Map<Id, Set<Pod>> holders = new LinkedHashMap<>();
    for (PodDevice each : devices) {
      if (each.isExclusive()) {
        Id id = new Id(each.resource(), each.id());
        holders.computeIfAbsent(id, key -> new LinkedHashSet<>()).add(each.pod());
      }
    }
    return holders;
  }
}
