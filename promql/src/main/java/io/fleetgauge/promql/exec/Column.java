package io.fleetgauge.promql.exec;

import io.fleetgauge.sample.Labels;

/**
 * One series of a result, with a value for each step.
 *
 * @param values the staleness marker's bit pattern where there is no sample
 */
public record Column(Labels labels, double[] values) {}
