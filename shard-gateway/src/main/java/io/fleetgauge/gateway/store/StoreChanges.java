package io.fleetgauge.gateway.store;

import java.util.List;

/**
 * What has changed in a store since it was asked before.
 *
 * @param incarnation identifies the store; another one than before means that anything may have
 *     changed
 * @param cursor the number to ask with the next time
 * @param watermark the time up to which all hosts that send ticks have sent them, ms
 * @param hosts those that have changed
 */
public record StoreChanges(
    long incarnation, long cursor, long watermark, List<HostChanges> hosts) {}
