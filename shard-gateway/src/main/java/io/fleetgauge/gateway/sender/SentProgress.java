package io.fleetgauge.gateway.sender;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The times of one host up to which its samples have left for one receiver. Not for several
 * threads.
 *
 * <p>Everything up to {@link #until} has left, except what lies in a gap. Times are ms since the
 * epoch, and ranges are left-open, as those of queries are.
 */
final class SentProgress {
  /** Above it, the two that lie closest together become one: what is between them leaves twice. */
  static final int MAX_GAPS = 256;

  private long until;
  private final List<Range> gaps = new ArrayList<>();

  /** After {@code after} and up to {@code to}. */
  record Range(long after, long to) {
    Range {
      if (after >= to) {
        throw new IllegalArgumentException(after + " is not before " + to);
      }
    }

    boolean contains(long time) {
      return after < time && time <= to;
    }
  }

  SentProgress(long until) {
    this(until, List.of());
  }

  SentProgress(long until, List<Range> gaps) {
    this.until = until;
    gaps.forEach(this::add);
  }

  long until() {
    return until;
  }

  List<Range> gaps() {
    return List.copyOf(gaps);
  }

  SentProgress copy() {
    return new SentProgress(until, gaps);
  }

  /**
   * The range of new samples that leaves next.
   *
   * @param settled the time up to which samples are there
   * @param longest of a range, ms
   */
  Optional<Range> next(long settled, long longest) {
    return settled <= until
        ? Optional.empty()
        : Optional.of(new Range(until, Math.min(settled, until + longest)));
  }

  /** All up to a time has left, or has been put into a gap. */
  void left(long to) {
    until = Math.max(until, to);
  }

  /**
   * Leaves out what is older than a time, if the new samples are too far behind: it is a gap then.
   *
   * @param most how far behind they may be, ms
   * @param kept of the newest time that is not left out, ms
   */
  void skip(long settled, long most, long kept) {
    if (settled - until > most) {
      add(new Range(until, settled - kept));
      until = settled - kept;
    }
  }

  /** The part of the oldest gap that leaves next. */
  Optional<Range> nextGap(long longest) {
    return gaps.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Range(
                gaps.getFirst().after,
                Math.min(gaps.getFirst().to, gaps.getFirst().after + longest)));
  }

  /** A part of a gap has left. */
  void filled(Range part) {
    List<Range> before = List.copyOf(gaps);
    gaps.clear();
    for (Range each : before) {
      if (each.to <= part.after || part.to <= each.after) {
        gaps.add(each);
        continue;
      }
      if (each.after < part.after) {
        gaps.add(new Range(each.after, part.after));
      }
      if (part.to < each.to) {
        gaps.add(new Range(part.to, each.to));
      }
    }
  }

  /** Has not left, although it is not newer than {@link #until}. */
  void add(Range gap) {
    int at = 0;
    while (at < gaps.size() && gaps.get(at).to < gap.after) {
      at++;
    }
    long after = gap.after;
    long to = gap.to;
    while (at < gaps.size() && gaps.get(at).after <= to) {
      after = Math.min(after, gaps.get(at).after);
      to = Math.max(to, gaps.get(at).to);
      gaps.remove(at);
    }
    gaps.add(at, new Range(after, to));
    if (gaps.size() > MAX_GAPS) {
      joinClosest();
    }
  }

  private void joinClosest() {
    int closest = 1;
    for (int i = 2; i < gaps.size(); i++) {
      if (between(i) < between(closest)) {
        closest = i;
      }
    }
    Range later = gaps.remove(closest);
    gaps.set(closest - 1, new Range(gaps.get(closest - 1).after, later.to));
  }

  private long between(int i) {
    return gaps.get(i).after - gaps.get(i - 1).to;
  }

  /** Forgets gaps whose samples have expired; returns the time of them that is lost, ms. */
  long expire(long before) {
    long lost = 0;
    while (!gaps.isEmpty() && gaps.getFirst().after < before) {
      Range first = gaps.removeFirst();
      lost += Math.min(first.to, before) - first.after;
      if (first.to > before) {
        gaps.addFirst(new Range(before, first.to));
        break;
      }
    }
    return lost;
  }
}
