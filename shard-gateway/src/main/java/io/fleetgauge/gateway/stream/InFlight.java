package io.fleetgauge.gateway.stream;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The questions to one gateway that have no answer yet: their numbers, how many there may be, and
 * how long they may take. Knows no connection and no clock. Not thread-safe.
 */
final class InFlight {
  private final long maxBytes;
  private final int maxQuestions;
  private final long timeoutMillis;
  private final Map<Long, Asked> asked = new LinkedHashMap<>();
  private long bytes;
  private long last;

  private record Asked(long bytes, long at, Consumer<Outcome> outcome) {}

  /**
   * Questions without an answer in time.
   *
   * @param firstAt when the first of them was asked, ms
   */
  record Late(long firstAt, List<Consumer<Outcome>> outcomes) {}

  /**
   * @param maxBytes most bytes of all, unless there is only one question
   */
  InFlight(long maxBytes, int maxQuestions, long timeoutMillis) {
    this.maxBytes = maxBytes;
    this.maxQuestions = maxQuestions;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Begins a question.
   *
   * @param now ms of a steady clock
   * @return its number; empty when there are too many
   */
  OptionalLong begin(long size, long now, Consumer<Outcome> outcome) {
    if (!asked.isEmpty() && (bytes + size > maxBytes || asked.size() >= maxQuestions)) {
      return OptionalLong.empty();
    }
    bytes += size;
    asked.put(++last, new Asked(size, now, outcome));
    return OptionalLong.of(last);
  }

  /** Who waits for the answer to a question; nobody when it had failed before, or never was. */
  Optional<Consumer<Outcome>> end(long number) {
    Asked ended = asked.remove(number);
    if (ended == null) {
      return Optional.empty();
    }
    bytes -= ended.bytes;
    return Optional.of(ended.outcome);
  }

  boolean waits(long number) {
    return asked.containsKey(number);
  }

  /** Ends the questions whose time is over. */
  Late endLate(long now) {
    List<Consumer<Outcome>> outcomes = new ArrayList<>();
    long firstAt = now;
    for (Iterator<Asked> all = asked.values().iterator(); all.hasNext(); ) {
      Asked each = all.next();
      if (now - each.at < timeoutMillis) {
        break; // the others were asked later
      }
      firstAt = Math.min(firstAt, each.at);
      bytes -= each.bytes;
      outcomes.add(each.outcome);
      all.remove();
    }
    return new Late(firstAt, outcomes);
  }

  /** Ends all questions. */
  List<Consumer<Outcome>> endAll() {
    List<Consumer<Outcome>> outcomes = asked.values().stream().map(Asked::outcome).toList();
    asked.clear();
    bytes = 0;
    return outcomes;
  }

  /** When the time of the first question is over, ms; empty when there is none. */
  OptionalLong deadline() {
    return asked.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(asked.values().iterator().next().at + timeoutMillis);
  }

  long bytes() {
    return bytes;
  }
}
