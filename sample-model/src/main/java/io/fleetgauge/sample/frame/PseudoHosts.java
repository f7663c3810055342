package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.Labels;

/**
 * Hosts that series without a label of a host belong to, such as the results of rules. They are
 * held, replicated and read like other hosts, but are no nodes: they are never late, silent or
 * missed by their probe, and do not count as hosts of the fleet. There are few, so that they are a
 * small part of what a gateway holds, and more than one, so that no single lane carries all.
 */
public final class PseudoHosts {
  /** Changing it gives series another host. */
  private static final int COUNT = 4;

  private static final String PREFIX = "no-host-";

  private PseudoHosts() {}

  /** The host of a series that has none. */
  public static String of(Labels series) {
    return PREFIX + Math.floorMod(mixed(series.toString().hashCode()), COUNT);
  }

  /** The bits of a text's hash code that differ least are those of its last letters. */
  private static int mixed(int hash) {
    int mixed = hash * 0x9e3779b9;
    return mixed ^ mixed >>> 16;
  }

  /** Returns true if a host is one of these. */
  public static boolean isOne(String host) {
    return host.length() == PREFIX.length() + 1
        && host.startsWith(PREFIX)
        && host.charAt(PREFIX.length()) >= '0'
        && host.charAt(PREFIX.length()) < '0' + COUNT;
  }
}
