package io.fleetgauge.probe.uplink;

/**
 * Where the samples of a probe went: {@code read = kept + queued + dropped + refused}.
 *
 * @param read samples handed to the uplink
 * @param kept samples that a gateway acknowledged
 * @param queued samples that wait for it
 * @param dropped samples that were too old or too many to wait longer, oldest first
 * @param refused samples that a gateway will never take
 * @param queuedFrames ticks that wait
 * @param queuedBytes bytes of them in memory
 * @param diskBytes bytes of the spool on the disk
 */
public record UplinkCounts(
    long read,
    long kept,
    long queued,
    long dropped,
    long refused,
    long queuedFrames,
    long queuedBytes,
    long diskBytes) {}
