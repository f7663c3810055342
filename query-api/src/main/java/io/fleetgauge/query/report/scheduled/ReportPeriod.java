package io.fleetgauge.query.report.scheduled;

import io.fleetgauge.query.config.ScheduledReportSettings.Every;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;

/**
 * A day, week or month.
 *
 * @param name such as {@code 2026-11-27}, {@code 2026-W48}, {@code 2026-11}
 * @param from ms since the epoch
 * @param to ms since the epoch
 */
record ReportPeriod(String name, long from, long to) {

  /**
   * The newest one that is over.
   *
   * @param now ms since the epoch
   */
  static ReportPeriod before(long now, Every every, ZoneId zone) {
    LocalDate today = Instant.ofEpochMilli(now).atZone(zone).toLocalDate();
    return switch (every) {
      case DAY -> of(today.minusDays(1).toString(), today.minusDays(1), today, zone);
      case WEEK -> {
        LocalDate monday = today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
        LocalDate first = monday.minusWeeks(1);
        String name =
            "%d-W%02d"
                .formatted(
                    first.get(IsoFields.WEEK_BASED_YEAR),
                    first.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
        yield of(name, first, monday, zone);
      }
      case MONTH -> {
        LocalDate end = today.withDayOfMonth(1);
        LocalDate first = end.minusMonths(1);
        yield of(first.toString().substring(0, "2026-11".length()), first, end, zone);
      }
    };
  }

  private static ReportPeriod of(String name, LocalDate from, LocalDate to, ZoneId zone) {
    return new ReportPeriod(name, millis(from, zone), millis(to, zone));
  }

  private static long millis(LocalDate day, ZoneId zone) {
    return day.atStartOfDay(zone).toInstant().toEpochMilli();
  }
}
