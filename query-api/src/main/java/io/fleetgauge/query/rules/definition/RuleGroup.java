package io.fleetgauge.query.rules.definition;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rules that are evaluated together, in order, at the same times.
 *
 * @param id its identity among all groups
 * @param interval from one evaluation to the next, ms, above 0
 * @param queryOffset time before that of an evaluation at which its queries look, ms; empty for the
 *     configured one
 * @param limit most series of a recording rule, or alerts of an alerting rule; none or 0 is no
 *     limit
 * @param labels added to those of each rule, unless the rule has one of that name
 * @param partial action of an evaluation when data is missing; empty for the configured choice
 */
public record RuleGroup(
    Id id,
    long interval,
    Optional<Long> queryOffset,
    OptionalInt limit,
    SortedMap<String, String> labels,
    Optional<Partial> partial,
    List<Rule> rules) {

  /**
   * @param tenant whose scope and limits the queries have; empty for the operator's own rules,
   *     which see everything
   * @param file the path of the rule file, or the namespace of a group that came by the API
   * @param name the group's name, unique in its file
   */
  public record Id(String tenant, String file, String name) implements Comparable<Id> {
    public Id {
      Objects.requireNonNull(tenant);
      Objects.requireNonNull(file);
      Objects.requireNonNull(name);
    }

    /** As Prometheus names a group in its metrics: {@code FILE;GROUP}. */
    public String key() {
      return file + ";" + name;
    }

    @Override
    public int compareTo(Id other) {
      int byTenant = tenant.compareTo(other.tenant);
      if (byTenant != 0) {
        return byTenant;
      }
      int byFile = file.compareTo(other.file);
      return byFile != 0 ? byFile : name.compareTo(other.name);
    }
  }

  /** The ways to go on when the queries of an evaluation cannot see all hosts. */
  public enum Partial {
    /** Alerts stay as they are, and recording rules write nothing. */
    KEEP,
    /** The rules are evaluated with what is there, and say that it is not all. */
    EVALUATE
  }

  public RuleGroup {
    rules = List.copyOf(rules);
  }

  /** The labels of a rule as they are written, those of the group included. */
  public SortedMap<String, String> labels(Rule rule) {
    SortedMap<String, String> all = new TreeMap<>(labels);
    all.putAll(rule.labels());
    return all;
  }
}
