package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.Entity;
import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A job as physics has it: in a synchronous one all ranks go at the pace of the slowest, activity
 * is work over clock, and power follows activity and clock. Tests change its members before each
 * step.
 */
final class PacedJob {
  static final long STEP = 15_000;
  static final double BOOST = 1_980;
  private static final double IDLE_WATTS = 75;

  final Random random;
  final List<Host> hosts = new ArrayList<>();
  boolean isSynchronous = true;

  /** Boards before Hopper have no readings of their units. */
  boolean hasProfile = true;

  /** Work of all, as a part of the usual; 0 is a pause. */
  double phase = 1;

  long time = 1_790_000_040_000L;
  int steps;

  /** A host of the job. */
  static final class Host {
    final String name;
    final List<Gpu> gpus = new ArrayList<>();
    double cpuIdle = 0.7;
    double ioWait = 0.004;
    double pressure = 0.01;
    double rdma = 2e10;
    double slowRestarts;
    double symbolErrors;

    /** Time that its CPUs add to a step, as a part of it. */
    double late;

    Host(String name) {
      this.name = name;
    }
  }

  /** A GPU of the job. */
  static final class Gpu {
    final Labels labels;
    Labels owner = Labels.of("job", "train");

    /** Clock when it is not limited, MHz. */
    double clock = BOOST;

    double limit = 700;

    /** Power for the same work, as a part of that of the typical chip. */
    double leakage = 1;

    /** Its work in each step of the job, as a part of that of the others. */
    double load = 1;

    double tensor = 0.45;
    double heat;
    double brake;
    double linkErrors;
    double width = 16;
    double nvlink = 1;
    double cpu = 1.2;
    double bandwidth = Double.NaN;
    int processes = 1;
    int rank;

    /** Time that its links add to a step, as a part of it. */
    double late;

    Gpu(String host, int index, String model) {
      labels =
          Labels.of("UUID", "GPU-" + host + "-" + index, "gpu", "" + index, "modelName", model);
    }
  }

  PacedJob(long seed, int hosts, int gpus) {
    random = new Random(seed);
    for (int h = 0; h < hosts; h++) {
      Host host = new Host("n" + h);
      for (int g = 0; g < gpus; g++) {
        Gpu gpu = new Gpu(host.name, g, "NVIDIA H100 80GB HBM3");
        gpu.rank = h * gpus + g;
        gpu.clock -= 15 * random.nextInt(3);
        gpu.leakage = 1 + 0.025 * Math.clamp(random.nextGaussian(), -2, 2);
        host.gpus.add(gpu);
      }
      this.hosts.add(host);
    }
  }

  Gpu gpu(int host, int index) {
    return hosts.get(host).gpus.get(index);
  }

  List<Gpu> gpus() {
    return hosts.stream().flatMap(host -> host.gpus.stream()).toList();
  }

  private double noise(double share) {
    return 1 + share * Math.clamp(random.nextGaussian(), -3, 3);
  }

  /** The clock at which the chip stays within its power limit. */
  private static double clock(Gpu gpu, double work) {
    double clock = gpu.clock;
    while (clock > 600 && watts(gpu, work, clock) > gpu.limit) {
      clock -= 15;
    }
    return clock;
  }

  /** Power with a work, in tensor activity at the highest clock. */
  private static double watts(Gpu gpu, double work, double clock) {
    double speed = clock / BOOST;
    return IDLE_WATTS + gpu.leakage * (170 * speed * speed + 750 * work * Math.pow(speed, 1.6));
  }

  /** Plays steps, and gives them to a detector. */
  void play(int count, JobDetector detector, Consumer<Finding> out) {
    for (int i = 0; i < count; i++) {
      detector.on(next(), out);
    }
  }

  JobStep next() {
    time += STEP;
    steps++;
    double pace = 1;
    if (isSynchronous) {
      for (Host host : hosts) {
        for (Gpu gpu : host.gpus) {
          double clock = clock(gpu, gpu.load * gpu.tensor);
          double takes = 0.8 * BOOST / clock + 0.2 + host.late + gpu.late;
          pace = Math.min(pace, 1 / takes);
        }
      }
    }
    List<JobGpu> all = new ArrayList<>();
    for (Host host : hosts) {
      HostTick tick = tick(host, pace * phase);
      tick.gpus().forEach(each -> all.add(new JobGpu(tick, each, true)));
    }
    return new JobStep("train", Labels.of("job", "train"), time, all);
  }

  private HostTick tick(Host host, double pace) {
    Readings readings = new Readings(Entity.HOST);
    double seconds = STEP / 1_000.0;
    double cpu = 96 * seconds;
    readings.add(Signal.CPU_SECONDS, cpu, STEP);
    readings.add(Signal.CPU_IDLE_SECONDS, cpu * Math.min(1, host.cpuIdle * noise(0.02)), STEP);
    readings.add(Signal.CPU_IOWAIT_SECONDS, cpu * host.ioWait, STEP);
    readings.add(Signal.CPU_PRESSURE_SECONDS, seconds * host.pressure * noise(0.1), STEP);
    SortedMap<String, Readings> ports = new TreeMap<>();
    Readings port = new Readings(Entity.PORT);
    port.add(Signal.PORT_RECEIVED, host.rdma * pace * seconds * noise(0.03), STEP);
    port.add(Signal.PORT_SENT, host.rdma * pace * seconds * noise(0.03), STEP);
    port.add(Signal.PORT_SLOW_RESTARTS, host.slowRestarts * seconds, STEP);
    port.add(Signal.PORT_SYMBOL_ERRORS, host.symbolErrors * seconds, STEP);
    ports.put("mlx5_0/1", port);
    List<GpuTick> gpus = new ArrayList<>();
    for (Gpu gpu : host.gpus) {
      gpus.add(tick(host, gpu, pace));
    }
    return new HostTick(host.name, time, Labels.of("Hostname", host.name), readings, gpus, ports);
  }

  private GpuTick tick(Host host, Gpu gpu, double pace) {
    double seconds = STEP / 1_000.0;
    double work = gpu.load * gpu.tensor * pace * noise(0.02);
    double clock = clock(gpu, gpu.load * gpu.tensor);
    boolean isBusy = pace > 0 && gpu.processes > 0;
    double waits = host.late * pace; // its kernels are launched late
    Readings readings = new Readings(Entity.GPU);
    readings.add(Signal.SM_CLOCK, isBusy ? clock - 15 * random.nextInt(2) : 345, 0);
    readings.add(
        Signal.POWER,
        (isBusy ? Math.min(gpu.limit, watts(gpu, work, clock)) : 90) * noise(0.005),
        0);
    readings.add(Signal.POWER_LIMIT, gpu.limit, 0);
    if (hasProfile) {
      readings.add(Signal.TENSOR_ACTIVE, isBusy ? Math.min(1, work * BOOST / clock) : 0, 0);
      readings.add(Signal.SM_ACTIVE, isBusy ? 0.93 * (1 - waits) * noise(0.01) : 0, 0);
    }
    readings.add(
        Signal.UTILISATION, isBusy ? Math.rint(100 - 90 * waits - random.nextInt(3)) : 0, 0);
    readings.add(Signal.NVLINK_BYTES, 1.6e11 * gpu.nvlink * pace * seconds * noise(0.03), STEP);
    readings.add(Signal.HW_THERMAL_SECONDS, gpu.heat * seconds, STEP);
    readings.add(Signal.SW_THERMAL_SECONDS, 0, STEP);
    readings.add(Signal.POWER_BRAKE_SECONDS, gpu.brake * seconds, STEP);
    readings.add(Signal.LINK_REPLAYS, gpu.linkErrors * seconds, STEP);
    readings.add(Signal.LINK_RECOVERIES, 0, STEP);
    readings.add(Signal.PCIE_REPLAYS, 0, STEP);
    readings.add(Signal.PCIE_WIDTH, gpu.width, 0);
    readings.add(Signal.PCIE_MAX_WIDTH, 16, 0);
    readings.add(Signal.PROCESSES, gpu.processes, 0);
    readings.add(Signal.OWNER_CPU_SECONDS, gpu.cpu * seconds, STEP);
    SortedMap<String, Readings> ranks = new TreeMap<>();
    if (!Double.isNaN(gpu.bandwidth)) {
      Readings rank = new Readings(Entity.RANK);
      rank.add(Signal.BUS_BANDWIDTH, gpu.bandwidth * noise(0.02), 0);
      rank.add(Signal.RANK_NUMBER, gpu.rank, 0);
      rank.add(Signal.RANKS, gpus().size(), 0);
      ranks.put("0xabc", rank);
    }
    return new GpuTick(gpu.labels, gpu.owner, readings, new TreeMap<>(), new TreeMap<>(), ranks);
  }
}
