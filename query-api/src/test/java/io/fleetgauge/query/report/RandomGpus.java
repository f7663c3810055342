package io.fleetgauge.query.report;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Samples of a few GPUs from a seed: exclusive ones, shared ones, divided ones and ones of an
 * exporter that repeats a value for each pod; with owners that change with and without a staleness
 * marker, gaps, processes that come and go, samples that are no numbers, and some that nobody takes
 * for a time. Times are ms, a tick is some 10 ms.
 */
final class RandomGpus {
  private static final String[] TENANTS = {"", "a", "b"};
  private final Random random;
  private final long end;
  private final Map<Labels, TreeMap<Long, Double>> samples = new TreeMap<>();

  /** Samples from 0 to {@code end}. */
  RandomGpus(long seed, long end) {
    this.random = new Random(seed);
    this.end = end;
    int gpus = 1 + random.nextInt(4);
    for (int gpu = 0; gpu < gpus; gpu++) {
      Labels labels = Labels.of("UUID", "GPU-" + gpu, "Hostname", "n" + gpu / 2, "rack", "r0");
      switch (random.nextInt(4)) {
        case 0 -> exclusive(labels);
        case 1 -> shared(labels);
        case 2 -> divided(labels);
        default -> repeated(labels);
      }
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

  private long nextTick(long time) {
    long gap = random.nextInt(12) == 0 ? random.nextInt(150) : 0;
    return time + 6 + random.nextInt(8) + gap;
  }

  private void add(String metric, Labels labels, long time, double value) {
    samples
        .computeIfAbsent(labels.with(Labels.NAME, metric), none -> new TreeMap<>())
        .put(time, random.nextInt(80) == 0 ? Double.NaN : value);
  }

  private void end(String metric, Labels labels, long time) {
    TreeMap<Long, Double> values = samples.get(labels.with(Labels.NAME, metric));
    if (values != null) {
      values.putIfAbsent(time, Staleness.MARKER);
    }
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
          end("DCGM_FI_DEV_FB_USED", gpu.with(owner), time);
          end("gpu_allocated", gpu.with(owner), time);
        }
        owner = next;
      }
      whole(gpu.with(owner), time);
      add("gpu_allocated", gpu.with(owner), time, owner.isEmpty() ? 0 : 1);
      if (!owner.isEmpty() && random.nextInt(4) > 0) {
        process(gpu.with(owner), 1, time);
      }
      if (random.nextInt(6) == 0) {
        process(gpu, 99, time); // of nobody that is known
      }
    }
  }

  private void whole(Labels labels, long time) {
    add("DCGM_FI_DEV_FB_USED", labels, time, random.nextInt(4) * 1_000);
    if (random.nextInt(5) > 0) {
      add("DCGM_FI_DEV_GPU_UTIL", labels, time, random.nextInt(101));
    }
    if (random.nextBoolean()) {
      add("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, time, random.nextDouble());
    }
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
      add("gpu_allocated", gpu, time, 1);
      boolean processes = random.nextInt(4) > 0;
      for (int slot = 0; slot < owners.size(); slot++) {
        Labels labels = gpu.with(owners.get(slot));
        if (random.nextInt(7) == 0) {
          continue;
        }
        add(
            "gpu_allocation_info",
            labels.with("slot", "" + slot).with("basis", "allocation"),
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
      whole(gpu, time);
      for (int instance = 1; instance < 3; instance++) {
        if (time / 300 % 3 == instance) {
          continue; // it is not there for a time
        }
        Labels labels =
            gpu.with("GPU_I_ID", "" + instance).with(time > end / 2 ? owner("a") : owner("b"));
        add("DCGM_FI_DEV_FB_USED", labels, time, random.nextInt(500));
        add("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, time, random.nextDouble());
        add("gpu_allocated", labels, time, 1);
        if (random.nextBoolean()) {
          process(labels, instance, time);
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
      for (int pod = 0; pod < 3; pod++) {
        if (random.nextInt(4) > 0) {
          add("DCGM_FI_DEV_FB_USED", gpu.with("exported_pod", "p" + pod), time, value);
        }
      }
    }
  }
}
