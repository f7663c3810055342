package io.fleetgauge.query.fanout;

import java.net.URI;

/**
 * How long a gateway took to answer.
 *
 * @param nanos from the question until its answer was read
 * @param hosts how many hosts it answered for
 */
public record ShardTime(URI gateway, long nanos, int hosts) {}
