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
 * Divides limits among the query APIs that use its grants. Where all hear each other, one of them,
 * the oldest, does this for all. Not for several threads.
 *
 * <p>A share is raised only by what nobody else may use any more: a share that was lowered counts
 * in full until its owner has reported that it applies the lower one, and running queries count
 * until they have ended. So the shares in force never add up to more than the limit, however late
 * messages are.
 *
 * <p>Behind a broken network there may be several dealers. A query API uses the grants of one of
 * them and says of which, so each dealer divides the part of the limit that those have who use its
 * grants. Of one that does not use them any more, it holds back what that one had for {@link
 * #SETTLE_MILLIS}: its queries go on for a while, and whoever divides for it next waits as long.
 *
 * <p>Limits that nobody uses are divided evenly, and not named in messages.
 */
final class Dealer {
  /**
   * So long after a change of the dealer nobody's share is raised because of it, ms. It is longer
   * than it takes until the dealer before has noticed it, and those that use that one's grants have
   * applied lower ones or have lost theirs.
   */
  static final long SETTLE_MILLIS = PeerDirectory.LIVE_MILLIS + SharedUsage.FRESH_MILLIS;

  /** A limit that nobody has used for so long is divided evenly again, ms. */
  private static final long IDLE_MILLIS = 5_000;

  /** Where there are fewer places than query APIs that want one, they take turns of so long, ms. */
  private static final long TURN_MILLIS = 1_000;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final long self;

  private final ToIntFunction<String> limits;
  private final Map<Long, Received> reports = new HashMap<>();
  private final Map<String, Division> divisions = new TreeMap<>();
  private List<Peer> followers = List.of();
  private long grownAt = NEVER;
  private boolean mayRaise;
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

  /** What one may still use that has left, and until when that is held back. */
  private record Hold(int share, long until) {}

  private static final class Division {
    final Map<Long, Share> shares = new HashMap<>();
    final Map<Long, Hold> holds = new HashMap<>();
    final String key;
    List<Peer> among = List.of();
    int budget;
    long usedAt;

    Division(String key) {
      this.key = key;
    }
  }

  /**
   * @param self the life of the query API that it is part of
   */
  Dealer(long self, ToIntFunction<String> limits) {
    this.self = self;
    this.limits = limits;
  }

  /** A query API has reported, this one included. */
  void reported(long life, UsageReport report) {
    Map<String, BudgetUse> uses = new HashMap<>();
    report.budgets().forEach(use -> uses.put(use.key(), use));
    reports.put(life, new Received(report, uses));
  }

  /** Forgets how limits were divided: another query API divides them now, or nobody does. */
  void rest() {
    divisions.clear();
    followers = List.of();
  }

  /** The newest version of its grants. */
  long version() {
    return version;
  }

  /** How many query APIs use its grants, this one included. */
  int followers() {
    return followers.size();
  }

  /**
   * Divides again what has to be.
   *
   * @return whether anything has changed
   */
  boolean deal(PeerDirectory peers, long now) {
    List<Peer> heard = peers.live(now);
    List<Peer> known = followers;
    followers = following(heard);
    if (!known.containsAll(followers)) {
      grownAt = now;
    }
    if (!followers.contains(peers.self())) {
      rest(); // it has not reported since it is the dealer
      return false;
    }
    divisions.values().forEach(division -> holdBack(division, now));
    reports.keySet().removeIf(life -> heard.stream().noneMatch(peer -> peer.life() == life));
    // Nobody knows what one may use that is out of sight, and had the same dealer as a new
    // follower.
    mayRaise = now - grownAt >= SETTLE_MILLIS || heard.size() == peers.count(now);
    changed = false;
    TreeSet<String> keys = new TreeSet<>(divisions.keySet());
    for (Peer peer : followers) {
      keys.addAll(reports.get(peer.life()).uses().keySet());
    }
    for (String key : keys) {
      deal(key, followers, peers, now);
    }
    if (changed) {
      version++;
    }
    return changed;
  }

  /**
   * Those that are live and use its grants. After a split another message may come before the first
   * report; until then its sender keeps the even share that it took by itself.
   */
  private List<Peer> following(List<Peer> heard) {
    return heard.stream()
        .filter(peer -> reports.containsKey(peer.life()))
        .filter(peer -> reports.get(peer.life()).report().dealer() == self)
        .toList();
  }

  /** The shares of those that do not use its grants any more are held back for a while. */
  private void holdBack(Division division, long now) {
    for (Peer peer : followers) {
      division.holds.remove(peer.life());
    }
    division.holds.values().removeIf(hold -> hold.until() <= now);
    for (Peer peer : division.among) {
      if (!followers.contains(peer)) {
        Share share = division.shares.remove(peer.life());
        if (share != null) {
          int most = inForce(share, peer, use(peer, division.key));
          division.holds.put(peer.life(), new Hold(most, now + SETTLE_MILLIS));
        }
      }
    }
  }

  /** What there is to divide: the part of the limit that the followers have. */
  private int budget(String key, Division division, PeerDirectory peers, int count, long now) {
    int limit = limits.applyAsInt(key);
    int even = limit / count;
    int others = 0;
    int known = 0;
    for (Peer peer : peers.counted(now)) {
      if (!followers.contains(peer)) {
        others += Math.max(even, held(key, division, peer, now));
        known++;
      }
    }
    others += even * Math.max(0, count - followers.size() - known);
    int part = followers.size() == count ? limit : Math.max(1, limit * followers.size() / count);
    return Math.max(0, Math.min(part, limit - others));
  }

  /**
   * What another query API may use by grants of this dealer, or of the one before. When one comes
   * that had another dealer, that one may be gone, and with it whoever counts the use of the
   * others.
   */
  private int held(String key, Division division, Peer peer, long now) {
    Hold hold = division.holds.get(peer.life());
    int held = hold == null ? 0 : hold.share();
    BudgetUse use = use(peer, key);
    if (use != null && now - grownAt < SETTLE_MILLIS) {
      held = Math.max(held, Math.max(use.allowed(), use.running()));
    }
    return held;
  }

  private void deal(String key, List<Peer> live, PeerDirectory peers, long now) {
    int limit = limits.applyAsInt(key);
    int count = peers.count(now);
    List<Peer> counted = peers.counted(now);
    Division division = divisions.get(key);
    if (division == null) {
      if (divisions.size() >= MessageForm.MAX_BUDGETS) {
        return; // it stays divided evenly
      }
      division = new Division(key);
      divisions.put(key, division);
      changed = true;
    }
    int budget = budget(key, division, peers, count, now);
    int[] demands = new int[live.size()];
    boolean isShort = false;
    int wanting = 0;
    for (int i = 0; i < demands.length; i++) {
      BudgetUse use = use(live.get(i), key);
      // One that names no use may take its even share until it applies a lower one.
      int unused = Math.max(1, Shares.even(limit, count, 0));
      Share share =
          division.shares.computeIfAbsent(
              live.get(i).life(), none -> new Share(use == null ? unused : use.allowed()));
      demands[i] = use == null ? 0 : Math.max(use.demand(), use.running());
      isShort |= demands[i] > share.granted;
      wanting += demands[i] > 0 ? 1 : 0;
    }
    boolean isNew = division.budget != budget || !division.among.equals(live);
    division.budget = budget;
    division.among = live;
    if (wanting > 0) {
      division.usedAt = now;
    }
    if (isShort || isNew) {
      int turn = budget < wanting ? (int) (now / TURN_MILLIS % live.size()) : 0;
      int[] running = new int[demands.length];
      for (int i = 0; i < running.length; i++) {
        BudgetUse use = use(live.get(i), key);
        running[i] = use == null ? 0 : use.running();
      }
      apply(key, division, Shares.byDemand(budget, demands, running, turn), live);
    } else if (now - division.usedAt > IDLE_MILLIS) {
      int[] even = new int[live.size()];
      for (int i = 0; i < even.length; i++) {
        even[i] = Shares.even(limit, count, Shares.rank(counted, count, live.get(i)));
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
      inForce[i] = inForce(share, live.get(i), use(live.get(i), key));
      free -= inForce[i];
    }
    for (int i = 0; i < targets.length; i++) {
      Share share = division.shares.get(live.get(i).life());
      int raised = Math.min(targets[i], inForce[i] + Math.max(0, free));
      if (mayRaise && raised > share.granted) {
        free -= Math.max(0, raised - inForce[i]);
        share.granted = raised;
        changed = true;
      }
    }
  }

  /** What a query API uses or may use, as far as anybody knows. */
  private int inForce(Share share, Peer peer, BudgetUse use) {
    int most = share.inForce(applied(peer));
    return use == null ? most : Math.max(most, Math.max(use.running(), use.allowed()));
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
    return received == null || received.report().dealer() != self ? 0 : received.report().applied();
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
  UsageGrants grants() {
    List<HeardPeer> heard = new ArrayList<>();
    for (Peer peer : followers) {
      heard.add(new HeardPeer(peer.life(), reports.get(peer.life()).report().clock()));
    }
    List<BudgetGrants> budgets = new ArrayList<>();
    divisions.forEach(
        (key, division) ->
            budgets.add(
                new BudgetGrants(
                    key,
                    followers.stream()
                        .map(peer -> division.shares.get(peer.life()))
                        .map(share -> share == null ? 0 : share.granted)
                        .toList())));
    return new UsageGrants(version, heard, budgets);
  }
}
