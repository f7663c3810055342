package io.fleetgauge.promql.usage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One value of a device: a gauge, or a counter. Its newest samples count, of whatever owner, so
 * that an owner who has gone does not count beside the next one.
 */
final class Slot {
  private static final Comparator<Track> BY_LABELS = Comparator.comparing(track -> track.labels);

  final Measure measure;
  final List<Track> tracks = new ArrayList<>(1);

  /** The label sets with the newest sample, in order; none without a value. */
  private List<Track> newest = List.of();

  private long since = Long.MIN_VALUE;

  // The last sample of a counter.
  private long countedAt = Long.MIN_VALUE;
  private long counted;

  Slot(Measure measure) {
    this.measure = measure;
  }

  /** Looks at its label sets, which have been moved to a time. */
  void look() {
    if (tracks.size() == 1) {
      Track only = tracks.getFirst();
      since = Math.max(since, only.since());
      boolean isNewest = only.isHeld() && only.since() == since;
      newest = isNewest ? tracks : List.of();
      return;
    }
    for (Track track : tracks) {
      since = Math.max(since, track.since());
    }
    List<Track> found = new ArrayList<>(tracks.size());
    for (Track track : tracks) {
      if (track.isHeld() && track.since() == since) {
        found.add(track);
      }
    }
    found.sort(BY_LABELS);
    newest = found;
  }

  boolean isHeld() {
    return !newest.isEmpty();
  }

  List<Track> newest() {
    return newest;
  }

  /** When its newest sample was taken, ms, whether or not it still counts. */
  long since() {
    return since;
  }

  /** Its value; label sets at one time have one value, unless a sender is wrong. */
  long value() {
    long most = newest.getFirst().value();
    for (int i = 1; i < newest.size(); i++) {
      most = Math.max(most, newest.get(i).value());
    }
    return most;
  }

  // --- counters ---

  long countedAt() {
    return countedAt;
  }

  /** Goes on to the end of a steady run. */
  void skip(long now, long end) {
    if (isHeld() && since == now) {
      look();
      if (since == end && measure.role == Measure.Role.COUNTER) {
        counted = value();
        countedAt = end;
      }
    }
  }

  /** Returns true if each of its label sets has a sample at a time and further ones. */
  boolean isSteady(long now) {
    return isHeld() && newest.getFirst().isSteady(now);
  }

  /** Counts on to the newest sample; returns by how much it has increased since the last one. */
  long count() {
    long now = value();
    long increase = now >= counted ? now - counted : now;
    counted = now;
    countedAt = since;
    return increase;
  }
}
