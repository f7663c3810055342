package io.fleetgauge.load.optimisation;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Ticks of hosts whose GPUs change their jobs: some hosts as a whole, some GPU by GPU. Counters
 * start again now and then, values have few digits or many. From a seed.
 */
final class FleetSamples {
  static final int HOSTS = 12;
  private static final int GPUS = 4;
  private static final List<String> TENANTS = List.of("atlas", "borealis", "cirrus", "");

  private final SplittableRandom random;
  private final Map<String, Double> counters = new HashMap<>();
  private final String[][] jobs = new String[HOSTS][GPUS];
  private final String[][] tenants = new String[HOSTS][GPUS];
  private int jobNumber;

  FleetSamples(long seed) {
    random = new SplittableRandom(seed);
    for (int host = 0; host < HOSTS; host++) {
      change(host, host % 3 == 0);
    }
  }

  static String host(int number) {
    return "n" + number;
  }

  private void change(int host, boolean eachGpu) {
    String tenant = TENANTS.get(random.nextInt(TENANTS.size()));
    String job = job(tenant);
    for (int gpu = 0; gpu < GPUS; gpu++) {
      if (eachGpu && gpu > 0) {
        tenant = TENANTS.get(random.nextInt(TENANTS.size()));
        job = job(tenant);
      }
      tenants[host][gpu] = tenant;
      jobs[host][gpu] = job;
    }
  }

  private String job(String tenant) {
    return tenant.isEmpty() ? "" : (random.nextBoolean() ? "train-" : "eval-") + jobNumber++ % 7;
  }

  /** A host's next tick. */
  Tick tick(int host, long time) {
    Tick.Builder tick = new Tick.Builder();
    if (random.nextInt(60) == 0) {
      Labels[] before = new Labels[GPUS];
      for (int gpu = 0; gpu < GPUS; gpu++) {
        before[gpu] = gpu(host, gpu);
      }
      change(host, host % 3 == 0);
      for (int gpu = 0; gpu < GPUS; gpu++) {
        if (!before[gpu].equals(gpu(host, gpu))) {
          for (String metric : metrics()) {
            tick.add(before[gpu].with(Labels.NAME, metric), Staleness.MARKER);
          }
        }
      }
    }
    for (int gpu = 0; gpu < GPUS; gpu++) {
      readings(tick, host, gpu);
    }
    Labels node = Labels.of("Hostname", host(host), "rack", "r" + host / 4);
    tick.add(node.with(Labels.NAME, "node_load1"), random.nextInt(10_000) / 100.0);
    if (random.nextInt(3) > 0) {
      tick.add(node.with(Labels.NAME, "queue_length"), random.nextInt(5));
    }
    tick.add(node.with(Labels.NAME, "requests_total"), count("requests" + host, 30));
    return tick.at(time);
  }

  private static List<String> metrics() {
    return List.of(
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_DEV_POWER_USAGE",
        "DCGM_FI_DEV_GPU_TEMP",
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
        "DCGM_FI_DEV_POWER_VIOLATION");
  }

  private Labels gpu(int host, int gpu) {
    return Labels.of(
        "Hostname",
        host(host),
        "rack",
        "r" + host / 4,
        "modelName",
        host % 5 == 0 ? "NVIDIA A100" : "NVIDIA H100",
        "gpu",
        "" + gpu,
        "device",
        "nvidia" + gpu,
        "UUID",
        "GPU-" + host + "-" + gpu,
        "job",
        jobs[host][gpu],
        "tenant",
        tenants[host][gpu]);
  }

  private void readings(Tick.Builder tick, int host, int gpu) {
    Labels labels = gpu(host, gpu);
    boolean busy = !tenants[host][gpu].isEmpty();
    double[] values = {
      busy ? random.nextInt(101) : 0,
      busy ? random.nextInt(700_000) / 1000.0 : 70 + random.nextDouble(),
      30 + random.nextInt(50),
      random.nextInt(81_559),
      count("energy" + host + "/" + gpu, 10_000),
      count("ecc" + host + "/" + gpu, 2),
      count("violation" + host + "/" + gpu, 1_000_000_007)
    };
    List<String> names = metrics();
    for (int i = 0; i < values.length; i++) {
      tick.add(labels.with(Labels.NAME, names.get(i)), values[i]);
    }
  }

  private double count(String counter, int most) {
    return counters.merge(
        counter,
        (double) random.nextInt(most),
        (before, more) -> random.nextInt(200) == 0 ? 0 : before + more);
  }
}
