package io.fleetgauge.runtime.discovery;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Decides which addresses are used and when is asked again: events in, effects out. Not for several
 * threads.
 */
final class DiscoveryMachine {
  static final long FIRST_BACK_OFF_MILLIS = 500;

  /** Longer only with a longer refresh. */
  static final long LONGEST_BACK_OFF_MILLIS = 10_000;

  /** An event. Times are ms since the epoch. */
  sealed interface Event {
    /** A file with the last answer of an earlier run was read. */
    record Cached(List<String> addresses, long at) implements Event {}

    record Due() implements Event {}

    /**
     * @param addresses at least one
     * @param leftOut which entries of the answer are no addresses; empty if all are
     */
    record Answered(List<String> addresses, Optional<String> leftOut, long at) implements Event {}

    record Failed(String reason) implements Event {}
  }

  /** An effect, to be carried out. */
  sealed interface Effect {
    record Ask() implements Effect {}

    record Wait(long millis) implements Effect {}

    /** From now on these are the addresses. */
    record Use(List<String> addresses) implements Effect {}

    /** Writes an answer to the disk. */
    record Keep(List<String> addresses, long at) implements Effect {}
  }

  private final long refreshMillis;
  private final RandomGenerator random;
  private List<String> used = List.of();
  private boolean isFromCache;
  private long usedAt;
  private long keptAt;
  private boolean isAsking;
  private boolean isAnswered;
  private int failuresInARow;
  private Optional<String> trouble = Optional.empty();
  private Optional<String> leftOut = Optional.empty();

  DiscoveryMachine(long refreshMillis, RandomGenerator random) {
    this.refreshMillis = refreshMillis;
    this.random = random;
  }

  /** The addresses that were discovered last; empty before. */
  List<String> used() {
    return used;
  }

  /** When the addresses in use were answered, ms since the epoch; 0 when there are none. */
  long usedAt() {
    return usedAt;
  }

  /** Tells whether the addresses in use are those of an earlier run. */
  boolean isFromCache() {
    return isFromCache;
  }

  /** Tells whether there was a good answer since the start. */
  boolean isAnswered() {
    return isAnswered;
  }

  /** Why the last question was not answered well; empty when it was. */
  Optional<String> trouble() {
    return trouble;
  }

  /** Which entries of the last answer are no addresses; empty if all are. */
  Optional<String> leftOut() {
    return leftOut;
  }

  void on(Event event, Consumer<Effect> effects) {
    switch (event) {
      case Event.Cached cached -> {
        if (!isAnswered) {
          isFromCache = true;
          keptAt = cached.at();
          use(cached.addresses(), cached.at(), effects);
        }
      }
      case Event.Due due -> {
        if (!isAsking) {
          isAsking = true;
          effects.accept(new Effect.Ask());
        }
      }
      case Event.Answered answered -> {
        leftOut = answered.leftOut();
        answered(answered.addresses(), answered.at(), effects);
      }
      case Event.Failed failed -> {
        isAsking = false;
        failuresInARow++;
        trouble = Optional.of(failed.reason());
        leftOut = Optional.empty();
        effects.accept(new Effect.Wait(backOff()));
      }
    }
  }

  private void answered(List<String> addresses, long at, Consumer<Effect> effects) {
    isAsking = false;
    failuresInARow = 0;
    trouble = Optional.empty();
    isAnswered = true;
    isFromCache = false;
    boolean isNew = !addresses.equals(used);
    use(addresses, at, effects);
    // Once an hour besides, so that the age of the file says something.
    if (isNew || at - keptAt >= 3_600_000) {
      keptAt = at;
      effects.accept(new Effect.Keep(addresses, at));
    }
    effects.accept(new Effect.Wait(jittered(refreshMillis)));
  }

  private void use(List<String> addresses, long at, Consumer<Effect> effects) {
    boolean isNew = !addresses.equals(used);
    used = List.copyOf(addresses);
    usedAt = at;
    if (isNew) {
      effects.accept(new Effect.Use(used));
    }
  }

  /** Doubles with each failure. */
  private long backOff() {
    long longest = Math.max(refreshMillis, LONGEST_BACK_OFF_MILLIS);
    return jittered(Math.min(longest, FIRST_BACK_OFF_MILLIS << Math.min(20, failuresInARow - 1)));
  }

  /** A tenth less at most, so that many processes do not ask together; never more. */
  private long jittered(long millis) {
    return millis - random.nextLong(millis / 10 + 1);
  }
}
