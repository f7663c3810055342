package io.fleetgauge.probe.nccl;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * The processes that hold GPUs and are in one network namespace, where NCCL's number of a process
 * and of a GPU find the GPU as the node counts. Numbers of processes are those of their own PID
 * namespace, numbers of GPUs those of what their container shows them.
 *
 * @param pid one of the processes, by which the kernel shows the namespace
 * @param isOwn whether the probe is in it
 * @param gpus by process, in the order of the driver
 * @param byInnerPid the processes that have a number in their own PID namespace
 * @param owners by process, what its owner has in common
 */
record Holders(
    int pid,
    boolean isOwn,
    Map<Integer, List<Labels>> gpus,
    Map<Integer, List<Integer>> byInnerPid,
    Map<Integer, String> owners) {
  private static final int MOST_PROCESSES = 4_096;

  /** Those of each namespace. */
  static List<Holders> of(List<GpuProcesses> all, Path proc, IntFunction<String> owner) {
    Map<Integer, List<Labels>> byPid = new TreeMap<>();
    for (GpuProcesses gpu : all) {
      for (GpuProcess process : gpu.processes()) {
        if (byPid.size() < MOST_PROCESSES || byPid.containsKey(process.pid())) {
          byPid.computeIfAbsent(process.pid(), pid -> new ArrayList<>()).add(gpu.labels());
        }
      }
    }
    Object own = namespace(proc.resolve("self"));
    Map<Object, Holders> byNamespace = new HashMap<>();
    List<Holders> found = new ArrayList<>();
    byPid.forEach(
        (pid, gpus) -> {
          Path process = proc.resolve(Integer.toString(pid));
          Object namespace = namespace(process);
          if (namespace == null) {
            return; // it has ended
          }
          Holders holders =
              byNamespace.computeIfAbsent(
                  namespace,
                  key -> {
                    Holders of =
                        new Holders(
                            pid,
                            key.equals(own),
                            new TreeMap<>(),
                            new HashMap<>(),
                            new HashMap<>());
                    found.add(of);
                    return of;
                  });
          holders.gpus.put(pid, gpus);
          holders.owners.put(pid, owner.apply(pid));
          holders
              .byInnerPid
              .computeIfAbsent(innerPid(process, pid), key -> new ArrayList<>())
              .add(pid);
        });
    return found;
  }

  /**
   * What tells the network namespaces of processes apart: the file of its sockets is another one in
   * each. The link {@code ns/net} would need more rights.
   */
  private static Object namespace(Path process) {
    try {
      return Files.getAttribute(process.resolve("net/tcp"), "unix:ino");
    } catch (IOException | UnsupportedOperationException e) {
      return null;
    }
  }

  private static int innerPid(Path process, int pid) {
    try {
      String status = Files.readString(process.resolve("status"), StandardCharsets.ISO_8859_1);
      int at = status.indexOf("\nNSpid:");
      if (at >= 0) {
        int end = status.indexOf('\n', at + 1);
        String line = status.substring(at + 1, end < 0 ? status.length() : end).strip();
        return Integer.parseInt(line.substring(line.lastIndexOf('\t') + 1).strip());
      }
    } catch (IOException | NumberFormatException e) {
      return pid; // an older kernel, or a process that has ended
    }
    return pid;
  }

  /** Number of the owners. */
  int ownerCount() {
    return new HashSet<>(owners.values()).size();
  }

  /** The number of owners of which not every process was seen. */
  int unseen(Set<Integer> seen) {
    Set<String> all = new HashSet<>();
    owners.forEach(
        (pid, owner) -> {
          if (!seen.contains(pid)) {
            all.add(owner);
          }
        });
    return all.size();
  }

  /** The number of processes that a rank can be of by its number alone. */
  int candidates(RasAnswer.Rank rank) {
    return byInnerPid.getOrDefault(rank.pid(), List.of()).size();
  }

  /**
   * The process that a rank is of; 0 when none or several can be.
   *
   * @param taken processes of the jobs that have answered before
   */
  int process(RasAnswer.Rank rank, Set<Integer> taken) {
    List<Integer> candidates = byInnerPid.getOrDefault(rank.pid(), List.of());
    if (candidates.size() == 1) {
      return candidates.getFirst();
    }
    List<Integer> free = candidates.stream().filter(pid -> !taken.contains(pid)).toList();
    if (free.size() == 1) {
      return free.getFirst();
    }
    List<Integer> fitting =
        free.stream()
            .filter(pid -> gpus.get(pid).stream().anyMatch(gpu -> index(gpu) == rank.device()))
            .toList();
    return fitting.size() == 1 ? fitting.getFirst() : 0;
  }

  /** The GPU of a rank of a process; null when several can be. */
  Labels gpu(int process, RasAnswer.Rank rank) {
    List<Labels> held = gpus.get(process);
    if (held.size() == 1) {
      return held.getFirst();
    }
    for (Labels gpu : held) {
      if (index(gpu) == rank.device()) {
        return gpu;
      }
    }
    return null;
  }

  private static int index(Labels gpu) {
    try {
      return Integer.parseInt(gpu.value("gpu"));
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
