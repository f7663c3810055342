package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.Membership;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm.Shared;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The registry as Hazelcast provides it, without any decision about the table. Members that reach
 * each other share one registry. A member that is silent for some time is removed. After a split
 * each side goes on with a registry of its own; when the sides reach each other again, the smaller
 * one joins the larger one, and what both hold is the larger one's.
 */
final class SimulatedCluster {
  private static final long SILENCE = 5_000;
  private static final long MERGE = 6_000;

  private final Simulation simulation;
  private final Ledger ledger;
  private final List<Side> sides = new ArrayList<>();

  /**
   * A report in the registry.
   *
   * @param session of the member that made it
   */
  record SessionReport(String session, Report report) {}

  /** State that members share that reach each other. */
  static final class Side {
    /** In order of age. */
    final List<SimulatedMember> members = new ArrayList<>();

    Shared table = new Shared.Nothing();
    final Map<String, Registered> hosts = new TreeMap<>();
    final Map<String, SessionReport> reports = new TreeMap<>();
    final Map<String, Membership.Status> statuses = new TreeMap<>();

    private Side copyFor(Collection<SimulatedMember> some) {
      Side side = new Side();
      side.members.addAll(members);
      side.members.retainAll(some);
      // Only gateways hold data.
      if (side.members.stream().anyMatch(SimulatedMember::isGateway)) {
        side.table = table;
        side.hosts.putAll(hosts);
        side.reports.putAll(reports);
        side.statuses.putAll(statuses);
      }
      return side;
    }

    List<Membership> gateways() {
      return members.stream().flatMap(member -> member.asGateway().stream()).toList();
    }

    /** Reports count in the membership in which they were made. */
    Map<String, Report> believedReports() {
      Map<String, String> sessions = new TreeMap<>();
      gateways().forEach(each -> sessions.put(each.id(), each.session()));
      Map<String, Report> believed = new TreeMap<>();
      reports.forEach(
          (host, each) -> {
            if (each.session.equals(sessions.get(each.report.owner()))) {
              believed.put(host, each.report);
            }
          });
      return believed;
    }

    /** Tells whether a dead process of the same gateway is still listed. */
    boolean listsAnother(SimulatedMember member) {
      return members.stream().anyMatch(each -> each != member && each.id().equals(member.id()));
    }
  }

  SimulatedCluster(Simulation simulation, Ledger ledger) {
    this.simulation = simulation;
    this.ledger = ledger;
    simulation.every(
        250,
        () -> {
          detect();
          return true;
        });
  }

  Optional<Side> sideOf(SimulatedMember member) {
    return sides.stream().filter(side -> side.members.contains(member)).findFirst();
  }

  void join(SimulatedMember member) {
    for (Side side : sides) {
      List<SimulatedMember> running =
          side.members.stream().filter(SimulatedMember::isRunning).toList();
      if (!running.isEmpty() && running.stream().allMatch(other -> hears(member, other))) {
        side.members.add(member);
        changed(side);
        return;
      }
    }
    Side alone = new Side();
    alone.members.add(member);
    sides.add(alone);
    changed(alone);
  }

  /** A member has left, or its process is gone and that was noticed. */
  void remove(SimulatedMember member) {
    sideOf(member)
        .ifPresent(
            side -> {
              side.members.remove(member);
              if (side.members.isEmpty()) {
                sides.remove(side);
              } else if (side.members.stream().noneMatch(SimulatedMember::isGateway)) {
                sides.remove(side);
                sides.add(side.copyFor(side.members));
              }
              changed(side);
            });
  }

  /** Something in a registry has changed: its members hear of it, late or not at all. */
  void changed(Side side) {
    for (SimulatedMember member : side.members) {
      if (simulation.random.nextInt(50) != 0) {
        simulation.after(1 + simulation.random.nextInt(30), member::poll);
      }
    }
  }

  /**
   * Replaces the table if it still is what a member looked at.
   *
   * @param before the epoch of the newest table that the member knew
   */
  void write(Side side, Shared seen, OwnershipTable table, long before) {
    if (side.table == seen && sides.contains(side)) {
      if (seen instanceof Shared.Table(OwnershipTable old) && old.isNewerThan(table)) {
        throw new AssertionError("the shared table goes back to epoch " + table.epoch());
      }
      side.table = new Shared.Table(table);
      ledger.written(table, before);
      changed(side);
    }
  }

  private boolean hears(SimulatedMember a, SimulatedMember b) {
    return simulation.reaches(a.id(), b.id()) && a.isAwake() && b.isAwake();
  }

  /** Notices, late, who is silent, and brings sides together that hear each other. */
  private void detect() {
    for (Side side : List.copyOf(sides)) {
      boolean isSplit =
          side.members.stream()
              .anyMatch(a -> side.members.stream().anyMatch(b -> a != b && !hears(a, b)));
      if (isSplit) {
        simulation.after(SILENCE, () -> split(side));
      }
    }
    for (Side a : List.copyOf(sides)) {
      for (Side b : List.copyOf(sides)) {
        if (a != b && canMerge(a, b)) {
          simulation.after(MERGE, () -> merge(a, b));
        }
      }
    }
  }

  /** Separates members that do not hear each other, if that is still so. */
  private void split(Side side) {
    if (!sides.contains(side)) {
      return;
    }
    List<List<SimulatedMember>> groups = new ArrayList<>();
    for (SimulatedMember member : side.members) {
      groups.stream()
          .filter(group -> group.stream().allMatch(other -> hears(member, other)))
          .findFirst()
          .ifPresentOrElse(
              group -> group.add(member), () -> groups.add(new ArrayList<>(List.of(member))));
    }
    if (groups.size() > 1) {
      sides.remove(side);
      for (List<SimulatedMember> group : groups) {
        Side part = side.copyFor(group);
        sides.add(part);
        changed(part);
      }
    }
  }

  private boolean canMerge(Side a, Side b) {
    return a.members.stream().allMatch(x -> b.members.stream().allMatch(y -> hears(x, y)));
  }

  private void merge(Side a, Side b) {
    if (!sides.contains(a) || !sides.contains(b) || !canMerge(a, b)) {
      return;
    }
    Side larger = a.members.size() >= b.members.size() ? a : b;
    Side smaller = larger == a ? b : a;
    sides.remove(smaller);
    smaller.members.forEach(SimulatedMember::joinAnew);
    larger.members.addAll(smaller.members);
    smaller.hosts.forEach(larger.hosts::putIfAbsent);
    smaller.reports.forEach(larger.reports::putIfAbsent);
    smaller.statuses.forEach(larger.statuses::putIfAbsent);
    if (larger.table instanceof Shared.Nothing) {
      larger.table = smaller.table;
    }
    changed(larger);
  }
}
