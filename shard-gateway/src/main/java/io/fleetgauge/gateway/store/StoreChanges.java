package io.fleetgauge.gateway.store;

import java.util.List;

/**
 * The changes in a store since the answer before.
 *
 * @param incarnation identifies the store; another one than before means that anything may have
 *     changed
 * @param cursor the number to ask with the next time
 * @param watermark the time up to which all hosts that send ticks have sent them, ms
 * @param hosts those that have changed
 */
public record StoreChanges(long incarnation, long cursor, long watermark, List<OfHost> hosts) {

  /**
   * The times of a host whose samples have changed.
   *
   * @param all whether any time may have changed; there are no ranges then
   */
  public record OfHost(String host, boolean all, List<Range> ranges) {}

  /** After {@code after} and up to {@code to}, ms. */
  public record Range(long after, long to) {}
}
