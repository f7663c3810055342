package io.fleetgauge.gateway.store.read;

import java.util.ArrayList;
import java.util.List;

/**
 * Times of which samples of a host may be missing here: those of blocks that could not be read, and
 * those of which another gateway may have acknowledged samples that are not here. The lane's writer
 * changes them; any thread reads.
 */
public final class MissingTimes {
  /** Above this number the oldest gap grows instead, so that the list stays short. */
  static final int MAX_GAPS = 16;

  private volatile List<Range> lost = List.of();
  private volatile List<Range> gaps = List.of();

  /** From {@code from} on and before {@code to}, ms. */
  public record Range(long from, long to) {
    boolean overlaps(long after, long upTo) {
      return from <= upTo && to > after;
    }
  }

  /** A block with samples of this time could not be read. */
  public void addLost(Range time) {
    List<Range> more = new ArrayList<>(lost);
    more.add(time);
    lost = List.copyOf(more);
  }

  /** The block of exactly this time has been read from another file. */
  public void found(long from, long to) {
    lost = lost.stream().filter(each -> each.from != from || each.to != to).toList();
  }

  /** The times of the blocks that could not be read. */
  public List<Range> lost() {
    return lost;
  }

  /** Samples from {@code from} on and before {@code to} may be on another gateway only. */
  public void addGap(long from, long to) {
    List<Range> more = new ArrayList<>(gaps);
    if (more.size() >= MAX_GAPS) {
      Range first = more.getFirst();
      more.set(0, new Range(Math.min(first.from, from), Math.max(first.to, to)));
    } else {
      more.add(new Range(from, to));
    }
    gaps = List.copyOf(more);
  }

  /** The samples of all gaps have been copied to here. */
  public void closeGaps() {
    gaps = List.of();
  }

  public boolean hasGaps() {
    return !gaps.isEmpty();
  }

  public boolean hasLost() {
    return !lost.isEmpty();
  }

  /** Returns true if samples after {@code after} and up to {@code to} may be missing. */
  public boolean overlaps(long after, long to) {
    return anyOverlaps(lost, after, to) || anyOverlaps(gaps, after, to);
  }

  private static boolean anyOverlaps(List<Range> ranges, long after, long to) {
    for (Range each : ranges) {
      if (each.overlaps(after, to)) {
        return true;
      }
    }
    return false;
  }

  /** Removes ranges that end at or before a time, whose samples have expired. */
  public void forgetBefore(long time) {
    lost = lost.stream().filter(each -> each.to > time).toList();
    gaps = gaps.stream().filter(each -> each.to > time).toList();
  }
}
