package io.fleetgauge.load.demo;

import io.fleetgauge.load.demo.JobSchedule.Job;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.TickAssembly;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A simulated node with eight GPUs. Its readings follow the jobs on it: a busy GPU draws power,
 * warms up slowly and counts energy. Not for several threads.
 */
final class SimulatedNode {
  static final int GPUS = 8;

  private static final double TOTAL_MIB = 81_559;
  private static final double RESERVED_MIB = 551;
  private static final double IDLE_WATTS = 71;
  private static final double MAX_WATTS = 700;
  private static final int CPUS = 4;

  private final int number;
  private final JobSchedule jobs;
  private final TickAssembly assembly;
  private final TickAssembly.Part part = new TickAssembly.Part();
  private final SplittableRandom random;
  private final double[] temperature = new double[GPUS];
  private final double[] millijoules = new double[GPUS];
  private final double[][] cpuSeconds = new double[CPUS][2];
  private double received;
  private double load;
  private long last = Long.MIN_VALUE;

  SimulatedNode(int number, String hostname, String rack, JobSchedule jobs, long seed) {
    this.number = number;
    this.jobs = jobs;
    this.assembly =
        new TickAssembly(
            new NodeLabels(Labels.of("Hostname", hostname, "rack", rack), Relabelling.NONE));
    this.random = new SplittableRandom(seed + number);
    for (int gpu = 0; gpu < GPUS; gpu++) {
      temperature[gpu] = 30 + random.nextInt(5);
      millijoules[gpu] = random.nextLong(1L << 40);
    }
  }

  /** The next tick of the node; times must ascend. */
  Tick tick(long time) {
    double seconds = last == Long.MIN_VALUE ? 0 : (time - last) / 1000.0;
    last = time;
    Optional<Job> job = jobs.on(number, time);
    Tick.Builder readings = new Tick.Builder();
    for (int gpu = 0; gpu < GPUS; gpu++) {
      gpu(readings, gpu, job, seconds);
    }
    host(readings, job, seconds);
    assembly.read(part, readings.at(time));
    return assembly.at(time);
  }

  private void gpu(Tick.Builder tick, int gpu, Optional<Job> job, double seconds) {
    double intensity = job.map(Job::intensity).orElse(0.0);
    double utilisation =
        job.isEmpty() ? 0 : Math.min(100, Math.rint(100 * intensity + random.nextInt(-6, 7)));
    double watts =
        IDLE_WATTS + (MAX_WATTS - IDLE_WATTS) * utilisation / 100 * (0.9 + random.nextDouble() / 8);
    watts = Math.rint(Math.min(MAX_WATTS, watts) * 1000) / 1000;
    double target = 30 + watts / 14;
    temperature[gpu] += (target - temperature[gpu]) * Math.min(1, seconds / 60);
    millijoules[gpu] += Math.rint(watts * seconds * 1000);
    double usable = TOTAL_MIB - RESERVED_MIB;
    double used = job.isEmpty() ? 4 : Math.rint(usable * (0.5 + intensity * 0.45));
    Labels id =
        Labels.of(
            "gpu",
            Integer.toString(gpu),
            "UUID",
            String.format("GPU-%08x-0000-4000-8000-%012x", number, gpu),
            "device",
            "nvidia" + gpu,
            "modelName",
            "NVIDIA H100 80GB HBM3",
            "pci_bus_id",
            String.format("00000000:%02X:00.0", 0x1b + gpu * 0x11),
            "job",
            job.map(Job::name).orElse(""),
            "tenant",
            job.map(Job::tenant).orElse(""));
    add(tick, id, "DCGM_FI_DEV_GPU_UTIL", utilisation);
    add(tick, id, "DCGM_FI_DEV_MEM_COPY_UTIL", Math.rint(utilisation * 0.4));
    add(tick, id, "DCGM_FI_DEV_FB_TOTAL", TOTAL_MIB);
    add(tick, id, "DCGM_FI_DEV_FB_RESERVED", RESERVED_MIB);
    add(tick, id, "DCGM_FI_DEV_FB_USED", used);
    add(tick, id, "DCGM_FI_DEV_FB_FREE", usable - used);
    add(tick, id, "DCGM_FI_DEV_POWER_USAGE", watts);
    add(tick, id, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", millijoules[gpu]);
    add(tick, id, "DCGM_FI_DEV_GPU_TEMP", Math.rint(temperature[gpu]));
    add(tick, id, "DCGM_FI_DEV_SM_CLOCK", utilisation > 0 ? 1980 : 345);
    add(tick, id, "DCGM_FI_DEV_MEM_CLOCK", 2619);
  }

  private static void add(Tick.Builder tick, Labels id, String metric, double value) {
    tick.add(id.with(Labels.NAME, metric), value);
  }

  private void host(Tick.Builder tick, Optional<Job> job, double seconds) {
    double busy = job.isEmpty() ? 0.02 : 0.3 + random.nextDouble() / 5;
    load += (busy * 96 - load) * Math.min(1, seconds / 60);
    tick.add(Labels.of(Labels.NAME, "node_load1"), Math.rint(load * 100) / 100);
    tick.add(Labels.of(Labels.NAME, "node_memory_MemTotal_bytes"), 2164260864000.0);
    tick.add(
        Labels.of(Labels.NAME, "node_memory_MemAvailable_bytes"),
        Math.rint(2164260864000.0 * (job.isEmpty() ? 0.95 : 0.6)));
    for (int cpu = 0; cpu < CPUS; cpu++) {
      cpuSeconds[cpu][0] += busy * seconds;
      cpuSeconds[cpu][1] += (1 - busy) * seconds;
      cpu(tick, cpu, "user", cpuSeconds[cpu][0]);
      cpu(tick, cpu, "idle", cpuSeconds[cpu][1]);
    }
    received += Math.rint(seconds * (job.isEmpty() ? 20_000 : 4e9 * busy));
    tick.add(
        Labels.of(Labels.NAME, "node_network_receive_bytes_total", "device", "eth0"), received);
  }

  private static void cpu(Tick.Builder tick, int cpu, String mode, double seconds) {
    tick.add(
        Labels.of(
            Labels.NAME, "node_cpu_seconds_total", "cpu", Integer.toString(cpu), "mode", mode),
        Math.rint(seconds * 100) / 100);
  }
}
