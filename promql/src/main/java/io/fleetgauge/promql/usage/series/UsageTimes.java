package io.fleetgauge.promql.usage.series;

import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.usage.UsagePeriod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * When there have to be samples.
 *
 * @param after samples are after that time, ms
 * @param to the last time, ms
 * @param looks when somebody looks for the newest sample; there are all samples if there is none
 * @param lookback how far back they look, ms
 */
public record UsageTimes(long after, long to, List<Grid> looks, long lookback) {
  static final long MINUTE = 60_000;
  static final long HOUR = 60 * MINUTE;

  /** Most intervals that are read at one time: a day of minutes. */
  private static final int PIECE = 1_440;

  /** The start of the first hour with a sample, or with a zero after it. */
  public long begin() {
    return Math.floorDiv(after - 1, HOUR) * HOUR;
  }

  /**
   * The next period that has to be read: whole hours and the first part of one more, with a border
   * at each sample.
   *
   * @param from {@link #begin}, or the end of the period before
   * @param now there are no samples later than that, ms
   */
  public Optional<UsagePeriod> next(long from, long now) {
    long end = Math.floorDiv(Math.min(to, now), MINUTE) * MINUTE;
    List<Long> borders = new ArrayList<>();
    for (long hour = Math.ceilDiv(from, HOUR) * HOUR;
        hour < end && borders.size() < PIECE;
        hour += HOUR) {
      TreeSet<Long> minutes = minutes(hour, Math.min(hour + HOUR, end));
      if (minutes.isEmpty() && !borders.isEmpty()) {
        break;
      }
      if (!minutes.isEmpty()) {
        if (borders.isEmpty() || borders.getLast() < hour) {
          borders.add(hour);
        }
        borders.addAll(minutes);
      }
    }
    return borders.isEmpty() ? Optional.empty() : Optional.of(UsagePeriod.of(borders));
  }

  /**
   * The minutes of an hour at which there have to be samples.
   *
   * @param last the last one that may be
   */
  private TreeSet<Long> minutes(long hour, long last) {
    TreeSet<Long> minutes = new TreeSet<>();
    if (looks.isEmpty()) {
      // What there is at the end says whether there is a zero after it.
      for (long at = hour + MINUTE; at <= last; at += MINUTE) {
        if (at > after || at == hour + HOUR) {
          minutes.add(at);
        }
      }
      return minutes;
    }
    long until = hour + HOUR + Math.max(MINUTE, lookback + 1);
    for (Grid each : looks) {
      long first = Math.max(0, Math.ceilDiv(hour + MINUTE - each.start(), each.step()));
      for (long i = first; i < each.size() && each.time((int) i) <= until; i++) {
        minutes.add(Math.min(Math.floorDiv(each.time((int) i), MINUTE) * MINUTE, last));
      }
    }
    return minutes;
  }
}
