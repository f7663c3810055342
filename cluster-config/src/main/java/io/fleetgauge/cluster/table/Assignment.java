package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Holders.Copy;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.cluster.table.Situation.Gateway;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Computes the next table. A host whose owner has left the cluster goes to one of its copies at
 * once. Every other change of owner is a move: the next owner becomes a copy first, and the owner
 * when the copy is synced.
 */
public final class Assignment {
  /** Most hosts of one gateway, if the number of gateways allows it. */
  public static final int MOST = Shares.MOST;

  /** Fewest hosts of one gateway, if the number of hosts allows it. */
  public static final int FEWEST = Shares.FEWEST;

  /** Most hosts that move to or from one gateway at a time. */
  public static final int MOST_IN_FLIGHT = 2;

  /** A host's holders while they are being changed. */
  private static final class Draft {
    final String host;
    String owner;
    long since;
    final Set<String> behind = new TreeSet<>();
    List<Copy> copies = new ArrayList<>();
    String next;
    Stay stay = Stay.KEPT;
    Admission admission;
    boolean leaves;

    Draft(String host, Registered registered) {
      this.host = host;
      this.admission = registered.removed() ? Admission.UNKNOWN : registered.admission();
    }

    Draft(String host, Holders before) {
      this.host = host;
      owner = before.owner();
      since = before.since();
      behind.addAll(before.behind());
      copies.addAll(before.copies());
      next = before.next().orElse(null);
      stay = before.stay();
      admission = before.admission();
    }

    boolean has(String gateway) {
      return gateway.equals(owner) || copyOn(gateway).isPresent();
    }

    Optional<Copy> copyOn(String gateway) {
      return copies.stream().filter(copy -> copy.gateway().equals(gateway)).findFirst();
    }

    /** The copies except the one that becomes the owner. */
    List<Copy> lasting() {
      return copies.stream().filter(copy -> !copy.gateway().equals(next)).toList();
    }

    void remove(String gateway) {
      copies.removeIf(copy -> copy.gateway().equals(gateway));
    }

    Holders holders() {
      return new Holders(owner, since, behind, copies, Optional.ofNullable(next), stay, admission);
    }
  }

  private final Situation now;
  private final OwnershipTable before;
  private final long epoch;
  private final Map<String, Gateway> present;
  private final List<String> active;
  private final SortedMap<String, Draft> drafts = new TreeMap<>();
  private final SortedMap<String, Long> removals;
  private final Map<String, Integer> copyLoad = new HashMap<>();
  private final Map<String, Integer> inFlight = new HashMap<>();
  private final int copyCap;

  private Assignment(Situation now, OwnershipTable before) {
    this.now = now;
    this.before = before;
    this.removals = new TreeMap<>(before.removals());
    this.epoch = before.nextEpoch(now.writer());
    this.present =
        now.gateways().stream()
            .collect(Collectors.toMap(Gateway::id, each -> each, (a, b) -> a, TreeMap::new));
    List<String> able = present.values().stream().filter(Gateway::active).map(Gateway::id).toList();
    // When all gateways are leaving, hosts stay where they are.
    this.active = able.isEmpty() ? List.copyOf(present.keySet()) : able;
    for (String host : now.hosts()) {
      drafts.put(
          host,
          before
              .holders(host)
              .map(each -> new Draft(host, each))
              .orElseGet(() -> new Draft(host, registered(host))));
    }
    int wanted = Math.min(now.replication(), active.size()) - 1;
    this.copyCap = Math.ceilDiv(drafts.size() * wanted, active.size());
  }

  /**
   * Computes the next table. Without gateways the table stays.
   *
   * @return {@code before} itself when it needs no change
   */
  public static OwnershipTable next(Situation now, OwnershipTable before) {
    return now.gateways().isEmpty() ? before : new Assignment(now, before).plan();
  }

  private OwnershipTable plan() {
    drafts.values().forEach(this::applyChanges);
    drafts.values().removeIf(draft -> draft.leaves);
    move();
    drafts.values().forEach(draft -> draft.copies.forEach(copy -> loaded(copy.gateway(), 1)));
    drafts.values().forEach(this::trim);
    drafts.values().forEach(this::fill);
    drafts.values().forEach(this::replaceMisplaced);
    SortedMap<String, Holders> holders = new TreeMap<>();
    drafts.forEach((host, draft) -> holders.put(host, draft.holders()));
    Set<String> holding = new TreeSet<>();
    holders.values().forEach(each -> each.copies().forEach(copy -> holding.add(copy.gateway())));
    holders.values().forEach(each -> holding.add(each.owner()));
    List<String> members =
        present.values().stream()
            .filter(each -> each.active() || holding.contains(each.id()))
            .map(Gateway::id)
            .toList();
    SortedMap<String, Long> starts = new TreeMap<>();
    for (String id : members) {
      Long start =
          present.get(id).start().map(Membership.Start::number).orElse(before.starts().get(id));
      if (start != null) {
        starts.put(id, start);
      }
    }
    while (removals.size() > OwnershipTable.MAX_REMOVALS) {
      removals.remove(Collections.min(removals.entrySet(), Map.Entry.comparingByValue()).getKey());
    }
    OwnershipTable made =
        new OwnershipTable(before.generation(), epoch, members, starts, holders, removals);
    return holders.equals(before.holders())
            && members.equals(before.members())
            && starts.equals(before.starts())
            && removals.equals(before.removals())
        ? before
        : made;
  }

  // --- what has changed ---

  /**
   * Returns true if a gateway still holds what the table before gave it. One that has started anew
   * may have lost what it did not know of when it started.
   */
  private boolean holds(String gateway, long since) {
    Gateway there = present.get(gateway);
    return there != null
        && there.start().map(start -> before.accountsFor(gateway, start, since)).orElse(true);
  }

  /** Removes gateways that left, applies the owner's report, and finishes a move that is done. */
  private void applyChanges(Draft draft) {
    draft.copies.removeIf(copy -> !holds(copy.gateway(), copy.since()));
    if (draft.next != null && draft.copyOn(draft.next).isEmpty()) {
      draft.next = null;
    }
    if (draft.owner == null) {
      return;
    }
    if (!holds(draft.owner, draft.since)) {
      boolean isThere = present.containsKey(draft.owner);
      if (isThere && draft.copies.stream().noneMatch(Copy::synced)) {
        startAnew(draft);
      } else {
        promoteCopy(draft);
      }
    }
    if (draft.owner == null) {
      return;
    }
    Optional<Report> report =
        Optional.ofNullable(now.reports().get(draft.host))
            .filter(each -> each.isOf(draft.owner, draft.since));
    report.ifPresent(each -> apply(each, draft));
    depart(draft, report);
    if (draft.next != null && draft.copyOn(draft.next).map(Copy::synced).orElse(false)) {
      handOver(draft, draft.next);
    }
  }

  private static void apply(Report report, Draft draft) {
    draft.behind.clear();
    draft.behind.addAll(report.behind());
    draft.copies.replaceAll(
        copy -> new Copy(copy.gateway(), copy.since(), report.synced().contains(copy.key())));
  }

  private void depart(Draft draft, Optional<Report> report) {
    Holders holders = draft.holders();
    draft.leaves = Departures.leaves(holders, report, now.removable().contains(draft.host));
    Registered registered = registered(draft.host);
    Stay next = Departures.next(holders, report, registered.removed(), present.keySet());
    if (registered.removed()) {
      removals.merge(draft.host, registered.admission().at(), Math::max);
    }
    if (next != draft.stay && next != Stay.KEPT) {
      // What the owner has said before it knew that the host is to leave counts no more.
      draft.since = epoch;
    }
    draft.stay = next;
  }

  private Registered registered(String host) {
    return now.registered().getOrDefault(host, Registered.UNKNOWN);
  }

  /** Another owner has said nothing of the host yet. */
  private static void stayFor(Draft draft) {
    draft.stay = draft.stay == Stay.REMOVED ? Stay.REMOVED : Stay.KEPT;
  }

  /** The owner is there, and may lack what it had. No other gateway is known to have all of it. */
  private void startAnew(Draft draft) {
    draft.behind.add(draft.owner);
    draft.since = epoch;
    forgetSynced(draft);
    stayFor(draft);
  }

  private void promoteCopy(Draft draft) {
    Optional<Copy> successor =
        draft.copies.stream().max(Comparator.comparing((Copy copy) -> copy.synced()));
    successor.ifPresent(copy -> inheritGap(draft, copy.gateway()));
    if (!successor.map(Copy::synced).orElse(false)) {
      draft.behind.add(draft.owner);
    }
    draft.owner = successor.map(Copy::gateway).orElse(null);
    draft.since = epoch;
    successor.ifPresent(copy -> draft.remove(copy.gateway()));
    forgetSynced(draft);
    if (draft.owner == null || draft.owner.equals(draft.next)) {
      draft.next = null;
    }
    stayFor(draft);
  }

  /** Copies the gap of an owner: its heir may lack the same, and has not been told. */
  private static void inheritGap(Draft draft, String heir) {
    if (draft.behind.contains(draft.owner)) {
      draft.behind.add(heir);
    }
  }

  /** The new owner does not know which copies have all of its samples. */
  private static void forgetSynced(Draft draft) {
    draft.copies.replaceAll(copy -> new Copy(copy.gateway(), copy.since(), false));
  }

  private void handOver(Draft draft, String to) {
    inheritGap(draft, to);
    draft.remove(to);
    draft.copies.addFirst(new Copy(draft.owner, epoch, false));
    draft.owner = to;
    forgetSynced(draft);
    draft.since = epoch;
    draft.next = null;
    stayFor(draft);
  }

  // --- owners ---

  private void move() {
    Map<String, String> planned = new HashMap<>();
    Map<String, List<String>> preferred = new HashMap<>();
    for (Draft draft : drafts.values()) {
      if (draft.owner != null) {
        planned.put(draft.host, draft.next == null ? draft.owner : draft.next);
      }
      preferred.put(
          draft.host, draft.copies.stream().filter(Copy::synced).map(Copy::gateway).toList());
    }
    Map<String, String> targets = Shares.of(active, drafts.keySet(), planned, preferred);
    for (Draft draft : drafts.values()) {
      String target = targets.get(draft.host);
      if (draft.owner == null) {
        draft.owner = target;
        draft.since = epoch;
      } else if (draft.owner.equals(target) || !target.equals(draft.next)) {
        draft.next = null;
      }
      if (draft.next != null && mayMove(draft.owner) && mayMove(draft.next)) {
        countMove(draft.owner, draft.next);
      } else {
        draft.next = null; // after a failure more moves may be planned than are allowed; some wait
      }
    }
    for (Draft draft : drafts.values()) {
      String target = targets.get(draft.host);
      if (draft.owner.equals(target) || draft.next != null) {
        continue;
      }
      if (draft.copyOn(target).map(Copy::synced).orElse(false)) {
        handOver(draft, target);
      } else if (mayMove(draft.owner) && mayMove(target)) {
        draft.next = target;
        if (draft.copyOn(target).isEmpty()) {
          draft.copies.add(new Copy(target, epoch, false));
        }
        countMove(draft.owner, target);
      }
    }
  }

  private boolean mayMove(String gateway) {
    return inFlight.getOrDefault(gateway, 0) < MOST_IN_FLIGHT;
  }

  private void countMove(String from, String to) {
    inFlight.merge(from, 1, Integer::sum);
    inFlight.merge(to, 1, Integer::sum);
  }

  // --- copies ---

  private int wanted(Draft draft) {
    long others = active.stream().filter(gateway -> !gateway.equals(draft.owner)).count();
    return (int) Math.min(now.replication() - 1, others);
  }

  private void loaded(String gateway, int more) {
    copyLoad.merge(gateway, more, Integer::sum);
  }

  private int loadOf(String gateway) {
    return copyLoad.getOrDefault(gateway, 0);
  }

  private boolean isLeaving(String gateway) {
    return !active.contains(gateway);
  }

  private String zone(String gateway) {
    return present.get(gateway).zone();
  }

  private boolean sharesZone(Draft draft, String gateway) {
    return !zone(gateway).isEmpty() && zone(gateway).equals(zone(draft.owner));
  }

  /** Gateways that another copy may be placed on; other zones than the owner's if there are any. */
  private List<String> candidates(Draft draft) {
    List<String> free = active.stream().filter(gateway -> !draft.has(gateway)).toList();
    List<String> apart = free.stream().filter(gateway -> !sharesZone(draft, gateway)).toList();
    return apart.isEmpty() ? free : apart;
  }

  /** Returns true if there is a better gateway for a copy. */
  private boolean isMisplaced(Draft draft, Copy copy) {
    String gateway = copy.gateway();
    if (isLeaving(gateway)) {
      return true;
    }
    // A copy that was begun as its replacement does not count yet.
    return active.stream()
        .filter(each -> !each.equals(draft.owner) && !each.equals(draft.next))
        .filter(each -> draft.copyOn(each).map(one -> !one.synced()).orElse(true))
        .filter(each -> !each.equals(gateway))
        .anyMatch(each -> isBetter(draft, gateway, each));
  }

  private boolean isBetter(Draft draft, String gateway, String other) {
    boolean near = sharesZone(draft, gateway);
    boolean otherNear = sharesZone(draft, other);
    int load = loadOf(other) - (draft.copyOn(other).isPresent() ? 1 : 0);
    return near && !otherNear || near == otherNear && loadOf(gateway) > copyCap && load < copyCap;
  }

  /** Removes superfluous copies, but none that is needed until another one is synced. */
  private void trim(Draft draft) {
    int wanted = wanted(draft);
    for (List<Copy> all = draft.lasting(); all.size() > wanted; all = draft.lasting()) {
      List<Copy> good = all.stream().filter(copy -> !isMisplaced(draft, copy)).toList();
      boolean mayGo =
          good.size() == all.size()
              || good.stream().filter(Copy::synced).count() >= wanted
              || all.stream().filter(Copy::synced).count() > wanted;
      if (!mayGo) {
        return;
      }
      Copy worst =
          all.stream()
              .max(
                  Comparator.comparing((Copy copy) -> isLeaving(copy.gateway()))
                      .thenComparing(copy -> isMisplaced(draft, copy) || !copy.synced())
                      .thenComparing(copy -> loadOf(copy.gateway()))
                      .thenComparing(copy -> -Shares.weight(draft.host, copy.gateway())))
              .orElseThrow();
      draft.remove(worst.gateway());
      loaded(worst.gateway(), -1);
    }
  }

  /** Adds the copies that are missing. */
  private void fill(Draft draft) {
    int wanted = wanted(draft);
    while (draft.lasting().stream().filter(copy -> !isLeaving(copy.gateway())).count() < wanted) {
      List<String> candidates = candidates(draft);
      if (candidates.isEmpty()) {
        return;
      }
      add(draft, candidates);
    }
  }

  private void add(Draft draft, List<String> candidates) {
    List<String> belowCap = candidates.stream().filter(each -> loadOf(each) < copyCap).toList();
    String chosen = Shares.highestWeight(draft.host, belowCap.isEmpty() ? candidates : belowCap);
    draft.copies.add(new Copy(chosen, epoch, false));
    loaded(chosen, 1);
  }

  /** Begins to replace a misplaced copy; few at a time. */
  private void replaceMisplaced(Draft draft) {
    List<Copy> lasting = draft.lasting();
    if (draft.next != null || lasting.size() != wanted(draft)) {
      if (lasting.size() > wanted(draft)) {
        lasting.stream()
            .filter(copy -> !copy.synced())
            .forEach(copy -> inFlight.merge(copy.gateway(), 1, Integer::sum));
      }
      return;
    }
    for (Copy copy : lasting) {
      if (copy.synced() && !isLeaving(copy.gateway()) && isMisplaced(draft, copy)) {
        List<String> better =
            candidates(draft).stream()
                .filter(gateway -> isBetter(draft, copy.gateway(), gateway) && mayMove(gateway))
                .toList();
        if (!better.isEmpty()) {
          String chosen = Shares.highestWeight(draft.host, better);
          draft.copies.add(new Copy(chosen, epoch, false));
          // The replaced copy no longer counts, or other copies would be moved for its load too.
          loaded(chosen, 1);
          loaded(copy.gateway(), -1);
          inFlight.merge(chosen, 1, Integer::sum);
          return;
        }
      }
    }
  }
}
