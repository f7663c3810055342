package io.fleetgauge.gateway.ingest.host;

import java.util.ArrayList;
import java.util.List;

/**
 * A set of sequence numbers of one run, as ranges in ascending order with a gap between each two.
 * It holds at most {@link #MOST} ranges: what joins more of them has numbers that were not put in,
 * so it is used for what a gateway does not have, of which too much may be said.
 */
public record Sequences(List<Range> ranges) {
  /** Most ranges; beyond it the first two become one. */
  public static final int MOST = 64;

  public static final Sequences NONE = new Sequences(List.of());

  /** From the first number to the last, both included. */
  public record Range(long first, long last) {
    public Range {
      if (first < 0 || last < first) {
        throw new IllegalArgumentException("sequences from " + first + " to " + last);
      }
    }
  }

  public Sequences {
    ranges = List.copyOf(ranges);
    if (ranges.size() > MOST) {
      throw new IllegalArgumentException(ranges.size() + " ranges of sequences, most are " + MOST);
    }
    for (int i = 1; i < ranges.size(); i++) {
      if (ranges.get(i).first - 1 <= ranges.get(i - 1).last) {
        throw new IllegalArgumentException("ranges of sequences out of order: " + ranges);
      }
    }
  }

  /** Numbers from the first to the last; none when there is no number between them. */
  public static Sequences of(long first, long last) {
    return last < first ? NONE : new Sequences(List.of(new Range(first, last)));
  }

  /** All numbers after this one. */
  public static Sequences after(long last) {
    return last == Long.MAX_VALUE ? NONE : of(last + 1, Long.MAX_VALUE);
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  public Sequences and(Sequences other) {
    List<Range> both = new ArrayList<>();
    for (Range mine : ranges) {
      for (Range theirs : other.ranges) {
        long first = Math.max(mine.first, theirs.first);
        long last = Math.min(mine.last, theirs.last);
        if (first <= last) {
          both.add(new Range(first, last));
        }
      }
    }
    return bounded(both);
  }

  public Sequences minus(Sequences other) {
    List<Range> rest = ranges;
    for (Range gone : other.ranges) {
      List<Range> next = new ArrayList<>();
      for (Range each : rest) {
        if (each.last < gone.first || each.first > gone.last) {
          next.add(each);
        } else {
          if (each.first < gone.first) {
            next.add(new Range(each.first, gone.first - 1));
          }
          if (each.last > gone.last) {
            next.add(new Range(gone.last + 1, each.last));
          }
        }
      }
      rest = next;
    }
    return bounded(rest);
  }

  public Sequences or(Sequences other) {
    List<Range> all = new ArrayList<>(ranges);
    all.addAll(other.ranges);
    all.sort((a, b) -> Long.compare(a.first, b.first));
    List<Range> joined = new ArrayList<>();
    for (Range each : all) {
      Range before = joined.isEmpty() ? null : joined.getLast();
      if (before != null && each.first - 1 <= before.last) {
        joined.set(joined.size() - 1, new Range(before.first, Math.max(before.last, each.last)));
      } else {
        joined.add(each);
      }
    }
    return bounded(joined);
  }

  private static Sequences bounded(List<Range> ranges) {
    if (ranges.isEmpty()) {
      return NONE;
    }
    List<Range> kept = new ArrayList<>(ranges);
    while (kept.size() > MOST) {
      kept.set(0, new Range(kept.get(0).first, kept.remove(1).last));
    }
    return new Sequences(kept);
  }
}
