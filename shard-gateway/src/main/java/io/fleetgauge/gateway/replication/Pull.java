package io.fleetgauge.gateway.replication;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;

/**
 * Brings what another gateway has of a host and this one has not: compares what both have by slots
 * of time, fetches the slots that differ, and compares again until nothing is left to fetch. Not
 * for several threads.
 */
public final class Pull {
  /** More rounds than that mean that something comes faster than it is fetched. */
  static final int MOST_ROUNDS = 5;

  /**
   * What stands in a slot: equal ones have equal samples.
   *
   * @param to the time behind it, ms
   * @param count how many samples
   * @param hash of series and times, whatever their order
   */
  public record Slot(long to, long count, long hash) {}

  /** What happens. */
  public sealed interface Event {
    record Begin() implements Event {}

    /** What both have, by the first time of the slot. */
    record Compared(SortedMap<Long, Slot> mine, SortedMap<Long, Slot> theirs) implements Event {}

    /**
     * Samples that were fetched are kept here.
     *
     * @param next the time from which on the rest of the slot has to be fetched
     */
    record Taken(long next) implements Event {}

    record Failed() implements Event {}
  }

  /** What has to be done. */
  public sealed interface Effect {
    /** Asks the other for its slots and finds one's own. */
    record Compare() implements Effect {}

    /** Fetches samples from {@code from} on and before {@code to}, and keeps them. */
    record Fetch(long from, long to) implements Effect {}

    /**
     * It is over.
     *
     * @param done whether all that the other has is here
     * @param equal whether both have the same
     */
    record End(boolean done, boolean equal) implements Effect {}
  }

  private record Range(long from, long to) {}

  private final Map<Long, Slot> fetched = new HashMap<>();
  private final Deque<Range> ranges = new ArrayDeque<>();
  private int rounds;

  public Effect on(Event event) {
    return switch (event) {
      case Event.Begin begin -> new Effect.Compare();
      case Event.Compared both -> compared(both.mine(), both.theirs());
      case Event.Taken taken -> taken(taken.next());
      case Event.Failed failed -> new Effect.End(false, false);
    };
  }

  private Effect compared(SortedMap<Long, Slot> mine, SortedMap<Long, Slot> theirs) {
    rounds++;
    theirs.forEach(
        (from, slot) -> {
          // What was fetched once and differs still is what only this side has.
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
      return new Effect.End(true, Objects.equals(mine, theirs));
    }
    return rounds > MOST_ROUNDS ? new Effect.End(false, false) : fetch();
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
