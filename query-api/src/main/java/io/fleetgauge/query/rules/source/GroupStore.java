package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups that were set by API. Deleted ones are remembered for {@link #MARKS_KEPT}, so that a
 * query API that was away does not bring them back. Writes wait for the disk; safe for all threads.
 */
public final class GroupStore {
  private static final Logger LOG = LoggerFactory.getLogger(GroupStore.class);

  /** Time for which it is remembered that a group was deleted. */
  static final Duration MARKS_KEPT = Duration.ofDays(30);

  /** Most groups with deleted ones, of all tenants. */
  private static final int MAX_KEPT = 200_000;

  private static final int MAX_NAME = 512;

  private final RuleFileReader reader;
  private final Limits limits;
  private final LongSupplier clock;
  private final Optional<GroupFolder> folder;
  private final Map<RuleGroup.Id, Entry> groups = new TreeMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final LongAdder overLimit = new LongAdder();
  private volatile long digest;

  /**
   * @param groups most groups of a tenant
   * @param rules most rules of a tenant
   */
  public record Limits(int groups, int rules) {}

  /** A group as it is known: the rules are there unless it is deleted or cannot be read. */
  private record Entry(StoredGroup stored, Optional<RuleGroup> group) {}

  /**
   * @param folder where groups are kept; without it none can be set here
   * @param clock ms since the epoch
   * @throws IOException if the folder cannot be used
   */
  public GroupStore(RuleFileReader reader, Limits limits, Optional<Path> folder, LongSupplier clock)
      throws IOException {
    this.reader = reader;
    this.limits = limits;
    this.clock = clock;
    this.folder =
        folder.isPresent()
            ? Optional.of(new GroupFolder(folder.get().resolve("groups")))
            : Optional.empty();
    if (this.folder.isPresent()) {
      for (StoredGroup stored : this.folder.get().read()) {
        put(stored, parsed(stored));
      }
    }
  }

  private Optional<RuleGroup> parsed(StoredGroup stored) {
    if (stored.isDeleted()) {
      return Optional.empty();
    }
    try {
      RuleGroup group =
          reader.readGroup(
              stored.id().tenant(),
              stored.id().file(),
              stored.text().getBytes(StandardCharsets.UTF_8));
      if (group.id().equals(stored.id())) {
        return Optional.of(group);
      }
      LOG.error("a rule group that was set by API is stored under the name {}", stored.id());
    } catch (InvalidRules e) {
      LOG.error(
          "a rule group that was set by API cannot be used, it is left out: {}", e.getMessage());
    }
    return Optional.empty();
  }

  /** Calls a listener after the groups have changed. */
  void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** All groups that can be used. */
  synchronized List<RuleGroup> groups() {
    return groups.values().stream().flatMap(kept -> kept.group().stream()).toList();
  }

  /** The texts of a tenant's groups by namespace and name. */
  public synchronized Map<String, Map<String, String>> texts(String tenant) {
    Map<String, Map<String, String>> texts = new TreeMap<>();
    for (Entry kept : groups.values()) {
      RuleGroup.Id id = kept.stored().id();
      if (id.tenant().equals(tenant) && !kept.stored().isDeleted()) {
        texts
            .computeIfAbsent(id.file(), none -> new TreeMap<>())
            .put(id.name(), kept.stored().text());
      }
    }
    return texts;
  }

  /**
   * Sets a group.
   *
   * @param text in YAML, with its name
   * @return the stored group, to be sent to the other query APIs
   * @throws InvalidRules with every problem of the text
   * @throws RuleLimit if the tenant would have too many groups or rules
   * @throws IOException if it cannot be written to disk
   */
  StoredGroup set(String tenant, String namespace, byte[] text)
      throws InvalidRules, RuleLimit, IOException {
    RuleGroup group = reader.readGroup(tenant, namespace, text);
    StoredGroup stored;
    synchronized (this) {
      checkLimits(group);
      stored =
          new StoredGroup(
              group.id(), nextVersion(group.id()), false, new String(text, StandardCharsets.UTF_8));
      keep(stored, Optional.of(group));
    }
    changed();
    return stored;
  }

  private void checkLimits(RuleGroup group) throws RuleLimit {
    RuleGroup.Id id = group.id();
    if (folder.isEmpty()) {
      throw new RuleLimit(
          "this query API has no rules.folder to keep rule groups in; set it, or use rules.files");
    }
    if (id.file().length() > MAX_NAME || id.name().length() > MAX_NAME) {
      throw limit("the name of a namespace or a group has more than " + MAX_NAME + " characters");
    }
    int others = 0;
    int rules = group.rules().size();
    for (Entry kept : groups.values()) {
      RuleGroup.Id other = kept.stored().id();
      if (other.tenant().equals(id.tenant()) && !other.equals(id) && !kept.stored().isDeleted()) {
        others++;
        rules += kept.group().map(each -> each.rules().size()).orElse(0);
      }
    }
    if (others + 1 > limits.groups()) {
      throw limit(
          "there would be more than " + limits.groups() + " rule groups; see rules.maxGroups");
    }
    if (rules > limits.rules()) {
      throw limit(
          "there would be "
              + rules
              + " rules, more than "
              + limits.rules()
              + "; see rules.maxRules");
    }
    if (groups.size() >= MAX_KEPT) {
      throw limit("all tenants together have " + MAX_KEPT + " rule groups, deleted ones included");
    }
  }

  private RuleLimit limit(String message) {
    overLimit.increment();
    return new RuleLimit(message);
  }

  /**
   * Deletes a group.
   *
   * @return the stored group, to be sent to the other query APIs; empty when there is no such group
   */
  Optional<StoredGroup> delete(RuleGroup.Id id) throws IOException {
    StoredGroup mark;
    synchronized (this) {
      Entry kept = groups.get(id);
      if (kept == null || kept.stored().isDeleted()) {
        return Optional.empty();
      }
      mark = new StoredGroup(id, nextVersion(id), true, "");
      keep(mark, Optional.empty());
    }
    changed();
    return Optional.of(mark);
  }

  /** Deletes all groups of a namespace; returns the marks. */
  List<StoredGroup> delete(String tenant, String namespace) throws IOException {
    List<StoredGroup> marks = new ArrayList<>();
    for (String name : texts(tenant).getOrDefault(namespace, Map.of()).keySet()) {
      delete(new RuleGroup.Id(tenant, namespace, name)).ifPresent(marks::add);
    }
    return marks;
  }

  /** Later than the version before, also where the clocks of query APIs differ. */
  private long nextVersion(RuleGroup.Id id) {
    Entry before = groups.get(id);
    long least = before == null ? 0 : before.stored().version() + 1;
    return Math.max(clock.getAsLong(), least);
  }

  private void keep(StoredGroup stored, Optional<RuleGroup> group) throws IOException {
    if (folder.isPresent()) {
      folder.get().write(stored);
    }
    put(stored, group);
  }

  private void put(StoredGroup stored, Optional<RuleGroup> group) {
    Entry before = groups.put(stored.id(), new Entry(stored, group));
    digest += stored.form().hash() - (before == null ? 0 : before.stored().form().hash());
  }

  /**
   * Takes what another query API has; older forms change nothing.
   *
   * @throws IOException if a group cannot be written to disk; those before it are taken
   */
  void merge(Collection<StoredGroup> others) throws IOException {
    boolean isChanged = false;
    try {
      synchronized (this) {
        for (StoredGroup other : others) {
          Entry kept = groups.get(other.id());
          boolean fits = kept != null || (groups.size() < MAX_KEPT && !isForgotten(other));
          if (fits && (kept == null || other.isNewerThan(kept.stored()))) {
            keep(other, parsed(other));
            isChanged = true;
          }
        }
      }
    } finally {
      if (isChanged) {
        changed();
      }
    }
  }

  private boolean isForgotten(StoredGroup stored) {
    return stored.isDeleted() && stored.version() < clock.getAsLong() - MARKS_KEPT.toMillis();
  }

  /**
   * Forgets groups that were deleted long ago.
   *
   * @throws IOException if the file of one stays; it is forgotten all the same, until a restart
   */
  synchronized void forget() throws IOException {
    List<StoredGroup> old =
        groups.values().stream().map(Entry::stored).filter(this::isForgotten).toList();
    Optional<IOException> failure = Optional.empty();
    for (StoredGroup mark : old) {
      groups.remove(mark.id());
      digest -= mark.form().hash();
      try {
        if (folder.isPresent()) {
          folder.get().remove(mark.id());
        }
      } catch (IOException e) {
        failure = Optional.of(e);
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /** Equal on query APIs that have the same forms of the same groups; never waits. */
  long digest() {
    return digest;
  }

  /** Which forms of groups are here. */
  synchronized List<StoredGroup.Version> versions() {
    return groups.values().stream().map(kept -> kept.stored().form()).toList();
  }

  /** The groups of another query API that may be newer than those here. */
  synchronized List<StoredGroup.Version> newer(Collection<StoredGroup.Version> others) {
    return others.stream()
        .filter(
            other -> {
              Entry kept = groups.get(other.id());
              if (kept == null || kept.stored().version() < other.version()) {
                return true;
              }
              return kept.stored().version() == other.version()
                  && kept.stored().form().check() != other.check();
            })
        .toList();
  }

  /** The groups of these names, as many as have texts of some bytes together. */
  synchronized List<StoredGroup> read(Collection<StoredGroup.Version> wanted, int maxBytes) {
    List<StoredGroup> found = new ArrayList<>();
    int bytes = 0;
    for (StoredGroup.Version each : wanted) {
      Entry kept = groups.get(each.id());
      if (kept != null) {
        bytes += kept.stored().text().length() + 3 * MAX_NAME;
        if (bytes > maxBytes && !found.isEmpty()) {
          break;
        }
        found.add(kept.stored());
      }
    }
    return found;
  }

  private void changed() {
    listeners.forEach(Runnable::run);
  }

  /** The number of groups that cannot be used. */
  synchronized long unusable() {
    return groups.values().stream()
        .filter(kept -> !kept.stored().isDeleted() && kept.group().isEmpty())
        .count();
  }

  /** The number of groups that were refused because of a limit. */
  long overLimit() {
    return overLimit.sum();
  }
}
