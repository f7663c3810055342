package io.fleetgauge.probe.attribution.process;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.gpu.GpuMetric;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The series of processes, and their sums by container, pod and job. Not for several threads. */
final class ProcessSeries {
  private static final GpuMetric USED = GpuMetrics.of("used_gpu_memory");
  private static final GpuMetric UNOWNED = GpuMetrics.of("gpu_unowned_processes");
  private static final GpuMetric UNOWNED_BYTES = GpuMetrics.of("gpu_unowned_memory_bytes");
  private static final String REST = "rest";
  private static final String UNIT = "unit";

  /** By what processes are summed. */
  enum Kind {
    PROCESS("process", process -> Integer.toString(process.pid())),
    CONTAINER("container", OwnedProcess::container),
    POD("pod", OwnedProcess::pod, "container", "container_id"),
    JOB("job", OwnedProcess::job, "container", "container_id", "pod", "namespace", "pod_uid");

    final String label;

    /** The key of the sum that a process counts in; empty when there is none. */
    private final Function<OwnedProcess, String> key;

    private final GpuMetric memory;
    private final GpuMetric utilization;

    /** Labels that differ within one of them. */
    private final List<String> finer;

    Kind(String label, Function<OwnedProcess, String> key, String... finer) {
      this.label = label;
      this.key = key;
      this.finer = List.of(finer);
      memory = GpuMetrics.of("gpu_" + label + "_memory_bytes");
      utilization = GpuMetrics.of("gpu_" + label + "_utilization_ratio");
    }

    private Labels owner(Labels of) {
      Labels owner = of;
      for (String name : finer) {
        owner = owner.without(name);
      }
      return owner;
    }
  }

  /** The sum of what some processes use. */
  private static final class Use {
    private Labels owner = Labels.EMPTY;
    private OptionalLong bytes = OptionalLong.empty();
    private OptionalDouble ratio = OptionalDouble.empty();
    private int count;

    void add(GpuProcess process, Labels of) {
      count++;
      owner = of.with(owner);
      if (process.memoryBytes().isPresent()) {
        bytes = OptionalLong.of(bytes.orElse(0) + process.memoryBytes().getAsLong());
      }
      if (process.utilization().isPresent()) {
        ratio = OptionalDouble.of(ratio.orElse(0) + process.utilization().getAsDouble());
      }
    }

    void add(Use other) {
      count += other.count;
      if (other.bytes.isPresent()) {
        bytes = OptionalLong.of(bytes.orElse(0) + other.bytes.getAsLong());
      }
      if (other.ratio.isPresent()) {
        ratio = OptionalDouble.of(ratio.orElse(0) + other.ratio.getAsDouble());
      }
    }
  }

  private final int limit;
  private final boolean perProcess;
  private final boolean usedMemory;
  private final Map<GpuOwners.Gpu, Map<Kind, ProcessSlots>> slots = new HashMap<>();
  private volatile Map<Kind, Integer> leftOut = Map.of();

  /**
   * @param limit most series of one GPU and kind; the others are summed in one
   * @param perProcess whether processes have series, or only what they are summed to
   * @param usedMemory whether {@code used_gpu_memory} is among them
   */
  ProcessSeries(int limit, boolean perProcess, boolean usedMemory) {
    this.limit = limit;
    this.perProcess = perProcess;
    this.usedMemory = usedMemory;
  }

  /** The number that found no place within the limit, at the last reading. For any thread. */
  Map<Kind, Integer> leftOut() {
    return leftOut;
  }

  /**
   * @param records what a scheduler's record adds to an owner on a GPU
   */
  void add(
      Tick.Builder out,
      List<GpuProcesses> gpus,
      Map<Integer, OwnedProcess> byPid,
      BiFunction<GpuOwners.Gpu, Labels, Labels> records) {
    Map<Kind, Integer> without = new EnumMap<>(Kind.class);
    slots.keySet().retainAll(gpus.stream().map(each -> GpuOwners.Gpu.of(each.labels())).toList());
    for (GpuProcesses gpu : gpus) {
      GpuOwners.Gpu of = GpuOwners.Gpu.of(gpu.labels());
      Map<Integer, Labels> owners = new HashMap<>();
      for (GpuProcess process : gpu.processes()) {
        OwnedProcess owned = byPid.get(process.pid());
        Labels record = owned.isOwned() ? records.apply(of, owned.proven()) : Labels.EMPTY;
        owners.put(process.pid(), record.with(owned.owner()));
      }
      for (Kind kind : Kind.values()) {
        int more = add(out, kind, gpu, byPid, owners);
        without.merge(kind, more, Integer::sum);
      }
      unowned(out, gpu, byPid);
    }
    leftOut = Map.copyOf(without);
  }

  private int add(
      Tick.Builder out,
      Kind kind,
      GpuProcesses gpu,
      Map<Integer, OwnedProcess> byPid,
      Map<Integer, Labels> owners) {
    Map<String, Use> uses = new LinkedHashMap<>();
    for (GpuProcess process : gpu.processes()) {
      String key = kind.key.apply(byPid.get(process.pid()));
      if (!key.isEmpty()) {
        uses.computeIfAbsent(key, name -> new Use())
            .add(process, kind.owner(owners.get(process.pid())));
      }
    }
    Map<String, Integer> numbers =
        slots
            .computeIfAbsent(GpuOwners.Gpu.of(gpu.labels()), key -> new EnumMap<>(Kind.class))
            .computeIfAbsent(kind, key -> new ProcessSlots(limit))
            .of(uses.keySet());
    Use rest = new Use();
    for (Map.Entry<String, Use> each : uses.entrySet()) {
      Integer slot = numbers.get(each.getKey());
      if (slot == null) {
        rest.add(each.getValue());
        continue;
      }
      Labels series = gpu.labels().with(GpuOwners.SLOT, slot.toString());
      if (kind == Kind.PROCESS) {
        process(out, series, byPid.get(Integer.parseInt(each.getKey())), each.getValue());
      } else {
        add(out, kind, series.with(each.getValue().owner), each.getValue());
      }
    }
    boolean isShown = kind != Kind.PROCESS || perProcess;
    if (rest.count > 0 && isShown) {
      add(out, kind, gpu.labels().with(GpuOwners.SLOT, REST), rest);
    }
    return uses.size() - numbers.size();
  }

  private void process(Tick.Builder out, Labels series, OwnedProcess of, Use use) {
    Labels named = series.with(use.owner).with("pid", Integer.toString(of.pid()));
    if (perProcess) {
      add(out, Kind.PROCESS, named.with("process_name", printable(of.program())), use);
    }
    if (usedMemory && use.bytes.isPresent()) {
      out.add(
          named
              .with("container_name", containerName(of))
              .with(UNIT, UsedGpuMemory.UNIT)
              .with(Labels.NAME, USED.name()),
          use.bytes.getAsLong());
    }
  }

  static String containerName(OwnedProcess of) {
    return of.containerName().map(each -> each.name()).orElse(of.owner().value("container"));
  }

  private static void add(Tick.Builder out, Kind kind, Labels series, Use use) {
    if (use.bytes.isPresent()) {
      out.add(series.with(Labels.NAME, kind.memory.name()), use.bytes.getAsLong());
    }
    if (use.ratio.isPresent()) {
      out.add(series.with(Labels.NAME, kind.utilization.name()), use.ratio.getAsDouble());
    }
  }

  private static void unowned(
      Tick.Builder out, GpuProcesses gpu, Map<Integer, OwnedProcess> byPid) {
    Map<String, Use> byReason = new LinkedHashMap<>();
    for (GpuProcess process : gpu.processes()) {
      OwnedProcess of = byPid.get(process.pid());
      if (!of.isOwned()) {
        byReason.computeIfAbsent(of.unowned(), key -> new Use()).add(process, Labels.EMPTY);
      }
    }
    byReason.forEach(
        (reason, use) -> {
          Labels series = gpu.labels().with("reason", reason);
          out.add(series.with(Labels.NAME, UNOWNED.name()), use.count);
          if (use.bytes.isPresent()) {
            out.add(series.with(Labels.NAME, UNOWNED_BYTES.name()), use.bytes.getAsLong());
          }
        });
  }

  /** A program may call itself anything. */
  private static String printable(String name) {
    return name.replaceAll("[^ -~]|[\"\\\\]", "_");
  }
}
