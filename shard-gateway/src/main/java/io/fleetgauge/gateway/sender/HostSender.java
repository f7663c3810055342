package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.Receiver.Kind;
import io.fleetgauge.gateway.sender.Receiver.Outcome;
import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Sends the samples of one host to one receiver, in two lanes: new ones, and old ones, which came
 * late or were left out while the receiver was away. One thread uses it, except {@link #stored}.
 */
final class HostSender {
  /** Gaps are read in parts of so long, so that a part is some requests, ms. */
  private static final long SHORTEST_PART = 10_000;

  private static final long LONGEST_PART = 900_000;
  private static final int MOST_REQUESTS = 16;

  private final String host;
  private final HostSamples samples;
  private final SenderCounts counts;
  private final SentRecord begin;
  private final SentProgress progress;
  private final SendingLane fresh = new SendingLane();
  private final SendingLane old = new SendingLane();
  private Range freshRange;
  private Range oldRange;
  private boolean isOldLate;
  private long partMillis = 60_000;

  /**
   * @param begin the progress from which it goes on
   */
  HostSender(String host, HostSamples samples, SentRecord begin, SenderCounts counts) {
    this.host = host;
    this.samples = samples;
    this.counts = counts;
    this.begin = begin;
    this.progress = new SentProgress(begin.until(), begin.gaps());
  }

  String host() {
    return host;
  }

  /** What is newer will be read; what is stored of before is late. Any thread. */
  long readUntil() {
    return progress.readUntil();
  }

  /** Samples of a time were stored. Any thread. */
  void stored(long time, Set<Labels> series) {
    if (progress.stored(time, series)) {
      counts.late.add(series.size());
    }
  }

  /** Samples of a range were stored, nobody knows which. Any thread. */
  void stored(Range range) {
    progress.stored(range);
  }

  /** Adds what an earlier owner has told too late. */
  void adds(SentRecord before) {
    progress.adds(before, begin.gaps());
  }

  SentRecord record(Term term) {
    return progress.record(begin.receiver(), host, term);
  }

  /** How far new samples are behind at a time, ms. */
  long behind(long settled) {
    return Math.max(0, settled - progress.until());
  }

  /** The time that lies in gaps, ms. */
  long gapMillis() {
    return progress.gapMillis();
  }

  /**
   * The next request with new samples.
   *
   * @param settled the time up to which samples are expected to be there, ms
   * @param acceptedAt when the receiver has accepted a request of any host, ms
   */
  Optional<List<Series>> nextFresh(long now, long settled, long acceptedAt, int maxSamples)
      throws TooManySamples, QueryFailure {
    if (!fresh.isReady(now)) {
      return Optional.empty();
    }
    boolean isStuck = fresh.failsSince() < acceptedAt; // the receiver takes others
    if ((!fresh.isBegun() || isStuck) && progress.isTooFarBehind(settled)) {
      fresh.clear(); // newer ones leave first
    }
    if (fresh.isEmpty()) {
      Optional<Range> next = progress.nextFresh(settled);
      if (next.isEmpty()) {
        return Optional.empty();
      }
      freshRange = next.get();
      HostSamples.Read read = samples.read(host, freshRange);
      fresh.take(read.series(), maxSamples);
      note(read, freshRange);
      if (fresh.isEmpty()) {
        progress.freshSent(freshRange);
        return Optional.empty();
      }
    }
    return Optional.of(fresh.begin());
  }

  /** Samples that could not be read are stored again when they are back. */
  private void note(HostSamples.Read read, Range range) {
    if (!read.isComplete()) {
      progress.unread(range);
      counts.lostMillis.add(range.millis());
    }
  }

  /**
   * The next request with old samples.
   *
   * @param expired samples of before have expired, ms
   */
  Optional<List<Series>> nextOld(long now, long expired, int maxSamples)
      throws TooManySamples, QueryFailure {
    if (!old.isReady(now)) {
      return Optional.empty();
    }
    if (!old.isEmpty() && oldRange.to() < expired) {
      counts.lostMillis.add(oldRange.millis());
      old.clear();
      oldSent();
    }
    if (old.isEmpty()) {
      counts.lostMillis.add(progress.expire(expired));
      Optional<Range> gap = progress.beginGap();
      isOldLate = gap.isEmpty();
      if (gap.isPresent()) {
        takeGap(gap.get(), maxSamples);
      } else {
        takeLate(maxSamples);
      }
    }
    return old.isEmpty() ? Optional.empty() : Optional.of(old.begin());
  }

  /** Returns true if there are old samples that may leave now, or be read. */
  boolean hasOld(long now) {
    return old.isReady(now) && (!old.isEmpty() || progress.hasOld());
  }

  private void takeGap(Range gap, int maxSamples) throws TooManySamples, QueryFailure {
    boolean isRead = false;
    try {
      long first = Math.max(gap.after(), samples.next(host, gap) - 1);
      if (first >= gap.to()) {
        progress.onlyLeaves(gap);
      } else {
        Range part = new Range(gap.after(), Math.min(gap.to(), first + partMillis));
        progress.onlyLeaves(part);
        HostSamples.Read read = samples.read(host, part);
        note(read, part);
        oldRange = part;
        old.take(read.series(), maxSamples);
        long next = old.size() > MOST_REQUESTS ? partMillis / 2 : partMillis * 2;
        if (old.size() <= 1 || old.size() > MOST_REQUESTS) {
          partMillis = Math.clamp(next, SHORTEST_PART, LONGEST_PART);
        }
      }
      isRead = true;
    } finally {
      if (!isRead) {
        progress.gapStays();
      }
    }
    if (old.isEmpty()) {
      progress.gapSent();
    }
  }

  private void takeLate(int maxSamples) throws TooManySamples, QueryFailure {
    Optional<LateSeries> late = progress.beginLate(maxSamples);
    if (late.isEmpty()) {
      return;
    }
    boolean isRead = false;
    try {
      HostSamples.Read read = samples.read(host, late.get());
      isRead = true;
      oldRange = late.get().range();
      note(read, oldRange);
      old.take(read.series(), maxSamples);
    } finally {
      if (!isRead) {
        progress.lateStays();
      }
    }
    if (old.isEmpty()) {
      progress.lateSent();
    }
  }

  /**
   * The answer to {@link #nextFresh}.
   *
   * @return the samples that are refused for good
   */
  int freshAnswered(List<Series> request, Outcome outcome, long now) {
    int refused = answered(fresh, request, outcome, now);
    if (fresh.isEmpty()) {
      progress.freshSent(freshRange);
    }
    return refused;
  }

  /**
   * The answer to {@link #nextOld}.
   *
   * @return the samples that are refused for good
   */
  int oldAnswered(List<Series> request, Outcome outcome, long now) {
    int refused = answered(old, request, outcome, now);
    if (old.isEmpty()) {
      oldSent();
    }
    return refused;
  }

  private void oldSent() {
    if (isOldLate) {
      progress.lateSent();
    } else {
      progress.gapSent();
    }
  }

  /** Samples cannot be read: it is tried again later. */
  void readFailed(long now) {
    fresh.waits(now);
    old.waits(now);
  }

  private int answered(SendingLane lane, List<Series> request, Outcome outcome, long now) {
    int refused = lane.answered(outcome, now);
    counts.requests.increment();
    counts.refused.add(refused);
    if (outcome.kind() == Kind.ACCEPTED) {
      counts.samples.add(HostSamples.count(request) - refused);
    } else if (outcome.kind() == Kind.AGAIN) {
      counts.retries.increment();
    }
    return refused;
  }
}
