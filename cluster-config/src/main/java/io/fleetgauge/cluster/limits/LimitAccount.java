package io.fleetgauge.cluster.limits;

import io.fleetgauge.cluster.limits.ShareNote.Budget;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** State of one limit in a query API: places of its own, lent and borrowed ones, and demand. */
final class LimitAccount {
  /** Demand counts for so long, so that short queries count as the many they are, ms. */
  private static final long DEMAND_MILLIS = 1_000;

  /** By the life of the borrower. */
  private final Map<Long, Loan> loans = new TreeMap<>();

  private Map<Long, Integer> borrowed = Map.of();
  private Map<Long, Integer> held = Map.of();
  private long windowFrom;
  private int peak;
  private int peakBefore;
  private int running;
  private int beyond;

  /** When somebody used the limit last, ms. */
  long usedAt;

  /** Places that this query API owns and has neither lent nor reserved for that. */
  int own;

  /** Places that are lent to one. */
  private static final class Loan {
    private int granted;

    /** Places that the borrower may use, as far as is known. */
    private int inForce;

    private long changedAt;

    void grant(int places, long now) {
      if (places != granted) {
        granted = places;
        inForce = Math.max(inForce, places);
        changedAt = now;
      }
    }
  }

  static int sum(Map<Long, Integer> places) {
    return places.values().stream().mapToInt(each -> each).sum();
  }

  /** Places that others may be using. */
  int lent() {
    return loans.values().stream().mapToInt(loan -> loan.inForce).sum();
  }

  /** Places that others are told to use, by life. */
  Map<Long, Integer> granted() {
    Map<Long, Integer> granted = new TreeMap<>();
    loans.forEach((to, loan) -> granted.put(to, loan.granted));
    granted.values().removeIf(places -> places == 0);
    return granted;
  }

  /** Places of others that may be used here, by life. */
  Map<Long, Integer> borrowed() {
    return borrowed;
  }

  void borrowed(Map<Long, Integer> now) {
    borrowed = now;
  }

  int allowed() {
    return own + sum(borrowed);
  }

  /** Takes back what was lent to those that are not among the others. */
  void forgive(Set<Long> others) {
    loans.keySet().retainAll(others);
  }

  /**
   * A borrower has told what it uses.
   *
   * @param acknowledged it had heard what this query API sent then, ms
   * @param use places of this query API that it may be using
   */
  void told(long borrower, long acknowledged, int use) {
    Loan loan = loans.get(borrower);
    if (loan != null && acknowledged > loan.changedAt) {
      loan.inForce = Math.max(loan.granted, use);
    }
    loans.values().removeIf(each -> each.inForce == 0);
  }

  /** Lowers loans to what is wanted. */
  void lower(Map<Long, Integer> wanted, long now) {
    loans.forEach(
        (to, loan) -> loan.grant(Math.min(loan.granted, wanted.getOrDefault(to, 0)), now));
  }

  /** Raises loans to what is wanted, by free places and by what is still in use there. */
  void lend(Map<Long, Integer> wanted, int places, long now) {
    int free = Math.max(0, places);
    for (Map.Entry<Long, Integer> each : wanted.entrySet()) {
      Loan loan = loans.getOrDefault(each.getKey(), new Loan());
      int before = loan.inForce;
      int more = Math.min(each.getValue(), before + free);
      if (more > loan.granted) {
        free -= Math.max(0, more - before);
        loan.grant(more, now);
        loans.put(each.getKey(), loan);
      }
    }
  }

  /**
   * Counts what is used; demand is the peak of two windows of time. Queries that run are not
   * interrupted: what runs beyond what is allowed holds places of those that had lent them.
   *
   * @param counted the lives of all that are counted; whoever has gone owns nothing
   */
  void used(LocalQueries.Use use, Set<Long> counted, long now) {
    running = use.running();
    if (now - windowFrom >= DEMAND_MILLIS / 2) {
      peakBefore = now - windowFrom >= DEMAND_MILLIS ? 0 : peak;
      peak = 0;
      windowFrom = now;
    }
    peak = Math.max(peak, use.running() + use.waiting());
    beyond = Math.max(0, running - allowed());
    Map<Long, Integer> holds = new TreeMap<>(borrowed);
    held.forEach(
        (lender, before) -> {
          int still = borrowed.getOrDefault(lender, 0);
          int more = counted.contains(lender) ? Math.clamp(before - still, 0, beyond) : 0;
          beyond -= more;
          holds.put(lender, still + more);
        });
    holds.values().removeIf(places -> places == 0);
    held = holds;
  }

  /** Places of its own that are in use. */
  int ownInUse() {
    return Math.max(0, running - sum(borrowed));
  }

  /** Returns what the others are to know. */
  Budget told() {
    int demand = Math.max(Math.max(peak, peakBefore), running);
    return new Budget(demand, running, allowed(), beyond, granted(), held);
  }

  boolean isEmpty() {
    return told().demand() == 0 && loans.isEmpty() && held.isEmpty();
  }
}
