package io.fleetgauge.query.grafana;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.http.Parameters;

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
  static PanelRange of(JsonNode body, long now) throws QueryFailure {
    long end = time(body.path("range").path("to"), now);
    long start = time(body.path("range").path("from"), end - DEFAULT_LENGTH);
    if (end < start) {
      throw GrafanaJson.bad("range.to is before range.from");
    }
    long interval = Math.max(MIN_STEP, body.path("intervalMs").asLong(DEFAULT_STEP));
    long points = Math.clamp(body.path("maxDataPoints").asLong(MAX_POINTS), 1, MAX_POINTS);
    long step = Math.max(interval, Math.ceilDiv(end - start, points));
    return new PanelRange(Math.floorDiv(start, step) * step, Math.floorDiv(end, step) * step, step);
  }

  private static long time(JsonNode node, long fallback) throws QueryFailure {
    if (node.isMissingNode() || node.isNull()) {
      return fallback;
    }
    if (node.isNumber()) {
      return Math.clamp(node.asLong(), SeriesFilter.EARLIEST, SeriesFilter.LATEST);
    }
    return Parameters.rfc3339(node.asText())
        .orElseThrow(
            () ->
                GrafanaJson.bad(
                    "the time " + node.asText() + " is not of the form 2026-11-22T10:00:00Z"));
  }
}
