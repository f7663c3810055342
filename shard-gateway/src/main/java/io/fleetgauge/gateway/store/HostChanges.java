package io.fleetgauge.gateway.store;

import java.util.List;

/**
 * The times of a host whose samples have changed.
 *
 * @param all whether any time may have changed; there are no ranges then
 */
public record HostChanges(String host, boolean all, List<Range> ranges) {
  /** After {@code after} and up to {@code to}, ms. */
  public record Range(long after, long to) {}
}
