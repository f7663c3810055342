package io.fleetgauge.probe.attribution.kubelet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Who really has a device that the kubelet lists for several pods.
 *
 * <p>Older kubelets list finished pods too. A device is given to a new pod only after the one
 * before has finished, so that of two pods the one that was listed later has it. When both were
 * there in the first answer, nobody is its owner. Not for several threads.
 */
final class DeviceHolders {
  private static final Pattern SHARE = Pattern.compile("(::\\d+|/vgpu\\d+)$");

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
    for (List<PodDevice> each : byDevice(devices)) {
      Set<Pod> pods = pods(each);
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
      seen.put(held(each), since.getOrDefault(held(each), answers));
    }
    since = seen;
    Set<Pod> gone = pods(devices);
    gone.retainAll(finished);
    List<PodDevice> running =
        devices.stream().filter(each -> !finished.contains(each.pod())).toList();
    Set<PodDevice> lost = new HashSet<>();
    int undecided = 0;
    for (List<PodDevice> one : byDevice(running)) {
      long newest = one.stream().mapToLong(each -> since.get(held(each))).max().orElse(0);
      List<PodDevice> latest =
          one.stream().filter(each -> since.get(held(each)) == newest).toList();
      List<PodDevice> older = one.stream().filter(each -> !latest.contains(each)).toList();
      if (pods(latest).size() > 1) {
        undecided++;
        lost.addAll(one);
      } else if (pods(one).size() > 1) {
        lost.addAll(older);
        gone.addAll(pods(older));
      }
    }
    gone.removeAll(pods(running.stream().filter(each -> !lost.contains(each)).toList()));
    return new Settled(
        running.stream().filter(each -> !lost.contains(each)).toList(),
        Set.copyOf(gone),
        undecided);
  }

  private static Held held(PodDevice device) {
    return new Held(device.pod(), new Id(device.resource(), device.id()));
  }

  private static Set<Pod> pods(List<PodDevice> devices) {
    Set<Pod> pods = new LinkedHashSet<>();
    devices.forEach(each -> pods.add(each.pod()));
    return pods;
  }

  /** Names that only one pod can have, together: a device, or a whole GPU with all its shares. */
  private static Collection<List<PodDevice>> byDevice(List<PodDevice> devices) {
    Set<Id> all = new HashSet<>();
    devices.forEach(each -> all.add(new Id(each.resource(), each.id())));
    Map<Id, List<PodDevice>> byDevice = new LinkedHashMap<>();
    for (PodDevice each : devices) {
      if (each.isExclusive()) {
        Id whole = new Id(each.resource(), SHARE.matcher(each.id()).replaceFirst(""));
        Id key = all.contains(whole) ? whole : new Id(each.resource(), each.id());
        byDevice.computeIfAbsent(key, id -> new ArrayList<>()).add(each);
      }
    }
    return byDevice.values();
  }
}
