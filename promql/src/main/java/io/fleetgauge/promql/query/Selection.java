package io.fleetgauge.promql.query;

import io.fleetgauge.promql.expr.Matcher;
import java.util.List;

/**
 * Which samples a query reads: all of the series that match, from after {@code from} up to and with
 * {@code to} (left-open, as PromQL's windows are). Times in ms since the epoch.
 */
public record Selection(List<Matcher> matchers, long from, long to) {}
