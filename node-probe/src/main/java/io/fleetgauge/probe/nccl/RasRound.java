package io.fleetgauge.probe.nccl;

import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One reading of the jobs in one network namespace. All of them have the same port and the kernel
 * chooses who gets a connection, so connections are made until each process that listens was in an
 * answer, within limits. For one thread.
 */
final class RasRound {
  /** Most connections for each owner of GPUs, and of all. */
  private static final int CONNECTIONS_PER_OWNER = 12;

  static final int MOST_CONNECTIONS = 32;

  private static final int MOST_FAILURES = 3;

  /** Asks one server. */
  interface Client {
    RasAnswer status(InetSocketAddress server) throws IOException;
  }

  private final Holders holders;
  private final int listeners;
  private final Client client;
  private final Consumer<RasFailure> failures;
  private final long deadline;
  private final Set<Integer> seen = new HashSet<>();
  private final Set<String> texts = new HashSet<>();
  private final Map<String, Map<String, RasSeries>> byGpu = new LinkedHashMap<>();
  private int answers;
  private int nodes;
  private boolean hasMonitor;

  /**
   * @param listeners how many processes listen
   * @param failures is told of each connection without an answer
   * @param deadline by {@link System#nanoTime}
   */
  RasRound(
      Holders holders, int listeners, Client client, Consumer<RasFailure> failures, long deadline) {
    this.holders = holders;
    this.listeners = listeners;
    this.client = client;
    this.failures = failures;
    this.deadline = deadline;
  }

  void run(List<InetSocketAddress> servers) {
    int most = Math.min(MOST_CONNECTIONS, CONNECTIONS_PER_OWNER * holders.ownerCount());
    for (InetSocketAddress server : servers) {
      int failed = 0;
      for (int i = 0; i < most && failed < MOST_FAILURES && isWanted(); i++) {
        try {
          take(client.status(server));
        } catch (RasFailure e) {
          failed++;
          failures.accept(e);
        } catch (IOException e) {
          failed++;
          failures.accept(new RasFailure(RasFailure.Reason.DAMAGED, e.toString()));
        }
      }
    }
  }

  /** Tells whether somebody has not been seen, and time is left to see it. */
  private boolean isWanted() {
    return unseen() > 0 && System.nanoTime() < deadline;
  }

  /** The number of owners that have a process that listens, and were in no answer. */
  int unseen() {
    int left = listeners - Math.max(seen.size(), texts.size());
    int unknown = Math.min(holders.unseen(seen), holders.ownerCount() - texts.size());
    return Math.max(0, Math.min(left, unknown));
  }

  int answers() {
    return answers;
  }

  /** The nodes of the largest job. */
  int nodes() {
    return nodes;
  }

  /** Tells whether a job can tell of changes by itself. */
  boolean hasMonitor() {
    return hasMonitor;
  }

  /** The series, at most so many communicators of each GPU, those with most ranks first. */
  List<RasSeries> series(int most) {
    List<RasSeries> all = new ArrayList<>();
    for (Map<String, RasSeries> ofGpu : byGpu.values()) {
      ofGpu.values().stream()
          .sorted(
              Comparator.comparingInt(RasSeries::ranks)
                  .reversed()
                  .thenComparing(RasSeries::communicator))
          .limit(most)
          .forEach(all::add);
    }
    return all;
  }

  private void take(RasAnswer answer) {
    answers++;
    nodes = Math.max(nodes, answer.nodes());
    hasMonitor |= isAtLeast(answer.version(), 2, 29);
    Set<Integer> ofAnswer = new HashSet<>();
    Set<Integer> before = Set.copyOf(seen);
    for (RasAnswer.Communicator communicator : answer.communicators()) {
      for (RasAnswer.Rank rank : communicator.ranks()) {
        int process = holders.process(rank, before);
        Labels gpu = process == 0 ? null : holders.gpu(process, rank);
        if (process != 0) {
          ofAnswer.add(process);
        }
        if (gpu != null) {
          add(gpu, communicator, OptionalInt.of(rank.rank()), rank.operations());
        }
      }
    }
    seen.addAll(ofAnswer);
    if (!isAtLeast(answer.version(), 2, 28)) {
      texts.add(answer.processes() + "/" + answer.nodes() + "/" + ids(answer));
      addOthers(answer, ofAnswer);
    }
  }

  private static String ids(RasAnswer answer) {
    return String.join(",", answer.communicators().stream().map(each -> each.id()).toList());
  }

  /**
   * Adds the GPUs that a text does not name: in a communicator of all processes of the job, those
   * of the job on this node have done what most ranks have done.
   */
  private void addOthers(RasAnswer answer, Set<Integer> named) {
    Set<String> owners = new HashSet<>();
    (named.isEmpty() ? holders.owners().keySet() : named)
        .forEach(pid -> owners.add(holders.owners().get(pid)));
    if (owners.size() != 1) {
      return; // whose the answer is cannot be told
    }
    for (RasAnswer.Communicator communicator : answer.communicators()) {
      if (communicator.others().isEmpty() || communicator.size() < answer.processes()) {
        continue;
      }
      holders
          .gpus()
          .forEach(
              (pid, gpus) -> {
                if (owners.contains(holders.owners().get(pid)) && gpus.size() == 1) {
                  Map<String, RasSeries> known =
                      byGpu.getOrDefault(key(gpus.getFirst()), new HashMap<>());
                  if (!known.containsKey(communicator.id())) {
                    add(gpus.getFirst(), communicator, OptionalInt.empty(), communicator.others());
                  }
                }
              });
    }
  }

  private void add(
      Labels gpu, RasAnswer.Communicator communicator, OptionalInt rank, OptionalLong operations) {
    byGpu
        .computeIfAbsent(key(gpu), key -> new LinkedHashMap<>())
        .put(
            communicator.id(),
            new RasSeries(
                gpu,
                communicator.id(),
                rank,
                communicator.size(),
                communicator.missing(),
                operations));
  }

  private static String key(Labels gpu) {
    return gpu.value("UUID") + "/" + gpu.value("GPU_I_ID");
  }

  /** Compares a version such as 2.28.7; one that is not told is older than all. */
  static boolean isAtLeast(String version, int major, int minor) {
    String[] parts = version.split("[.+]", 3);
    try {
      int first = Integer.parseInt(parts[0]);
      return first > major
          || first == major && parts.length > 1 && Integer.parseInt(parts[1]) >= minor;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
