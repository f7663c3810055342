package io.fleetgauge.gateway.ingest;

import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.promql.usage.KeptDay;
import java.util.OptionalLong;

/**
 * How long usage is kept of hosts that are gone. The table says who has it, and has a limited
 * number of places, which new hosts need more.
 */
final class GoneHosts {
  /** With so many hosts usage is kept as long as it is to be. */
  static final int FEW = OwnershipTable.MAX_HOSTS / 5 * 2;

  /** With so many only that of hosts that have samples. */
  static final int MANY = OwnershipTable.MAX_HOSTS / 5 * 4;

  private GoneHosts() {}

  /**
   * Returns true if a host without samples is kept for its usage. Those whose last day is longest
   * ago leave first.
   *
   * @param lastDay the start of the last day of which there is a file; empty if there is none
   * @param retention time for which usage is to be kept, ms
   */
  static boolean isKept(
      OwnershipTable table, String host, OptionalLong lastDay, long retention, long now) {
    int hosts = table.hosts().size();
    if (lastDay.isEmpty() || hosts <= FEW) {
      return lastDay.isPresent(); // files that have expired are removed one by one
    }
    if (table.holders(host).isEmpty()) {
      return false; // it has left, and does not come back for as long as there are many
    }
    long kept = retention / (MANY - FEW) * Math.max(0, MANY - hosts);
    return lastDay.getAsLong() + KeptDay.MILLIS > now - kept;
  }
}
