package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.util.List;

/**
 * Reads the newest sample of each series, as lines of the text exposition format.
 *
 * @param selectors a series is read when it matches one of them
 * @param after samples at or before this time are not read, ms
 * @param to samples after this time are not read, ms
 * @param escaping of names
 * @param gzip true if the lines are compressed
 * @param maxSeries more series on one gateway are an error
 * @param maxBytes more bytes on one gateway are an error
 */
public record NewestRead(
    List<List<Matcher>> selectors,
    long after,
    long to,
    NameEscaping escaping,
    boolean gzip,
    int maxSeries,
    int maxBytes) {}
