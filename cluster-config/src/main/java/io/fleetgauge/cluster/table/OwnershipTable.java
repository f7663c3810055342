package io.fleetgauge.cluster.table;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The assignment of hosts to gateways at one epoch. Immutable.
 *
 * @param generation drawn at random when a cluster makes its first table from nothing; epochs of
 *     different generations cannot be compared. 0 for the empty table
 * @param epoch rises with every table of a generation, from 0; see {@link #nextEpoch}
 * @param members ids of the gateways that it was made for, sorted
 * @param starts by id of a member, the last of its starts that its holdings take account of; see
 *     {@link Membership.Start}. Of a member that has not stated one yet there is none
 * @param holders by host name
 * @param removals when an operator removed hosts, ms since the epoch: a gateway that was away drops
 *     what it has of before. At most {@link #MAX_REMOVALS}, the latest ones
 */
public record OwnershipTable(
    long generation,
    long epoch,
    List<String> members,
    SortedMap<String, Long> starts,
    SortedMap<String, Holders> holders,
    SortedMap<String, Long> removals) {
  /** Most removals of hosts that a table remembers. */
  public static final int MAX_REMOVALS = 1_000;

  /** Most hosts that a cluster knows; samples of more are refused. */
  public static final int MAX_HOSTS = 20_000;

  public static final OwnershipTable EMPTY = beginning(0);

  private static final int WRITER_BITS = 16;

  public OwnershipTable {
    members = List.copyOf(members);
    starts = Collections.unmodifiableSortedMap(new TreeMap<>(starts));
    holders = Collections.unmodifiableSortedMap(new TreeMap<>(holders));
    removals = Collections.unmodifiableSortedMap(new TreeMap<>(removals));
  }

  /** A table without removals. */
  public OwnershipTable(
      long generation,
      long epoch,
      List<String> members,
      SortedMap<String, Long> starts,
      SortedMap<String, Holders> holders) {
    this(generation, epoch, members, starts, holders, new TreeMap<>());
  }

  /** A table whose members have stated no start. */
  public OwnershipTable(
      long generation, long epoch, List<String> members, SortedMap<String, Holders> holders) {
    this(generation, epoch, members, new TreeMap<>(), holders);
  }

  /** The table before the first one of a generation. */
  static OwnershipTable beginning(long generation) {
    return new OwnershipTable(generation, 0, List.of(), new TreeMap<>());
  }

  /** A table of owners that have no copies, of generation 1. */
  public static OwnershipTable ofOwners(long epoch, Map<String, String> owners) {
    SortedMap<String, Holders> holders = new TreeMap<>();
    owners.forEach(
        (host, owner) ->
            holders.put(host, new Holders(owner, epoch, Set.of(), List.of(), Optional.empty())));
    return new OwnershipTable(
        1, epoch, owners.values().stream().sorted().distinct().toList(), holders);
  }

  public Set<String> hosts() {
    return holders.keySet();
  }

  public Optional<Holders> holders(String host) {
    return Optional.ofNullable(holders.get(host));
  }

  public Optional<String> owner(String host) {
    return holders(host).map(Holders::owner);
  }

  /** When an operator removed a host, ms since the epoch; empty if that is not known any more. */
  public OptionalLong removedAt(String host) {
    Long at = removals.get(host);
    return at == null ? OptionalLong.empty() : OptionalLong.of(at);
  }

  /** Gateway id by host name. */
  public SortedMap<String, String> owners() {
    SortedMap<String, String> owners = new TreeMap<>();
    holders.forEach((host, each) -> owners.put(host, each.owner()));
    return owners;
  }

  /** Returns true if this table was made later than another one of the same generation. */
  public boolean isNewerThan(OwnershipTable other) {
    return generation == other.generation && epoch > other.epoch;
  }

  /** Number of tables of this generation that were written, as far as its writers knew. */
  public long number() {
    return epoch >>> WRITER_BITS;
  }

  /**
   * Returns true if this table differs from another one only in copies that it calls synced and
   * that not.
   */
  public boolean onlyCallsMoreSyncedThan(OwnershipTable other) {
    if (!members.equals(other.members)
        || !starts.equals(other.starts)
        || !removals.equals(other.removals)
        || !hosts().equals(other.hosts())) {
      return false;
    }
    for (String host : hosts()) {
      if (!holders.get(host).onlyCallsMoreSyncedThan(other.holders.get(host))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns true if a gateway's holding takes account of its present start. When it does not, the
   * gateway may have lost what it held.
   *
   * @param since from which epoch on it holds, as the owner or as a copy
   */
  public boolean accountsFor(String gateway, Membership.Start start, long since) {
    return starts.getOrDefault(gateway, 0L) == start.number() || start.knows(generation, since);
  }

  /** Number of hosts that each gateway owns; gateways without a host are not in it. */
  public Map<String, Long> load() {
    return holders.values().stream()
        .collect(Collectors.groupingBy(Holders::owner, Collectors.counting()));
  }

  /** Number of hosts that move to or from each gateway; gateways without a move are not in it. */
  public Map<String, Long> moves() {
    Map<String, Long> counts = new TreeMap<>();
    for (Holders each : holders.values()) {
      each.next()
          .ifPresent(
              next -> {
                counts.merge(each.owner(), 1L, Long::sum);
                counts.merge(next, 1L, Long::sum);
              });
    }
    return counts;
  }

  /** Number of hosts that have a copy on a gateway, complete or not. */
  public long copiesOn(String gateway) {
    return holders.values().stream().filter(each -> each.copyOn(gateway).isPresent()).count();
  }

  /** Number of hosts of which the copy on a gateway is whole. */
  public long syncedOn(String gateway) {
    return holders.values().stream()
        .filter(each -> each.copyOn(gateway).map(Holders.Copy::synced).orElse(false))
        .count();
  }

  /** Returns true if a gateway holds anything, or is to. */
  public boolean involves(String gateway) {
    return holders.values().stream().anyMatch(each -> each.has(gateway));
  }

  /**
   * Returns true if these gateways may change the table: they are more than half of those that it
   * was made for, or half of them and the first by name is among them. Of two sides that do not see
   * each other at most one may.
   */
  public boolean isMajority(Set<String> gateways) {
    long there = members.stream().filter(gateways::contains).count();
    return 2 * there > members.size()
        || 2 * there == members.size()
            && (members.isEmpty() || gateways.contains(members.getFirst()));
  }

  /**
   * The epoch of a table that follows this one. Its lower 16 bits are the writer's and the
   * generation's: two writers that follow the same table, because one does not know what the other
   * wrote before everything went down, never write two tables of one epoch.
   */
  public long nextEpoch(String writer) {
    return ((epoch >>> WRITER_BITS) + 1) << WRITER_BITS
        | Shares.weight(writer, Long.toHexString(generation)) & (1 << WRITER_BITS) - 1;
  }
}
