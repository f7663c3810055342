package io.fleetgauge.query.shards;

/**
 * The merged answers of the shards.
 *
 * @param value what they answered
 * @param coverage for which hosts
 */
public record Gathered<T>(T value, Coverage coverage) {}
