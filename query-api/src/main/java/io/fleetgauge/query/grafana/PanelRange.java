package io.fleetgauge.query.grafana;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.http.Parameters;
import io.vertx.core.json.JsonObject;

/**
 * The times that a panel shows, in ms; start and end are multiples of the step, so that a refreshed
 * panel asks for what is cached.
 */
record PanelRange(long start, long end, long step) {
  private static final long MIN_STEP = 1_000;
  private static final long DEFAULT_STEP = 15_000;
  private static final long DEFAULT_LENGTH = 3_600_000;
  private static final long MAX_POINTS = 11_000;

  /**
   * Reads {@code range}, {@code intervalMs} and {@code maxDataPoints}.
   *
   * @throws QueryFailure if a time cannot be read or the range ends before it starts
   */
  static PanelRange of(JsonObject body, long now) throws QueryFailure {
    JsonObject range = GrafanaJson.object(body, "range");
    long end = time(range.getValue("to"), now);
    long start = time(range.getValue("from"), end - DEFAULT_LENGTH);
    if (end < start) {
      throw GrafanaJson.bad("range.to is before range.from");
    }
    long interval = Math.max(MIN_STEP, GrafanaJson.number(body, "intervalMs", DEFAULT_STEP));
    long points = Math.clamp(GrafanaJson.number(body, "maxDataPoints", MAX_POINTS), 1, MAX_POINTS);
    long step = Math.max(interval, Math.ceilDiv(end - start, points));
    return new PanelRange(Math.floorDiv(start, step) * step, Math.floorDiv(end, step) * step, step);
  }

  private static long time(Object value, long fallback) throws QueryFailure {
    if (value == null) {
      return fallback;
    }
    if (value instanceof Number number) {
      return Math.clamp(number.longValue(), SeriesFilter.EARLIEST, SeriesFilter.LATEST);
    }
    String text = GrafanaJson.text(value);
    return Parameters.rfc3339(text)
        .orElseThrow(
            () -> GrafanaJson.bad("the time " + text + " is not of the form 2026-11-22T10:00:00Z"));
  }
}
