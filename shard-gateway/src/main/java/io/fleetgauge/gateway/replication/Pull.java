package io.fleetgauge.gateway.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides how samples of a host that only another gateway has are fetched: compares the digests of
 * both, fetches the slots that differ, and compares again until nothing is left to fetch. Not
 * thread-safe.
 */
public final class Pull {
  /** After more rounds samples arrive faster than they are fetched, and the pull fails. */
  static final int MOST_ROUNDS = 5;

  /**
   * The samples in a slot of time. Equal slots have equal samples.
   *
   * @param to the time after the slot, ms
   * @param count number of samples
   * @param hash of series and times, independent of their order
   */
  public record Slot(long to, long count, long hash) {}

  /** The events that a pull is told. */
  public sealed interface Event {
    record Begin() implements Event {}

    /** The slots of both gateways, by their first time. */
    record Compared(SortedMap<Long, Slot> mine, SortedMap<Long, Slot> theirs) implements Event {}

    /**
     * Fetched samples are kept here.
     *
     * @param next the time at which the rest of the range begins
     */
    record Taken(long next) implements Event {}

    record Failed() implements Event {}
  }

  /** The work that follows from an event. */
  public sealed interface Effect {
    /** Computes the slots of this gateway and asks the other for its own. */
    record Compare() implements Effect {}

    /** Fetches the samples from {@code from} (included) to {@code to} (not), and keeps them. */
    record Fetch(long from, long to) implements Effect {}

    /**
     * The pull has ended.
     *
     * @param done whether all that the other has was fetched
     * @param compared what both have now; of a pull that failed, nothing
     */
    record End(boolean done, Comparison compared) implements Effect {}
  }

  /** From {@code from} on and before {@code to}, ms. */
  public record Range(long from, long to) {
    boolean overlaps(long otherFrom, long otherTo) {
      return from < otherTo && to > otherFrom;
    }
  }

  /**
   * The samples that two gateways have of a host. Times of which neither has a sample are in none
   * of both.
   *
   * @param same times of which both have the same samples
   * @param different times of which one has a sample that the other has not
   */
  public record Comparison(List<Range> same, List<Range> different) {
    public static final Comparison NOTHING = new Comparison(List.of(), List.of());

    static Comparison of(SortedMap<Long, Slot> mine, SortedMap<Long, Slot> theirs) {
      List<Range> same = new ArrayList<>();
      List<Range> different = new ArrayList<>();
      SortedMap<Long, Slot> all = new TreeMap<>(mine);
      all.putAll(theirs);
      all.forEach(
          (from, slot) ->
              (slot.equals(mine.get(from)) && slot.equals(theirs.get(from)) ? same : different)
                  .add(new Range(from, slot.to())));
      return new Comparison(same, different);
    }

    public boolean isEqual() {
      return different.isEmpty();
    }

    /** Returns true if both have samples of this time, and the same ones. */
    public boolean isSameIn(long from, long to) {
      return same.stream().anyMatch(each -> each.overlaps(from, to))
          && different.stream().noneMatch(each -> each.overlaps(from, to));
    }
  }

  private final Map<Long, Slot> fetched = new HashMap<>();
  private final Deque<Range> ranges = new ArrayDeque<>();
  private int rounds;

  public Effect on(Event event) {
    return switch (event) {
      case Event.Begin begin -> new Effect.Compare();
      case Event.Compared both -> compared(both.mine(), both.theirs());
      case Event.Taken taken -> taken(taken.next());
      case Event.Failed failed -> new Effect.End(false, Comparison.NOTHING);
    };
  }

  private Effect compared(SortedMap<Long, Slot> mine, SortedMap<Long, Slot> theirs) {
    rounds++;
    theirs.forEach(
        (from, slot) -> {
          // A slot that still differs after it was fetched has samples that only this gateway has.
          if (!slot.equals(mine.get(from)) && !slot.equals(fetched.get(from))) {
            fetched.put(from, slot);
            Range last = ranges.peekLast();
            if (last != null && last.to == from) {
              ranges.removeLast();
              ranges.add(new Range(last.from, slot.to()));
            } else {
              ranges.add(new Range(from, slot.to()));
            }
          }
        });
    if (ranges.isEmpty()) {
      return new Effect.End(true, Comparison.of(mine, theirs));
    }
    return rounds > MOST_ROUNDS ? new Effect.End(false, Comparison.NOTHING) : fetch();
  }

  private Effect taken(long next) {
    Range range = ranges.remove();
    if (next < range.to) {
      ranges.addFirst(new Range(next, range.to));
    }
    return ranges.isEmpty() ? new Effect.Compare() : fetch();
  }

  private Effect fetch() {
    return new Effect.Fetch(ranges.getFirst().from, ranges.getFirst().to);
  }
}
