package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.ReceiverClient.Kind;
import io.fleetgauge.gateway.sender.ReceiverClient.Outcome;
import io.fleetgauge.gateway.sender.SentProgress.Range;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends the samples of one host to one receiver. One thread uses it, except {@link #late}.
 *
 * <p>New samples leave some seconds after their time. What has become older than {@value
 * #MOST_BEHIND} ms meanwhile is a gap, so that the newest leave first when the receiver is back.
 */
final class HostSender {
  /** New samples leave in ranges of so long at most, ms. */
  private static final long LONGEST = 30_000;

  static final long MOST_BEHIND = 120_000;

  /** Of the samples that are new when the others become a gap, ms. */
  private static final long KEPT_NEW = 10_000;

  /** Gaps are read in parts of so long, ms. */
  private static final long PART = 60_000;

  /** Parts that are read at once until one has samples: a host may have been silent for long. */
  private static final int MAX_PARTS = 200;

  /** Samples that come late and wait; of more, their times become gaps. */
  private static final int MAX_LATE = 100_000;

  private final String host;
  private final HostSamples samples;
  private final SenderCounts counts;
  private final SentProgress progress;
  private final SendingLane fresh = new SendingLane();
  private final SendingLane old = new SendingLane();
  private Range freshRange;

  /** Null while samples that came late leave. */
  private Range oldRange;

  /** Samples that came late and are in {@link #old}. */
  private List<Series> lateLeaving = List.of();

  private final ConcurrentLinkedQueue<Series> late = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lateCount = new AtomicInteger();
  private volatile long readUntil;

  /**
   * @param progress is its own from now on
   */
  HostSender(String host, HostSamples samples, SentProgress progress, SenderCounts counts) {
    this.host = host;
    this.samples = samples;
    this.progress = progress;
    this.counts = counts;
    this.readUntil = progress.until();
  }

  String host() {
    return host;
  }

  /** The time up to which new samples have been read: what is stored later of it is late. */
  long readUntil() {
    return readUntil;
  }

  /** Takes a sample that was stored although its time has been read. Any thread. */
  void late(Series sample) {
    counts.late.increment();
    late.add(sample);
    lateCount.incrementAndGet();
  }

  /** What has left, for another gateway that may go on. */
  SentProgress progress() {
    SentProgress copy = progress.copy();
    for (Series each : lateLeaving) {
      addTimes(copy, each);
    }
    late.forEach(each -> addTimes(copy, each));
    return copy;
  }

  private static void addTimes(SentProgress to, Series late) {
    for (long time : late.times()) {
      to.add(new Range(time - 1, time));
    }
  }

  /** How far new samples are behind at a time, ms. */
  long behind(long settled) {
    return Math.max(0, settled - progress.until());
  }

  /** The time that lies in gaps, ms. */
  long gapMillis() {
    return progress.gaps().stream().mapToLong(each -> each.to() - each.after()).sum();
  }

  /**
   * The next request with new samples.
   *
   * @param settled the time up to which samples are there, ms
   */
  Optional<List<Series>> nextFresh(long now, long settled, int maxSamples)
      throws TooManySamples, QueryFailure {
    if (!fresh.isReady(now)) {
      return Optional.empty();
    }
    if (!fresh.isEmpty() && !fresh.isBegun() && settled - progress.until() > MOST_BEHIND) {
      fresh.clear();
    }
    if (fresh.isEmpty()) {
      progress.skip(settled, MOST_BEHIND, KEPT_NEW);
      Optional<Range> next = progress.next(settled, LONGEST);
      if (next.isEmpty()) {
        return Optional.empty();
      }
      freshRange = next.get();
      readUntil = freshRange.to(); // before it is read: what is stored from now on is late
      fresh.take(HostSamples.split(samples.read(host, freshRange), maxSamples));
      if (fresh.isEmpty()) {
        progress.left(freshRange.to());
        return Optional.empty();
      }
    }
    return Optional.of(fresh.begin());
  }

  /** The next request with samples that came late, or of a gap. */
  Optional<List<Series>> nextOld(long now, long expired, int maxSamples)
      throws TooManySamples, QueryFailure {
    counts.lostMillis.add(progress.expire(expired));
    if (!old.isReady(now)) {
      return Optional.empty();
    }
    if (old.isEmpty()) {
      takeOld(maxSamples);
    }
    return old.isEmpty() ? Optional.empty() : Optional.of(old.begin());
  }

  private void takeOld(int maxSamples) throws TooManySamples, QueryFailure {
    oldRange = null;
    lateLeaving = takeLate();
    if (!lateLeaving.isEmpty()) {
      old.take(HostSamples.split(samples.named(lateLeaving), maxSamples));
      if (old.isEmpty()) {
        lateLeaving = List.of();
      }
      return;
    }
    Optional<Range> part = progress.nextGap(PART);
    for (int i = 0; i < MAX_PARTS && part.isPresent() && old.isEmpty(); i++) {
      oldRange = part.get();
      old.take(HostSamples.split(samples.read(host, oldRange), maxSamples));
      if (old.isEmpty()) {
        progress.filled(oldRange);
        part = progress.nextGap(PART);
      }
    }
  }

  /** Samples that came late and lie in no gap, of which all is read anyway. */
  private List<Series> takeLate() {
    boolean areTooMany = lateCount.get() > MAX_LATE;
    List<Series> taken = new ArrayList<>();
    for (Series each = late.poll(); each != null; each = late.poll()) {
      lateCount.decrementAndGet();
      long time = each.times()[0];
      if (areTooMany) {
        progress.add(new Range(time - 1, time));
      } else if (progress.gaps().stream().noneMatch(gap -> gap.contains(time))) {
        taken.add(each);
      }
    }
    return taken;
  }

  /** Returns true if a request has no answer yet. */
  boolean isInFlight() {
    return fresh.isInFlight() || old.isInFlight();
  }

  /** The answer to {@link #nextFresh}. */
  void freshAnswered(List<Series> request, Outcome outcome, long now) {
    answered(fresh, request, outcome, now);
    if (fresh.isEmpty()) {
      progress.left(freshRange.to());
    }
  }

  /** The answer to {@link #nextOld}. */
  void oldAnswered(List<Series> request, Outcome outcome, long now) {
    answered(old, request, outcome, now);
    if (old.isEmpty()) {
      lateLeaving = List.of();
      if (oldRange != null) {
        progress.filled(oldRange);
      }
    }
  }

  private void answered(SendingLane lane, List<Series> request, Outcome outcome, long now) {
    counts.requests.increment();
    if (outcome.kind() == Kind.KEPT) {
      counts.samples.add(HostSamples.samples(request));
    } else if (outcome.kind() == Kind.AGAIN) {
      counts.retries.increment();
    }
    counts.refused.add(lane.answered(outcome, now));
  }
}
