package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.Assignment;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.Situation;
import io.fleetgauge.cluster.table.Situation.Report;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The registry as Hazelcast is one: whoever sees each other shares what is shared; who is not heard
 * of for some time has left; sides of a split go on apart, and later the smaller one joins the
 * larger one and keeps nothing of its own.
 */
final class SimulatedCluster {
  private static final long SILENCE = 5_000;
  private static final long MERGE = 6_000;

  private final Simulation simulation;
  private final int replication;
  private final Map<String, SimulatedGateway> gateways = new LinkedHashMap<>();
  private final List<Side> sides = new ArrayList<>();

  /** What some members share. */
  private static final class Side {
    final List<String> members = new ArrayList<>();
    OwnershipTable table = OwnershipTable.EMPTY;
    final Set<String> hosts = new TreeSet<>();
    final Map<String, Report> reports = new TreeMap<>();
    final Set<String> active = new TreeSet<>();
    final Set<String> gone = new TreeSet<>();

    Side copyFor(Collection<String> some) {
      Side side = new Side();
      side.members.addAll(members);
      side.members.retainAll(some);
      side.table = table;
      side.hosts.addAll(hosts);
      side.reports.putAll(reports);
      side.active.addAll(active);
      side.gone.addAll(gone);
      return side;
    }
  }

  SimulatedCluster(Simulation simulation, int replication) {
    this.simulation = simulation;
    this.replication = replication;
    simulation.every(
        250,
        () -> {
          look();
          return true;
        });
  }

  void add(SimulatedGateway gateway) {
    gateways.put(gateway.id(), gateway);
  }

  private Side sideOf(String id) {
    return sides.stream().filter(side -> side.members.contains(id)).findFirst().orElse(null);
  }

  void join(String id) {
    for (Side side : sides) {
      if (side.members.stream().allMatch(member -> hears(id, member))) {
        side.members.add(id);
        side.gone.remove(id);
        reconcile(side);
        return;
      }
    }
    Side alone = new Side();
    alone.members.add(id);
    sides.add(alone);
    reconcile(alone);
  }

  private boolean hears(String a, String b) {
    return simulation.reaches(a, b) && gateways.get(a).isAwake() && gateways.get(b).isAwake();
  }

  void activate(String id, boolean active) {
    Side side = sideOf(id);
    if (side != null && (active ? side.active.add(id) : side.active.remove(id))) {
      reconcile(side);
    }
  }

  void register(String id, String host) {
    Side side = sideOf(id);
    if (side != null && side.hosts.add(host)) {
      reconcile(side);
    }
  }

  void report(String id, String host, Report report) {
    Side side = sideOf(id);
    if (side != null) {
      side.reports.put(host, report);
      reconcile(side);
    }
  }

  /** It leaves of its own will, or its process is gone and its ports refuse. */
  void left(String id, boolean saidGoodbye) {
    Side side = sideOf(id);
    if (side != null) {
      side.members.remove(id);
      side.active.remove(id);
      if (saidGoodbye) {
        side.gone.add(id);
      }
      sides.removeIf(each -> each.members.isEmpty());
      reconcile(side);
    }
  }

  /** Notices, late, who is not heard any more, and brings sides together that hear each other. */
  private void look() {
    for (Side side : List.copyOf(sides)) {
      for (String member : List.copyOf(side.members)) {
        boolean alone =
            side.members.size() > 1
                && side.members.stream()
                    .filter(other -> !other.equals(member))
                    .noneMatch(other -> hears(member, other));
        if (alone || side.members.stream().anyMatch(other -> isSplit(member, other))) {
          simulation.after(SILENCE, () -> split(side));
          break;
        }
      }
      reconcile(side);
    }
    for (Side a : List.copyOf(sides)) {
      for (Side b : List.copyOf(sides)) {
        if (a != b && canMerge(a, b)) {
          simulation.after(MERGE, () -> merge(a, b));
        }
      }
    }
  }

  private boolean isSplit(String a, String b) {
    return !a.equals(b) && !hears(a, b);
  }

  /** Those who do not hear each other part, if it is still so. */
  private void split(Side side) {
    if (!sides.contains(side)) {
      return;
    }
    List<List<String>> groups = new ArrayList<>();
    for (String member : side.members) {
      groups.stream()
          .filter(group -> group.stream().allMatch(other -> hears(member, other)))
          .findFirst()
          .ifPresentOrElse(
              group -> group.add(member), () -> groups.add(new ArrayList<>(List.of(member))));
    }
    if (groups.size() > 1) {
      sides.remove(side);
      for (List<String> group : groups) {
        Side part = side.copyFor(group);
        part.active.retainAll(group);
        sides.add(part);
        reconcile(part);
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
    larger.members.addAll(smaller.members);
    larger.gone.removeAll(smaller.members);
    larger.hosts.addAll(smaller.hosts);
    smaller.reports.forEach(larger.reports::putIfAbsent);
    // Who joined has another life here and says again that it may be given hosts.
    for (String id : smaller.members) {
      simulation.after(50 + simulation.random.nextInt(1_000), () -> gateways.get(id).standUp());
    }
    reconcile(larger);
  }

  /** What each member does when something has changed, the oldest one first. */
  private void reconcile(Side side) {
    if (side.members.isEmpty()) {
      return;
    }
    for (String id : side.members) {
      SimulatedGateway gateway = gateways.get(id);
      if (gateway.isAwake() && gateway.known().epoch() > side.table.epoch()) {
        side.table = gateway.known();
      }
    }
    SimulatedGateway oldest = gateways.get(side.members.getFirst());
    if (oldest.isAwake()) {
      OwnershipTable next = next(side, oldest);
      if (next.epoch() < side.table.epoch()) {
        throw new AssertionError("an epoch goes back: " + next.epoch());
      }
      side.table = next;
    }
    for (String id : side.members) {
      ClusterView view = view(side);
      long delay = simulation.random.nextInt(50) == 0 ? 1_000 : 1 + simulation.random.nextInt(30);
      simulation.after(
          delay,
          () -> {
            if (gateways.get(id).isAwake() && sideOf(id) == side) {
              gateways.get(id).learn(view);
            }
          });
    }
  }

  private OwnershipTable next(Side side, SimulatedGateway oldest) {
    if (!side.table.isMajority(presentOrGone(side)) || oldest.waitsForOthers(side.members)) {
      return side.table;
    }
    if (side.table.epoch() == 0 && side.active.isEmpty()) {
      return side.table;
    }
    List<Situation.Gateway> present = new ArrayList<>();
    side.members.forEach(
        id -> present.add(new Situation.Gateway(id, "", side.active.contains(id))));
    Set<String> known = new TreeSet<>(side.table.hosts());
    known.addAll(side.hosts);
    OwnershipTable next =
        Assignment.next(
            new Situation(oldest.id(), present, known, side.reports, replication), side.table);
    oldest.keep(next);
    return next;
  }

  private static Set<String> presentOrGone(Side side) {
    Set<String> all = new TreeSet<>(side.members);
    all.addAll(side.gone);
    return all;
  }

  private ClusterView view(Side side) {
    Map<String, java.net.URI> addresses = new LinkedHashMap<>();
    side.members.forEach(id -> addresses.put(id, gateways.get(id).address()));
    return new ClusterView(side.table, addresses, !side.table.isMajority(presentOrGone(side)));
  }
}
