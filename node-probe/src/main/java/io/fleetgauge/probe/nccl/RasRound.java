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
 * answer, within limits. Owners do not tell jobs apart: one owner may have several. For one thread.
 */
final class RasRound {
  /** Most connections for each owner of GPUs, for each process that listens, and of all. */
  private static final int CONNECTIONS_PER_OWNER = 12;

  private static final int CONNECTIONS_PER_LISTENER = 4;
  static final int MOST_CONNECTIONS = 32;

  /** Of a server of which nobody has answered. */
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

  /** Processes that an answer names. */
  private final Set<Integer> seen = new HashSet<>();

  /** The same of answers in JSON, which name all, where a number is of one process only. */
  private final Set<Integer> counted = new HashSet<>();

  /** By job that answers in JSON, how many of its ranks several processes of this node can be. */
  private final Map<String, Integer> ambiguous = new HashMap<>();

  /** The number of processes on this node of each job that answers with a text. */
  private final Map<String, Integer> texts = new HashMap<>();

  /** The process of each rank that was found, so that an answer that comes again finds the same. */
  private final Map<String, Integer> processes = new HashMap<>();

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
    int most =
        Math.max(
            CONNECTIONS_PER_OWNER * holders.ownerCount(), CONNECTIONS_PER_LISTENER * listeners);
    most = Math.min(MOST_CONNECTIONS, most);
    for (InetSocketAddress server : servers) {
      int failed = 0;
      boolean answers = false;
      // A process that has stopped still gets connections, and others of the port answer.
      for (int i = 0; i < most && (answers || failed < MOST_FAILURES) && isWanted(); i++) {
        try {
          take(client.status(server));
          answers = true;
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

  /**
   * The number of jobs whose processes listen and were in no answer: of each owner at least one,
   * and none when as many processes have answered as listen.
   */
  int unseen() {
    int answered = counted.size() + sum(ambiguous) + sum(texts);
    int left = Math.min(listeners, holders.gpus().size()) - answered;
    return left <= 0 ? 0 : Math.clamp(holders.unseen(seen) - texts.size(), 1, left);
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
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
    Set<Integer> alone = new HashSet<>();
    int mostSeveral = 0;
    Set<Integer> before = Set.copyOf(seen);
    for (RasAnswer.Communicator communicator : answer.communicators()) {
      int several = 0;
      for (RasAnswer.Rank rank : communicator.ranks()) {
        int process = process(communicator, rank, before);
        Labels gpu = process == 0 ? null : holders.gpu(process, rank);
        boolean isOneOfSeveral = holders.candidates(rank) > 1;
        several += isOneOfSeveral ? 1 : 0;
        if (process != 0) {
          ofAnswer.add(process);
        }
        if (process != 0 && !isOneOfSeveral) {
          alone.add(process);
        }
        if (gpu != null) {
          add(gpu, communicator, OptionalInt.of(rank.rank()), rank.operations());
        }
      }
      mostSeveral = Math.max(mostSeveral, several);
    }
    seen.addAll(ofAnswer);
    if (isAtLeast(answer.version(), 2, 28)) {
      counted.addAll(alone);
      ambiguous.merge(ids(answer), mostSeveral, Math::max);
    } else {
      String job = answer.processes() + "/" + answer.nodes() + "/" + ids(answer);
      texts.put(job, Math.max(answer.perNode(), ofAnswer.size()));
      addOthers(answer, ofAnswer);
    }
  }

  private int process(
      RasAnswer.Communicator communicator, RasAnswer.Rank rank, Set<Integer> before) {
    String key = communicator.id() + "/" + rank.rank();
    Integer known = processes.get(key);
    if (known != null) {
      return known;
    }
    int found = holders.process(rank, before);
    if (found != 0) {
      processes.put(key, found);
    }
    return found;
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

  /** Adds a rank; of several ranks of one GPU the one that is furthest behind stays. */
  private void add(
      Labels gpu, RasAnswer.Communicator communicator, OptionalInt rank, OptionalLong operations) {
    byGpu
        .computeIfAbsent(key(gpu), key -> new LinkedHashMap<>())
        .merge(
            communicator.id(),
            new RasSeries(
                gpu,
                communicator.id(),
                rank,
                communicator.size(),
                communicator.missing(),
                operations),
            RasRound::behind);
  }

  private static RasSeries behind(RasSeries before, RasSeries now) {
    if (before.rank().equals(now.rank())) {
      return now; // the same answer again, later
    }
    long most = Long.MAX_VALUE; // a rank that does not answer has no count
    return before.operations().orElse(most) <= now.operations().orElse(most) ? before : now;
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
