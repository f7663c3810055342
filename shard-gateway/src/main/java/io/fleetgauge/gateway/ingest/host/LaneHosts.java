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
 */
public final class LaneHosts {
  private final HostEnvironment environment;
  private final Function<String, Lane> lanes;
  private final Predicate<String> isServedHere;
  private final Map<String, HostIntake> hosts = new HashMap<>();
  private ClusterView followed = ClusterView.EMPTY;
  private boolean recovering = true;

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
        name, host -> new HostIntake(host, lanes.apply(host), environment, recovering));
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
    }
  }

  /** All that was kept before the start has been read: what waited for it goes behind it. */
  public void recovered() {
    recovering = false;
    hosts.values().forEach(HostIntake::recovered);
  }

  /**
   * Follows the newest table and does what is due.
   *
   * @return hosts that nothing is needed of here any more
   */
  public List<String> timePassed() {
    ClusterView now = environment.cluster().view().get();
    if (now != followed) {
      followed = now;
      String self = environment.cluster().self();
      now.table()
          .holders()
          .forEach(
              (host, each) -> {
                if (isServedHere.test(host) && each.has(self)) {
                  host(host);
                }
              });
    }
    List<String> unneeded = new ArrayList<>();
    hosts.forEach(
        (name, host) -> {
          if (host.timePassed()) {
            unneeded.add(name);
          }
        });
    return unneeded;
  }
}
