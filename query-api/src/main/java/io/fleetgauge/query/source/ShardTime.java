package io.fleetgauge.query.source;

/**
 * Time that a shard took to answer.
 *
 * @param shard its name or address, for people
 * @param nanos from the request until its answer was read
 * @param hosts number of hosts that it answered for
 */
public record ShardTime(String shard, long nanos, int hosts) {}
