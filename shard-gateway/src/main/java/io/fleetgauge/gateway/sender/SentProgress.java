package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.sample.Labels;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The progress of sending one host to one receiver. Safe for all threads.
 *
 * <p>What is up to {@link #readUntil} is in one of these states: sent; being sent as new samples,
 * if it is after {@link #until}; in a gap, which has still to be sent; or late, which means that it
 * was stored after those of its time had been read. Times are ms since the epoch.
 */
final class SentProgress {
  /** New samples are read in ranges of so long at most, ms. */
  private static final long LONGEST = 30_000;

  /** And of so long at least, so that requests are not small, ms. */
  private static final long SHORTEST = 5_000;

  /** New samples that are further behind become a gap, ms. */
  private static final long MOST_BEHIND = 120_000;

  /** The newest of them do not become a gap, ms. */
  private static final long KEPT_NEW = 10_000;

  /** Late samples are sent together if they are not further apart, ms. */
  private static final long LATE_SPAN = 60_000;

  /** Late samples that wait; of more, all of their times becomes gaps. */
  private static final int MAX_LATE = 5_000;

  private long until;
  private volatile long readUntil;
  private final TimeRanges gaps;
  private final LateSeries late = new LateSeries();

  /** The gap that is being read and sent; null if none is. */
  private Range leaving;

  /** Gaps that came while one was leaving. */
  private final TimeRanges newGaps = new TimeRanges();

  private LateSeries lateLeaving = new LateSeries();

  /** Times that were sent without the samples that could not be read. */
  private final TimeRanges unread = new TimeRanges();

  SentProgress(long until, List<Range> gaps) {
    this.until = until;
    this.readUntil = until;
    this.gaps = new TimeRanges(gaps);
    this.gaps.remove(new Range(until, Long.MAX_VALUE)); // it is read as new samples
  }

  /** All that is newer will be read. */
  long readUntil() {
    return readUntil;
  }

  synchronized long until() {
    return until;
  }

  /** The time that lies in gaps, ms. */
  synchronized long gapMillis() {
    return gaps.millis() + newGaps.millis();
  }

  /** The progress for another gateway that may go on, or for this one after a restart. */
  synchronized SentRecord record(String receiver, String host, Term term) {
    TimeRanges left = new TimeRanges(gaps.list());
    newGaps.list().forEach(left::add);
    unread.list().forEach(left::add); // another gateway may have them
    late.times().forEach(left::add);
    lateLeaving.times().forEach(left::add);
    return new SentRecord(receiver, host, term, until, left.list());
  }

  // --- new samples ---

  /**
   * The range of new samples that is to be read and sent next; empty if it is too soon.
   *
   * @param settled the time up to which samples are expected to be there
   */
  synchronized Optional<Range> nextFresh(long settled) {
    if (isTooFarBehind(settled)) {
      gap(new Range(until, settled - KEPT_NEW));
      until = settled - KEPT_NEW;
    }
    if (settled - until < SHORTEST) {
      return Optional.empty();
    }
    Range next = new Range(until, Math.min(settled, until + LONGEST));
    readUntil = Math.max(readUntil, next.to()); // before it is read: all later ones are late
    return Optional.of(next);
  }

  /** Returns true if newer samples are to leave first. */
  synchronized boolean isTooFarBehind(long settled) {
    return settled - until > MOST_BEHIND;
  }

  /** All of a range of new samples has been sent. */
  synchronized void freshSent(Range range) {
    until = range.to();
  }

  // --- old samples ---

  /**
   * The oldest gap, if nothing late is older. It is leaving until {@link #gapSent} or {@link
   * #gapStays}: what is stored of its time meanwhile is late.
   */
  synchronized Optional<Range> beginGap() {
    if (gaps.isEmpty() || late.first() <= gaps.first().after()) {
      return Optional.empty();
    }
    leaving = gaps.first();
    return Optional.of(leaving);
  }

  /** Only this part of the gap was read. */
  synchronized void onlyLeaves(Range part) {
    leaving = part;
    for (Range rest : rest(part)) {
      late.remove(rest); // it will be read
    }
  }

  private List<Range> rest(Range part) {
    TimeRanges rest = new TimeRanges(gaps.list());
    rest.remove(part);
    return rest.list();
  }

  /** The part of the gap that was leaving has been sent. */
  synchronized void gapSent() {
    gaps.remove(leaving);
    gapStays();
  }

  /** The gap could not be read. */
  synchronized void gapStays() {
    leaving = null;
    newGaps.list().forEach(gaps::add);
    newGaps.clear();
    gaps.list().forEach(late::remove);
  }

  /** Returns true if there are gaps or late samples. */
  synchronized boolean hasOld() {
    return !gaps.isEmpty() || !late.isEmpty();
  }

  /** The oldest late samples. Until {@link #lateSent} they are being sent. */
  synchronized Optional<LateSeries> beginLate(int most) {
    if (late.isEmpty()) {
      return Optional.empty();
    }
    lateLeaving = late.takeFirst(most, LATE_SPAN);
    return Optional.of(lateLeaving);
  }

  synchronized void lateSent() {
    lateLeaving = new LateSeries();
  }

  /** Late samples could not be read. */
  synchronized void lateStays() {
    lateLeaving.copyTo(late);
    lateLeaving = new LateSeries();
  }

  /** Some samples of a range could not be read: they are sent when they are stored again. */
  synchronized void unread(Range range) {
    unread.add(range);
  }

  /**
   * Samples were stored.
   *
   * @return whether they are to be sent on their own, as late ones
   */
  synchronized boolean stored(long time, Collection<Labels> series) {
    boolean willBeRead = leaving == null || !leaving.contains(time);
    if (time > readUntil || willBeRead && gaps.contains(time) || newGaps.contains(time)) {
      return false;
    }
    late.add(time, series);
    if (late.count() > MAX_LATE) {
      List<Range> times = late.times();
      late.clear();
      times.forEach(this::gap);
    }
    return true;
  }

  /** Samples of a range were stored, nobody knows which: all of it is to be sent. */
  synchronized void stored(Range range) {
    unread.remove(range);
    if (range.after() < readUntil) {
      gap(new Range(range.after(), Math.min(range.to(), readUntil)));
    }
  }

  private void gap(Range range) {
    if (leaving == null) {
      gaps.add(range);
      late.remove(range);
    } else {
      newGaps.add(range);
    }
  }

  /**
   * Adds what the owner before has not sent, if its record comes late.
   *
   * @param known the gaps of that owner that were known here in the beginning
   */
  synchronized void adds(SentRecord before, List<Range> known) {
    TimeRanges unknown = new TimeRanges(before.gaps());
    known.forEach(unknown::remove);
    unknown.list().forEach(this::stored);
  }

  /** Gives up what was stored before a time and has expired; returns its time in gaps, ms. */
  synchronized long expire(long before) {
    if (late.first() < before) {
      late.remove(new Range(Long.MIN_VALUE, before));
    }
    unread.removeBefore(before);
    return leaving == null ? gaps.removeBefore(before) : 0;
  }
}
