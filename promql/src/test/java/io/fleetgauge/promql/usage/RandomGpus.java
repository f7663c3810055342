package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Samples of a few GPUs from a seed: exclusive ones, shared ones, divided ones and ones of an
 * exporter that repeats a value for each pod; with owners that change with and without a staleness
 * marker, gaps, counters that begin again, processes that come and go, samples that are no numbers,
 * and some that nobody takes for a time. Times are ms, a tick is some 10 ms.
 */
final class RandomGpus {
  private static final String[] TENANTS = {"", "a", "b"};
  private final Random random;
  private final long end;
  private final Map<Labels, TreeMap<Long, Double>> samples = new TreeMap<>();
  private final Map<String, Double> counters = new HashMap<>();
  private boolean isScheduled;
  private boolean isRegular;
  private int energies;

  /** Samples from 0 to {@code end}. */
  RandomGpus(long seed, long end) {
    this.random = new Random(seed);
    this.end = end;
    int gpus = 1 + random.nextInt(3);
    for (int gpu = 0; gpu < gpus; gpu++) {
      Labels labels =
          Labels.of("UUID", "GPU-" + gpu, "Hostname", "n1", "rack", "r0", "modelName", "H");
      isScheduled = random.nextInt(3) > 0;
      isRegular = random.nextBoolean();
      energies = random.nextInt(5);
      switch (random.nextInt(4)) {
        case 0 -> exclusive(labels);
        case 1 -> shared(labels);
        case 2 -> divided(labels);
        default -> repeated(labels);
      }
    }
    isRegular = random.nextBoolean();
    for (int slot = 0; slot < 2; slot++) {
      hostMemory(Labels.of("Hostname", "n1", "rack", "r0", "slot", "" + slot));
    }
  }

  /** Every series, in order of labels. */
  List<Series> series() {
    List<Series> all = new ArrayList<>();
    samples.forEach(
        (labels, values) ->
            all.add(
                new Series(
                    labels,
                    values.keySet().stream().mapToLong(Long::longValue).toArray(),
                    values.values().stream().mapToDouble(Double::doubleValue).toArray())));
    return all;
  }

  private boolean rarely() {
    return random.nextInt(isRegular ? 400 : 12) == 0;
  }

  private long nextTick(long time) {
    long gap = random.nextInt(isRegular ? 50 : 14) == 0 ? random.nextInt(320) : 0;
    return time + (isRegular ? 10 : 6 + random.nextInt(8)) + gap;
  }

  private void add(String metric, Labels labels, long time, double value) {
    samples
        .computeIfAbsent(labels.with(Labels.NAME, metric), none -> new TreeMap<>())
        .put(time, random.nextInt(isRegular ? 3_000 : 80) == 0 ? Double.NaN : value);
  }

  private void end(Labels labels, long time) {
    samples.forEach(
        (series, values) -> {
          if (series.without(Labels.NAME).equals(labels)) {
            values.putIfAbsent(time, Staleness.MARKER);
          }
        });
  }

  private Labels owner() {
    String tenant = TENANTS[random.nextInt(TENANTS.length)];
    return tenant.isEmpty()
        ? Labels.EMPTY
        : Labels.of("tenant", tenant, "pod", tenant + "-" + random.nextInt(2), "container", "c");
  }

  private void exclusive(Labels gpu) {
    Labels owner = owner();
    for (long time = random.nextInt(60); time < end; time = nextTick(time)) {
      if (random.nextInt(15) == 0) {
        Labels next = owner();
        if (random.nextBoolean() && !next.equals(owner)) {
          end(gpu.with(owner), time);
        }
        owner = next;
      }
      whole(gpu.with(owner), time);
      board(gpu.with(owner), time);
      if (isScheduled) {
        add("gpu_allocated", gpu.with(owner), time, owner.isEmpty() ? 0 : 1);
      }
      if (!owner.isEmpty() && !rarely()) {
        process(gpu.with(owner), 1, time);
      }
      if (random.nextInt(6) == 0) {
        process(gpu, 99, time); // of nobody that is known
      }
    }
  }

  private void hostMemory(Labels place) {
    Labels owner = owner();
    for (long time = random.nextInt(60); time < end; time = nextTick(time)) {
      if (random.nextInt(15) == 0) {
        owner = owner();
      }
      if (!owner.isEmpty() && !rarely()) {
        add("gpu_owner_host_memory_bytes", place.with(owner), time, random.nextInt(900));
      }
    }
  }

  private void whole(Labels labels, long time) {
    add("DCGM_FI_DEV_FB_USED", labels, time, random.nextInt(4) * 1_000);
    if (!rarely()) {
      add("DCGM_FI_DEV_GPU_UTIL", labels, time, Math.max(0, random.nextInt(150) - 49));
    }
    if (isRegular || random.nextBoolean()) {
      add("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, time, random.nextDouble());
      add("DCGM_FI_PROF_SM_ACTIVE", labels, time, random.nextDouble());
      add("DCGM_FI_PROF_DRAM_ACTIVE", labels, time, random.nextDouble());
    }
    if (!rarely()) {
      add("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", labels, time, random.nextDouble());
      increase("gpu_owner_cpu_seconds_total", labels, time, random.nextInt(30) / 1e3);
      increase("gpu_owner_io_bytes_total", labels, time, random.nextInt(30));
    }
  }

  /** What a GPU has as a whole. */
  private void board(Labels labels, long time) {
    if (!rarely()) {
      add("DCGM_FI_DEV_POWER_USAGE", labels, time, 50 + random.nextInt(200));
    }
    add("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", labels, time, 700);
    if (energies != 0 && !(energies == 1 && time / 300 % 2 == 1)) {
      if (energies != 4 && !rarely()) {
        increase("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", labels, time, random.nextInt(40));
      }
    }
    if (energies > 2) {
      increase("gpu_energy_joules_total", labels, time, random.nextInt(40) / 1e3);
    }
    for (String direction : List.of("rx", "tx")) {
      Labels of = labels.with("direction", direction);
      int bytes = random.nextInt(9);
      increase("gpu_nvlink_bytes_total", of, time, energies == 2 ? 0 : bytes);
      increase("gpu_nvlink_bytes_total", of.with("nvlink", "0"), time, 5);
      if (!rarely()) {
        increase("gpu_pcie_bytes_total", of, time, random.nextInt(20));
      }
    }
  }

  private void increase(String metric, Labels labels, long time, double more) {
    String name =
        metric
            + labels.value("UUID")
            + labels.value("GPU_I_ID")
            + labels.value("direction")
            + labels.value("nvlink");
    double last = rarely() && random.nextInt(4) == 0 ? 0 : counters.getOrDefault(name, 1_000.0);
    double next = Math.rint((last + more) * 1e3) / 1e3;
    counters.put(name, next);
    add(metric, labels, time, next);
  }

  private void process(Labels labels, int pid, long time) {
    add(
        "gpu_process_memory_bytes",
        labels.with("pid", "" + pid),
        time,
        random.nextInt(1_500) * 1_048_576.0);
  }

  private void container(Labels labels, long time) {
    Labels named = labels.with("container_id", "id-" + labels.value("pod"));
    add("gpu_container_memory_bytes", named, time, random.nextInt(900) * 1_048_576.0);
    add("gpu_container_utilization_ratio", named, time, random.nextDouble() / 2);
  }

  private void shared(Labels gpu) {
    List<Labels> owners = List.of(owner(), owner(), owner());
    for (long time = random.nextInt(60); time < end; time = nextTick(time)) {
      whole(gpu, time);
      board(gpu, time);
      add("gpu_allocated", gpu, time, 1);
      boolean processes = random.nextInt(4) > 0;
      for (int slot = 0; slot < owners.size(); slot++) {
        Labels labels = gpu.with(owners.get(slot));
        if (rarely()) {
          continue;
        }
        add(
            "gpu_allocation_info",
            labels
                .with("slot", "" + slot)
                .with("basis", random.nextInt(9) == 0 ? "process" : "allocation"),
            time,
            1);
        if (processes) {
          process(labels, slot, time);
        }
        if (!owners.get(slot).isEmpty()) {
          container(labels, time);
        }
      }
    }
  }

  private void divided(Labels gpu) {
    for (long time = random.nextInt(60); time < end; time = nextTick(time)) {
      if (!rarely()) {
        whole(gpu, time);
      }
      board(gpu, time);
      for (int instance = 1; instance < 4; instance++) {
        if (time / 300 % 3 == instance || time / 500 % 2 == 1) {
          continue; // it is not there for a time
        }
        Labels labels =
            gpu.with("GPU_I_ID", "" + instance)
                .with("GPU_I_PROFILE", instance + "g.10gb")
                .with(owner(time > end / 2 ? "a" : "b"));
        add("DCGM_FI_DEV_FB_USED", labels, time, random.nextInt(500));
        add("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, time, random.nextDouble() / 5);
        increase("gpu_owner_cpu_seconds_total", labels, time, random.nextInt(30) / 1e3);
        if (isScheduled) {
          add("gpu_allocated", labels, time, 1);
        }
        if (random.nextBoolean()) {
          process(labels, instance, time);
        }
        for (int slot = 0; isScheduled && instance == 2 && slot < 2; slot++) {
          Labels info =
              labels.with("pod", "s" + slot).with("slot", "" + slot).with("basis", "allocation");
          add("gpu_allocation_info", info, time, 1);
        }
      }
      if (random.nextInt(5) == 0) {
        process(gpu, 7, time);
      }
    }
  }

  private static Labels owner(String tenant) {
    return Labels.of("tenant", tenant, "pod", tenant + "-0", "container", "c");
  }

  private void repeated(Labels gpu) {
    for (long time = random.nextInt(60); time < end; time = nextTick(time)) {
      int value = random.nextInt(40_000);
      double counted = time * 3;
      for (int pod = 0; pod < 3; pod++) {
        if (random.nextInt(4) > 0) {
          // The series of a GPU that is no pod's have that of the exporter only.
          Labels of =
              gpu.with("pod", "nvidia-dcgm-exporter-x7k2p")
                  .with("exported_pod", pod == 2 && time > end / 2 ? "" : "p" + pod);
          add("DCGM_FI_DEV_FB_USED", of, time, value);
          add("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", of, time, counted);
        }
      }
    }
  }
}
