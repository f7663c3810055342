package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.BusMessage.BudgetGrants;
import io.fleetgauge.cluster.bus.BusMessage.BudgetUse;
import io.fleetgauge.cluster.bus.BusMessage.HeardPeer;
import io.fleetgauge.cluster.bus.BusMessage.UsageGrants;
import io.fleetgauge.cluster.bus.BusMessage.UsageReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/**
 * Divides limits among the query APIs that are heard. One of them, the oldest, does this for all.
 * Not for several threads.
 *
 * <p>A share is raised only by what nobody else may use any more: a share that was lowered counts
 * in full until its owner has reported that it applies the lower one, and running queries count
 * until they have ended. So the shares in force never add up to more than the limit, however late
 * messages are.
 *
 * <p>Limits that nobody uses are divided evenly, and not named in messages.
 */
final class Dealer {
  /** A limit that nobody has used for so long is divided evenly again, ms. */
  private static final long IDLE_MILLIS = 5_000;

  /** Where there are fewer places than query APIs that want one, they take turns of so long, ms. */
  private static final long TURN_MILLIS = 1_000;

  private final ToIntFunction<String> limits;
  private final Map<Long, Received> reports = new HashMap<>();
  private final Map<String, Division> divisions = new TreeMap<>();
  private long version;
  private boolean changed;

  private record Received(UsageReport report, Map<String, BudgetUse> uses) {}

  /** A share that was higher before a version. */
  private record Lowering(long version, int before) {}

  private static final class Share {
    int granted;
    final Deque<Lowering> lowerings = new ArrayDeque<>();

    Share(int granted) {
      this.granted = granted;
    }

    /** What its owner may use as far as anybody knows. */
    int inForce(long applied) {
      while (!lowerings.isEmpty() && lowerings.peekFirst().version() <= applied) {
        lowerings.removeFirst();
      }
      int most = granted;
      for (Lowering each : lowerings) {
        most = Math.max(most, each.before());
      }
      return most;
    }
  }

  private static final class Division {
    final Map<Long, Share> shares = new HashMap<>();
    List<Peer> among = List.of();
    int budget;
    long usedAt;
  }

  Dealer(ToIntFunction<String> limits) {
    this.limits = limits;
  }

  /** A query API has reported, this one included. */
  void reported(long life, UsageReport report) {
    Map<String, BudgetUse> uses = new HashMap<>();
    report.budgets().forEach(use -> uses.put(use.key(), use));
    reports.put(life, new Received(report, uses));
    version = Math.max(version, report.applied());
  }

  /** Forgets how limits were divided: another query API divides them now. */
  void rest() {
    divisions.clear();
  }

  /** The newest version of its grants. */
  long version() {
    return version;
  }

  /**
   * Divides again what has to be.
   *
   * @return whether anything has changed
   */
  boolean deal(PeerDirectory peers, long now) {
    List<Peer> heard = peers.live(now);
    reports.keySet().removeIf(life -> heard.stream().noneMatch(peer -> peer.life() == life));
    List<Peer> live = reporting(peers, now);
    List<Peer> counted = peers.counted(now);
    int count = peers.count(now);
    changed = false;
    TreeSet<String> keys = new TreeSet<>(divisions.keySet());
    reports.values().forEach(received -> keys.addAll(received.uses().keySet()));
    for (String key : keys) {
      deal(key, live, counted, count, now);
    }
    if (changed) {
      version++;
    }
    return changed;
  }

  /**
   * Those that are live and have reported. After a split another message may come before the first
   * report; until then its sender keeps the even share that it took by itself.
   */
  private List<Peer> reporting(PeerDirectory peers, long now) {
    return peers.live(now).stream().filter(peer -> reports.containsKey(peer.life())).toList();
  }

  private void deal(String key, List<Peer> live, List<Peer> counted, int count, long now) {
    int limit = limits.applyAsInt(key);
    int budget = live.size() == count ? limit : Math.max(1, limit * live.size() / count);
    Division division = divisions.get(key);
    if (division == null) {
      if (divisions.size() >= MessageForm.MAX_BUDGETS) {
        return; // it stays divided evenly
      }
      division = new Division();
      divisions.put(key, division);
      changed = true;
      for (Peer peer : live) {
        BudgetUse use = use(peer, key);
        int even = Shares.even(limit, count, counted.indexOf(peer));
        division.shares.put(peer.life(), new Share(use == null ? even : use.allowed()));
      }
    }
    int[] demands = new int[live.size()];
    boolean isShort = false;
    int wanting = 0;
    for (int i = 0; i < demands.length; i++) {
      BudgetUse use = use(live.get(i), key);
      // One that names no use may take its even share until it applies a lower one.
      int unused = Math.max(1, Shares.even(limit, count, counted.indexOf(live.get(i))));
      Share share =
          division.shares.computeIfAbsent(
              live.get(i).life(), none -> new Share(use == null ? unused : use.allowed()));
      demands[i] = use == null ? 0 : Math.max(use.demand(), use.running());
      isShort |= demands[i] > share.granted;
      wanting += demands[i] > 0 ? 1 : 0;
    }
    division.shares.keySet().removeIf(life -> live.stream().noneMatch(p -> p.life() == life));
    boolean isNew = division.budget != budget || !division.among.equals(live);
    division.budget = budget;
    division.among = live;
    if (wanting > 0) {
      division.usedAt = now;
    }
    if (isShort || isNew) {
      int turn = budget < wanting ? (int) (now / TURN_MILLIS % live.size()) : 0;
      apply(key, division, Shares.byDemand(budget, demands, turn), live);
    } else if (now - division.usedAt > IDLE_MILLIS) {
      int[] even = new int[live.size()];
      for (int i = 0; i < even.length; i++) {
        even[i] = Shares.even(limit, count, counted.indexOf(live.get(i)));
      }
      apply(key, division, even, live);
      if (isInForce(division, even, live)) {
        divisions.remove(key);
        changed = true;
      }
    }
  }

  /** Lowers shares at once, and raises others by what is free. */
  private void apply(String key, Division division, int[] targets, List<Peer> live) {
    int free = division.budget;
    int[] inForce = new int[targets.length];
    for (int i = 0; i < targets.length; i++) {
      Share share = division.shares.get(live.get(i).life());
      if (targets[i] < share.granted) {
        share.lowerings.addLast(new Lowering(version + 1, share.granted));
        share.granted = targets[i];
        changed = true;
      }
      BudgetUse use = use(live.get(i), key);
      inForce[i] = Math.max(share.inForce(applied(live.get(i))), use == null ? 0 : use.running());
      free -= inForce[i];
    }
    for (int i = 0; i < targets.length; i++) {
      Share share = division.shares.get(live.get(i).life());
      int raised = Math.min(targets[i], inForce[i] + Math.max(0, free));
      if (raised > share.granted) {
        free -= Math.max(0, raised - inForce[i]);
        share.granted = raised;
        changed = true;
      }
    }
  }

  private boolean isInForce(Division division, int[] shares, List<Peer> live) {
    for (int i = 0; i < shares.length; i++) {
      Share share = division.shares.get(live.get(i).life());
      if (share.granted != shares[i] || share.inForce(applied(live.get(i))) != shares[i]) {
        return false;
      }
    }
    return true;
  }

  private BudgetUse use(Peer peer, String key) {
    Received received = reports.get(peer.life());
    return received == null ? null : received.uses().get(key);
  }

  private long applied(Peer peer) {
    Received received = reports.get(peer.life());
    return received == null ? 0 : received.report().applied();
  }

  /** The shares of one query API, by key; limits that are divided evenly are left out. */
  Map<String, Integer> sharesOf(Peer peer) {
    Map<String, Integer> shares = new HashMap<>();
    divisions.forEach(
        (key, division) -> {
          Share share = division.shares.get(peer.life());
          if (share != null) {
            shares.put(key, share.granted);
          }
        });
    return shares;
  }

  /** What others are to know. */
  UsageGrants grants(PeerDirectory peers, long now) {
    List<Peer> live = reporting(peers, now);
    List<HeardPeer> heard = new ArrayList<>();
    for (Peer peer : live) {
      heard.add(new HeardPeer(peer.life(), reports.get(peer.life()).report().clock()));
    }
    List<BudgetGrants> budgets = new ArrayList<>();
    divisions.forEach(
        (key, division) ->
            budgets.add(
                new BudgetGrants(
                    key,
                    live.stream()
                        .map(peer -> division.shares.get(peer.life()))
                        .map(share -> share == null ? 0 : share.granted)
                        .toList())));
    return new UsageGrants(version, heard, budgets);
  }
}
