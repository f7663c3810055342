package io.fleetgauge.probe.attribution.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which UIDs pods have, and which pods have finished, by what they left on the node: the kubelet
 * keeps a folder of logs for each pod, {@code NAMESPACE_NAME_UID}, until the pod is deleted, and
 * removes the cgroup of a pod when it has finished. Not for several threads.
 */
final class HostPods {
  private static final int MOST_FOLDERS = 20_000;
  private static final int DEEPEST = 6;
  private static final List<String> HIERARCHIES =
      List.of("", "unified", "systemd", "pids", "memory", "cpu,cpuacct", "cpu", "devices");
  private static final Pattern UID =
      Pattern.compile(
          "pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}"
              + "|[0-9a-f]{32})(?:\\.slice)?$");
  private static final Pattern UID_ALONE =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}");

  private final Path podLogs;
  private final Path cgroups;
  private final long patienceMillis;
  private final Map<Pod, Long> goneSince = new HashMap<>();
  private int left;

  /**
   * Pods as the node shows them.
   *
   * @param uids of pods with one folder of logs, or one that has a cgroup
   */
  record Seen(Set<Pod> finished, Map<Pod, String> uids) {}

  /**
   * @param podLogs the folder of logs
   * @param cgroups where the cgroups of the node are mounted
   * @param patience how long a pod must have had no cgroup; a pod gets one shortly after its
   *     devices
   */
  HostPods(Path podLogs, Path cgroups, Duration patience) {
    this.podLogs = podLogs;
    this.cgroups = cgroups;
    this.patienceMillis = patience.toMillis();
  }

  /** Looks for these pods; nothing where the node does not show them. */
  Seen look(Set<Pod> pods, long now) {
    Map<Pod, Set<String>> uids = uids(pods);
    Set<String> running = uids.isEmpty() ? Set.of() : running();
    goneSince.keySet().retainAll(pods);
    Set<Pod> finished = new HashSet<>();
    Map<Pod, String> known = new HashMap<>();
    for (Pod pod : pods) {
      Set<String> own = uids.getOrDefault(pod, Set.of());
      uid(own, running).ifPresent(uid -> known.put(pod, uid));
      // Without the cgroup of any pod this is not the mount of the node.
      boolean isGone =
          !running.isEmpty() && !own.isEmpty() && own.stream().noneMatch(running::contains);
      if (!isGone) {
        goneSince.remove(pod);
      } else if (now - goneSince.computeIfAbsent(pod, key -> now) >= patienceMillis) {
        finished.add(pod);
      }
    }
    return new Seen(finished, known);
  }

  /** A pod that was made again under its name has several folders, of which one runs. */
  private static Optional<String> uid(Set<String> own, Set<String> running) {
    if (own.size() == 1) {
      return Optional.of(own.iterator().next());
    }
    List<String> run = own.stream().filter(running::contains).toList();
    return run.size() == 1 ? Optional.of(run.getFirst()) : Optional.empty();
  }

  private Map<Pod, Set<String>> uids(Set<Pod> pods) {
    Map<Pod, Set<String>> uids = new HashMap<>();
    if (pods.isEmpty()) {
      return uids;
    }
    left = MOST_FOLDERS;
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(podLogs)) {
      for (Path folder : folders) {
        String[] parts = folder.getFileName().toString().split("_", -1);
        if (left-- > 0 && parts.length == 3) {
          Pod pod = new Pod(parts[0], parts[1]);
          if (pods.contains(pod) && UID_ALONE.matcher(parts[2]).matches()) {
            uids.computeIfAbsent(pod, key -> new HashSet<>()).add(parts[2]);
          }
        }
      }
    } catch (IOException e) {
      return Map.of(); // not mounted here
    }
    return left < 0 ? Map.of() : uids;
  }

  /** UIDs of the pods that have a cgroup; empty when they cannot all be seen. */
  private Set<String> running() {
    Set<String> uids = new HashSet<>();
    left = MOST_FOLDERS;
    for (String hierarchy : HIERARCHIES) {
      descend(cgroups.resolve(hierarchy), 0, uids);
    }
    return left < 0 ? Set.of() : uids;
  }

  private void descend(Path folder, int depth, Set<String> uids) {
    if (depth > DEEPEST || left < 0) {
      return;
    }
    try (DirectoryStream<Path> children = Files.newDirectoryStream(folder, Files::isDirectory)) {
      for (Path child : children) {
        left--;
        String name = child.getFileName().toString();
        Matcher uid = UID.matcher(name);
        if (uid.find()) {
          uids.add(uid.group(1).replace('_', '-'));
        } else if (leadsToPods(name)) {
          descend(child, depth + 1, uids);
        }
      }
    } catch (IOException e) {
      // There is no such hierarchy, or the folder has gone meanwhile.
    }
  }

  private static boolean leadsToPods(String name) {
    return name.startsWith("kubepods")
        || name.startsWith("kubelet")
        || name.equals("burstable")
        || name.equals("besteffort");
  }
}
