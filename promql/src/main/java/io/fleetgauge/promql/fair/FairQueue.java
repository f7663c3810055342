package io.fleetgauge.promql.fair;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Work that waits, by tenant, and the order in which it is executed: next is the tenant that has
 * been served least for its weight, counted in work (start-time fair queueing, Goyal et al. 1996).
 * Light work goes before heavy work. Counts what is executed, too. Not for several threads.
 *
 * @param <T> the work
 */
public final class FairQueue<T> {
  private final Map<String, Tenant<T>> tenants = new HashMap<>();
  private int running;
  private int heavyRunning;

  /** The virtual time: the work of the tenant that was chosen last, divided by its weight. */
  private double served;

  /** One piece of work. */
  public record Item<T>(Load load, T work) {
    public boolean isHeavy() {
      return load.isHeavy();
    }
  }

  private static final class Tenant<T> {
    final String name;
    final Deque<Item<T>> light = new ArrayDeque<>();
    final Deque<Item<T>> heavy = new ArrayDeque<>();
    int running;
    int weight;

    /** The work that it has been served, divided by its weight. */
    double served;

    Tenant(String name) {
      this.name = name;
    }

    int waiting() {
      return light.size() + heavy.size();
    }

    int inFlight() {
      return waiting() + running;
    }

    Deque<Item<T>> queue(boolean isHeavy) {
      return isHeavy ? heavy : light;
    }
  }

  /** Adds work at the end of its tenant's queue. */
  public void add(Item<T> item) {
    Tenant<T> mine = tenants.computeIfAbsent(item.load.tenant(), Tenant::new);
    if (mine.inFlight() == 0) {
      // A tenant that was away has not saved up any turns.
      mine.served = Math.max(mine.served, served);
    }
    mine.weight = item.load.weight();
    mine.queue(item.isHeavy()).addLast(item);
  }

  /** Takes out work that waits; false if it does not wait any more. */
  public boolean remove(Item<T> item) {
    Tenant<T> mine = tenants.get(item.load.tenant());
    if (mine == null || !mine.queue(item.isHeavy()).remove(item)) {
      return false;
    }
    forget(mine);
    return true;
  }

  /**
   * Takes out the work that is executed next; it counts as executed until {@link #ended}.
   *
   * @param mayRun whether a tenant's work of a kind may be executed now: the tenant's name, and
   *     whether the work is heavy
   */
  public Optional<Item<T>> next(BiPredicate<String, Boolean> mayRun) {
    Optional<Tenant<T>> light = leastServed(false, mayRun);
    boolean heavy = light.isEmpty();
    return (heavy ? leastServed(true, mayRun) : light).map(tenant -> begun(tenant, heavy));
  }

  private Item<T> begun(Tenant<T> tenant, boolean heavy) {
    Item<T> next = tenant.queue(heavy).removeFirst();
    served = Math.max(served, tenant.served);
    tenant.served += (double) Math.max(1, next.load.work()) / next.load.weight();
    tenant.running++;
    running++;
    heavyRunning += heavy ? 1 : 0;
    return next;
  }

  private Optional<Tenant<T>> leastServed(boolean heavy, BiPredicate<String, Boolean> mayRun) {
    return tenants.values().stream()
        .filter(tenant -> !tenant.queue(heavy).isEmpty() && mayRun.test(tenant.name, heavy))
        .min(Comparator.comparingDouble(tenant -> tenant.served));
  }

  /** Work that {@link #next} gave has ended. */
  public void ended(Item<T> item) {
    Tenant<T> mine = tenants.get(item.load.tenant());
    mine.running--;
    running--;
    heavyRunning -= item.isHeavy() ? 1 : 0;
    forget(mine);
  }

  /**
   * Takes out what came last of the tenant that has most for its weight, waiting or executed, if
   * that tenant still has as much as the newcomer's without it: so much does one tenant give up for
   * another.
   */
  public Optional<Item<T>> dropFor(Load newcomer) {
    return most(newcomer)
        .map(
            tenant -> {
              Deque<Item<T>> queue = tenant.heavy.isEmpty() ? tenant.light : tenant.heavy;
              Item<T> last = queue.removeLast();
              forget(tenant);
              return last;
            });
  }

  /** Returns true if {@link #dropFor} would take something out. */
  public boolean canDropFor(Load newcomer) {
    return most(newcomer).isPresent();
  }

  private Optional<Tenant<T>> most(Load newcomer) {
    String than = newcomer.tenant();
    double share = (waiting(than) + running(than) + 1.0) / newcomer.weight();
    return tenants.values().stream()
        .filter(tenant -> tenant.waiting() > 0 && !tenant.name.equals(than))
        .filter(tenant -> (tenant.inFlight() - 1.0) / tenant.weight >= share)
        .max(Comparator.comparingDouble(tenant -> (double) tenant.inFlight() / tenant.weight));
  }

  /** The work of a tenant and a kind that waits. */
  public double waitingWork(String tenant, boolean heavy) {
    Tenant<T> mine = tenants.get(tenant);
    return mine == null
        ? 0
        : mine.queue(heavy).stream().mapToDouble(item -> item.load.work()).sum();
  }

  /** The pieces of work of a tenant and a kind that wait. */
  public int waiting(String tenant, boolean heavy) {
    Tenant<T> mine = tenants.get(tenant);
    return mine == null ? 0 : mine.queue(heavy).size();
  }

  /** The pieces of work of a tenant that wait. */
  public int waiting(String tenant) {
    Tenant<T> mine = tenants.get(tenant);
    return mine == null ? 0 : mine.waiting();
  }

  /** The pieces of work that wait. */
  public int waiting() {
    return tenants.values().stream().mapToInt(Tenant::waiting).sum();
  }

  /** The pieces of work of a tenant that are executed. */
  public int running(String tenant) {
    Tenant<T> mine = tenants.get(tenant);
    return mine == null ? 0 : mine.running;
  }

  /** The pieces of work that are executed. */
  public int running() {
    return running;
  }

  /** The heavy ones among them. */
  public int heavyRunning() {
    return heavyRunning;
  }

  /** The tenants of which something waits or is executed. */
  public Iterable<String> tenants() {
    return tenants.values().stream()
        .filter(tenant -> tenant.inFlight() > 0)
        .map(tenant -> tenant.name)
        .toList();
  }

  /** A tenant that is not ahead of the others, and has no work, starts afresh the next time. */
  private void forget(Tenant<T> tenant) {
    if (tenant.inFlight() == 0 && tenant.served <= served) {
      tenants.remove(tenant.name);
    }
  }
}
