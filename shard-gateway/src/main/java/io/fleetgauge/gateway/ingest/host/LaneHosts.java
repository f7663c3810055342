package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.store.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The hosts that one thread serves: those that the table gives to this gateway, and those that
 * samples have come of. No thread and no clock of its own.
 *
 * <p>A host is looked at when its state says that something is due, and all are looked at now and
 * then: for what depends on the clock, and for the table.
 */
public final class LaneHosts {
  /** Interval at which all hosts are looked at, ms. */
  static final long LOOK_AT_ALL_MILLIS = 500;

  private final HostEnvironment environment;
  private final Function<String, Lane> lanes;
  private final Predicate<String> isServedHere;
  private final Map<String, HostIntake> hosts = new HashMap<>();
  private ClusterView followed = ClusterView.EMPTY;
  private boolean recovering = true;
  private long allAt = Long.MIN_VALUE;
  private volatile long dueAt = Long.MIN_VALUE;

  /**
   * @param lanes the store's lane of a host, made when there is none
   * @param isServedHere whether a host belongs to this thread
   */
  public LaneHosts(
      HostEnvironment environment, Function<String, Lane> lanes, Predicate<String> isServedHere) {
    this.environment = environment;
    this.lanes = lanes;
    this.isServedHere = isServedHere;
  }

  /** A host, made when it is not there. */
  public HostIntake host(String name) {
    return hosts.computeIfAbsent(
        name,
        host -> new HostIntake(host, lanes.apply(host), environment, recovering, this::dueBy));
  }

  private void dueBy(long time) {
    if (time < dueAt) {
      dueAt = time;
    }
  }

  /**
   * In how many ms {@link #timePassed} has something to do, at least 0; safe for all threads. A
   * changed table is not noticed here.
   */
  public long dueInMillis() {
    long at = dueAt;
    long now = environment.steadyMillis();
    return now >= at ? 0 : at - now;
  }

  public Optional<HostIntake> find(String name) {
    return Optional.ofNullable(hosts.get(name));
  }

  public List<String> names() {
    return List.copyOf(hosts.keySet());
  }

  public Collection<HostIntake> all() {
    return hosts.values();
  }

  /** Forgets a host; if the table gives it to this gateway, it is made anew. */
  public void remove(String name) {
    HostIntake gone = hosts.remove(name);
    if (gone != null) {
      gone.close();
      followed = ClusterView.EMPTY;
      dueBy(environment.steadyMillis());
    }
  }

  /** All that was kept before the start has been read: what waited for it goes behind it. */
  public void recovered() {
    recovering = false;
    hosts.values().forEach(HostIntake::recovered);
    lookAtAll();
  }

  /** Something has changed that the state of the hosts does not show. */
  public void lookAtAll() {
    allAt = Long.MIN_VALUE;
    dueAt = Long.MIN_VALUE;
  }

  /**
   * Follows the newest table and does what is due.
   *
   * @return hosts that nothing is needed of here any more
   */
  public List<String> timePassed() {
    long now = environment.steadyMillis();
    ClusterView view = environment.cluster().view().get();
    boolean all = view != followed || now >= allAt;
    if (view != followed) {
      followed = view;
      String self = environment.cluster().self();
      view.table()
          .holders()
          .forEach(
              (host, each) -> {
                if (isServedHere.test(host) && each.has(self)) {
                  host(host);
                }
              });
    }
    if (all) {
      allAt = now + LOOK_AT_ALL_MILLIS;
    }
    List<String> unneeded = new ArrayList<>();
    long next = allAt;
    for (Map.Entry<String, HostIntake> each : hosts.entrySet()) {
      HostIntake host = each.getValue();
      if ((all || now >= host.dueAt()) && host.timePassed()) {
        unneeded.add(each.getKey());
      }
      next = Math.min(next, host.dueAt());
    }
    dueAt = next;
    return unneeded;
  }
}
