package io.fleetgauge.query.report.scheduled;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.config.ScheduledReportSettings.Every;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportPeriodTest {
  @ParameterizedTest
  @CsvSource({
    "2026-12-01T00:00:00Z, DAY, UTC, 2026-11-30, 2026-11-30T00:00:00Z, 2026-12-01T00:00:00Z",
    "2026-11-30T23:59:59Z, DAY, UTC, 2026-11-29, 2026-11-29T00:00:00Z, 2026-11-30T00:00:00Z",
    "2026-12-01T00:00:00Z, MONTH, UTC, 2026-11, 2026-11-01T00:00:00Z, 2026-12-01T00:00:00Z",
    "2026-12-01T00:00:00Z, WEEK, UTC, 2026-W48, 2026-11-23T00:00:00Z, 2026-11-30T00:00:00Z",
    "2027-01-05T00:00:00Z, WEEK, UTC, 2026-W53, 2026-12-28T00:00:00Z, 2027-01-04T00:00:00Z",
    "2026-10-26T00:00:00Z, DAY, Europe/Berlin, 2026-10-25, 2026-10-24T22:00:00Z,"
        + " 2026-10-25T23:00:00Z",
  })
  void aPeriodBeginsAndEndsAtMidnightInItsZone(
      Instant now, Every every, String zone, String name, Instant from, Instant to) {
    assertThat(ReportPeriod.before(now.toEpochMilli(), every, ZoneId.of(zone)))
        .isEqualTo(new ReportPeriod(name, from.toEpochMilli(), to.toEpochMilli()));
  }
}
