package io.fleetgauge.query.source;

/**
 * How long a shard took to answer.
 *
 * @param shard its name or address, for people
 * @param nanos from the request until its answer was read
 * @param hosts how many hosts it answered for
 */
public record ShardTime(String shard, long nanos, int hosts) {}
