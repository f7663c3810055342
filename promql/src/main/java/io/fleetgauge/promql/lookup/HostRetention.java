package io.fleetgauge.promql.lookup;

/**
 * Which samples of a host are kept.
 *
 * @param oldest no sample is kept that is older, ms since the epoch
 * @param retentionMillis samples are removed when they are older than this
 */
public record HostRetention(String host, long oldest, long retentionMillis) {}
