package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.runtime.process.Meters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** The groups that are bundled, of files and of the API together. Safe for all threads. */
public final class RuleSource {
  private final List<RuleGroup> bundled;
  private final RuleFiles files;
  private final GroupStore store;
  private volatile List<RuleGroup> groups;

  private RuleSource(List<RuleGroup> bundled, RuleFiles files, GroupStore store) {
    this.bundled = bundled;
    this.files = files;
    this.store = store;
    this.groups = all();
    files.onChange(this::update);
    store.onChange(this::update);
  }

  /**
   * Reads everything.
   *
   * @param clock ms since the epoch
   * @throws InvalidRules with every problem of the files
   * @throws IOException if {@code rules.folder} cannot be used
   */
  public static RuleSource open(RulesSettings settings, RuleFileReader reader, LongSupplier clock)
      throws InvalidRules, IOException {
    Map<String, List<String>> patterns = new TreeMap<>(settings.tenants());
    patterns.put("", settings.files());
    GroupStore.Limits limits = new GroupStore.Limits(settings.maxGroups(), settings.maxRules());
    RuleFiles files = new RuleFiles(patterns, reader, limits, clock);
    files.reload();
    List<RuleGroup> bundled =
        settings.bundled() ? BundledRules.read(reader, settings.runbooks()) : List.of();
    return new RuleSource(bundled, files, new GroupStore(reader, limits, settings.folder(), clock));
  }

  public RuleFiles files() {
    return files;
  }

  public GroupStore store() {
    return store;
  }

  /** All groups, in the order of tenant, file and name; the same list until they change. */
  public List<RuleGroup> groups() {
    return groups;
  }

  private synchronized void update() {
    groups = all();
  }

  /** A group of a file takes the place of one of the API that has its name. */
  private List<RuleGroup> all() {
    Map<RuleGroup.Id, RuleGroup> all = new TreeMap<>();
    bundled.forEach(group -> all.put(group.id(), group));
    files.groups().forEach(group -> all.put(group.id(), group));
    store.groups().forEach(group -> all.putIfAbsent(group.id(), group));
    return List.copyOf(all.values());
  }

  /** Declares what is counted. */
  public void declare(Meters meters) {
    meters.gauge(
        "rule_files_last_reload_successful",
        "Whether the last reload of rule files succeeded, 1 or 0.",
        () -> files.status().isGood() ? 1 : 0);
    meters.gauge(
        "rule_files_last_reload_success_timestamp_seconds",
        "Time of the last successful reload of rule files, seconds since the epoch.",
        () -> files.status().lastSuccess() / 1000.0);
    meters.counter(
        "rule_files_reloads",
        "Reloads of rule files that succeeded.",
        () -> files.status().successes());
    meters.counter(
        "rule_files_reload_failures",
        "Reloads of rule files that failed; the previous rules stayed in use.",
        () -> files.status().failures());
    meters.gauge(
        "rule_file_problems",
        "Problems of the last reload of rule files.",
        () -> files.status().problems().size());
    meters.gauge(
        "rule_groups",
        "Rule groups, bundled ones and those of files and of the API.",
        () -> groups.size());
    meters.gauge(
        "rules",
        "Rules of all rule groups.",
        () -> groups.stream().mapToLong(group -> group.rules().size()).sum());
    meters.gauge(
        "rule_groups_unusable",
        "Rule groups that were set by API and cannot be used by this query API.",
        store::unusable);
    meters.counter(
        "rule_groups_over_limit",
        "Rule groups that the API rejected because of rules.maxGroups, rules.maxRules or the length"
            + " of a name.",
        store::overLimit);
  }
}
