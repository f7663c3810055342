package io.fleetgauge.query.delivery;

import io.fleetgauge.sample.Labels;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Decides what is sent to one receiver and when: events in, effects out. One request is under way
 * at a time. Not for several threads.
 *
 * <p>Of each item only the newest state waits. Items of a request that fails wait again, before the
 * others, unless there is a newer state of them. A request that is refused because of what is in it
 * is repeated in two halves, until the item that is refused is alone; only that one is dropped.
 */
public final class Delivery {
  static final long FIRST_BACK_OFF_MILLIS = 500;
  static final long LONGEST_BACK_OFF_MILLIS = 30_000;

  /** While this process stops, there is no time to wait for long. */
  static final long LONGEST_CLOSING_MILLIS = 500;

  /**
   * An item that waits.
   *
   * @param key tells it from all others
   * @param json as it is sent
   * @param current true if it is still this process that sends it
   */
  public record Item(Labels key, byte[] json, BooleanSupplier current) {}

  /** The events that a delivery is told. */
  sealed interface Event {
    record Offered(List<Item> items) implements Event {}

    /** The time of {@link Effect.Wait} is over. */
    record Due() implements Event {}

    /** The receiver has taken what was sent. */
    record Taken() implements Event {}

    /** The receiver refuses something of what was sent, and may have taken the rest. */
    record Refused() implements Event {}

    /** There was no answer, or one that has nothing to do with what was sent. */
    record Failed() implements Event {}

    /** This process stops. */
    record Closing() implements Event {}
  }

  /** The work that follows from an event. */
  sealed interface Effect {
    /** Answered by {@link Event.Taken}, {@link Event.Refused} or {@link Event.Failed}. */
    record Send(List<Item> items) implements Effect {}

    /** Answered by {@link Event.Due}. */
    record Wait(long millis) implements Effect {}

    /** The receiver refuses this item, which is dropped. */
    record Drop(Item item) implements Effect {}
  }

  /**
   * Counts of items.
   *
   * @param sent in requests that are over, failed ones too, as Prometheus counts them
   * @param errors in requests that failed or were refused
   * @param overflowed dropped because too many waited
   * @param refused dropped because the receiver refuses them
   * @param replaced older states that were not sent because a newer one came
   * @param outdated dropped because they were not this process's to send any more
   */
  public record Counts(
      long sent, long errors, long overflowed, long refused, long replaced, long outdated) {}

  private final int capacity;
  private final int batch;
  private final int maxBytes;
  private final RandomGenerator random;
  private final LinkedHashMap<Labels, Item> waiting = new LinkedHashMap<>();

  /** Parts of a refused request, which are sent before anything else. */
  private final Deque<List<Item>> parts = new ArrayDeque<>();

  private List<Item> underWay = List.of();
  private boolean isPausing;
  private boolean isClosing;
  private int failuresInARow;
  private long sent;
  private long errors;
  private long overflowed;
  private long refused;
  private long replaced;
  private long outdated;

  /**
   * @param capacity most items that wait, besides those of one request
   * @param batch most items of a request
   * @param maxBytes longest request, unless a single item is longer
   */
  Delivery(int capacity, int batch, int maxBytes, RandomGenerator random) {
    this.capacity = capacity;
    this.batch = batch;
    this.maxBytes = maxBytes;
    this.random = random;
  }

  Counts counts() {
    return new Counts(sent, errors, overflowed, refused, replaced, outdated);
  }

  /** Items that wait or are under way. */
  int length() {
    return waiting.size() + underWay.size() + parts.stream().mapToInt(List::size).sum();
  }

  boolean isEmpty() {
    return length() == 0;
  }

  List<Effect> on(Event event) {
    switch (event) {
      case Event.Offered offered -> offered.items().forEach(this::add);
      case Event.Due due -> isPausing = false;
      case Event.Taken taken -> {
        over();
        failuresInARow = 0;
      }
      case Event.Refused refusal -> {
        return refused();
      }
      case Event.Failed failed -> {
        return failed();
      }
      case Event.Closing closing -> {
        isClosing = true;
        isPausing = false;
      }
    }
    return next().map(List::of).orElse(List.of());
  }

  private List<Effect> refused() {
    List<Item> of = over();
    errors += of.size();
    failuresInARow = 0;
    List<Effect> effects = new ArrayList<>();
    if (of.size() == 1) {
      refused++;
      effects.add(new Effect.Drop(of.getFirst()));
    } else {
      parts.push(of.subList(of.size() / 2, of.size()));
      parts.push(of.subList(0, of.size() / 2));
    }
    next().ifPresent(effects::add);
    return effects;
  }

  private List<Effect> failed() {
    List<Item> of = over();
    errors += of.size();
    // First those of later parts, so that at last all are in their order again.
    while (!parts.isEmpty()) {
      again(parts.removeLast());
    }
    again(of);
    trim();
    failuresInARow++;
    isPausing = true;
    return List.of(new Effect.Wait(backOff()));
  }

  private Optional<Effect> next() {
    if (!underWay.isEmpty() || isPausing) {
      return Optional.empty();
    }
    do {
      underWay = current(parts.isEmpty() ? takeBatch() : parts.pop());
    } while (underWay.isEmpty() && !(parts.isEmpty() && waiting.isEmpty()));
    return underWay.isEmpty() ? Optional.empty() : Optional.of(new Effect.Send(underWay));
  }

  /** Those that are still to be sent from here. */
  private List<Item> current(List<Item> items) {
    List<Item> current = items.stream().filter(each -> each.current().getAsBoolean()).toList();
    outdated += items.size() - current.size();
    return current;
  }

  private List<Item> takeBatch() {
    List<Item> taken = new ArrayList<>();
    long bytes = 0;
    while (taken.size() < batch && !waiting.isEmpty()) {
      bytes += waiting.firstEntry().getValue().json().length;
      if (bytes > maxBytes && !taken.isEmpty()) {
        break;
      }
      taken.add(waiting.pollFirstEntry().getValue());
    }
    return List.copyOf(taken);
  }

  /** The request that is over. */
  private List<Item> over() {
    List<Item> of = underWay;
    underWay = List.of();
    sent += of.size();
    return of;
  }

  /** A newer state takes the place of the one that waits, and so its turn. */
  private void add(Item item) {
    if (waiting.put(item.key(), item) != null) {
      replaced++;
    }
    trim();
  }

  /** Before all others, in their order. */
  private void again(List<Item> items) {
    for (Item item : items.reversed()) {
      if (waiting.containsKey(item.key())) {
        replaced++;
      } else {
        waiting.putFirst(item.key(), item);
      }
    }
  }

  private void trim() {
    while (waiting.size() > capacity) {
      waiting.pollFirstEntry();
      overflowed++;
    }
  }

  /** Doubles with each failure; less by a tenth at most, so that many do not send together. */
  private long backOff() {
    long longest = isClosing ? LONGEST_CLOSING_MILLIS : LONGEST_BACK_OFF_MILLIS;
    long millis = Math.min(longest, FIRST_BACK_OFF_MILLIS << Math.min(20, failuresInARow - 1));
    return millis - random.nextLong(millis / 10 + 1);
  }
}
