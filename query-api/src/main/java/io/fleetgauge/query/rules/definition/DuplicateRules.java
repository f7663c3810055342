package io.fleetgauge.query.rules.definition;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Rules with one name and the same labels. They are allowed: alerts of two rules often differ by
 * severity only. Two recording rules that write the same series contradict each other.
 */
public final class DuplicateRules {
  private DuplicateRules() {}

  private record Key(String name, SortedMap<String, String> labels) {}

  /** One text for each rule that is there more than once, in the order of the rules. */
  public static List<String> of(List<RuleGroup> groups) {
    Map<Key, Integer> counts = new HashMap<>();
    List<Key> keys =
        groups.stream()
            .flatMap(
                group ->
                    group.rules().stream().map(rule -> new Key(rule.name(), group.labels(rule))))
            .toList();
    keys.forEach(key -> counts.merge(key, 1, Integer::sum));
    return keys.stream()
        .distinct()
        .filter(key -> counts.get(key) > 1)
        .map(
            key ->
                counts.get(key)
                    + " rules have the name \""
                    + key.name()
                    + "\" and the labels "
                    + key.labels())
        .toList();
  }
}
