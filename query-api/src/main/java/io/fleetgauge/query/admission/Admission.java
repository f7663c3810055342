package io.fleetgauge.query.admission;

import io.fleetgauge.promql.fair.FairQueue;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A bounded number of places for queries, with a queue for each tenant. Thread-safe.
 *
 * <p>Waiting tenants get places in proportion to their weights, counted in the cost of their
 * queries ({@link FairQueue}). Only few heavy queries run at once, so that light ones always find a
 * place. While several tenants ask, none gets more than half of the places, so that the others need
 * not wait for one to be released. When too many queries wait, those of the tenant that has most of
 * them are rejected and not those of the others. A query that could not finish before its deadline,
 * judged by how fast others were, is rejected at once.
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
  private final FairQueue<Promise<Slot>> queue = new FairQueue<>();
  private final LongAdder rejected = new LongAdder();
  private final Speed lightSpeed = new Speed();
  private final Speed heavySpeed = new Speed();
  private int withoutPlace;

  /** The tenant that asked last, when it did, and when another one did. */
  private String latest = "";

  private long latestAt;
  private long othersAt;

  /**
   * Numbers of places.
   *
   * @param maxInFlight queries of all tenants that run or wait
   * @param maxRunning queries that run; little above the number of processors, so that the order of
   *     the queue decides who runs and not who asks more often
   * @param maxHeavy heavy queries that run
   */
  public record Places(int maxInFlight, int maxRunning, int maxHeavy) {}

  /** Queries of one tenant. */
  public record Use(int running, int waiting) {}

  /** Time that queries took. Light and heavy queries have one each. */
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

    /** For work that takes as long as its cost says. */
    double nanosFor(double work) {
      return work * nanos / cost;
    }

    /** For one query, whatever it costs. */
    double nanosForOne() {
      return nanos;
    }
  }

  /** A place; to be released once. */
  public final class Slot {
    private final FairQueue.Item<Promise<Slot>> query;
    private final long since = nanoTime.getAsLong();
    private boolean released;

    private Slot(FairQueue.Item<Promise<Slot>> query) {
      this.query = query;
    }

    /** Does work in this place, and releases it when the work ends. */
    public <T> Future<T> during(Supplier<Future<T>> work) {
      try {
        return work.get().onComplete(done -> release());
      } catch (RuntimeException e) {
        release();
        throw e;
      }
    }

    public void release() {
      Optional<FairQueue.Item<Promise<Slot>>> next;
      synchronized (Admission.this) {
        if (released) {
          return;
        }
        released = true;
        queue.ended(query);
        speed(query.isHeavy())
            .measure(Math.max(1, query.load().work()), Math.max(1, nanoTime.getAsLong() - since));
        next = next();
      }
      grant(next);
    }
  }

  /**
   * @param shares share of each tenant
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
    if (cancellation.isCancelled()) {
      return Future.failedFuture(canceled()); // it takes the place of none that waits
    }
    TenantShare share = shares.apply(tenant);
    FairQueue.Item<Promise<Slot>> waiting =
        new FairQueue.Item<>(new Load(tenant, share.weight(), cost.work()), Promise.promise());
    Optional<FairQueue.Item<Promise<Slot>>> dropped = Optional.empty();
    Optional<QueryFailure> dropping = Optional.empty();
    Optional<FairQueue.Item<Promise<Slot>>> next;
    synchronized (this) {
      note(tenant);
      Optional<QueryFailure> rejection = rejection(waiting.load(), share, deadline);
      if (rejection.isPresent()) {
        rejected.increment();
        return Future.failedFuture(rejection.get());
      }
      if (isFull()) {
        dropped = queue.dropFor(waiting.load());
        dropping = dropped.map(item -> noPlace(item.load().tenant()));
      }
      queue.add(waiting);
      next = next();
    }
    if (dropped.isPresent()) {
      rejected.increment();
      dropped.get().work().tryFail(dropping.orElseThrow());
    }
    grant(next);
    cancellation.onCancel(() -> leave(waiting));
    return waiting.work().future();
  }

  /** Takes a waiting query out of its queue. */
  private void leave(FairQueue.Item<Promise<Slot>> waiting) {
    synchronized (this) {
      if (!queue.remove(waiting)) {
        return;
      }
    }
    waiting.work().tryFail(canceled());
  }

  private static QueryFailure canceled() {
    return new QueryFailure(
        QueryFailure.Kind.CANCELED, "query was canceled while it waited in the queue");
  }

  /** Grants places again, after the part of the cluster's limits has changed. */
  public void shareChanged() {
    Optional<FairQueue.Item<Promise<Slot>>> next;
    synchronized (this) {
      next = next();
    }
    grant(next);
  }

  /** Why a query would be rejected whatever it costs, so that its cost need not be found out. */
  public Optional<QueryFailure> full(String tenant) {
    Load load = new Load(tenant, shares.apply(tenant).weight(), 1);
    synchronized (this) {
      if (!isFull() || queue.canDropFor(load)) {
        return Optional.empty();
      }
      rejected.increment();
      return Optional.of(noPlace(tenant));
    }
  }

  private boolean isFull() {
    return inFlight() >= cluster.inFlight(places.maxInFlight);
  }

  private QueryFailure noPlace(String tenant) {
    withoutPlace++;
    int share = cluster.inFlight(places.maxInFlight);
    return new QueryFailure(
        QueryFailure.Kind.UNAVAILABLE,
        "the query of tenant "
            + tenant
            + " was rejected: "
            + inFlight()
            + " queries of all tenants are running or waiting, and query.maxConcurrent is "
            + places.maxInFlight
            + (share < places.maxInFlight
                ? ", of which this query API may use " + share + " at the moment"
                : "")
            + "; try again later");
  }

  private boolean isAtLimit(String tenant) {
    return queue.running(tenant) >= cluster.running(tenant, shares.apply(tenant).running());
  }

  private Optional<QueryFailure> rejection(Load query, TenantShare share, long deadline) {
    String tenant = query.tenant();
    int waiting = queue.waiting(tenant);
    boolean mustWait =
        queue.running() >= places.maxRunning
            || isAtLimit(tenant)
            || query.isHeavy() && queue.heavyRunning() >= places.maxHeavy
            || waiting > 0;
    if (mustWait && waiting >= share.queued()) {
      return Optional.of(
          new QueryFailure(
              QueryFailure.Kind.LIMITED,
              "too many queries of tenant "
                  + tenant
                  + ": "
                  + queue.running(tenant)
                  + " are running and "
                  + waiting
                  + " are waiting; the limits are running "
                  + share.running()
                  + " and queued "
                  + share.queued()
                  + "; try again later"));
    }
    if (isFull() && !queue.canDropFor(query)) {
      return Optional.of(noPlace(tenant));
    }
    if (!speed(query.isHeavy()).isKnown()) {
      return Optional.empty();
    }
    double needed = nanosNeeded(query, share);
    long left = deadline - nanoTime.getAsLong();
    if (needed <= TOLERANCE * left) {
      return Optional.empty();
    }
    return Optional.of(
        new QueryFailure(
            QueryFailure.Kind.UNAVAILABLE,
            "the query of tenant "
                + tenant
                + " cannot finish in time: with the queries that wait before it, it takes about "
                + Math.round(needed / 1e6)
                + " ms, and "
                + left / 1_000_000
                + " ms are left; try again later, or reduce the query"));
  }

  /** Most of the time of a light query does not depend on its cost, that of a heavy one does. */
  private double nanosNeeded(Load query, TenantShare share) {
    boolean heavy = query.isHeavy();
    int atOnce = Math.min(heavy ? places.maxHeavy : places.maxRunning, share.running());
    return heavy
        ? heavySpeed.nanosFor(query.work() + queue.waitingWork(query.tenant(), true) / atOnce)
        : lightSpeed.nanosForOne() * (1 + (double) queue.waiting(query.tenant(), false) / atOnce);
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
  private boolean mayRunMore(String tenant) {
    if (isAtLimit(tenant)) {
      return false;
    }
    long another = tenant.equals(latest) ? othersAt : latestAt;
    boolean isAlone = nanoTime.getAsLong() - another >= ALONE_NANOS;
    return isAlone || queue.running(tenant) < Math.max(1, places.maxRunning / 2);
  }

  /** Takes the next query out of its queue, if there is a place for it. */
  private Optional<FairQueue.Item<Promise<Slot>>> next() {
    return queue.running() >= places.maxRunning
        ? Optional.empty()
        : queue.next(
            (tenant, heavy) ->
                (!heavy || queue.heavyRunning() < places.maxHeavy) && mayRunMore(tenant));
  }

  private void grant(Optional<FairQueue.Item<Promise<Slot>>> first) {
    Optional<FairQueue.Item<Promise<Slot>>> granted = first;
    while (granted.isPresent()) {
      Slot slot = new Slot(granted.get());
      if (!granted.get().work().tryComplete(slot)) {
        slot.release(); // the query was cancelled meanwhile
      }
      synchronized (this) {
        granted = next();
      }
    }
  }

  /** Declares what is counted here. */
  public void declare(Meters meters) {
    meters.counter("queries_refused", "Requests that were rejected by admission.", this::rejected);
    meters.gauge("queries_running", "Requests that are executing.", this::running);
    meters.gauge("queries_waiting", "Requests that wait in the queue.", this::waiting);
  }

  public synchronized int running() {
    return queue.running();
  }

  /** Numbers of queries of each tenant that run and wait here; tenants without any are left out. */
  public synchronized Map<String, Use> uses() {
    Map<String, Use> uses = new HashMap<>();
    for (String tenant : queue.tenants()) {
      uses.put(tenant, new Use(queue.running(tenant), queue.waiting(tenant)));
    }
    return uses;
  }

  /** Number of queries that run or wait here. */
  public synchronized int inFlight() {
    return queue.running() + queue.waiting();
  }

  /** Number of queries that found all places for all tenants taken, since this was last asked. */
  public synchronized int takeWithoutPlace() {
    int count = withoutPlace;
    withoutPlace = 0;
    return count;
  }

  public synchronized int waiting() {
    return queue.waiting();
  }

  public long rejected() {
    return rejected.sum();
  }
}
