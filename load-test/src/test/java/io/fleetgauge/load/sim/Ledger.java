package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.Assignment;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.replication.OwnerSide;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Samples that were read, written and acknowledged, and the laws that must hold at every step. */
final class Ledger {
  /** Times that were acknowledged to their probe, by host. */
  final Map<String, TreeSet<Long>> acknowledged = new HashMap<>();

  /** Times that were read, by host. */
  final Map<String, TreeSet<Long>> read = new HashMap<>();

  private final Simulation simulation;
  private final int replication;
  private final Map<String, SimulatedGateway> gateways = new TreeMap<>();
  private final Map<String, String> writers = new HashMap<>();
  private final Map<List<Long>, OwnershipTable> tables = new HashMap<>();

  /** Tables in the order in which they were written first, each with a higher epoch. */
  private final List<TableWrite> written = new ArrayList<>();

  /** By the epoch of a table, the epoch of the table that it was made from. */
  private final Map<Long, Long> madeFrom = new HashMap<>();

  /** Where each tick of a host was written to a journal, and where it was forced to the disk. */
  private final Map<String, Map<Long, Copies>> copies = new HashMap<>();

  /** Ticks that an answer has to have: by host and time, when they were acknowledged. */
  private final Map<String, TreeMap<Long, Long>> required = new HashMap<>();

  /** Ticks that an owner kept alone while the newest table called a copy synced that lacks them. */
  private final Map<String, TreeMap<Long, KeptAlone>> keptAlone = new HashMap<>();

  /**
   * @param at when it was acknowledged
   * @param knownBy gateways that acknowledged a later tick as the owner: by then the sender had
   *     told them that it was acknowledged
   */
  private record KeptAlone(long at, Set<String> knownBy) {}

  private record TableWrite(OwnershipTable table, long at) {}

  private static final class Copies {
    final Set<String> written = new TreeSet<>();
    boolean isForced;
  }

  Ledger(Simulation simulation, int replication) {
    this.simulation = simulation;
    this.replication = replication;
  }

  void add(SimulatedGateway gateway) {
    gateways.put(gateway.id(), gateway);
  }

  // --- journals ---

  /** A gateway's journal has these ticks; they may still be lost with the machine. */
  void journaled(String gateway, String host, long[] times, boolean isForced) {
    for (long time : times) {
      Copies of =
          copies
              .computeIfAbsent(host, none -> new HashMap<>())
              .computeIfAbsent(time, none -> new Copies());
      of.written.add(gateway);
      of.isForced |= isForced;
    }
  }

  // --- acknowledgements ---

  /** A gateway has answered that it keeps ticks of a host. */
  void answered(String gateway, String host, OwnershipTable table, List<Long> times) {
    times.forEach(time -> assertIsDurable(gateway, host, time));
    if (table.owner(host).filter(gateway::equals).isEmpty()) {
      return; // it has learned meanwhile of another owner; what it answers was kept before
    }
    String writer = writers.putIfAbsent(host + "@" + name(table), gateway);
    if (writer != null && !writer.equals(gateway)) {
      throw new AssertionError(
          "at epoch " + table.epoch() + " both " + writer + " and " + gateway + " wrote " + host);
    }
    Optional<Holders> holders = newestTable().flatMap(newest -> newest.holders(host));
    if (holders.isPresent() && holders.get().owner().equals(gateway)) {
      TreeMap<Long, KeptAlone> alone = keptAlone.computeIfAbsent(host, none -> new TreeMap<>());
      alone.headMap(Collections.min(times)).values().forEach(each -> each.knownBy.add(gateway));
      Set<Long> onCopies = onSyncedCopies(holders.get(), host, times);
      for (long time : times) {
        if (onCopies.contains(time)) {
          required
              .computeIfAbsent(host, none -> new TreeMap<>())
              .putIfAbsent(time, simulation.now());
        } else {
          alone.putIfAbsent(time, new KeptAlone(simulation.now(), new TreeSet<>()));
        }
      }
    }
  }

  /** Ticks before this time need not be in any answer any more, ms since the epoch. */
  void expire(long before) {
    required.values().forEach(ticks -> ticks.headMap(before).clear());
    keptAlone.values().forEach(ticks -> ticks.headMap(before).clear());
  }

  /** A process has ended, and with it what it knew of ticks that others acknowledged. */
  void ended(String gateway) {
    keptAlone
        .values()
        .forEach(ticks -> ticks.values().forEach(each -> each.knownBy.remove(gateway)));
  }

  /** Law 1: what is acknowledged is in two journals, or forced to a disk. */
  private void assertIsDurable(String gateway, String host, long time) {
    Copies of = copies.getOrDefault(host, Map.of()).getOrDefault(time, new Copies());
    if (!of.isForced && of.written.size() < Math.min(2, replication)) {
      throw new AssertionError(
          gateway + " acknowledged " + host + " at " + time + ", written on " + of.written);
    }
  }

  /**
   * Those ticks that all copies have which the newest table calls synced. While a copy is cut off
   * and the table does not say so yet, its owner acknowledges alone. Should that owner go, the copy
   * does not know of the tick until its sender tells it.
   */
  private Set<Long> onSyncedCopies(Holders holders, String host, List<Long> times) {
    Set<Long> there = new HashSet<>(times);
    holders.copies().stream()
        .filter(Holders.Copy::synced)
        .forEach(copy -> there.retainAll(gateways.get(copy.gateway()).timesOnDisk(host)));
    return there;
  }

  private Optional<OwnershipTable> newestTable() {
    return written.isEmpty() ? Optional.empty() : Optional.of(written.getLast().table);
  }

  // --- answers ---

  /**
   * Law 5: an answer that does not name a host as incomplete has every tick of it that was
   * acknowledged while the table it was made from was the newest one, or soon afterwards. Of ticks
   * that an owner kept alone this is asked of owners that were told of them.
   */
  void answeredQuery(String gateway, String host, long epoch, Set<Long> times) {
    long until = until(gateway, epoch);
    Consumer<Map.Entry<Long, Long>> check =
        tick -> {
          if (tick.getValue() < until && !times.contains(tick.getKey())) {
            throw new AssertionError(
                "at "
                    + simulation.now()
                    + " the response to "
                    + gateway
                    + " lacks "
                    + host
                    + " at "
                    + (tick.getKey() - Simulation.EPOCH)
                    + ", acknowledged at "
                    + tick.getValue()
                    + ", and does not say so; by the newest table "
                    + newestTable().flatMap(table -> table.holders(host)));
          }
        };
    required.getOrDefault(host, new TreeMap<>()).entrySet().forEach(check);
    if (newestTable().flatMap(table -> table.owner(host)).filter(gateway::equals).isPresent()) {
      keptAlone
          .getOrDefault(host, new TreeMap<>())
          .forEach(
              (time, tick) -> {
                if (tick.knownBy.contains(gateway)) {
                  check.accept(Map.entry(time, tick.at));
                }
              });
    }
  }

  /**
   * The time from which on acknowledged ticks need not be in answers of a gateway by a table. Once
   * there is a newer table owners wait for those that are in sight to know it, or for a second.
   */
  private long until(String gateway, long epoch) {
    long at = Long.MAX_VALUE;
    boolean isInSight = true;
    for (int i = written.size() - 1; i >= 0 && written.get(i).table.epoch() > epoch; i--) {
      at = written.get(i).at;
      isInSight &= written.get(i).table.members().contains(gateway);
    }
    return at == Long.MAX_VALUE || !isInSight ? at : at + OwnerSide.TELL_MILLIS;
  }

  // --- tables ---

  /** The tables since a time, with the one that was the newest then as the first. */
  List<OwnershipTable> tablesSince(long at) {
    List<OwnershipTable> since = new ArrayList<>();
    for (TableWrite each : written) {
      if (each.at < at) {
        since.clear();
      }
      since.add(each.table);
    }
    return since;
  }

  private static List<Long> name(OwnershipTable table) {
    return List.of(table.generation(), table.epoch());
  }

  /**
   * A table has been written to a registry.
   *
   * @param before the epoch of the newest table that its writer knew
   */
  void written(OwnershipTable table, long before) {
    madeFrom.putIfAbsent(table.epoch(), before);
    if (newestTable()
        .map(newest -> !newest.equals(table) && !newest.isNewerThan(table))
        .orElse(true)) {
      forgetTablesThatTheWriterDidNotKnow(before);
      written.add(new TableWrite(table, simulation.now()));
    }
  }

  /**
   * Two sides of a split may both have a majority when a gateway dies before it has kept a table
   * that counts it, and starts again on the other side. Then owners of one side are not in the
   * tables of the other side, whose table is the newest in the end. What these owners acknowledged
   * is kept, and comes back when they offer it; until then no answer names it.
   */
  private void forgetTablesThatTheWriterDidNotKnow(long before) {
    Set<Long> known = new TreeSet<>();
    // One that was kept before it was written is made from itself, as far as is seen here.
    for (Long epoch = before; epoch != null && known.add(epoch); ) {
      epoch = madeFrom.get(epoch);
    }
    long from =
        written.stream()
            .filter(each -> !known.contains(each.table.epoch()))
            .mapToLong(TableWrite::at)
            .min()
            .orElse(Long.MAX_VALUE);
    required.values().forEach(ticks -> ticks.values().removeIf(at -> at >= from));
    keptAlone.values().forEach(ticks -> ticks.values().removeIf(each -> each.at >= from));
  }

  /** A gateway has learned of a table. */
  void learned(String gateway, OwnershipTable now) {
    OwnershipTable same = tables.putIfAbsent(name(now), now);
    if (same != null && !same.equals(now)) {
      throw new AssertionError("there are two tables of epoch " + now.epoch());
    }
    now.moves()
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
