package io.fleetgauge.gateway.sender;

import io.fleetgauge.sample.Series;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Requests of one host that leave one after the other: the next one when the one before is accepted
 * or refused. Not for several threads.
 */
final class SendingLane {
  private static final long SHORTEST_WAIT = 500;

  /** The newest samples leave within so long when a receiver is back, ms. */
  private static final long LONGEST_WAIT = 5_000;

  /** Halves of one refused request that are tried, so that one bad sample costs itself only. */
  private static final int MAX_SPLITS = 64;

  private final Deque<List<Series>> requests = new ArrayDeque<>();
  private boolean isInFlight;
  private boolean isBegun;
  private int failures;
  private long againAt;

  /** Parts of one request that are the next ones, and how often it was split. */
  private int parts;

  private int splits;

  /** Returns true if nothing has to be sent, or waits for an answer. */
  boolean isEmpty() {
    return requests.isEmpty();
  }

  /** Requests that have to be sent, or wait for an answer. */
  int size() {
    return requests.size();
  }

  /** Returns true if a request of these has been answered, or may have been. */
  boolean isBegun() {
    return isBegun || isInFlight;
  }

  boolean isInFlight() {
    return isInFlight;
  }

  /** Returns true if the next request may leave at a time, ms. */
  boolean isReady(long now) {
    return !isInFlight && now >= againAt;
  }

  /** Takes the next requests; all before are done. */
  void take(List<List<Series>> next) {
    requests.clear();
    requests.addAll(next);
    isBegun = false;
    parts = 0;
  }

  /** Gives up what has not left; it will be read again. */
  void clear() {
    take(List.of());
  }

  /** The request that leaves now. */
  List<Series> begin() {
    isInFlight = true;
    if (parts == 0) {
      parts = 1;
      splits = 0;
    }
    return requests.getFirst();
  }

  /**
   * The request was answered.
   *
   * @return the samples that are refused for good
   */
  int answered(Receiver.Outcome outcome, long now) {
    isInFlight = false;
    if (outcome.kind() == Receiver.Kind.AGAIN) {
      long wait = Math.min(LONGEST_WAIT, SHORTEST_WAIT << Math.min(failures, 10));
      failures++;
      againAt = now + Math.max(wait, outcome.waitMillis());
      return 0;
    }
    failures = 0;
    isBegun = true;
    List<Series> done = requests.removeFirst();
    int samples = HostSamples.count(done);
    if (outcome.kind() == Receiver.Kind.REFUSED && samples > 1 && splits < MAX_SPLITS) {
      splits++;
      parts++;
      List<List<Series>> halves = HostSamples.halves(done);
      requests.addFirst(halves.getLast());
      requests.addFirst(halves.getFirst());
      return 0;
    }
    parts--;
    return outcome.kind() == Receiver.Kind.REFUSED ? samples : outcome.refused();
  }
}
