package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A GPU or a MIG instance: what of one measure it has at a time, and whose that is. */
final class Device {
  private static final Comparator<Track> BY_LABELS = Comparator.comparing(track -> track.labels);

  private final Map<Measure.Role, List<Track>> tracks = new EnumMap<>(Measure.Role.class);

  Device() {
    for (Measure.Role role : Measure.Role.values()) {
      tracks.put(role, new ArrayList<>());
    }
  }

  void add(Track track) {
    tracks.get(track.source.role()).add(track);
  }

  void remove(Track track) {
    tracks.get(track.source.role()).remove(track);
  }

  boolean isEmpty() {
    return tracks.values().stream().allMatch(List::isEmpty);
  }

  /** Returns true if it has a value of its own. */
  boolean hasValue() {
    for (Track track : tracks.get(Measure.Role.DEVICE)) {
      if (track.isHeld()) {
        return true;
      }
    }
    return false;
  }

  /** Receives what a group has of a device. */
  interface Receiver {
    void has(Group group, long value);
  }

  /**
   * Divides the device's value.
   *
   * @param receiver may be told of a group more than once
   */
  void divide(Groups groups, Receiver receiver) throws QueryFailure {
    List<Track> owners = newest(ofLowestRank(Measure.Role.DEVICE));
    List<Track> parts = parts();
    if (owners.isEmpty() && parts.isEmpty()) {
      return;
    }
    // Label sets of one device at one time have one value, unless a sender is wrong.
    long rest = owners.stream().mapToLong(Track::value).max().orElse(0);
    for (Track part : parts) {
      receiver.has(
          part.group(owners.isEmpty() ? part.labels : owners.getFirst().labels, groups),
          part.value());
      rest -= part.value();
    }
    if (rest < 0 || rest == 0 && !parts.isEmpty() || owners.isEmpty()) {
      return;
    }
    List<Track> sharers = newest(ofLowestRank(Measure.Role.SHARER));
    divide(rest, sharers.isEmpty() ? owners : sharers, owners.getFirst(), groups, receiver);
  }

  /** Divides a value evenly; the remainder goes to the first ones. */
  private static void divide(
      long value, List<Track> among, Track owner, Groups groups, Receiver receiver)
      throws QueryFailure {
    long share = value / among.size();
    long more = value % among.size();
    for (int i = 0; i < among.size(); i++) {
      receiver.has(among.get(i).group(owner.labels, groups), share + (i < more ? 1 : 0));
    }
  }

  private List<Track> ofLowestRank(Measure.Role role) {
    List<Track> found = new ArrayList<>();
    for (Track track : tracks.get(role)) {
      if (!track.isHeld()) {
        continue;
      }
      if (!found.isEmpty()) {
        int order = Integer.compare(track.source.rank(), found.getFirst().source.rank());
        if (order > 0) {
          continue;
        }
        if (order < 0) {
          found.clear();
        }
      }
      found.add(track);
    }
    return found;
  }

  /** Those of the newest samples, in order of labels. */
  private static List<Track> newest(List<Track> held) {
    if (held.size() < 2) {
      return held;
    }
    long newest = held.stream().mapToLong(Track::since).max().orElseThrow();
    held.removeIf(track -> track.since() < newest);
    held.sort(BY_LABELS);
    return held;
  }

  /** Parts of the device; of several label sets of a process or container the newest counts. */
  private List<Track> parts() {
    List<Track> held = ofLowestRank(Measure.Role.PART);
    if (held.size() < 2) {
      return held;
    }
    Map<String, Track> byPart = new HashMap<>();
    for (Track track : held) {
      byPart.merge(
          track.part,
          track,
          (one, other) -> {
            int order = Long.compare(one.since(), other.since());
            return (order == 0 ? BY_LABELS.compare(other, one) : order) > 0 ? one : other;
          });
    }
    for (Iterator<Track> each = held.iterator(); each.hasNext(); ) {
      Track track = each.next();
      if (byPart.get(track.part) != track) {
        each.remove();
      }
    }
    return held;
  }
}
