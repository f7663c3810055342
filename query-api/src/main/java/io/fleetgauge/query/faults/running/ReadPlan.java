package io.fleetgauge.query.faults.running;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is read for steps: the samples of all hosts since the step before, and of hosts that are
 * behind those since their last one, a few hosts at a time.
 */
final class ReadPlan {
  /** Samples that are later than this are not looked at, ms. */
  static final long LATEST_MILLIS = 3_600_000;

  static final String HOST = "Hostname";

  private static final int HOSTS_AT_ONCE = 200;
  private static final int BEHIND_AT_ONCE = 5;

  /** Beginnings of the ranges of hosts that are behind are rounded down to this, ms. */
  private static final long ROUND_MILLIS = 300_000;

  private static final Matcher METRICS =
      Matcher.of(Matcher.Kind.REGEX, Labels.NAME, String.join("|", Signal.metrics()));

  private ReadPlan() {}

  /**
   * A read.
   *
   * @param behind hosts that only this read is for; empty for one of hosts that are not behind
   */
  record Part(Selection selection, Set<String> behind) {}

  /**
   * @param hosts all that are known
   * @param last the time of the newest sample of each host that has been read, ms since the epoch
   * @param after samples up to this time have been read of hosts that are not behind
   * @param to samples up to this time are read
   * @param slack a host is behind when its newest sample is older than {@code after} by more
   */
  static List<Part> of(
      Collection<String> hosts, Map<String, Long> last, long after, long to, long slack) {
    Set<String> current = new TreeSet<>(hosts);
    Map<Long, Set<String>> behind = new TreeMap<>();
    last.forEach(
        (host, time) -> {
          if (time < after - slack) {
            current.remove(host);
            long from = Math.max(to - LATEST_MILLIS, time - Math.floorMod(time, ROUND_MILLIS));
            behind.computeIfAbsent(from, none -> new TreeSet<>()).add(host);
          }
        });
    List<Part> parts = new ArrayList<>();
    if (hosts.size() <= HOSTS_AT_ONCE) {
      // All, so that a host that nobody knows yet is read too.
      parts.add(new Part(new Selection(List.of(METRICS), after - slack, to), Set.of()));
    } else {
      for (Set<String> some : split(current, HOSTS_AT_ONCE)) {
        parts.add(new Part(selection(some, after - slack, to), Set.of()));
      }
    }
    behind.forEach(
        (from, those) -> {
          // Those that have been silent for long have few samples, if any.
          int most = from <= to - LATEST_MILLIS ? HOSTS_AT_ONCE : BEHIND_AT_ONCE;
          for (Set<String> some : split(those, most)) {
            parts.add(new Part(selection(some, from, to), some));
          }
        });
    return parts;
  }

  private static List<Set<String>> split(Set<String> hosts, int most) {
    List<Set<String>> parts = new ArrayList<>();
    Set<String> part = new TreeSet<>();
    for (String host : hosts) {
      part.add(host);
      if (part.size() == most) {
        parts.add(part);
        part = new TreeSet<>();
      }
    }
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return parts;
  }

  private static Selection selection(Set<String> hosts, long from, long to) {
    return new Selection(List.of(METRICS, anyOf(HOST, hosts)), from, to);
  }

  /** A matcher for a label that has one of some values. */
  static Matcher anyOf(String label, Collection<String> values) {
    List<String> quoted = new ArrayList<>();
    for (String value : values) {
      quoted.add(value.replaceAll("[\\\\.+*?()|\\[\\]{}^$]", "\\\\$0"));
    }
    return Matcher.of(Matcher.Kind.REGEX, label, String.join("|", quoted));
  }
}
