package io.fleetgauge.query.admission;

import io.fleetgauge.cluster.process.Meters;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.shards.Cancellation;
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
 * A bounded number of places for queries, with a queue for each tenant. Thread-safe.
 *
 * <p>Waiting tenants get places in proportion to their weights, counted in the cost of their
 * queries: next is the tenant that has been served least for its weight (start-time fair queueing,
 * Goyal et al. 1996). Each tenant has a light and a heavy queue. Only few heavy queries run at
 * once, so that light ones always find a place. While several tenants ask, none gets more than half
 * of the places, so that the others need not wait for one to be released. A query that could not
 * finish before its deadline, judged by how fast others were, is rejected at once.
 */
public final class Admission {
  /** So many queries have to end before their speed is relied on. */
  private static final int MIN_MEASURED = 50;

  private static final double SMOOTHING = 0.05;

  /** Estimates are rough: a query is rejected when it is late by this factor. */
  private static final double TOLERANCE = 2;

  /** A tenant is alone when no other asked for so long. */
  private static final long ALONE_NANOS = 2_000_000_000;

  private final Places places;
  private final Function<String, TenantShare> shares;
  private final ClusterShare cluster;
  private final LongSupplier nanoTime;
  private final Map<String, Tenant> tenants = new HashMap<>();
  private final LongAdder rejected = new LongAdder();
  private final Speed lightSpeed = new Speed();
  private final Speed heavySpeed = new Speed();
  private int running;
  private int heavyRunning;
  private int inFlight;
  private int withoutPlace;

  /** What the tenant that was chosen last had been served by its weight: the virtual time. */
  private double served;

  /** The tenant that asked last, when it did, and when another one did. */
  private String latest = "";

  private long latestAt;
  private long othersAt;

  /**
   * How many places there are.
   *
   * @param maxInFlight queries of all tenants that run or wait
   * @param maxRunning queries that run; little above the number of processors, so that the order of
   *     the queue decides who runs and not who asks more often
   * @param maxHeavy heavy queries that run
   */
  public record Places(int maxInFlight, int maxRunning, int maxHeavy) {}

  /** Queries of one tenant. */
  public record Use(int running, int waiting) {}

  private static final class Tenant {
    final String name;
    final TenantShare share;
    final Deque<Waiting> light = new ArrayDeque<>();
    final Deque<Waiting> heavy = new ArrayDeque<>();
    int running;

    /** What it has been served, divided by its weight. */
    double served;

    Tenant(String name, TenantShare share) {
      this.name = name;
      this.share = share;
    }

    int queued() {
      return light.size() + heavy.size();
    }

    Deque<Waiting> queue(boolean isHeavy) {
      return isHeavy ? heavy : light;
    }
  }

  private record Waiting(Promise<Slot> place, String tenant, long cost, boolean heavy) {}

  /**
   * How much work is done in a nanosecond. Light and heavy queries have one each: most of the time
   * of a light query does not depend on its cost.
   */
  private static final class Speed {
    private double cost;
    private double nanos;
    private int measured;

    void measure(long queryCost, long queryNanos) {
      double share = measured == 0 ? 1 : SMOOTHING;
      cost += share * (queryCost - cost);
      nanos += share * (queryNanos - nanos);
      measured++;
    }

    boolean isKnown() {
      return measured >= MIN_MEASURED;
    }

    double nanosFor(double work) {
      return work * nanos / cost;
    }
  }

  /** A place; to be released once. */
  public final class Slot {
    private final Waiting query;
    private final long since = nanoTime.getAsLong();
    private boolean released;

    private Slot(Waiting query) {
      this.query = query;
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
        heavyRunning -= query.heavy ? 1 : 0;
        Tenant mine = tenants.get(query.tenant);
        mine.running--;
        speed(query.heavy)
            .measure(Math.max(1, query.cost), Math.max(1, nanoTime.getAsLong() - since));
        forget(mine);
        next = next();
      }
      grant(next);
    }
  }

  /**
   * @param shares what each tenant may use
   * @param cluster the part of the cluster's limits that may be used here
   * @param nanoTime as {@link System#nanoTime}
   */
  public Admission(
      Places places,
      Function<String, TenantShare> shares,
      ClusterShare cluster,
      LongSupplier nanoTime) {
    this.places = places;
    this.shares = shares;
    this.cluster = cluster;
    this.nanoTime = nanoTime;
    this.latestAt = nanoTime.getAsLong() - ALONE_NANOS;
    this.othersAt = latestAt;
  }

  private Speed speed(boolean heavy) {
    return heavy ? heavySpeed : lightSpeed;
  }

  /**
   * A place, at once or in turn; fails at once when none can be had in time.
   *
   * @param deadline when the query has to be finished, as {@code nanoTime} counts
   * @param cancellation takes the query out of the queue
   */
  public Future<Slot> enter(String tenant, Cost cost, long deadline, Cancellation cancellation) {
    Promise<Slot> place = Promise.promise();
    Waiting waiting = new Waiting(place, tenant, cost.work(), cost.isHeavy());
    Waiting next;
    synchronized (this) {
      note(tenant);
      Tenant mine = tenants.computeIfAbsent(tenant, name -> new Tenant(name, shares.apply(name)));
      Optional<QueryFailure> rejection = rejection(mine, waiting, deadline);
      if (rejection.isPresent()) {
        forget(mine);
        rejected.increment();
        return Future.failedFuture(rejection.get());
      }
      if (mine.queued() == 0 && mine.running == 0) {
        // A tenant that was away has not saved up any turns.
        mine.served = Math.max(mine.served, served);
      }
      inFlight++;
      mine.queue(waiting.heavy).addLast(waiting);
      next = next();
    }
    grant(next);
    cancellation.onCancel(() -> leave(waiting));
    return place.future();
  }

  /** Takes a waiting query out of its queue. */
  private void leave(Waiting waiting) {
    synchronized (this) {
      Tenant mine = tenants.get(waiting.tenant);
      if (mine == null || !mine.queue(waiting.heavy).remove(waiting)) {
        return;
      }
      inFlight--;
      forget(mine);
    }
    waiting.place.tryFail(
        new QueryFailure(
            QueryFailure.Kind.CANCELED, "query was canceled while it waited for a place"));
  }

  /** Grants places again, after the part of the cluster's limits has changed. */
  public void shareChanged() {
    Waiting next;
    synchronized (this) {
      next = next();
    }
    grant(next);
  }

  /** Why a query would be rejected whatever it costs, so that its cost need not be found out. */
  public Optional<QueryFailure> full(String tenant) {
    synchronized (this) {
      if (!isFull()) {
        return Optional.empty();
      }
      rejected.increment();
      return Optional.of(noPlace(tenant));
    }
  }

  private boolean isFull() {
    return inFlight >= cluster.inFlight(places.maxInFlight);
  }

  private QueryFailure noPlace(String tenant) {
    withoutPlace++;
    int share = cluster.inFlight(places.maxInFlight);
    return new QueryFailure(
        QueryFailure.Kind.UNAVAILABLE,
        "the query of tenant "
            + tenant
            + " was rejected: "
            + inFlight
            + " queries of all tenants are running or waiting, and query.maxConcurrent is "
            + places.maxInFlight
            + (share < places.maxInFlight
                ? ", of which this query API may use " + share + " at the moment"
                : "")
            + "; try again later");
  }

  private boolean isAtLimit(Tenant tenant) {
    return tenant.running >= cluster.running(tenant.name, tenant.share.running());
  }

  private Optional<QueryFailure> rejection(Tenant mine, Waiting query, long deadline) {
    boolean mustWait =
        running >= places.maxRunning
            || isAtLimit(mine)
            || query.heavy && heavyRunning >= places.maxHeavy
            || mine.queued() > 0;
    if (mustWait && mine.queued() >= mine.share.queued()) {
      return Optional.of(
          new QueryFailure(
              QueryFailure.Kind.LIMITED,
              "too many queries of tenant "
                  + mine.name
                  + ": "
                  + mine.running
                  + " are running and "
                  + mine.queued()
                  + " are waiting; the limits are running "
                  + mine.share.running()
                  + " and queued "
                  + mine.share.queued()
                  + "; try again later"));
    }
    if (isFull()) {
      return Optional.of(noPlace(mine.name));
    }
    Speed speed = speed(query.heavy);
    if (!speed.isKnown()) {
      return Optional.empty();
    }
    double ahead = 0;
    for (Waiting waiting : mine.queue(query.heavy)) {
      ahead += waiting.cost;
    }
    int atOnce = Math.min(query.heavy ? places.maxHeavy : places.maxRunning, mine.share.running());
    double needed = speed.nanosFor(query.cost + ahead / atOnce);
    long left = deadline - nanoTime.getAsLong();
    if (needed <= TOLERANCE * left) {
      return Optional.empty();
    }
    return Optional.of(
        new QueryFailure(
            QueryFailure.Kind.UNAVAILABLE,
            "the query of tenant "
                + mine.name
                + " cannot finish in time: with the queries that wait before it, it takes about "
                + Math.round(needed / 1e6)
                + " ms, and "
                + left / 1_000_000
                + " ms are left; try again later, or ask for less"));
  }

  private void note(String tenant) {
    long now = nanoTime.getAsLong();
    if (!tenant.equals(latest)) {
      othersAt = latestAt;
      latest = tenant;
    }
    latestAt = now;
  }

  /** While several tenants ask, none has more than half of the places. */
  private boolean mayRunMore(Tenant tenant) {
    if (isAtLimit(tenant)) {
      return false;
    }
    long another = tenant.name.equals(latest) ? othersAt : latestAt;
    boolean isAlone = nanoTime.getAsLong() - another >= ALONE_NANOS;
    return isAlone || tenant.running < Math.max(1, places.maxRunning / 2);
  }

  /** Takes the next query out of its queue, if there is a place for it; else null. */
  private Waiting next() {
    if (running >= places.maxRunning) {
      return null;
    }
    boolean heavy = false;
    Tenant best = leastServed(false);
    if (best == null && heavyRunning < places.maxHeavy) {
      best = leastServed(true);
      heavy = true;
    }
    if (best == null) {
      return null;
    }
    Waiting next = best.queue(heavy).pollFirst();
    served = Math.max(served, best.served);
    best.served += (double) Math.max(1, next.cost) / best.share.weight();
    best.running++;
    running++;
    heavyRunning += heavy ? 1 : 0;
    return next;
  }

  private Tenant leastServed(boolean heavy) {
    Tenant best = null;
    for (Tenant tenant : tenants.values()) {
      if (!tenant.queue(heavy).isEmpty()
          && mayRunMore(tenant)
          && (best == null || tenant.served < best.served)) {
        best = tenant;
      }
    }
    return best;
  }

  private void grant(Waiting first) {
    Waiting granted = first;
    while (granted != null) {
      Slot slot = new Slot(granted);
      if (!granted.place.tryComplete(slot)) {
        slot.release(); // the query was cancelled meanwhile
      }
      synchronized (this) {
        granted = next();
      }
    }
  }

  /** A tenant that is not ahead of the others, and has no query, starts afresh the next time. */
  private void forget(Tenant tenant) {
    if (tenant.running == 0 && tenant.queued() == 0 && tenant.served <= served) {
      tenants.remove(tenant.name);
    }
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    meters.counter("queries_refused", "Requests that got no place.", this::rejected);
    meters.gauge("queries_running", "Requests that have a place.", this::running);
    meters.gauge("queries_waiting", "Requests that wait for a place.", this::waiting);
  }

  public synchronized int running() {
    return running;
  }

  /** How many queries of each tenant run and wait here; tenants without any are left out. */
  public synchronized Map<String, Use> uses() {
    Map<String, Use> uses = new HashMap<>();
    tenants.forEach(
        (name, tenant) -> {
          if (tenant.running + tenant.queued() > 0) {
            uses.put(name, new Use(tenant.running, tenant.queued()));
          }
        });
    return uses;
  }

  /** How many queries run or wait here. */
  public synchronized int inFlight() {
    return inFlight;
  }

  /** How many queries found all places for all tenants taken, since this was last asked. */
  public synchronized int takeWithoutPlace() {
    int count = withoutPlace;
    withoutPlace = 0;
    return count;
  }

  public synchronized int waiting() {
    return tenants.values().stream().mapToInt(Tenant::queued).sum();
  }

  public long rejected() {
    return rejected.sum();
  }
}
