package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.BusMessage.AmongQueryApis;
import io.fleetgauge.cluster.bus.BusMessage.BudgetGrants;
import io.fleetgauge.cluster.bus.BusMessage.BudgetUse;
import io.fleetgauge.cluster.bus.BusMessage.UsageGrants;
import io.fleetgauge.cluster.bus.BusMessage.UsageReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/**
 * How many queries of each tenant this query API may run, so that the limits of tenants hold for
 * all query APIs together. A state machine: counts and messages in, messages out, time as an
 * argument. {@link #allowed} is safe for all threads; the rest is for one.
 *
 * <p>Every query API reports what it uses, unless it is alone; the oldest one divides each limit by
 * demand ({@link Dealer}). Its grants hold while they are fresh: each carries back this query API's
 * own clock, so freshness means that messages pass in both directions. When they are not fresh,
 * this query API keeps what it had, or an even share if that is less; after {@link
 * Dealer#SETTLE_MILLIS} it takes an even share, at least 1, and no more. So a silent bus costs
 * throughput where demand is uneven, and never more than the limit where each share is at least 1.
 *
 * <p>The oldest that this query API hears may not be the oldest that others hear. Whose grants it
 * uses changes only after it has done without any for {@link Dealer#SETTLE_MILLIS}, unless that
 * query API has stopped: so no two count with the share of the same one.
 */
final class SharedUsage {
  /** The key of the limit on the queries of all tenants. */
  static final String ALL_TENANTS = "";

  /** Grants hold for so long after this query API sent the report that they answer, ms. */
  static final long FRESH_MILLIS = 2_000;

  /** A report is sent at least this often while there is another query API, ms. */
  static final long REPORT_MILLIS = 250;

  /** After joining others, they and their grants are waited for this long, ms; nothing starts. */
  static final long JOIN_MILLIS = 1_000;

  /** Demand counts for so long, so that short queries count as the many they are, ms. */
  private static final long DEMAND_MILLIS = 1_000;

  private static final long NEVER = Long.MIN_VALUE / 2;
  private static final long NOBODY = 0;

  private final PeerDirectory peers;
  private final ToIntFunction<String> limits;
  private final Dealer dealer;
  private final Map<String, Demand> demands = new HashMap<>();
  private volatile Allowance allowance = new Allowance(Kind.WHOLE, Map.of(), 1, 0, 0);
  private Map<String, Use> uses = Map.of();
  private UsageGrants grants = new UsageGrants(0, List.of(), List.of());
  private long grantsFrom = NOBODY;
  private long grantedUntil = NEVER;
  private long following = NOBODY;
  private boolean isBound;
  private long lostAt = NEVER;
  private boolean hasChanged;
  private long joinedAt = NEVER;
  private List<BudgetUse> reported = List.of();
  private long reportedDealer = NOBODY;
  private long reportedAt = NEVER;
  private long dealtAt = NEVER;

  /**
   * What this query API uses of a limit.
   *
   * @param running queries that run
   * @param waiting queries that would run if they were allowed to
   */
  record Use(int running, int waiting) {}

  private enum Kind {
    /** No other query API shares the limits. */
    WHOLE,
    /** The dealer's grants hold. */
    GRANTED,
    /** The dealer's grants hold no more, or it is not the dealer any more. */
    KEPT,
    /** The bus is silent. */
    SILENT,
    /** This query API has just joined others, and waits for its first grants. */
    JOINING
  }

  private record Allowance(
      Kind kind, Map<String, Integer> granted, int count, int rank, long until) {
    /** The share that was granted, named or not. */
    int share(String key, int limit) {
      Integer named = granted.get(key);
      return named == null ? Shares.even(limit, count, rank) : named;
    }
  }

  /** The peak of a demand in two windows of time. */
  private static final class Demand {
    private long windowFrom;
    private int peak;
    private int peakBefore;

    int add(int demand, long now) {
      if (now - windowFrom >= DEMAND_MILLIS / 2) {
        peakBefore = now - windowFrom >= DEMAND_MILLIS ? 0 : peak;
        peak = 0;
        windowFrom = now;
      }
      peak = Math.max(peak, demand);
      return Math.max(peak, peakBefore);
    }
  }

  /**
   * @param limits the limit of a tenant, or of {@link #ALL_TENANTS}
   */
  SharedUsage(PeerDirectory peers, ToIntFunction<String> limits) {
    this.peers = peers;
    this.limits = limits;
    this.dealer = new Dealer(peers.self().life(), limits);
  }

  /** The process has joined the cluster; {@link PeerDirectory#members} is known from now on. */
  void joined(long now) {
    joinedAt = now;
    choose(now);
    settle(now);
  }

  /**
   * How many queries may run here at once.
   *
   * @param key a tenant, or {@link #ALL_TENANTS}
   * @param limit of the cluster, by this query API's configuration
   */
  int allowed(String key, int limit, long now) {
    Allowance current = allowance;
    return switch (current.kind) {
      case WHOLE -> limit;
      case JOINING -> now < current.until ? 0 : Shares.silent(limit, current.count);
      case SILENT -> Shares.silent(limit, current.count);
      case KEPT -> Math.min(current.share(key, limit), Shares.silent(limit, current.count));
      case GRANTED ->
          now <= current.until
              ? Math.min(limit, current.share(key, limit))
              : Math.min(current.share(key, limit), Shares.silent(limit, current.count));
    };
  }

  /**
   * Time has passed, or grants have arrived.
   *
   * @param counted what this query API uses now; counted after the last grants were applied
   * @return messages to send
   */
  List<AmongQueryApis> tick(Map<String, Use> counted, long now) {
    uses = counted;
    choose(now);
    settle(now);
    long used = isLost() ? NOBODY : following;
    long applied = isDealing() ? dealer.version() : grantsFrom == used ? grants.version() : 0;
    List<AmongQueryApis> messages = new ArrayList<>();
    List<BudgetUse> budgets = budgets(now);
    UsageReport report = new UsageReport(now, used, applied, budgets);
    boolean isDue =
        used != reportedDealer || !budgets.equals(reported) || now - reportedAt >= REPORT_MILLIS;
    if (isDue && peers.count(now) > 1) {
      reported = budgets;
      reportedDealer = used;
      reportedAt = now;
      messages.add(report);
    }
    dealer.reported(peers.self().life(), report);
    deal(now, messages);
    settle(now);
    return messages;
  }

  /** Another query API has reported what it uses. */
  List<AmongQueryApis> heard(Peer from, UsageReport report, long now) {
    dealer.reported(from.life(), report);
    List<AmongQueryApis> messages = new ArrayList<>();
    choose(now);
    deal(now, messages);
    settle(now);
    return messages;
  }

  /**
   * Grants have arrived.
   *
   * @return whether they are new, so that {@link #tick} is due now
   */
  boolean heard(Peer from, UsageGrants received, long now) {
    choose(now);
    if (from.life() != following || isLost() || isDealing()) {
      return false;
    }
    for (BusMessage.HeardPeer heard : received.peers()) {
      if (heard.life() == peers.self().life() && heard.clock() > 0 && heard.clock() <= now) {
        boolean isNew = received.version() != grants.version() || from.life() != grantsFrom;
        grants = received;
        grantsFrom = from.life();
        isBound = true;
        grantedUntil = heard.clock() + FRESH_MILLIS;
        settle(now);
        return isNew;
      }
    }
    return false;
  }

  /** Decides whose grants are used: those of the oldest that is heard, but see above. */
  private void choose(long now) {
    long oldest = peers.dealer(now).life();
    if (following == oldest) {
      lostAt = NEVER;
    } else if (following == NOBODY
        && now - joinedAt < JOIN_MILLIS
        && peers.live(now).size() < peers.count(now)) {
      lostAt = NEVER; // the oldest may not have been heard yet
    } else if (!isBound || !peers.isCounted(following)) {
      follow(oldest);
    } else if (!isLost()) {
      lostAt = now;
    } else if (now - lostAt >= Dealer.SETTLE_MILLIS) {
      follow(oldest);
    }
  }

  private void follow(long oldest) {
    following = oldest;
    isBound = false;
    lostAt = NEVER;
  }

  /** Whether nobody's grants are used, because the oldest is another one than before. */
  private boolean isLost() {
    return lostAt != NEVER;
  }

  private boolean isDealing() {
    return following == peers.self().life() && !isLost();
  }

  private void deal(long now, List<AmongQueryApis> messages) {
    if (!isDealing()) {
      dealer.rest();
      return;
    }
    boolean changed = dealer.deal(peers, now);
    isBound |= dealer.followers() > 1;
    if (isBound && dealer.followers() > 0) {
      grants = dealer.grants();
      grantsFrom = following;
      grantedUntil = now + FRESH_MILLIS;
    }
    if (dealer.followers() > 0
        && peers.live(now).size() > 1
        && (changed || now - dealtAt >= REPORT_MILLIS)) {
      dealtAt = now;
      messages.add(dealer.grants());
    }
  }

  /** Works out what is allowed until the next event. */
  private void settle(long now) {
    Allowance next = settled(now);
    hasChanged |= !next.equals(allowance);
    allowance = next;
  }

  /** Whether more or less may be allowed than when this was last asked. */
  boolean hasChanged() {
    boolean changed = hasChanged;
    hasChanged = false;
    return changed;
  }

  private Allowance settled(long now) {
    int count = peers.count(now);
    int rank = Shares.rank(peers.counted(now), count, peers.self());
    if (count == 1) {
      return new Allowance(Kind.WHOLE, Map.of(), 1, 0, 0);
    }
    if (isDealing() && isBound && dealer.followers() > 0) {
      return new Allowance(
          Kind.GRANTED, dealer.sharesOf(peers.self()), count, rank, now + FRESH_MILLIS);
    }
    if (now <= grantedUntil && !isLost()) {
      return new Allowance(Kind.GRANTED, granted(), count, rank, grantedUntil);
    }
    if (isLost() || now - grantedUntil < Dealer.SETTLE_MILLIS) {
      return new Allowance(Kind.KEPT, granted(), count, rank, 0);
    }
    if (grantedUntil == NEVER && now - joinedAt < JOIN_MILLIS) {
      return new Allowance(Kind.JOINING, Map.of(), count, rank, joinedAt + JOIN_MILLIS);
    }
    return new Allowance(Kind.SILENT, Map.of(), count, rank, 0);
  }

  private Map<String, Integer> granted() {
    int index = 0;
    while (grants.peers().get(index).life() != peers.self().life()) {
      index++;
    }
    Map<String, Integer> granted = new HashMap<>();
    for (BudgetGrants budget : grants.budgets()) {
      granted.put(budget.key(), budget.shares().get(index));
    }
    return granted;
  }

  private List<BudgetUse> budgets(long now) {
    TreeSet<String> keys = new TreeSet<>(uses.keySet());
    keys.addAll(demands.keySet());
    List<BudgetUse> budgets = new ArrayList<>();
    for (String key : keys) {
      Use use = uses.getOrDefault(key, new Use(0, 0));
      int demand =
          demands
              .computeIfAbsent(key, none -> new Demand())
              .add(use.running() + use.waiting(), now);
      if (demand == 0) {
        demands.remove(key);
      }
      budgets.add(
          new BudgetUse(key, demand, use.running(), allowed(key, limits.applyAsInt(key), now)));
    }
    if (budgets.size() > MessageForm.MAX_BUDGETS) {
      budgets.sort(Comparator.comparingInt(BudgetUse::demand).reversed());
      return List.copyOf(budgets.subList(0, MessageForm.MAX_BUDGETS));
    }
    return List.copyOf(budgets);
  }
}
