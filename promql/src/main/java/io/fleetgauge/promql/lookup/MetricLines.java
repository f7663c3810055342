package io.fleetgauge.promql.lookup;

import io.fleetgauge.sample.gzip.GzipPiece;

/**
 * The newest samples of one metric as lines of the text exposition; they are many, so they stay in
 * the array that they came in.
 *
 * @param series how many lines
 * @param lines where they are; if they are not packed, its lengths are equal and it has no CRC
 */
public record MetricLines(String name, int series, GzipPiece lines) {}
