package io.fleetgauge.gateway.sender;

import io.fleetgauge.sample.Series;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Requests of one host that leave one after the other: the next one when the one before is kept or
 * refused. Not for several threads.
 */
final class SendingLane {
  private static final long SHORTEST_WAIT = 1_000;
  private static final long LONGEST_WAIT = 30_000;

  /** Halves of refused requests that are tried, so that one bad series costs itself. */
  private static final int MAX_SPLITS = 64;

  private final Deque<List<Series>> requests = new ArrayDeque<>();
  private boolean isInFlight;
  private boolean isBegun;
  private int failures;
  private long againAt;
  private int splits;

  /** Returns true if nothing has to be sent, or waits for an answer. */
  boolean isEmpty() {
    return requests.isEmpty();
  }

  /** Returns true if a request of these has been kept or refused, or may have been. */
  boolean isBegun() {
    return isBegun;
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
    splits = 0;
  }

  /** Gives up what has not left; it will be read again. */
  void clear() {
    requests.clear();
    isBegun = false;
  }

  /** The request that leaves now. */
  List<Series> begin() {
    isInFlight = true;
    return requests.getFirst();
  }

  /**
   * The request was answered.
   *
   * @return the samples that are refused for good
   */
  int answered(ReceiverClient.Outcome outcome, long now) {
    isInFlight = false;
    switch (outcome.kind()) {
      case KEPT -> {
        failures = 0;
        isBegun = true;
        requests.removeFirst();
      }
      case REFUSED -> {
        failures = 0;
        isBegun = true;
        List<Series> refused = requests.removeFirst();
        if (refused.size() == 1 || splits >= MAX_SPLITS) {
          return HostSamples.samples(refused);
        }
        splits++;
        requests.addFirst(refused.subList(refused.size() / 2, refused.size()));
        requests.addFirst(refused.subList(0, refused.size() / 2));
      }
      case AGAIN -> {
        long wait = Math.min(LONGEST_WAIT, SHORTEST_WAIT << Math.min(failures, 10));
        failures++;
        againAt = now + Math.max(wait, outcome.waitMillis());
      }
    }
    return 0;
  }
}
