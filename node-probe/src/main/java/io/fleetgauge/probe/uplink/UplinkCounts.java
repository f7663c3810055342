package io.fleetgauge.probe.uplink;

/**
 * Counts of the samples of a probe by their fate: {@code read = kept + queued + dropped + refused}.
 *
 * @param read samples handed to the uplink
 * @param kept samples that a gateway acknowledged
 * @param queued samples that wait for an acknowledgement
 * @param dropped samples dropped because they were too old or too many, oldest first
 * @param refused samples that a gateway refused for good
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
