package io.fleetgauge.query.fleet;

import java.util.List;

/**
 * Changes at the gateways between two looks. A look that came with a read has asked only the
 * gateways that were read.
 *
 * @param epoch of the table that named the owners
 * @param watermark the time up to which all hosts that send ticks have sent them, ms; {@link
 *     Long#MIN_VALUE} when it is not known
 * @param all true if anything may have changed, so that {@code buckets} says nothing
 * @param buckets the buckets of time in which a sample was added, as {@link
 *     io.fleetgauge.promql.lookup.TimeBucket#of} numbers them
 * @param position where the next look continues; only the {@link Fleet} that made it reads it
 */
public record Changes(
    long epoch, long watermark, boolean all, List<Long> buckets, Object position) {}
