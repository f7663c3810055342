package io.fleetgauge.probe.nccl;

import io.fleetgauge.probe.nccl.JsonTokens.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Reads the status of a job in the JSON of NCCL 2.28 and later, also with the comma that is missing
 * before the status of a missing rank until 2.29. Only ranks of this node are kept.
 */
final class RasJson {
  /** Most ranks of this node, of all communicators. */
  private static final int MOST_RANKS = 16_384;

  private static final int MOST_HOSTS = 100_000;
  private static final int HEXADECIMAL = 16;

  private final JsonTokens in;
  private final Predicate<String> isLocal;
  private final List<Found> found = new ArrayList<>();
  private final Map<Long, Integer> hashes = new HashMap<>();
  private final Set<Integer> hosts = new HashSet<>();
  private String version = "";
  private String lastHost = "";
  private boolean lastIsLocal;
  private int kept;

  private static final class Found {
    long hash;
    long second;
    int size;
    int missing;
    int missingCount;
    boolean hasMissing;
    final List<RasAnswer.Rank> ranks = new ArrayList<>();
  }

  private RasJson(RasInput in, Predicate<String> isLocal) {
    this.in = new JsonTokens(in);
    this.isLocal = isLocal;
  }

  /**
   * @param isLocal whether an address, as NCCL prints it, is one of this node
   * @throws RasFailure if it is no such answer, or not a whole one
   */
  static RasAnswer read(RasInput in, Predicate<String> isLocal) throws IOException {
    return new RasJson(in, isLocal).read();
  }

  private RasAnswer read() throws IOException {
    if (in.next() != Kind.OPEN_OBJECT) {
      throw JsonTokens.damaged("it is no object");
    }
    boolean hasCommunicators = false;
    for (Kind key = key(); key == Kind.TEXT; key = key()) {
      String name = in.text();
      Kind value = in.next();
      if (name.equals("nccl_version")) {
        version = value == Kind.TEXT ? in.text() : "";
      } else if (name.equals("communicators") && value == Kind.OPEN_ARRAY) {
        hasCommunicators = true;
        for (Kind each = element(); each == Kind.OPEN_OBJECT; each = element()) {
          communicator();
        }
      } else {
        in.skip(value);
      }
    }
    if (!hasCommunicators) {
      throw JsonTokens.damaged("it has no communicators");
    }
    List<RasAnswer.Communicator> all = new ArrayList<>();
    for (Found each : found) {
      all.add(
          new RasAnswer.Communicator(
              id(each), each.size, each.missing, each.ranks, OptionalLong.empty()));
    }
    return new RasAnswer(version, all, hosts.size(), 0, 0);
  }

  /** Communicators may have one hash; then their second one tells them apart. */
  private String id(Found of) {
    String id = RasAnswer.id(of.hash);
    return hashes.get(of.hash) == 1 ? id : id + "-" + RasAnswer.id(of.second);
  }

  /** TEXT for a key, CLOSE_OBJECT behind the last one. */
  private Kind key() throws IOException {
    Kind next = in.next();
    if (next != Kind.TEXT && next != Kind.CLOSE_OBJECT) {
      throw JsonTokens.damaged(next + " instead of a key");
    }
    return next;
  }

  /** OPEN_OBJECT for an element, CLOSE_ARRAY behind the last one. */
  private Kind element() throws IOException {
    Kind next = in.next();
    if (next != Kind.OPEN_OBJECT && next != Kind.CLOSE_ARRAY) {
      throw JsonTokens.damaged(next + " instead of an element");
    }
    return next;
  }

  private void communicator() throws IOException {
    Found of = new Found();
    for (Kind key = key(); key == Kind.TEXT; key = key()) {
      String name = in.text();
      Kind value = in.next();
      switch (name) {
        case "hash" -> of.hash = hash(in.text());
        case "secondary_hash" -> of.second = second(in.text());
        case "size" -> of.size = count();
        case "missing_ranks_count" -> of.missingCount = count();
        case "ranks" -> ranks(of, value, false);
        case "missing_ranks" -> ranks(of, value, true);
        default -> in.skip(value);
      }
    }
    of.missing = of.hasMissing ? of.missing : of.missingCount;
    hashes.merge(of.hash, 1, Integer::sum);
    if (hashes.size() > MOST_HOSTS) {
      throw JsonTokens.damaged("it has more than " + MOST_HOSTS + " communicators");
    }
    if (!of.ranks.isEmpty()) {
      found.add(of);
    }
  }

  private int count() {
    return Math.clamp(in.number(), 0, Integer.MAX_VALUE);
  }

  private void ranks(Found of, Kind value, boolean areMissing) throws IOException {
    if (value != Kind.OPEN_ARRAY) {
      throw JsonTokens.damaged("it has no list of ranks");
    }
    of.hasMissing |= areMissing;
    for (Kind each = element(); each == Kind.OPEN_OBJECT; each = element()) {
      rank(of, areMissing);
    }
  }

  private void rank(Found of, boolean isMissing) throws IOException {
    int rank = -1;
    int pid = -1;
    int device = -1;
    long operations = 0;
    boolean isHere = false;
    boolean isSilent = false;
    for (Kind key = key(); key == Kind.TEXT; key = key()) {
      String name = in.text();
      Kind value = in.next();
      switch (name) {
        case "rank" -> rank = count();
        case "host" -> isHere = isHere(in.text());
        case "pid" -> pid = Math.clamp(in.number(), -1, Integer.MAX_VALUE);
        case "nvml_dev" -> device = count();
        case "collective_counts" -> operations = sum(value);
        case "status" -> isSilent = isSilent(value);
        default -> in.skip(value);
      }
    }
    if (isMissing && isSilent) {
      of.missing++;
    }
    // A process that answers and is not in the communicator has left it.
    boolean counts = !isMissing || isSilent;
    if (isHere && pid > 0 && rank >= 0 && counts && kept < MOST_RANKS) {
      kept++;
      of.ranks.add(
          new RasAnswer.Rank(
              rank, pid, device, isMissing ? OptionalLong.empty() : OptionalLong.of(operations)));
    }
  }

  private boolean isHere(String host) {
    if (!host.equals(lastHost)) {
      lastHost = host;
      lastIsLocal = isLocal.test(host);
      if (hosts.size() < MOST_HOSTS) {
        hosts.add(host.hashCode());
      }
    }
    return lastIsLocal;
  }

  private long sum(Kind value) throws IOException {
    if (value != Kind.OPEN_OBJECT) {
      throw JsonTokens.damaged("it has no counts of operations");
    }
    long sum = 0;
    for (Kind key = key(); key == Kind.TEXT; key = key()) {
      Kind each = in.next();
      sum += each == Kind.WORD ? in.number() : 0;
      in.skip(each);
    }
    return sum;
  }

  private boolean isSilent(Kind value) throws IOException {
    if (value != Kind.OPEN_OBJECT) {
      throw JsonTokens.damaged("it has no status of a rank");
    }
    boolean isSilent = false;
    for (Kind key = key(); key == Kind.TEXT; key = key()) {
      boolean tells = in.text().equals("unresponsive") || in.text().equals("considered_dead");
      Kind each = in.next();
      isSilent |= tells && in.isTrue();
      in.skip(each);
    }
    return isSilent;
  }

  /** A hash as NCCL prints it, 0x and hexadecimal digits; 0 when it is none. */
  static long hash(String text) {
    try {
      return Long.parseUnsignedLong(
          text, text.startsWith("0x") ? 2 : 0, text.length(), HEXADECIMAL);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static long second(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? hash(text)
        : hash(text.substring(0, colon)) * 31 + hash(text.substring(colon + 1));
  }
}
