package io.fleetgauge.probe.attribution;

import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Combines what the sources know, once in each tick: after the processes on the GPUs were looked
 * at, so that owners which they show are those of that tick. Safe for all threads.
 */
public final class Attribution implements Supplier<GpuOwners> {
  /** On the series of a GPU that several owners share. */
  static final String SHARED = "shared";

  private static final String TENANT = "tenant";

  /** Labels that name an owner; the rest tells more about it. */
  private static final List<String> IDENTITY =
      List.of("pod", "namespace", "pod_uid", "container", "hpc_job");

  private final List<OwnerSource> sources;
  private final List<String> tenantLabels;
  private volatile State state = new State(List.of(), Map.of(), GpuOwners.NONE, Map.of(), false);

  /** True if the sources were asked in this tick. */
  private boolean isAsked;

  /** A contradiction between sources. */
  enum Disagreement {
    /** Processes use a GPU that no scheduler has given away. */
    UNALLOCATED,
    /** Processes use a GPU that was given to somebody else. */
    OTHER_OWNER
  }

  /**
   * A statement of a source about a GPU.
   *
   * @param owner with the tenant, where it may be told
   */
  record Statement(OwnerSource source, Labels owner) {}

  /**
   * All that is known at one time.
   *
   * @param knowledge of each source, in their order
   * @param statements of each GPU, those of the most trusted source that knows its owners
   * @param disagreements GPUs by kind
   * @param tellsAllocation whether a scheduler's record says which GPUs are given away
   */
  record State(
      List<OwnerSource.Knowledge> knowledge,
      Map<GpuOwners.Gpu, List<Statement>> statements,
      GpuOwners owners,
      Map<Disagreement, Set<GpuOwners.Gpu>> disagreements,
      boolean tellsAllocation) {}

  /**
   * @param sources of one basis: the first one's claims of a GPU count
   * @param tenantLabels labels of an owner that tell its tenant, the first that is there
   */
  public Attribution(List<OwnerSource> sources, List<String> tenantLabels) {
    this.sources = new ArrayList<>();
    for (Basis basis : Basis.values()) {
      sources.stream().filter(each -> each.basis() == basis).forEach(this.sources::add);
    }
    this.tenantLabels = List.copyOf(tenantLabels);
  }

  List<OwnerSource> sources() {
    return sources;
  }

  /** Asks all sources, which do not wait. What they say now is true of this tick. */
  public synchronized void ask() {
    state = combine(sources.stream().map(OwnerSource::newest).toList());
    isAsked = true;
  }

  /** The state of this tick; asks the sources, if nobody has. */
  synchronized State now() {
    if (!isAsked) {
      ask();
    }
    return state;
  }

  /** The owners of this tick, which ends. */
  @Override
  public synchronized GpuOwners get() {
    GpuOwners owners = now().owners;
    isAsked = false;
    return owners;
  }

  /**
   * Labels that are known besides of an owner whom a process on a GPU shows: what a scheduler's
   * record of this owner says; without a record of the GPU, the tenant that is configured. Empty
   * when no record is of this owner, or several are.
   */
  public Labels record(GpuOwners.Gpu gpu, Labels owner) {
    List<Statement> known = state.statements.getOrDefault(gpu, List.of());
    if (!known.isEmpty() && known.getFirst().source().basis() != Basis.ALLOCATION) {
      return Labels.of(TENANT, known.getFirst().owner().value(TENANT));
    }
    List<Statement> fitting = known.stream().filter(one -> fit(one.owner(), owner)).toList();
    return fitting.size() == 1 ? fitting.getFirst().owner() : Labels.EMPTY;
  }

  private State combine(List<OwnerSource.Knowledge> knowledge) {
    Map<GpuOwners.Gpu, Map<Basis, List<Statement>>> byGpu = new TreeMap<>();
    boolean tellsAllocation = false;
    for (int i = 0; i < knowledge.size(); i++) {
      OwnerSource source = sources.get(i);
      tellsAllocation |= source.basis() == Basis.ALLOCATION && knowledge.get(i).isUp();
      for (Claim claim : knowledge.get(i).claims()) {
        List<Statement> ofBasis =
            byGpu
                .computeIfAbsent(claim.gpu(), key -> new EnumMap<>(Basis.class))
                .computeIfAbsent(source.basis(), key -> new ArrayList<>());
        Statement statement = new Statement(source, withTenant(source.basis(), claim.owner()));
        boolean isOfFirst = ofBasis.isEmpty() || ofBasis.getFirst().source() == source;
        if (isOfFirst && !ofBasis.contains(statement)) {
          ofBasis.add(statement);
        }
      }
    }
    Map<GpuOwners.Gpu, List<Statement>> statements = new TreeMap<>();
    Map<GpuOwners.Gpu, Labels> owners = new TreeMap<>();
    Map<Disagreement, Set<GpuOwners.Gpu>> disagreements = new EnumMap<>(Disagreement.class);
    for (Map.Entry<GpuOwners.Gpu, Map<Basis, List<Statement>>> each : byGpu.entrySet()) {
      Map<Basis, List<Statement>> byBasis = each.getValue();
      List<Statement> trusted = trusted(byBasis);
      statements.put(each.getKey(), List.copyOf(trusted));
      owners.put(each.getKey(), common(trusted));
      List<Statement> processes = byBasis.getOrDefault(Basis.PROCESS, List.of());
      List<Statement> allocated = byBasis.getOrDefault(Basis.ALLOCATION, List.of());
      if (tellsAllocation && !processes.isEmpty() && allocated.isEmpty()) {
        add(disagreements, Disagreement.UNALLOCATED, each.getKey());
      } else if (!allocated.isEmpty()
          && processes.stream()
              .anyMatch(
                  process ->
                      allocated.stream()
                          .noneMatch(one -> mayBeOne(one.owner(), process.owner())))) {
        add(disagreements, Disagreement.OTHER_OWNER, each.getKey());
      }
    }
    // Equal owners stay the same object, by which a tick knows that nothing has changed.
    GpuOwners now = new GpuOwners(owners);
    return new State(
        knowledge,
        statements,
        now.equals(state.owners) ? state.owners : now,
        disagreements,
        tellsAllocation);
  }

  /** The most trusted statements; processes do not replace the tenant that is configured. */
  private static List<Statement> trusted(Map<Basis, List<Statement>> byBasis) {
    List<Statement> trusted = byBasis.values().iterator().next();
    if (trusted.getFirst().source().basis() != Basis.PROCESS) {
      return trusted;
    }
    String tenant =
        byBasis.getOrDefault(Basis.CONFIGURATION, List.of()).stream()
            .map(one -> one.owner().value(TENANT))
            .findFirst()
            .orElse("");
    return trusted.stream()
        .map(one -> new Statement(one.source(), one.owner().with(TENANT, tenant)))
        .toList();
  }

  private static void add(
      Map<Disagreement, Set<GpuOwners.Gpu>> to, Disagreement kind, GpuOwners.Gpu gpu) {
    to.computeIfAbsent(kind, key -> new LinkedHashSet<>()).add(gpu);
  }

  /** A tenant decides who may see a series: processes, which may claim anything, do not tell it. */
  private Labels withTenant(Basis basis, Labels owner) {
    Labels told = basis == Basis.PROCESS ? owner.without(TENANT) : owner;
    if (basis != Basis.ALLOCATION || !told.value(TENANT).isEmpty()) {
      return told;
    }
    return tenantLabels.stream()
        .map(told::value)
        .filter(value -> !value.isEmpty())
        .findFirst()
        .map(value -> told.with(TENANT, value))
        .orElse(told);
  }

  /** The labels of one owner, or what all that share a GPU have in common. */
  private static Labels common(List<Statement> statements) {
    Labels common = statements.getFirst().owner();
    for (Statement statement : statements) {
      for (int i = common.size() - 1; i >= 0; i--) {
        if (!statement.owner().value(common.name(i)).equals(common.value(i))) {
          common = common.without(common.name(i));
        }
      }
    }
    return statements.size() == 1 ? common : common.with(SHARED, "true");
  }

  /**
   * Tells whether two statements do not contradict each other; a pod without a name may be any pod.
   */
  private static boolean mayBeOne(Labels allocated, Labels process) {
    boolean isUnnamed =
        process.value("pod").isEmpty()
            && !process.value("pod_uid").isEmpty()
            && !allocated.value("pod").isEmpty()
            && allocated.value("pod_uid").isEmpty();
    return isUnnamed || fit(allocated, process);
  }

  /** Tells whether two statements are of one owner. */
  static boolean fit(Labels one, Labels other) {
    boolean inCommon = false;
    for (String name : IDENTITY) {
      String value = one.value(name);
      String others = other.value(name);
      if (!value.isEmpty() && !others.isEmpty()) {
        if (!value.equals(others)) {
          return false;
        }
        inCommon = true;
      }
    }
    return inCommon;
  }
}
