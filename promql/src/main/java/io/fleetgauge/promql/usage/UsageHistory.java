package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The usage of one host in a period: of kept days where they have what is asked for, of samples for
 * the rest. A kept day equals its samples, so both together are what samples alone would be.
 *
 * <p>Where samples have expired, the hours of the kept day are counted that are nearest to what is
 * asked for, by the terms of that day.
 */
public final class UsageHistory {
  private static final long HOUR = KeptDay.HOUR;

  private final UsagePeriod period;
  private final UsageTerms terms;
  private final boolean hasMoreLabels;
  private final List<UsageRow> rows = new ArrayList<>();
  private boolean isRounded;
  private boolean isByOtherTerms;

  /**
   * @param hasMoreLabels whether owners have labels that kept days do not have
   */
  public UsageHistory(UsagePeriod period, UsageTerms terms, boolean hasMoreLabels) {
    this.period = period;
    this.terms = terms;
    this.hasMoreLabels = hasMoreLabels;
  }

  /** The rows of a day as one interval. */
  public static List<UsageRow> ofDay(List<UsageRow> hours) {
    long last = KeptDay.MILLIS / HOUR - 1;
    return UsageRow.joined(hours.stream().map(row -> row.in(0, row.interval() == last)).toList());
  }

  /** Returns true if hours are counted that are not quite the ones that were asked for. */
  public boolean isRounded() {
    return isRounded;
  }

  /** Returns true if something is counted by other terms, or without labels asked for. */
  public boolean isByOtherTerms() {
    return isByOtherTerms;
  }

  /**
   * Counts the whole period.
   *
   * @param days in order
   * @return the rows; a device and owner may have several of an interval
   */
  public List<UsageRow> read(List<KeptDay> days, SampledUsage samples)
      throws TooManySamples, QueryFailure {
    long at = period.from();
    for (KeptDay day : days) {
      long from = Math.max(period.from(), day.from());
      long to = Math.min(period.to(), day.from() + KeptDay.MILLIS);
      if (day.hasSamples()) {
        from = Math.ceilDiv(from, HOUR) * HOUR;
        to = Math.floorDiv(to, HOUR) * HOUR;
        if (from >= to || hasMoreLabels || !hasBordersOnHours(from, to)) {
          continue;
        }
      }
      Optional<KeptDay.Rows> kept = day.rows();
      if (kept.isEmpty() || day.hasSamples() && !kept.get().terms().equals(terms)) {
        continue;
      }
      sampled(at, from, samples);
      kept(day, kept.get(), from, to);
      at = to;
    }
    sampled(at, period.to(), samples);
    return rows;
  }

  /** Returns true if no interval begins within an hour, between two times. */
  private boolean hasBordersOnHours(long from, long to) {
    for (int i = period.interval(from); period.end(i) < to; i++) {
      if (period.end(i) % HOUR != 0) {
        return false;
      }
    }
    return true;
  }

  private void kept(KeptDay day, KeptDay.Rows kept, long from, long to) {
    long dayEnd = day.from() + KeptDay.MILLIS;
    isByOtherTerms |= hasMoreLabels || !kept.terms().equals(terms);
    boolean isExact = from % HOUR == 0 && to % HOUR == 0 && hasBordersOnHours(from, to);
    isRounded |= !isExact;
    int first = period.interval(from);
    if (isExact && to - from == KeptDay.MILLIS && period.end(first) >= to) {
      boolean isEnd = period.end(first) == to;
      kept.whole().forEach(row -> rows.add(row.in(first, isEnd)));
      return;
    }
    for (UsageRow row : kept.hours()) {
      long end = day.from() + (row.interval() + 1) * HOUR;
      long middle = end - HOUR / 2;
      if (middle >= from && middle < to) {
        int interval = period.interval(middle);
        long border = period.end(interval);
        boolean isEnd = isExact ? end == border : border <= dayEnd && middle + HOUR >= border;
        rows.add(row.in(interval, isEnd));
      }
    }
  }

  private void sampled(long from, long to, SampledUsage samples)
      throws TooManySamples, QueryFailure {
    if (from >= to) {
      return;
    }
    int first = period.interval(from);
    List<Long> borders = new ArrayList<>();
    borders.add(from);
    for (int i = first; period.end(i) < to; i++) {
      borders.add(period.end(i));
    }
    borders.add(to);
    UsagePeriod part = UsagePeriod.of(borders);
    for (UsageRow row : samples.rows(part)) {
      int interval = first + row.interval();
      rows.add(row.in(interval, part.end(row.interval()) == period.end(interval)));
    }
  }
}
