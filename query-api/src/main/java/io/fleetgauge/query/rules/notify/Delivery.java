package io.fleetgauge.query.rules.notify;

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
 * Decides what is sent to one Alertmanager and when: events in, effects out. One request is under
 * way at a time. Not for several threads.
 *
 * <p>Of each alert only the newest state waits. Alerts of a request that fails wait again, before
 * the others, unless there is a newer state of them. A request that is refused because of what is
 * in it is repeated in two halves, until the alert that is refused is alone; only that one is
 * dropped.
 */
final class Delivery {
  static final long FIRST_BACK_OFF_MILLIS = 500;
  static final long LONGEST_BACK_OFF_MILLIS = 30_000;

  /** While this process stops, there is no time to wait for long. */
  static final long LONGEST_CLOSING_MILLIS = 500;

  /**
   * An alert that waits.
   *
   * @param labels labels that tell it from all others
   * @param json as it is sent
   * @param current true if it is still this process that sends it
   */
  record Alert(Labels labels, byte[] json, BooleanSupplier current) {}

  /** The events that a delivery is told. */
  sealed interface Event {
    record Offered(List<Alert> alerts) implements Event {}

    /** The time of {@link Effect.Wait} is over. */
    record Due() implements Event {}

    /** The Alertmanager has taken what was sent. */
    record Taken() implements Event {}

    /** The Alertmanager refuses something of what was sent, and may have taken the rest. */
    record Refused() implements Event {}

    /** There was no answer, or one that has nothing to do with what was sent. */
    record Failed() implements Event {}

    /** This process stops. */
    record Closing() implements Event {}
  }

  /** The work that follows from an event. */
  sealed interface Effect {
    /** Answered by {@link Event.Taken}, {@link Event.Refused} or {@link Event.Failed}. */
    record Send(List<Alert> alerts) implements Effect {}

    /** Answered by {@link Event.Due}. */
    record Wait(long millis) implements Effect {}

    /** The Alertmanager refuses this alert, which is dropped. */
    record Drop(Alert alert) implements Effect {}
  }

  /**
   * Counts of alerts.
   *
   * @param sent in requests that are over, failed ones too, as Prometheus counts them
   * @param errors in requests that failed or were refused
   * @param overflowed dropped because too many waited
   * @param refused dropped because the Alertmanager refuses them
   * @param replaced older states that were not sent because a newer one came
   * @param outdated dropped because they were not this process's to send any more
   */
  record Counts(
      long sent, long errors, long overflowed, long refused, long replaced, long outdated) {}

  private final int capacity;
  private final int batch;
  private final int maxBytes;
  private final RandomGenerator random;
  private final LinkedHashMap<Labels, Alert> waiting = new LinkedHashMap<>();

  /** Parts of a refused request, which are sent before anything else. */
  private final Deque<List<Alert>> parts = new ArrayDeque<>();

  private List<Alert> underWay = List.of();
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
   * @param capacity most alerts that wait, besides those of one request
   * @param batch most alerts of a request
   * @param maxBytes longest request, unless a single alert is longer
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

  /** Alerts that wait or are under way. */
  int length() {
    return waiting.size() + underWay.size() + parts.stream().mapToInt(List::size).sum();
  }

  boolean isEmpty() {
    return length() == 0;
  }

  List<Effect> on(Event event) {
    switch (event) {
      case Event.Offered offered -> offered.alerts().forEach(this::add);
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
    List<Alert> of = over();
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
    List<Alert> of = over();
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
  private List<Alert> current(List<Alert> alerts) {
    List<Alert> current = alerts.stream().filter(each -> each.current().getAsBoolean()).toList();
    outdated += alerts.size() - current.size();
    return current;
  }

  private List<Alert> takeBatch() {
    List<Alert> taken = new ArrayList<>();
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
  private List<Alert> over() {
    List<Alert> of = underWay;
    underWay = List.of();
    sent += of.size();
    return of;
  }

  /** A newer state takes the place of the one that waits, and so its turn. */
  private void add(Alert alert) {
    if (waiting.put(alert.labels(), alert) != null) {
      replaced++;
    }
    trim();
  }

  /** Before all others, in their order. */
  private void again(List<Alert> alerts) {
    for (Alert alert : alerts.reversed()) {
      if (waiting.containsKey(alert.labels())) {
        replaced++;
      } else {
        waiting.putFirst(alert.labels(), alert);
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
