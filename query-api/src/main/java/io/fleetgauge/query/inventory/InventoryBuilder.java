package io.fleetgauge.query.inventory;

import io.fleetgauge.cluster.status.HostSilence;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.inventory.InventoryHost.State;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Makes the hosts of an {@link Inventory} of what was read, and of what is planned. */
final class InventoryBuilder {
  private static final long NEVER = Long.MIN_VALUE;
  private static final int MOST_GPUS = 256;

  private static final class Gpu {
    String index = "";
    String model = "";
    String domain = "";
    boolean isRead;
    boolean isLost;
    boolean hasFabric;
    int links;
    int active;
    final Set<String> faults = new TreeSet<>();
  }

  private static final class Host {
    Optional<HostState> state = Optional.empty();
    Optional<PlannedHost> planned = Optional.empty();
    Labels place = Labels.EMPTY;
    String rack = "";
    int expected;
    final Map<String, Gpu> gpus = new TreeMap<>();
    final Set<String> faults = new TreeSet<>();

    long newest() {
      return state.map(HostState::newest).orElse(NEVER);
    }
  }

  private final Observed observed;
  private final long now;
  private final Map<String, Host> hosts = new TreeMap<>();

  /** The only host with a short name, by it. */
  private final Map<String, Optional<String>> byShortName = new HashMap<>();

  /** The names that the file gives to domains, by their observed names. */
  private final Map<String, String> domainNames = new HashMap<>();

  InventoryBuilder(Observed observed, List<PlannedHost> planned, long keepMillis, long now) {
    this.observed = observed;
    this.now = now;
    Map<String, PlannedHost> byName = new HashMap<>();
    planned.forEach(each -> byName.put(each.name(), each));
    for (HostState state : observed.states()) {
      boolean isKept = state.newest() != NEVER && now - state.newest() <= keepMillis;
      if (!PseudoHosts.isOne(state.name()) && (isKept || byName.containsKey(state.name()))) {
        host(state.name()).state = Optional.of(state);
      }
    }
    planned.forEach(each -> host(each.name()).planned = Optional.of(each));
    hosts
        .keySet()
        .forEach(
            name ->
                byShortName.merge(
                    shortName(name), Optional.of(name), (one, other) -> Optional.empty()));
    observed.samples().forEach(this::take);
    nameDomains();
  }

  private Host host(String name) {
    return hosts.computeIfAbsent(name, none -> new Host());
  }

  private static String shortName(String host) {
    int dot = host.indexOf('.');
    return dot < 0 ? host : host.substring(0, dot);
  }

  /** The host that a scheduler names, which may have it with its domain or without. */
  private Host ofScheduler(String name) {
    return hosts.containsKey(name)
        ? host(name)
        : byShortName
            .getOrDefault(shortName(name), Optional.empty())
            .map(this::host)
            .orElseGet(() -> host(name));
  }

  private void take(Answer.Sample sample) {
    Labels labels = sample.labels();
    switch (labels.metric()) {
      case Observed.SLURM ->
          HostList.read(labels.value("nodes")).ifPresent(all -> all.forEach(this::ofScheduler));
      case Observed.KUBERNETES -> {
        if (labels.value("resource").equals("nvidia_com_gpu")) {
          Host host = ofScheduler(labels.value("node"));
          host.expected = Math.max(host.expected, count(sample.value()));
        }
      }
      default -> {
        Host host = hosts.get(labels.value("Hostname"));
        if (host != null) {
          takeOfHost(host, labels, sample.value());
        }
      }
    }
  }

  private static int count(double value) {
    return value > 0 ? (int) Math.min(MOST_GPUS, value) : 0;
  }

  private static void takeOfHost(Host host, Labels labels, double value) {
    if (host.rack.isEmpty()) {
      host.rack = labels.value("rack");
    }
    if (labels.metric().equals(Observed.EXPECTED)) {
      host.expected = Math.max(host.expected, count(value));
      host.place = labels.without(Set.of(Labels.NAME));
      return;
    }
    String uuid = labels.value("UUID");
    if (labels.metric().equals(Observed.FAULT)) {
      fault(host, uuid, labels, value);
    } else if (!uuid.isEmpty()) {
      takeOfGpu(host.gpus.computeIfAbsent(uuid, none -> new Gpu()), labels, value);
    }
  }

  private static void takeOfGpu(Gpu gpu, Labels labels, double value) {
    gpu.index = labels.value("gpu");
    gpu.model = labels.value("modelName");
    switch (labels.metric()) {
      case Observed.INFO -> gpu.isRead = true;
      case Observed.LOST -> gpu.isLost = value == 1;
      case Observed.FABRIC -> gpu.hasFabric = true;
      case Observed.CLUSTER ->
          gpu.domain = labels.value("cluster_uuid") + "/" + labels.value("clique_id");
      case Observed.LINKS -> {
        gpu.links += count(value);
        // One that sleeps to save power is well.
        gpu.active += labels.value("state").equals("inactive") ? 0 : count(value);
      }
      default -> {}
    }
  }

  /** Open critical faults that are alerted; those of jobs say nothing of a GPU's health. */
  private static void fault(Host host, String uuid, Labels labels, double value) {
    Optional<FaultKind> kind = FaultKind.find(labels.value("kind"));
    boolean isCritical = labels.value("severity").equals(Severity.CRITICAL.text());
    boolean isShadow = labels.value("shadow").equals("true");
    if (value != 1 || kind.isEmpty() || !isCritical || isShadow) {
      return;
    }
    switch (kind.get().scope()) {
      case HOST -> host.faults.add(kind.get().text());
      case GPU -> host.gpus.computeIfAbsent(uuid, none -> new Gpu()).faults.add(kind.get().text());
      case JOB -> {}
    }
  }

  /** A domain that hosts of the file are in has the name that the file gives it, for all hosts. */
  private void nameDomains() {
    hosts.forEach(
        (name, host) -> {
          String found = observedDomain(name, host);
          String planned = host.planned.map(PlannedHost::domain).orElse("");
          if (!found.isEmpty() && !planned.isEmpty()) {
            domainNames.putIfAbsent(found, planned);
          }
        });
  }

  private String observedDomain(String name, Host host) {
    return host.gpus.values().stream()
        .map(gpu -> gpu.domain)
        .filter(domain -> !domain.isEmpty())
        .findFirst()
        .orElse(observed.domains().getOrDefault(name, ""));
  }

  private String domain(String name, Host host) {
    String planned = host.planned.map(PlannedHost::domain).orElse("");
    String found = observedDomain(name, host);
    return planned.isEmpty() ? domainNames.getOrDefault(found, found) : planned;
  }

  /** The hosts, by name. */
  List<InventoryHost> hosts() {
    List<InventoryHost> all = new ArrayList<>();
    hosts.forEach((name, host) -> all.add(finished(name, host)));
    return all;
  }

  private InventoryHost finished(String name, Host host) {
    State state = state(host);
    List<InventoryGpu> gpus = new ArrayList<>();
    host.gpus.forEach((uuid, gpu) -> gpus.add(finished(uuid, gpu, host, state)));
    gpus.sort(
        Comparator.comparingInt((InventoryGpu gpu) -> gpu.index().length())
            .thenComparing(InventoryGpu::index)
            .thenComparing(InventoryGpu::uuid));
    int present = (int) gpus.stream().filter(InventoryGpu::isPresent).count();
    int healthy =
        host.faults.isEmpty()
            ? (int) gpus.stream().filter(gpu -> gpu.isPresent() && gpu.faults().isEmpty()).count()
            : 0;
    int expected =
        host.planned
            .filter(planned -> planned.gpus().isPresent())
            .map(planned -> planned.gpus().getAsInt())
            .orElse(
                Math.max(
                    Math.max(host.expected, gpus.size()), observed.peaks().getOrDefault(name, 0)));
    LinkCount links =
        gpus.stream().map(InventoryGpu::links).reduce(LinkCount.NONE, LinkCount::plus);
    String rack = host.rack.isEmpty() ? host.planned.map(PlannedHost::rack).orElse("") : host.rack;
    return new InventoryHost(
        name,
        host.place.with("Hostname", name).with("rack", rack),
        rack,
        domain(name, host),
        state,
        host.newest() == NEVER ? OptionalLong.empty() : OptionalLong.of(host.newest()),
        new GpuCount(expected, present, healthy),
        links,
        List.copyOf(host.faults),
        gpus);
  }

  private State state(Host host) {
    if (host.newest() == NEVER) {
      return State.MISSING;
    }
    long tick = host.state.orElseThrow().tickMillis();
    return HostSilence.isUp(host.newest(), tick, now) ? State.PRESENT : State.SILENT;
  }

  private InventoryGpu finished(String uuid, Gpu gpu, Host host, State state) {
    boolean isPresent = state == State.PRESENT && gpu.isRead && !gpu.isLost;
    int links =
        host.planned
            .filter(planned -> planned.links().isPresent())
            .map(planned -> planned.links().getAsInt())
            .orElse(gpu.hasFabric ? gpu.links : best(host, gpu.model));
    return new InventoryGpu(
        uuid,
        gpu.index,
        gpu.model,
        domainNames.getOrDefault(gpu.domain, gpu.domain),
        isPresent,
        new LinkCount(links, isPresent ? gpu.active : 0),
        List.copyOf(gpu.faults));
  }

  private static int best(Host host, String model) {
    Stream<Gpu> equals = host.gpus.values().stream().filter(gpu -> gpu.model.equals(model));
    return equals.mapToInt(gpu -> gpu.active).max().orElse(0);
  }
}
