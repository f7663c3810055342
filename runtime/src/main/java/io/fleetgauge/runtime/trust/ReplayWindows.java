package io.fleetgauge.runtime.trust;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which requests were received before. A request is known by its sender and number, and senders
 * number their requests in order. Of each sender the newest numbers are remembered, in one bit
 * each; an older number counts as received. Not for several threads.
 *
 * <p>Memory is bounded: 8 KiB for a sender, which are 65,536 numbers, and 8 MiB for all. A sender
 * with few requests takes 512 bytes. A sender is forgotten only when all its requests are too old
 * to be accepted; when there is no place for another one, its requests are rejected.
 */
final class ReplayWindows {
  static final int MAX_SENDERS = 10_000;
  static final int MAX_WORDS_OF_SENDER = 1 << 10;
  static final int MAX_WORDS = 1 << 20;

  /** 4,096 numbers, so that the first requests of a sender may overtake each other by far. */
  static final int FIRST_WORDS = 1 << 6;

  private final int maxSenders;
  private final int maxWords;
  private final long skewMillis;
  // By sender; the one that was silent longest is first.
  private final Map<Long, Window> windows = new LinkedHashMap<>(16, 0.75f, true);
  private int words;

  /**
   * @param maxWords for all senders, of 64 numbers each; at least {@link #FIRST_WORDS} for each
   * @param skewMillis how much the time of a request may differ from the receiver's
   */
  ReplayWindows(int maxSenders, int maxWords, long skewMillis) {
    this.maxSenders = maxSenders;
    this.maxWords = maxWords;
    this.skewMillis = skewMillis;
  }

  /** The newest numbers of one sender, as bits of a ring. */
  private static final class Window {
    private long[] bits = new long[FIRST_WORDS];
    private long newest;
    private long newestTime;
    private long turns;
    private long turnedAt;

    Window(long number, long time) {
      newest = number - 1;
      newestTime = time;
      turns = number;
      turnedAt = time;
    }

    private static int size(long[] ring) {
      return ring.length * Long.SIZE;
    }

    private static void set(long[] ring, long number) {
      int index = (int) (number & size(ring) - 1);
      ring[index >> 6] |= 1L << index;
    }

    boolean has(long number) {
      int index = (int) (number & size(bits) - 1);
      return number <= newest - size(bits) || (bits[index >> 6] & 1L << index) != 0;
    }

    /** Numbers that were not remembered count as received. */
    void grow() {
      long[] larger = new long[2 * bits.length];
      for (long number = newest - size(larger) + 1; number <= newest; number++) {
        if (has(number)) {
          set(larger, number);
        }
      }
      bits = larger;
    }

    void advance(long number) {
      if (number - newest >= size(bits)) {
        Arrays.fill(bits, 0);
      } else {
        for (long skipped = newest + 1; skipped <= number; skipped++) {
          int index = (int) (skipped & size(bits) - 1);
          bits[index >> 6] &= ~(1L << index);
        }
      }
      newest = number;
    }
  }

  /** The number of words of 64 numbers that are remembered. */
  int words() {
    return words;
  }

  /** The number of senders that are remembered. */
  int senders() {
    return windows.size();
  }

  /**
   * Remembers a request.
   *
   * @param time when it was signed, ms
   * @param now ms; the time differs from it by no more than the skew
   * @return why it is rejected; empty when it is new
   */
  Optional<RejectionReason> add(long sender, long number, long time, long now) {
    Window window = windows.get(sender);
    if (window == null) {
      forget(now);
      if (windows.size() >= maxSenders) {
        return Optional.of(RejectionReason.SENDERS);
      }
      window = new Window(number, time);
      windows.put(sender, window);
      words += FIRST_WORDS;
    }
    if (number > window.newest) {
      turn(window, number, time);
      window.advance(number);
    } else if (window.has(number)) {
      return Optional.of(RejectionReason.REPEATED);
    }
    Window.set(window.bits, number);
    window.newestTime = Math.max(window.newestTime, time);
    return Optional.empty();
  }

  /** A ring grows while its numbers are used up within the time that requests are accepted. */
  private void turn(Window window, long number, long time) {
    if (number - window.turns < Window.size(window.bits)) {
      return;
    }
    boolean isFast = time - window.turnedAt < 2 * skewMillis;
    window.turns = number;
    window.turnedAt = time;
    int kept = FIRST_WORDS * (maxSenders - windows.size());
    if (isFast
        && window.bits.length < MAX_WORDS_OF_SENDER
        && words + window.bits.length + kept <= maxWords) {
      words += window.bits.length;
      window.grow();
    }
  }

  private void forget(long now) {
    for (Iterator<Window> all = windows.values().iterator(); all.hasNext(); ) {
      Window window = all.next();
      if (window.newestTime >= now - skewMillis) {
        return;
      }
      words -= window.bits.length;
      all.remove();
    }
  }
}
