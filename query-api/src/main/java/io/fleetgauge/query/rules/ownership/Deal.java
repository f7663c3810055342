package io.fleetgauge.query.rules.ownership;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Deals groups to members: each to the first in the order that rendezvous hashing gives, unless
 * that one has its share already. A pure function, so all who know the same come to the same.
 *
 * @see <a href="https://arxiv.org/abs/1608.01350">Consistent Hashing with Bounded Loads</a>
 */
final class Deal {
  private Deal() {}

  /** A group with one of its definitions: members that know different ones do not share it. */
  record Entry(long group, long definition) {}

  /** Who evaluates a group, and who would go on if that one died. */
  record Chosen(String owner, Optional<String> shadow) {}

  private record Candidates(Entry entry, int weight, List<String> ranked) {}

  /**
   * @param known the weights of the groups that each live member knows
   */
  static Map<Entry, Chosen> of(SortedMap<String, Map<Entry, Integer>> known) {
    Map<Entry, Integer> weights = new HashMap<>();
    Map<Entry, List<String>> members = new HashMap<>();
    known.forEach(
        (member, entries) ->
            entries.forEach(
                (entry, weight) -> {
                  weights.merge(entry, weight, Math::max);
                  members.computeIfAbsent(entry, none -> new ArrayList<>()).add(member);
                }));
    List<Candidates> all = new ArrayList<>();
    members.forEach((entry, each) -> all.add(new Candidates(entry, weights.get(entry), each)));
    all.sort(
        Comparator.comparingInt((Candidates each) -> -each.weight)
            .thenComparingLong(each -> each.entry.group)
            .thenComparingLong(each -> each.entry.definition));
    long total = weights.values().stream().mapToLong(Integer::intValue).sum();
    long share = known.isEmpty() ? 0 : (total + known.size() - 1) / known.size();
    Map<String, Long> load = new TreeMap<>();
    Map<Entry, Chosen> dealt = new HashMap<>();
    for (Candidates each : all) {
      each.ranked.sort(
          Comparator.comparingLong((String member) -> GroupHash.rank(member, each.entry.group))
              .thenComparing(Comparator.naturalOrder()));
      String owner = owner(each, share, load);
      load.merge(owner, (long) each.weight, Long::sum);
      Optional<String> shadow =
          each.ranked.stream().filter(member -> !member.equals(owner)).findFirst();
      dealt.put(each.entry, new Chosen(owner, shadow));
    }
    return dealt;
  }

  private static String owner(Candidates of, long share, Map<String, Long> load) {
    for (String member : of.ranked) {
      if (load.getOrDefault(member, 0L) + of.weight <= share) {
        return member;
      }
    }
    return of.ranked.stream()
        .min(Comparator.comparingLong(member -> load.getOrDefault(member, 0L)))
        .orElseThrow();
  }
}
