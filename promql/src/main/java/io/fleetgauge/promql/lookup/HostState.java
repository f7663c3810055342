package io.fleetgauge.promql.lookup;

/**
 * A host with stored samples.
 *
 * @param newest time of its newest sample, ms
 * @param tickMillis how often it sends, ms
 * @param series how many it has
 */
public record HostState(String name, long newest, long tickMillis, long series) {}
