package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.episode.Episode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * All episodes that are open or lately over, as they were told and as they are now. What is found
 * again under another identity, because samples came late or another process found it before, is
 * given the identity that was told.
 */
final class ToldEpisodes {
  /** What tells more in details only is told so often at most, ms. */
  private static final long DETAILS_MILLIS = 60_000;

  private static final String NOT_SO = "samples that arrived late do not show it";

  private final Map<String, Entry> entries = new LinkedHashMap<>();

  /** Identities by host or job. */
  private final Map<Object, Set<String>> byScope = new HashMap<>();

  /** An episode. */
  static final class Entry {
    final Object scope;
    Episode now;

    /** As it was told last; null if it was not told. */
    private Episode told;

    private long toldAt;
    private final boolean isRestored;

    private Entry(Object scope, Episode now, boolean isRestored) {
      this.scope = scope;
      this.now = now;
      this.told = isRestored ? now : null;
      this.isRestored = isRestored;
    }
  }

  void restore(Object scope, Episode episode) {
    put(episode.id(), new Entry(scope, episode, true));
  }

  private void put(String id, Entry entry) {
    entries.put(id, entry);
    byScope.computeIfAbsent(entry.scope, none -> new LinkedHashSet<>()).add(id);
  }

  /**
   * Takes an episode of a host: those of a host come in order.
   *
   * @param rename gives the episode another identity where it goes on
   */
  void take(Object scope, Episode episode, BiConsumer<String, String> rename) {
    Entry entry = entries.get(episode.id());
    if (entry == null) {
      entry = match(scope, episode, Set.of(), true);
      if (entry != null) {
        rename.accept(episode.id(), entry.now.id());
      }
    }
    set(scope, entry, episode);
  }

  /**
   * Takes all episodes of a job as they are known now; what is open and not among them is over.
   * Those of one identity come in order of time, and the last one counts: it went on after an end.
   *
   * @param isWhole false while samples of the job are missing: those that have come late may be a
   *     part of them, and all together may show it
   * @param isCatchingUp true while late samples come and some are still missing: nothing ends
   * @param rename gives an episode another identity where it goes on
   */
  void takeAll(
      Object scope,
      List<Episode> episodes,
      long time,
      boolean isWhole,
      boolean isCatchingUp,
      BiConsumer<String, String> rename) {
    Set<String> known = byScope.getOrDefault(scope, Set.of());
    if (episodes.isEmpty() && known.isEmpty()) {
      return;
    }
    Set<String> taken = new HashSet<>();
    episodes.forEach(each -> taken.add(each.id()));
    Map<String, String> renamed = new HashMap<>();
    for (Episode each : episodes) {
      Entry entry = entries.get(renamed.getOrDefault(each.id(), each.id()));
      if (entry == null) {
        entry = match(scope, each, taken, false);
        if (entry != null) {
          taken.add(entry.now.id());
          renamed.put(each.id(), entry.now.id());
          rename.accept(each.id(), entry.now.id());
        }
      }
      boolean isEnd = entry != null && entry.now.isOpen() && !each.isOpen();
      if (!isEnd || !isCatchingUp) {
        set(scope, entry, each);
      }
    }
    for (String id : known) {
      Entry entry = entries.get(id);
      if (isWhole && entry.now.isOpen() && !taken.contains(id)) {
        entry.now = entry.now.over(time, NOT_SO);
      }
    }
  }

  /** Ends all open episodes of a host or job. */
  void end(Object scope, long time, String reason) {
    for (String id : byScope.getOrDefault(scope, Set.of())) {
      Entry entry = entries.get(id);
      entry.now = entry.now.isOpen() ? entry.now.over(time, reason) : entry.now;
    }
  }

  private Entry match(Object scope, Episode episode, Set<String> taken, boolean isOnlyRestored) {
    for (String id : byScope.getOrDefault(scope, Set.of())) {
      Entry entry = entries.get(id);
      if (!taken.contains(id)
          && (entry.isRestored || !isOnlyRestored)
          && entry.now.isOfTheSameAs(episode)
          && entry.now.overlaps(episode)) {
        return entry;
      }
    }
    return null;
  }

  private void set(Object scope, Entry entry, Episode episode) {
    if (entry == null) {
      put(episode.id(), new Entry(scope, episode, false));
      return;
    }
    Episode before = entry.now;
    entry.now =
        episode
            .named(before.id())
            .related(
                episode.suspects(), before.suspectedCause(), before.related(), episode.shadow());
  }

  Collection<Entry> entries() {
    return entries.values();
  }

  List<Episode> open() {
    return entries.values().stream().map(each -> each.now).filter(Episode::isOpen).toList();
  }

  /** Takes what was not told yet, at a step. */
  List<Episode> changes(long time) {
    List<Episode> changes = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (tellsMore(entry, time)) {
        entry.told = entry.now;
        entry.toldAt = time;
        changes.add(entry.now);
      }
    }
    return changes;
  }

  private static boolean tellsMore(Entry entry, long time) {
    Episode told = entry.told;
    Episode now = entry.now;
    if (told == null) {
      return true;
    }
    if (!told.isOpen() && entry.isRestored) {
      // It was over already: samples of before are looked at again.
      return now.isOpen() && now.lastSeen() > told.over().getAsLong() && now.lastSeen() >= time;
    }
    return told.isOpen() != now.isOpen()
        || told.severity() != now.severity()
        || told.proven() != now.proven()
        || told.since() != now.since()
        || !told.over().equals(now.over())
        || time - entry.toldAt >= DETAILS_MILLIS && tellsDetails(told, now);
  }

  private static boolean tellsDetails(Episode told, Episode now) {
    return !told.cause().equals(now.cause())
        || now.count() >= 2 * told.count() && now.count() > told.count()
        || !Objects.equals(told.suspectedCause(), now.suspectedCause())
        || !told.related().equals(now.related())
        || !places(told).equals(places(now));
  }

  private static List<String> places(Episode episode) {
    return episode.suspects().stream().map(each -> each.host() + " " + each.uuid()).toList();
  }

  /** Forgets episodes that were over before a time. */
  void forget(long before) {
    entries
        .entrySet()
        .removeIf(
            entry -> {
              Entry each = entry.getValue();
              boolean isPast =
                  !each.now.isOpen() && each.told != null && each.now.over().getAsLong() < before;
              if (isPast) {
                Set<String> ids = byScope.get(each.scope);
                ids.remove(entry.getKey());
                if (ids.isEmpty()) {
                  byScope.remove(each.scope);
                }
              }
              return isPast;
            });
  }
}
