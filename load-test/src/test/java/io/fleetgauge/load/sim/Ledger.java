package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.Assignment;
import io.fleetgauge.cluster.table.OwnershipTable;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** What was read and acknowledged, and the laws that must hold at every step. */
final class Ledger {
  /** Times that were acknowledged, by host. */
  final Map<String, TreeSet<Long>> acknowledged = new HashMap<>();

  /** Times that were read, by host. */
  final Map<String, TreeSet<Long>> read = new HashMap<>();

  private final Map<String, String> writers = new HashMap<>();
  private final Map<Long, OwnershipTable> tables = new HashMap<>();

  /** A gateway has answered that it keeps what it was sent. */
  void answered(String gateway, String host, OwnershipTable table) {
    if (!table.owner(host).filter(gateway::equals).isPresent()) {
      return; // it found out meanwhile; what it answers was kept before
    }
    String writer = writers.putIfAbsent(host + "@" + table.epoch(), gateway);
    if (writer != null && !writer.equals(gateway)) {
      throw new AssertionError(
          "at epoch " + table.epoch() + " both " + writer + " and " + gateway + " wrote " + host);
    }
  }

  /** A table has been written to a registry. */
  void written(OwnershipTable table, long at) {}

  /** A gateway has learned of a table. */
  void learned(String gateway, OwnershipTable now) {
    OwnershipTable same = tables.putIfAbsent(now.epoch(), now);
    if (same != null && !same.equals(now)) {
      throw new AssertionError("there are two tables of epoch " + now.epoch());
    }
    Assignment.inFlight(now)
        .forEach(
            (id, count) -> {
              if (count > Assignment.MOST_IN_FLIGHT) {
                throw new AssertionError(count + " hosts are in flight at " + id + ": " + now);
              }
            });
    now.holders()
        .forEach(
            (host, holders) -> {
              if (holders.copyOn(holders.owner()).isPresent()) {
                throw new AssertionError("the owner of " + host + " is a copy of it: " + now);
              }
            });
  }
}
