package io.fleetgauge.gateway.sender;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

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

  private static final int MAX_REFUSED = 1_000;

  private final Deque<List<Series>> requests = new ArrayDeque<>();
  private boolean isInFlight;
  private boolean isBegun;
  private int failures;
  private long failsSince;

  /** Series that were refused alone. */
  private final Set<Labels> refused = new HashSet<>();

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

  /**
   * Takes the next samples, in requests of so many at most; all before are done. Series that were
   * refused lately are in requests of their own after the others.
   */
  void take(List<Series> next, int maxSamples) {
    clear();
    Map<Boolean, List<Series>> byRefusal =
        next.stream().collect(Collectors.partitioningBy(each -> refused.contains(each.labels())));
    requests.addAll(HostSamples.split(byRefusal.get(false), maxSamples));
    requests.addAll(HostSamples.split(byRefusal.get(true), maxSamples));
  }

  /** Gives up what has not left. */
  void clear() {
    requests.clear();
    isBegun = false;
    parts = 0;
  }

  /** Nothing leaves for a while. */
  void waits(long now) {
    againAt = now + LONGEST_WAIT;
  }

  /** Since when the request has failed, ms; {@link Long#MAX_VALUE} if it has not. */
  long failsSince() {
    return failures == 0 ? Long.MAX_VALUE : failsSince;
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
      failsSince = failures == 0 ? now : failsSince;
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
    if (done.size() == 1) {
      note(done.getFirst().labels(), outcome.kind() == Receiver.Kind.REFUSED);
    }
    return outcome.kind() == Receiver.Kind.REFUSED ? samples : outcome.refused();
  }

  private void note(Labels series, boolean isRefused) {
    if (!isRefused) {
      refused.remove(series);
    } else if (refused.size() < MAX_REFUSED) {
      refused.add(series);
    }
  }
}
