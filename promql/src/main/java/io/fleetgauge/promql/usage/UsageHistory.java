package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The usage of one host in a period: of kept months and days where they have what is asked for, of
 * samples for the rest. A kept day equals its samples, and a month its days, so all together are
 * what samples alone would be.
 *
 * <p>Where samples have expired, the hours of the kept day are counted that are nearest to what is
 * asked for, by the terms of that day.
 */
public final class UsageHistory {
  private static final long HOUR = KeptDay.HOUR;

  private final UsagePeriod period;
  private final UsageTerms terms;
  private final boolean hasMoreLabels;
  private final SampleRows samples;
  private final UsageSums sums;
  private boolean isRounded;
  private boolean isByOtherTerms;

  private boolean isOfExporter;

  /** Rows of samples. */
  @FunctionalInterface
  public interface SampleRows {
    List<UsageRow> rows(UsagePeriod period) throws TooManySamples, QueryFailure;
  }

  /** All before it is counted, ms. */
  private long at;

  /**
   * @param hasMoreLabels whether owners have labels that kept days do not have
   * @param sums to which the rows are added
   */
  public UsageHistory(
      UsagePeriod period,
      UsageTerms terms,
      boolean hasMoreLabels,
      SampleRows samples,
      UsageSums sums) {
    this.period = period;
    this.terms = terms;
    this.hasMoreLabels = hasMoreLabels;
    this.samples = samples;
    this.sums = sums;
    this.at = period.from();
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
   * Returns true if GPUs seem to be the exporter's. Of kept rows it is known for the whole host
   * only, so it is told to who sees all of it.
   */
  public boolean isOfExporter() {
    return isOfExporter;
  }

  /**
   * Counts the whole period.
   *
   * @param months in order
   */
  public void read(List<KeptMonth> months) throws TooManySamples, QueryFailure {
    for (KeptMonth month : months) {
      Optional<KeptRows> whole =
          isOneInterval(month.from(), month.to())
              ? rows(month.hasSamples(), month::whole)
              : Optional.empty();
      if (whole.isPresent()) {
        sampled(month.from());
        addWhole(whole.get(), month.from(), month.to());
        continue;
      }
      for (KeptDay day : month.days()) {
        read(day);
      }
    }
    sampled(period.to());
  }

  /** Returns true if rows of the time as one interval have what is asked for. */
  private boolean isOneInterval(long from, long to) {
    return from >= period.from()
        && to <= period.to()
        && period.end(period.interval(from)) >= to
        && sums.isOfModels();
  }

  private void read(KeptDay day) throws TooManySamples, QueryFailure {
    long from = Math.max(period.from(), day.from());
    long to = Math.min(period.to(), day.from() + KeptDay.MILLIS);
    if (day.hasSamples()) {
      from = Math.ceilDiv(from, HOUR) * HOUR;
      to = Math.floorDiv(to, HOUR) * HOUR;
      if (from >= to || !hasBordersOnHours(from, to)) {
        return;
      }
    }
    boolean isWhole = to - from == KeptDay.MILLIS && isOneInterval(from, to);
    Optional<KeptRows> kept = rows(day.hasSamples(), isWhole ? day::whole : day::hours);
    if (kept.isEmpty()) {
      return;
    }
    sampled(from);
    if (isWhole) {
      addWhole(kept.get(), from, to);
    } else {
      addHours(day, kept.get(), from, to);
    }
  }

  /** Kept rows, unless samples tell better what is asked for. */
  private Optional<KeptRows> rows(boolean hasSamples, Supplier<Optional<KeptRows>> kept) {
    if (hasSamples && hasMoreLabels) {
      return Optional.empty();
    }
    return kept.get().filter(each -> !hasSamples || each.terms().equals(terms));
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

  private void note(KeptRows kept) {
    isByOtherTerms |= hasMoreLabels || !kept.terms().equals(terms);
    isOfExporter |= sums.isOfAll() && kept.isOfExporter();
  }

  private void addWhole(KeptRows kept, long from, long to) {
    note(kept);
    int interval = period.interval(from);
    kept.addTo(sums, UsagePlaces.one(interval, period.end(interval) == to));
    at = to;
  }

  private void addHours(KeptDay day, KeptRows kept, long from, long to) {
    note(kept);
    boolean isExact = from % HOUR == 0 && to % HOUR == 0 && hasBordersOnHours(from, to);
    isRounded |= !isExact;
    long dayEnd = day.from() + KeptDay.MILLIS;
    UsagePlaces places = new UsagePlaces(KeptDay.HOURS);
    for (int hour = 0; hour < KeptDay.HOURS; hour++) {
      long end = day.from() + (hour + 1) * HOUR;
      long middle = end - HOUR / 2;
      if (middle >= from && middle < to) {
        int interval = period.interval(middle);
        long border = period.end(interval);
        boolean isEnd = isExact ? end == border : border <= dayEnd && middle + HOUR >= border;
        places.put(hour, interval, isEnd);
      }
    }
    kept.addTo(sums, places);
    at = to;
  }

  private void sampled(long to) throws TooManySamples, QueryFailure {
    if (at >= to) {
      return;
    }
    int first = period.interval(at);
    List<Long> borders = new ArrayList<>();
    borders.add(at);
    for (int i = first; period.end(i) < to; i++) {
      borders.add(period.end(i));
    }
    borders.add(to);
    UsagePeriod part = UsagePeriod.of(borders);
    List<UsageRow> rows = samples.rows(part).stream().filter(sums::isMeant).toList();
    isOfExporter |= UsageLabels.haveGpusOfExporter(rows);
    for (UsageRow row : rows) {
      int interval = first + row.interval();
      sums.add(row.in(interval, part.end(row.interval()) == period.end(interval)));
    }
    at = to;
  }
}
