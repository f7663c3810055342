package io.fleetgauge.query.inventory;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.inventory.InventoryHost.State;
import io.fleetgauge.sample.Labels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What should be there and what is, at a time. Immutable.
 *
 * <p>A host has the number of GPUs that the file says; else the highest of what its probe expects,
 * what a scheduler says, what was present at once within a day, and what is known by name. A link
 * should be active if the file says so; without a file all links of a GPU that has a fabric, and of
 * others as many as the best GPU of this model on the host has.
 */
public final class Inventory {
  static final String HOSTS = "gpu_inventory_hosts";
  static final String GPUS = "gpu_inventory_gpus";
  static final String DOMAIN_GPUS = "gpu_domain_gpus";
  static final String DOMAIN_INFO = "gpu_inventory_domain_info";

  private final List<InventoryHost> hosts;
  private final List<InventoryDomain> domains;

  private Inventory(List<InventoryHost> hosts) {
    this.hosts = List.copyOf(hosts);
    Map<String, InventoryDomain> byName = new TreeMap<>();
    for (InventoryHost host : hosts) {
      if (!host.domain().isEmpty()) {
        byName.merge(
            host.domain(),
            new InventoryDomain(host.domain(), 1, host.count(), host.links()),
            Inventory::both);
      }
    }
    this.domains = List.copyOf(byName.values());
  }

  private static InventoryDomain both(InventoryDomain a, InventoryDomain b) {
    return new InventoryDomain(
        a.name(), a.hosts() + b.hosts(), a.count().plus(b.count()), a.links().plus(b.links()));
  }

  /**
   * @param planned hosts that should be there
   * @param keep hosts that were silent for longer are left out, unless they are planned
   * @param now ms since the epoch
   */
  public static Inventory of(
      Observed observed, List<PlannedHost> planned, Duration keep, long now) {
    return new Inventory(new InventoryBuilder(observed, planned, keep.toMillis(), now).hosts());
  }

  /** All hosts, by name. */
  public List<InventoryHost> hosts() {
    return hosts;
  }

  /** All NVLink domains of several hosts, by name. */
  public List<InventoryDomain> domains() {
    return domains;
  }

  /**
   * Hosts that should be there and have GPUs, as far as is known, with the labels of their place.
   */
  public Map<String, Labels> expectedHosts() {
    Map<String, Labels> places = new TreeMap<>();
    for (InventoryHost host : hosts) {
      if (host.count().expected() > 0 || host.state() == State.MISSING) {
        places.put(host.name(), host.place());
      }
    }
    return places;
  }

  /**
   * It as samples, to be stored.
   *
   * @param time of the samples, ms since the epoch
   */
  public List<DerivedSample> samples(long time) {
    List<DerivedSample> samples = new ArrayList<>();
    Map<State, Integer> byState = new EnumMap<>(State.class);
    for (InventoryHost host : hosts) {
      byState.merge(host.state(), 1, Integer::sum);
      add(samples, time, GPUS, Labels.of("Hostname", host.name()), host.count());
      if (!host.domain().isEmpty()) {
        Labels labels =
            Labels.of(Labels.NAME, DOMAIN_INFO, "Hostname", host.name(), "domain", host.domain());
        samples.add(new DerivedSample(labels, time, 1));
      }
    }
    for (State state : State.values()) {
      Labels labels = Labels.of(Labels.NAME, HOSTS, "state", state.text());
      samples.add(new DerivedSample(labels, time, byState.getOrDefault(state, 0)));
    }
    for (InventoryDomain domain : domains) {
      add(samples, time, DOMAIN_GPUS, Labels.of("domain", domain.name()), domain.count());
    }
    return samples;
  }

  private static void add(
      List<DerivedSample> samples, long time, String metric, Labels of, GpuCount count) {
    Labels named = of.with(Labels.NAME, metric);
    samples.add(new DerivedSample(named.with("state", "expected"), time, count.expected()));
    samples.add(new DerivedSample(named.with("state", "present"), time, count.present()));
    samples.add(new DerivedSample(named.with("state", "healthy"), time, count.healthy()));
  }
}
