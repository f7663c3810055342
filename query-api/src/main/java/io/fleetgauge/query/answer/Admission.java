package io.fleetgauge.query.answer;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.fanout.Cancellation;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A bounded number of places for queries, and a queue for each tenant. Safe for all threads.
 *
 * <p>Tenants that wait get places in proportion to their weights, counted in what their queries
 * cost: next is the tenant that has been served least for its weight (start-time fair queueing,
 * Goyal et al. 1996). Each has two lanes; of queries that cost much only few run at once, so that
 * light ones always find a place between them; and of all places no tenant has more than half while
 * others ask too, so that these do not have to wait for one to be given back. A query that would
 * not be done before its deadline, going by how fast others were, is refused at once.
 */
public final class Admission {
  /** So many queries have to have ended before it is said how fast they are. */
  private static final int FEW = 50;

  private static final double SMOOTHING = 0.05;

  /** What is known of the future is rough; refused is only what is late by as much again. */
  private static final double DOUBT = 2;

  /** A tenant is alone when no other has asked for so long. */
  private static final long ALONE_NANOS = 2_000_000_000;

  private final int maxInFlight;
  private final int maxRunning;
  private final int maxHeavy;
  private final Function<String, Limits> limits;
  private final LongSupplier nanoTime;
  private final Map<String, Tenant> tenants = new HashMap<>();
  private final LongAdder refused = new LongAdder();
  private int running;
  private int heavyRunning;
  private int inFlight;
  private double served;
  private double costPerNano;
  private int measured;

  /** Who asked last, when, and when somebody else did. */
  private String latest = "";

  private long latestAt;
  private long othersAt;

  private static final class Tenant {
    final String name;
    final Limits limits;
    final Deque<Waiting> light = new ArrayDeque<>();
    final Deque<Waiting> heavy = new ArrayDeque<>();
    int running;

    /** What it has been served, by its weight. */
    double served;

    Tenant(String name, Limits limits) {
      this.name = name;
      this.limits = limits;
    }

    int queued() {
      return light.size() + heavy.size();
    }
  }

  private record Waiting(Promise<Slot> place, String tenant, long cost, boolean heavy) {}

  /** A place; to be given back once. */
  public final class Slot {
    private final String tenant;
    private final long cost;
    private final boolean heavy;
    private final long since = nanoTime.getAsLong();
    private boolean released;

    private Slot(String tenant, long cost, boolean heavy) {
      this.tenant = tenant;
      this.cost = cost;
      this.heavy = heavy;
    }

    public void release() {
      Waiting next;
      synchronized (Admission.this) {
        if (released) {
          return;
        }
        released = true;
        running--;
        inFlight--;
        heavyRunning -= heavy ? 1 : 0;
        Tenant mine = tenants.get(tenant);
        mine.running--;
        measure(Math.max(1, nanoTime.getAsLong() - since));
        forget(tenant, mine);
        next = next();
      }
      grant(next);
    }

    private void measure(long nanos) {
      double speed = (double) cost / nanos;
      costPerNano = measured == 0 ? speed : costPerNano + SMOOTHING * (speed - costPerNano);
      measured++;
    }
  }

  /**
   * @param maxInFlight queries of all tenants that wait or have a place
   * @param maxRunning places; few more than processors, so that whose turn it is decides who gets
   *     them and not who asked more often
   * @param maxHeavy of these, such that cost much
   * @param nanoTime as {@link System#nanoTime}
   */
  public Admission(
      int maxInFlight,
      int maxRunning,
      int maxHeavy,
      Function<String, Limits> limits,
      LongSupplier nanoTime) {
    this.maxInFlight = maxInFlight;
    this.maxRunning = maxRunning;
    this.maxHeavy = maxHeavy;
    this.limits = limits;
    this.nanoTime = nanoTime;
    this.latestAt = nanoTime.getAsLong() - ALONE_NANOS;
    this.othersAt = latestAt;
  }

  /**
   * A place, now or in turn; fails at once when there is none to be had in time.
   *
   * @param cost in samples, or what is as much work
   * @param heavy whether it belongs to those of which few run at once
   * @param deadline when it has to be done, as {@code nanoTime} counts
   * @param cancellation says when it is not wanted any more
   */
  public Future<Slot> enter(
      String tenant, long cost, boolean heavy, long deadline, Cancellation cancellation) {
    Promise<Slot> place = Promise.promise();
    Waiting waiting = new Waiting(place, tenant, cost, heavy);
    Waiting next;
    synchronized (this) {
      note(tenant);
      Tenant mine = tenants.computeIfAbsent(tenant, name -> new Tenant(name, limits.apply(name)));
      QueryFailure refusal = refusal(tenant, mine, cost, heavy, deadline);
      if (refusal != null) {
        forget(tenant, mine);
        refused.increment();
        return Future.failedFuture(refusal);
      }
      if (mine.queued() == 0 && mine.running == 0) {
        // Whoever was away has saved nothing up.
        mine.served = Math.max(mine.served, served);
      }
      inFlight++;
      (heavy ? mine.heavy : mine.light).addLast(waiting);
      next = next();
    }
    grant(next);
    cancellation.onCancel(() -> leave(waiting));
    return place.future();
  }

  /** Takes one that waits out of its queue. */
  private void leave(Waiting waiting) {
    synchronized (this) {
      Tenant mine = tenants.get(waiting.tenant);
      if (mine == null || !(waiting.heavy ? mine.heavy : mine.light).remove(waiting)) {
        return;
      }
      inFlight--;
      forget(waiting.tenant, mine);
    }
    waiting.place.tryFail(
        new QueryFailure(
            QueryFailure.Kind.CANCELED, "query was canceled while it waited for a place"));
  }

  /** Why there would be no place whatever a query cost; so that its cost need not be known. */
  public Optional<QueryFailure> full(String tenant) {
    synchronized (this) {
      if (inFlight < maxInFlight) {
        return Optional.empty();
      }
      refused.increment();
      return Optional.of(noPlace(tenant));
    }
  }

  private QueryFailure noPlace(String tenant) {
    return new QueryFailure(
        QueryFailure.Kind.UNAVAILABLE,
        "no place for the query of tenant "
            + tenant
            + ": "
            + inFlight
            + " queries of all tenants are on their way, which is all that query.maxConcurrent"
            + " allows; try again later");
  }

  private QueryFailure refusal(
      String tenant, Tenant mine, long cost, boolean heavy, long deadline) {
    boolean mustWait = running >= maxRunning || mine.running >= mine.limits.running();
    mustWait |= heavy && heavyRunning >= maxHeavy || mine.queued() > 0;
    if (mustWait && mine.queued() >= mine.limits.queued()) {
      return new QueryFailure(
          QueryFailure.Kind.LIMITED,
          "too many queries of tenant "
              + tenant
              + ": "
              + mine.running
              + " are running and "
              + mine.queued()
              + " are waiting; the limits are running "
              + mine.limits.running()
              + " and queued "
              + mine.limits.queued()
              + "; try again later");
    }
    if (inFlight >= maxInFlight) {
      return noPlace(tenant);
    }
    if (measured < FEW) {
      return null;
    }
    double ahead = cost;
    for (Waiting waiting : heavy ? mine.heavy : mine.light) {
      ahead += waiting.cost;
    }
    int places = Math.min(heavy ? maxHeavy : maxRunning, mine.limits.running());
    double needed = cost / costPerNano + (ahead - cost) / costPerNano / places;
    long left = deadline - nanoTime.getAsLong();
    if (needed > DOUBT * left) {
      return new QueryFailure(
          QueryFailure.Kind.UNAVAILABLE,
          "the query of tenant "
              + tenant
              + " cannot be done in time: it and what waits before it need about "
              + Math.round(needed / 1e6)
              + " ms, and "
              + left / 1_000_000
              + " ms are left; try again later, or ask for less");
    }
    return null;
  }

  private void note(String tenant) {
    long now = nanoTime.getAsLong();
    if (!tenant.equals(latest)) {
      othersAt = latestAt;
      latest = tenant;
    }
    latestAt = now;
  }

  /** Half of the places are kept free of any one tenant while others ask too. */
  private boolean mayRunMore(Tenant tenant) {
    if (tenant.running >= tenant.limits.running()) {
      return false;
    }
    long another = tenant.name.equals(latest) ? othersAt : latestAt;
    boolean isAlone = nanoTime.getAsLong() - another >= ALONE_NANOS;
    return isAlone || tenant.running < Math.max(1, maxRunning / 2);
  }

  /** Takes the next in turn out of its queue, if there is a place for it. */
  private Waiting next() {
    if (running >= maxRunning) {
      return null;
    }
    Tenant best = null;
    boolean heavy = false;
    for (Tenant tenant : tenants.values()) {
      if (mayRunMore(tenant)
          && !tenant.light.isEmpty()
          && (best == null || tenant.served < best.served)) {
        best = tenant;
      }
    }
    if (best == null && heavyRunning < maxHeavy) {
      for (Tenant tenant : tenants.values()) {
        if (mayRunMore(tenant)
            && !tenant.heavy.isEmpty()
            && (best == null || tenant.served < best.served)) {
          best = tenant;
          heavy = true;
        }
      }
    }
    if (best == null) {
      return null;
    }
    Waiting next = (heavy ? best.heavy : best.light).pollFirst();
    served = Math.max(served, best.served);
    best.served += (double) Math.max(1, next.cost) / best.limits.weight();
    best.running++;
    running++;
    heavyRunning += heavy ? 1 : 0;
    return next;
  }

  private void grant(Waiting first) {
    Waiting granted = first;
    while (granted != null) {
      Slot slot = new Slot(granted.tenant, granted.cost, granted.heavy);
      if (!granted.place.tryComplete(slot)) {
        slot.release(); // who waited has given up meanwhile
      }
      synchronized (this) {
        granted = next();
      }
    }
  }

  private void forget(String name, Tenant tenant) {
    if (tenant.running == 0 && tenant.queued() == 0 && tenant.served <= served) {
      tenants.remove(name);
    }
  }

  public synchronized int running() {
    return running;
  }

  public synchronized int waiting() {
    return tenants.values().stream().mapToInt(Tenant::queued).sum();
  }

  public long refused() {
    return refused.sum();
  }
}
