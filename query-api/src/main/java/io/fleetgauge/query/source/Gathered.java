package io.fleetgauge.query.source;

/**
 * The merged answers of the places that hold data.
 *
 * @param coverage the hosts that the value is of
 */
public record Gathered<T>(T value, Coverage coverage) {}
