package io.fleetgauge.cluster.limits;

import io.fleetgauge.cluster.limits.LocalQueries.Use;
import io.fleetgauge.cluster.limits.ShareNote.Budget;
import io.fleetgauge.cluster.peers.Peer;
import io.fleetgauge.cluster.peers.PeerList;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of each limit that this query API may use. A state machine: the list of peers and counts
 * in, a note out, time as an argument. {@link #allowed} is safe for all threads; the rest is for
 * one.
 *
 * <p>Each query API owns an even share of each limit: a function of the list, in which one that
 * fell silent is counted for two minutes. All know from each other's notes who wants how many, and
 * divide the limit by demand in the same way; whoever owns more than it gets lends the difference.
 *
 * <p>A loan is a promise. The lender does not use what it has lent, nor lend it again, until the
 * borrower has acknowledged that it is taken back and no query runs there any more, or has been
 * silent for {@link #RECLAIM_MILLIS}. The borrower uses it while the lender has acknowledged one of
 * its heartbeats of the last {@link #FRESH_MILLIS}, so while heartbeats pass in both directions.
 *
 * <p>One that has just joined takes only what the others do not use, until they have heard of it
 * and lowered their shares.
 */
final class LimitShares {
  /** The key of the limit on the queries of all tenants. */
  static final String ALL_TENANTS = "";

  /** Loans are used for so long after a heartbeat that their lender has acknowledged, ms. */
  static final long FRESH_MILLIS = 2_000;

  /** After joining, the first heartbeat is waited for this long, ms; nothing starts. */
  static final long JOIN_MILLIS = 1_000;

  /**
   * Silence of a borrower after which places lent to it are taken back, ms: it does not use them
   * after {@link #FRESH_MILLIS}, and queries have 4 s to end.
   */
  static final long RECLAIM_MILLIS = FRESH_MILLIS + 4_000;

  /** Loans of a limit that nobody uses are taken back after so long, ms. */
  private static final long IDLE_MILLIS = 5_000;

  /** Where there are fewer places than query APIs that want one, they take turns of so long, ms. */
  private static final long TURN_MILLIS = 1_000;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final long life;
  private final ToIntFunction<String> limits;
  private final Map<String, LimitAccount> accounts = new TreeMap<>();
  private volatile Allowance allowance = new Allowance(Kind.WHOLE, Map.of(), Map.of(), 1, 0, 0);
  private boolean isNew;
  private boolean isWaiting;
  private Place place = new Place(1, 0);
  private long movedAt = NEVER;
  private long joinedAt = NEVER;
  private boolean hasChanged;
  private byte[] note = ShareNote.NONE.toBytes();

  private enum Kind {
    /** No other query API shares the limits. */
    WHOLE,
    /** This query API has just joined others; nothing starts. */
    JOINING,
    /** The others are silent. */
    ALONE,
    /** Even shares, without what is lent and with what is borrowed. */
    SHARED
  }

  private record Allowance(
      Kind kind,
      Map<String, Integer> own,
      Map<String, Integer> borrowed,
      int count,
      int rank,
      long until) {
    int share(String key, int limit) {
      Integer named = own.get(key);
      if (named != null) {
        return named;
      }
      return kind == Kind.SHARED
          ? Division.even(limit, count, rank)
          : Division.silent(limit, count);
    }
  }

  /** One of so many, which have even shares. */
  private record Place(int count, int rank) {}

  /**
   * One that is live, this one or another, with what it tells.
   *
   * @param acknowledged as {@link Peer#acknowledged}
   * @param rank among all that are counted, by name
   */
  private record Member(String name, long life, long acknowledged, int rank, ShareNote note) {}

  /**
   * Those that are live.
   *
   * @param members by name, this one among them
   * @param self its index
   * @param counted the lives of all that are counted, silent ones too
   */
  private record Live(List<Member> members, int self, Set<Long> counted) {
    static Live of(PeerList list, long life, int count) {
      List<String> counted = list.counted();
      List<Member> members = new ArrayList<>();
      for (Peer peer : list.live()) {
        int rank = rank(counted, count, peer.name());
        members.add(new Member(peer.name(), peer.life(), peer.acknowledged(), rank, read(peer)));
      }
      Member self =
          new Member(list.self(), life, 0, rank(counted, count, list.self()), ShareNote.NONE);
      members.add(self);
      members.sort(Comparator.comparing(Member::name));
      Set<Long> lives = new HashSet<>(Set.of(life));
      list.others().stream().filter(Peer::isCounted).forEach(peer -> lives.add(peer.life()));
      return new Live(members, members.indexOf(self), lives);
    }

    /**
     * While not all are known, each has the rank of the last: no two take the same part of what
     * cannot be divided evenly.
     */
    private static int rank(List<String> counted, int count, String name) {
      return counted.size() == count ? counted.indexOf(name) : count - 1;
    }

    private static ShareNote read(Peer peer) {
      try {
        return peer.note(ShareNote.TOPIC).isEmpty()
            ? ShareNote.NONE
            : ShareNote.fromBytes(peer.note(ShareNote.TOPIC).get());
      } catch (WireException e) {
        return ShareNote.NONE; // it uses an even share
      }
    }

    List<Member> others() {
      List<Member> others = new ArrayList<>(members);
      others.remove(self);
      return others;
    }
  }

  /**
   * @param life of this query API, as its heartbeats tell it
   * @param limits the limit of a tenant, or of {@link #ALL_TENANTS}
   */
  LimitShares(long life, ToIntFunction<String> limits) {
    this.life = life;
    this.limits = limits;
  }

  /** The process has joined the cluster; the list shows how many others there are. */
  void joined(PeerList list, Supplier<Map<String, Use>> uses, long now) {
    joinedAt = now;
    isNew = true;
    isWaiting = true;
    settle(list, uses, now);
  }

  /**
   * Number of queries that may run here at once.
   *
   * @param key a tenant, or {@link #ALL_TENANTS}
   * @param limit of the cluster, by this query API's configuration
   */
  int allowed(String key, int limit, long now) {
    Allowance current = allowance;
    return switch (current.kind) {
      case WHOLE -> limit;
      case JOINING -> 0;
      case ALONE -> current.share(key, limit);
      case SHARED -> {
        int borrowed = now <= current.until ? current.borrowed.getOrDefault(key, 0) : 0;
        yield Math.min(limit, current.share(key, limit) + borrowed);
      }
    };
  }

  /** Returns what the others are to know. */
  byte[] note() {
    return note;
  }

  /** Returns true if more or less may be allowed than when this was last asked. */
  boolean hasChanged() {
    boolean changed = hasChanged;
    hasChanged = false;
    return changed;
  }

  /**
   * Time has passed, or a heartbeat has come.
   *
   * @param uses counts what this query API uses now; asked after shares that fall have been lowered
   */
  void settle(PeerList list, Supplier<Map<String, Use>> uses, long now) {
    int count = list.count();
    if (count == 1) {
      accounts.clear();
      isNew = false;
      isWaiting = false;
      place = new Place(1, 0);
      become(new Allowance(Kind.WHOLE, Map.of(), Map.of(), 1, 0, 0));
      note = ShareNote.NONE.toBytes();
      return;
    }
    Live live = Live.of(list, life, count);
    Kind kind = kind(live, count, now);
    move(new Place(count, live.members.get(live.self).rank), live, now);
    Set<String> keys = keys(live);
    Map<String, Map<Long, Integer>> wanted = new HashMap<>();
    boolean isShort = false;
    for (String key : keys) {
      LimitAccount account = accounts.computeIfAbsent(key, none -> new LimitAccount());
      heard(account, key, list, live, now);
      account.own = Math.max(0, right(kind, key, live, count) - account.lent());
      int unused = isWaiting ? unused(key, live, count) : account.own;
      isShort |= unused < account.own;
      account.own = Math.min(account.own, unused);
      wanted.put(
          key,
          kind == Kind.SHARED && !isWaiting ? wanted(key, account, live, count, now) : Map.of());
      account.lower(wanted.get(key), now);
    }
    isWaiting &= isShort || kind != Kind.SHARED;
    Map<String, Integer> reserved = new HashMap<>();
    for (String key : keys) {
      LimitAccount account = accounts.get(key);
      int more = LimitAccount.sum(wanted.get(key)) - LimitAccount.sum(account.granted());
      reserved.put(key, Math.max(0, Math.min(more, account.own)));
      account.own -= reserved.get(key);
    }
    become(allowance(kind, live));
    Map<String, Use> counts = uses.get();
    for (String key : keys) {
      LimitAccount account = accounts.get(key);
      account.used(counts.getOrDefault(key, new Use(0, 0)), live.counted, now);
      int free = account.own + reserved.get(key) - account.ownInUse();
      account.lend(wanted.get(key), Math.min(reserved.get(key), free), now);
    }
    counts.forEach(
        (key, use) -> {
          if (!keys.contains(key) && accounts.size() < ShareNote.MAX_BUDGETS) {
            LimitAccount account = new LimitAccount();
            account.own = isWaiting ? 0 : right(kind, key, live, count);
            account.used(use, live.counted, now);
            accounts.put(key, account);
          }
        });
    accounts.values().removeIf(LimitAccount::isEmpty);
    note = told().toBytes();
  }

  /**
   * Takes another place among all. One with larger shares, because somebody has gone, only when no
   * query runs any more in a place that the one that has gone had lent.
   */
  private void move(Place to, Live live, long now) {
    boolean isLarger = to.count < place.count || to.count == place.count && to.rank < place.rank;
    if (!isLarger) {
      place = to;
      movedAt = NEVER;
      return;
    }
    movedAt = movedAt == NEVER ? now : movedAt;
    boolean areAllTold = live.others().stream().allMatch(each -> each.acknowledged > movedAt);
    boolean isFree =
        Stream.concat(
                accounts.values().stream().map(LimitAccount::told),
                live.members.stream().flatMap(each -> each.note.budgets().values().stream()))
            .allMatch(of -> of.beyond() == 0 && live.counted.containsAll(of.held().keySet()));
    if (areAllTold && isFree || now - movedAt >= RECLAIM_MILLIS) {
      place = to;
      movedAt = NEVER;
    }
  }

  /** The places of a limit that this query API owns. */
  private int right(Kind kind, String key, Live live, int count) {
    int limit = limits.applyAsInt(key);
    return kind == Kind.SHARED
        ? rights(limit, live, count)[live.self]
        : Division.silent(limit, place.count);
  }

  /** Number of places of a limit that each of those that are live owns: together at least 1. */
  private int[] rights(int limit, Live live, int count) {
    int[] rights =
        live.members.stream().mapToInt(each -> Division.even(limit, count, each.rank)).toArray();
    rights[live.self] = Division.even(limit, place.count, place.rank);
    if (Arrays.stream(rights).sum() == 0) {
      rights[0] = 1; // those who own the places are silent
    }
    return rights;
  }

  /** The limits that somebody uses; too many are divided evenly. */
  private Set<String> keys(Live live) {
    Set<String> keys = new TreeSet<>(accounts.keySet());
    for (Member each : live.members) {
      for (String key : each.note.budgets().keySet()) {
        if (keys.size() < ShareNote.MAX_BUDGETS) {
          keys.add(key);
        }
      }
    }
    return keys;
  }

  private Kind kind(Live live, int count, long now) {
    List<Member> others = live.others();
    if (others.isEmpty()) {
      return now - joinedAt < JOIN_MILLIS ? Kind.JOINING : Kind.ALONE;
    }
    boolean areAllHeard =
        others.size() == count - 1 && others.stream().allMatch(each -> each.acknowledged > 0);
    isNew &= !areAllHeard && now - joinedAt < RECLAIM_MILLIS;
    return isNew ? Kind.JOINING : Kind.SHARED;
  }

  /** Takes in what borrowers and lenders have told. */
  private void heard(LimitAccount account, String key, PeerList list, Live live, long now) {
    account.forgive(
        list.others().stream()
            .filter(peer -> peer.isCounted() && now - peer.heardAt() < RECLAIM_MILLIS)
            .map(Peer::life)
            .collect(Collectors.toSet()));
    Map<Long, Integer> borrowed = new TreeMap<>();
    for (Member other : live.others()) {
      Budget budget = other.note.of(key);
      account.told(other.life, other.acknowledged, budget.held().getOrDefault(life, 0));
      int places = budget.lent().getOrDefault(life, 0);
      if (places > 0 && now <= other.acknowledged + FRESH_MILLIS) {
        borrowed.put(other.life, places);
      }
    }
    account.borrowed(borrowed);
  }

  /** Places left for this one when the others have what they use, or what is theirs. */
  private int unused(String key, Live live, int count) {
    int[] rights = rights(limits.applyAsInt(key), live, count);
    int left = Arrays.stream(rights).sum();
    for (int i = 0; i < rights.length; i++) {
      if (i != live.self) {
        ShareNote note = live.members.get(i).note;
        Budget of = note.of(key);
        left -=
            note.isWaiting() && i > live.self
                ? Math.max(of.running(), of.allowed())
                : rights[i] + of.beyond();
      }
    }
    return Math.max(0, left);
  }

  /** Places to be lent, by borrower, when the limit is divided by demand. */
  private Map<Long, Integer> wanted(
      String key, LimitAccount account, Live live, int count, long now) {
    int[] rights = rights(limits.applyAsInt(key), live, count);
    int[] demands = new int[rights.length];
    boolean isShort = false;
    for (int i = 0; i < rights.length; i++) {
      Budget of = i == live.self ? account.told() : live.members.get(i).note.of(key);
      demands[i] = of.demand();
      isShort |= demands[i] > of.allowed();
    }
    int budget = Arrays.stream(rights).sum();
    int wanting = (int) Arrays.stream(demands).filter(demand -> demand > 0).count();
    if (wanting > 0) {
      account.usedAt = now;
    }
    Map<Long, Integer> wanted = new TreeMap<>();
    if (!isShort && now - account.usedAt < IDLE_MILLIS && account.lent() <= rights[live.self]) {
      return account.granted();
    }
    int turn = budget < wanting ? (int) (now / TURN_MILLIS % rights.length) : 0;
    int[] shares = Division.byDemand(budget, demands, turn);
    int[] lent = Division.loans(rights, shares, live.self);
    for (int i = 0; i < lent.length; i++) {
      if (lent[i] > 0) {
        wanted.put(live.members.get(i).life, lent[i]);
      }
    }
    return wanted;
  }

  private void become(Allowance next) {
    hasChanged |= !next.equals(allowance);
    allowance = next;
  }

  private Allowance allowance(Kind kind, Live live) {
    Map<String, Integer> own = new HashMap<>();
    Map<String, Integer> borrowed = new HashMap<>();
    TreeSet<Long> lenders = new TreeSet<>();
    accounts.forEach(
        (key, account) -> {
          own.put(key, account.own);
          borrowed.put(key, LimitAccount.sum(account.borrowed()));
          lenders.addAll(account.borrowed().keySet());
        });
    long until =
        live.members.stream()
            .filter(each -> lenders.contains(each.life))
            .mapToLong(each -> each.acknowledged + FRESH_MILLIS)
            .min()
            .orElse(0);
    return new Allowance(kind, own, borrowed, place.count, place.rank, until);
  }

  private ShareNote told() {
    Map<String, Budget> budgets = new TreeMap<>();
    accounts.entrySet().stream()
        .limit(ShareNote.MAX_BUDGETS)
        .forEach(each -> budgets.put(each.getKey(), each.getValue().told()));
    return new ShareNote(isWaiting, budgets);
  }
}
