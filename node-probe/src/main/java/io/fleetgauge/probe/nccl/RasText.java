package io.fleetgauge.probe.nccl;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the status of a job in the text of NCCL 2.24 to 2.27. It names the size of communicators in
 * a table, and below it those that have an error, with the ranks that differ from most:
 *
 * <pre>
 *   Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
 *       #  in group  per comm  per node  per comm  in group
 *       0         1         4         8        32        32   RUNNING  MISMATCH
 *   ...
 *   #0-0 (27a079b828ff1a75) MISMATCH
 *     Communicator ranks have different collective operation counts
 *     31 ranks have launched up to operation 6650
 *     Rank 0 has launched up to operation 6649 -- GPU 0 managed by process 483072 on node 10.0.0.1
 * </pre>
 *
 * <p>From 2.25 on the counts are told for each collective operation that differs, and those of a
 * rank are added up here. What all ranks have done equally often is not told.
 */
final class RasText {
  private static final int MOST_COMMUNICATORS = 4_096;
  private static final int MOST_RANKS = 16_384;
  private static final int MOST_HOSTS = 100_000;
  private static final int HEXADECIMAL = 16;
  private static final int SUMMARY_COLUMNS = 5;
  private static final int PROCESSES_COLUMN = 3;
  private static final int GROUP_COLUMNS = 7;
  private static final int SIZE_COLUMN = 4;

  private static final Pattern VERSION = Pattern.compile("NCCL version ([0-9][0-9.]{0,20}).*");
  private static final Pattern NUMBERS = Pattern.compile("[ 0-9-]+");
  private static final Pattern GROUP =
      Pattern.compile(" *\\d{1,5}(?: +[0-9-]{1,20}){5} +[A-Z]+(?: +[A-Z,]+)?");
  private static final Pattern HEAD =
      Pattern.compile("#(\\d{1,5})-\\d{1,9} \\(([0-9a-f]{1,16})\\) ([A-Z]+)");
  private static final Pattern MISSING =
      Pattern.compile("  Missing communicator data from (\\d{1,9}) ranks?");
  private static final Pattern SECTION =
      Pattern.compile("  Communicator ranks have different (?:(\\w+) )?operation counts");
  private static final Pattern MANY =
      Pattern.compile(
          "  (\\d{1,9}) ranks have (?:launched up to operation (\\d{1,18})|not launched any"
              + " operations)");
  private static final Pattern RANK =
      Pattern.compile(
          "  Rank (\\d{1,9})(?: has launched up to operation (\\d{1,18})| has (not) launched any"
              + " operations| [^-].{0,60})? -- GPU (\\d{1,5})(?: \\(NVML (\\d{1,5})\\))? managed by"
              + " process (\\d{1,10}) on node (\\S{1,64})");
  private static final Pattern UNKNOWN =
      Pattern.compile("  (?:The unknown ranks:|Rank) ([0-9,]+)(?: has status UNKNOWN)?");

  private final RasInput in;
  private final Predicate<String> isLocal;
  private final Map<Integer, Integer> sizes = new HashMap<>();
  private final Map<String, Found> found = new LinkedHashMap<>();
  private final Set<Integer> hosts = new HashSet<>();
  private String version = "";
  private int processes;
  private int perNode;
  private int kept;

  /** A communicator, and the section of its report that is being read. */
  private static final class Found {
    final int group;
    final Map<Integer, RankFound> ranks = new LinkedHashMap<>();
    int missing;
    boolean hasCounts;
    boolean inCounts;

    /** Operations of most ranks in the sections before, and in this one. */
    long done;

    long most;
    int mostRanks;
    OptionalLong listed = OptionalLong.empty();

    Found(int group) {
      this.group = group;
    }

    void end() {
      if (inCounts) {
        for (RankFound rank : ranks.values()) {
          rank.done += rank.now.orElse(most);
          rank.now = OptionalLong.empty();
        }
        done += most;
      }
      inCounts = false;
      listed = OptionalLong.empty();
      most = 0;
      mostRanks = 0;
    }
  }

  private static final class RankFound {
    final int pid;
    final int device;
    long done;
    OptionalLong now = OptionalLong.empty();

    RankFound(int pid, int device, long done) {
      this.pid = pid;
      this.device = device;
      this.done = done;
    }
  }

  private RasText(RasInput in, Predicate<String> isLocal) {
    this.in = in;
    this.isLocal = isLocal;
  }

  /**
   * @param isLocal whether an address, as NCCL prints it, is one of this node
   * @throws RasFailure if it is no such answer
   */
  static RasAnswer read(RasInput in, Predicate<String> isLocal) throws IOException {
    return new RasText(in, isLocal).read();
  }

  private RasAnswer read() throws IOException {
    Found of = null;
    int nodes = 0;
    for (String line = in.line(); line != null; line = in.line()) {
      Matcher head = HEAD.matcher(line);
      if (head.matches()) {
        of = begin(of, head);
        continue;
      }
      if (of != null) {
        of(of, line);
        continue;
      }
      Matcher first = VERSION.matcher(line);
      if (version.isEmpty() && first.matches()) {
        version = first.group(1);
      } else if (processes == 0 && !line.isBlank() && NUMBERS.matcher(line).matches()) {
        String[] cells = line.strip().split(" +");
        boolean isWhole = cells.length == SUMMARY_COLUMNS;
        nodes = isWhole ? number(cells[0]) : 0;
        processes = isWhole ? number(cells[PROCESSES_COLUMN]) : 0;
        perNode = isWhole ? number(cells[1].substring(cells[1].indexOf('-') + 1)) : 0;
      } else if (GROUP.matcher(line).matches()) {
        String[] cells = line.strip().split(" +");
        if (cells.length >= GROUP_COLUMNS && sizes.size() < MOST_COMMUNICATORS) {
          sizes.put(number(cells[0]), number(cells[SIZE_COLUMN]));
        }
      }
    }
    if (of != null) {
      of.end();
    }
    if (version.isEmpty()) {
      throw JsonTokens.damaged("it does not begin with a version of NCCL");
    }
    List<RasAnswer.Communicator> all = new ArrayList<>();
    found.forEach((hash, each) -> all.add(communicator(hash, each)));
    return new RasAnswer(version, all, Math.max(nodes, hosts.size()), processes, perNode);
  }

  private RasAnswer.Communicator communicator(String hash, Found of) {
    List<RasAnswer.Rank> ranks = new ArrayList<>();
    of.ranks.forEach(
        (number, rank) ->
            ranks.add(
                new RasAnswer.Rank(
                    number,
                    rank.pid,
                    rank.device,
                    of.hasCounts ? OptionalLong.of(rank.done) : OptionalLong.empty())));
    return new RasAnswer.Communicator(
        RasAnswer.id(Long.parseUnsignedLong(hash, HEXADECIMAL)),
        sizes.getOrDefault(of.group, 0),
        of.missing,
        ranks,
        of.hasCounts ? OptionalLong.of(of.done) : OptionalLong.empty());
  }

  private Found begin(Found before, Matcher head) {
    if (before != null) {
      before.end();
    }
    if (found.size() >= MOST_COMMUNICATORS && !found.containsKey(head.group(2))) {
      return new Found(0); // it is not kept
    }
    return found.computeIfAbsent(head.group(2), hash -> new Found(number(head.group(1))));
  }

  private void of(Found of, String line) {
    Matcher missing = MISSING.matcher(line);
    if (missing.matches()) {
      of.missing = number(missing.group(1));
      return;
    }
    if (SECTION.matcher(line).matches()) {
      of.end();
      of.hasCounts = true;
      of.inCounts = true;
      return;
    }
    if (line.startsWith("  Communicator ranks have")) {
      of.end();
      return;
    }
    Matcher many = MANY.matcher(line);
    if (of.inCounts && many.matches()) {
      int count = number(many.group(1));
      long operations = many.group(2) == null ? 0 : Long.parseLong(many.group(2));
      of.listed = OptionalLong.of(operations);
      if (count > of.mostRanks) {
        of.mostRanks = count;
        of.most = operations;
      }
      return;
    }
    Matcher rank = RANK.matcher(line);
    if (rank.matches()) {
      rank(of, rank);
      return;
    }
    Matcher unknown = UNKNOWN.matcher(line);
    if (unknown.matches() && of.missing == 0 && !of.inCounts) {
      of.missing = unknown.group(1).split(",").length;
    }
  }

  private void rank(Found of, Matcher line) {
    String host = line.group(7);
    if (hosts.size() < MOST_HOSTS) {
      hosts.add(host.hashCode());
    }
    if (!isLocal.test(host) || kept >= MOST_RANKS) {
      return;
    }
    int device = number(line.group(line.group(5) == null ? 4 : 5));
    RankFound rank =
        of.ranks.computeIfAbsent(
            number(line.group(1)),
            number -> {
              kept++;
              return new RankFound((int) pid(line.group(6)), device, of.done);
            });
    if (of.inCounts) {
      boolean isAlone = line.group(2) != null || line.group(3) != null;
      OptionalLong own = OptionalLong.of(line.group(2) == null ? 0 : Long.parseLong(line.group(2)));
      rank.now = isAlone ? own : of.listed;
      if (isAlone && of.mostRanks == 0) {
        of.mostRanks = 1;
        of.most = own.getAsLong();
      }
    }
  }

  private static long pid(String digits) {
    return Math.min(Long.parseLong(digits), Integer.MAX_VALUE);
  }

  /** A number of at most nine digits; 0 for anything else. */
  private static int number(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
