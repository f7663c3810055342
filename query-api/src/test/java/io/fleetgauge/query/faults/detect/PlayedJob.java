package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;

/** A job of a detector's test, played step by step: what each of its ranks does is said by hand. */
final class PlayedJob {
  static final String NAME = "train-1";
  static final String WORLD = "0xworld";
  private static final long STEP = Ticks.STEP;
  private static final long START = 1_790_000_010_000L / STEP * STEP;
  private static final double SECONDS = STEP / 1_000.0;

  private final JobDetector detector;
  private final int perHost;
  private final boolean isProfiled;
  private final boolean hasRanks;
  private final List<Ticks> hosts = new ArrayList<>();
  private final Set<Integer> silent = new LinkedHashSet<>();
  private final Random random;
  private long time = START;
  private double count = 1_000;
  private double others;
  private double rdma;
  private List<Finding> last = List.of();

  /** How a finding came: its first step, and the finding. */
  record Told(long afterMillis, Finding finding) {}

  /**
   * What a rank does in a step.
   *
   * @param util percent
   * @param power watts, of 700
   * @param tensor share of the time of tensor cores
   * @param dram share of the memory's bandwidth
   * @param links bytes/s
   * @param cpu cores
   * @param io bytes/s
   * @param behind operations that it has not begun, while others have
   */
  record Act(
      double util,
      double power,
      double tensor,
      double dram,
      double links,
      double cpu,
      double io,
      int blocked,
      int processes,
      double behind,
      double active) {
    Act cpu(double cores) {
      return new Act(
          util, power, tensor, dram, links, cores, io, blocked, processes, behind, active);
    }

    Act io(double bytes) {
      return new Act(
          util, power, tensor, dram, links, cpu, bytes, blocked, processes, behind, active);
    }

    Act power(double watts) {
      return new Act(util, watts, tensor, dram, links, cpu, io, blocked, processes, behind, active);
    }

    Act behind(double operations) {
      return new Act(
          util, power, tensor, dram, links, cpu, io, blocked, processes, operations, active);
    }

    Act blocked(int processesOfIt) {
      return new Act(
          util, power, tensor, dram, links, cpu, io, processesOfIt, processes, behind, active);
    }

    Act links(double bytes) {
      return new Act(util, power, tensor, dram, bytes, cpu, io, blocked, processes, behind, active);
    }

    Act active(double share) {
      return new Act(util, power, tensor, dram, links, cpu, io, blocked, processes, behind, share);
    }

    Act gone() {
      return new Act(0, 75, 0, 0, 0, 0, 0, 0, 0, behind, 0);
    }
  }

  /** Trains: all moves. */
  static final Act WORK = new Act(100, 560, 0.42, 0.45, 5e9, 1.6, 8e6, 0, 1, 0, 0.9);

  /** Waits in a kernel for others, and keeps a core busy. */
  static final Act SPIN = new Act(100, 150, 0, 0.001, 0, 1, 0, 0, 1, 0, 0.04);

  /** Holds its GPU and does nothing. */
  static final Act IDLE = new Act(0, 110, 0, 0, 0, 0.02, 200, 0, 1, 0, 0);

  PlayedJob(int numberOfHosts, int perHost, boolean isProfiled, boolean hasRanks, long seed) {
    this(
        new HangDetector(Thresholds.defaults()),
        numberOfHosts,
        perHost,
        isProfiled,
        hasRanks,
        seed);
  }

  PlayedJob(
      JobDetector detector,
      int numberOfHosts,
      int perHost,
      boolean isProfiled,
      boolean hasRanks,
      long seed) {
    this.detector = detector;
    this.perHost = perHost;
    this.isProfiled = isProfiled;
    this.hasRanks = hasRanks;
    this.random = new Random(seed);
    for (int host = 0; host < numberOfHosts; host++) {
      Ticks ticks = Ticks.host("h" + host);
      for (int gpu = 0; gpu < perHost; gpu++) {
        ticks.gpu(gpu).job(NAME).with(Signal.POWER_LIMIT, 700);
      }
      hosts.add(ticks);
    }
  }

  /** Four hosts with eight H100 each, whose NCCL is read. */
  static PlayedJob large() {
    return new PlayedJob(4, 8, true, true, 1);
  }

  int size() {
    return hosts.size() * perHost;
  }

  long time() {
    return time;
  }

  Ticks host(int number) {
    return hosts.get(number);
  }

  static String uuid(int host, int gpu) {
    return Ticks.uuid("h" + host, gpu);
  }

  /** Cores that other programs of the hosts keep busy from now on, and bytes/s over RDMA. */
  void ofHosts(double cores, double rdmaBytes) {
    others = cores;
    rdma = rdmaBytes;
  }

  /** Nothing comes from a host from now on. */
  void silence(int host) {
    silent.add(host);
  }

  /** What the detector thinks of it. */
  Verdict verdict() {
    return detector.verdict().orElseThrow();
  }

  /** The findings of the last step. */
  List<Finding> last() {
    return last;
  }

  /** All ranks do the same, and begin operations if they work. */
  List<Told> all(Act act, double minutes) {
    return play(minutes, act.tensor() > 0 ? 600 : 0, rank -> act);
  }

  /** All ranks but one do the same. */
  List<Told> but(int odd, Act its, Act act, double minutes) {
    return play(minutes, 0, rank -> rank == odd ? its : act);
  }

  /**
   * Plays on.
   *
   * @param operations that each rank begins in a step
   * @return what was told, once for each cause, and after which time of this play
   */
  List<Told> play(double minutes, double operations, IntFunction<Act> acts) {
    List<Told> told = new ArrayList<>();
    Set<String> known = new LinkedHashSet<>();
    long begin = time;
    for (long end = time + Math.round(minutes * 60_000); time < end; ) {
      time += STEP;
      count += operations;
      List<Finding> findings = new ArrayList<>();
      detector.on(step(operations > 0, acts), findings::add);
      last = findings;
      for (Finding each : findings) {
        if (known.add(each.cause() + each.proven())) {
          told.add(new Told(time - begin, each));
        }
      }
    }
    return told;
  }

  private JobStep step(boolean moves, IntFunction<Act> acts) {
    List<HostTick> ticks = new ArrayList<>();
    for (int host = 0; host < hosts.size(); host++) {
      double cores = others;
      // Hosts are read at different moments.
      double ahead = moves ? random.nextInt(500) : 0;
      Ticks at = hosts.get(host).at(time);
      for (int gpu = 0; gpu < perHost; gpu++) {
        Act act = acts.apply(host * perHost + gpu);
        cores += act.cpu();
        set(at.gpu(gpu), act, ahead, host * perHost + gpu);
      }
      at.onHost()
          .with(Signal.CPU_SECONDS, 128 * SECONDS)
          .with(Signal.CPU_IDLE_SECONDS, (128 - cores) * SECONDS)
          .with(Signal.CPU_IOWAIT_SECONDS, 0);
      if (hosts.size() > 1) {
        double network = rdma >= 0 && moves ? 2e9 : rdma;
        at.port("mlx5_0/1")
            .with(Signal.PORT_RECEIVED, network * SECONDS)
            .with(Signal.PORT_SENT, network * SECONDS);
      }
      ticks.add(at.build());
    }
    JobStep all = Ticks.job(NAME, time, ticks);
    List<JobStep.JobGpu> gpus =
        all.gpus().stream()
            .map(
                each ->
                    new JobStep.JobGpu(
                        each.host(),
                        each.gpu(),
                        !silent.contains(Integer.parseInt(each.host().host().substring(1)))))
            .toList();
    return new JobStep(all.job(), all.owner(), time, gpus);
  }

  private void set(Ticks at, Act act, double ahead, int rank) {
    boolean works = act.tensor() > 0.01;
    double wobble = works ? 1 + 0.06 * (random.nextDouble() - 0.5) : 1;
    double noise = random.nextDouble();
    at.with(Signal.UTILISATION, act.util())
        .with(Signal.POWER, act.power() * wobble + noise)
        .with(Signal.PCIE_BYTES, act.links() * wobble * SECONDS)
        .with(Signal.PROCESSES, act.processes())
        .with(Signal.OWNER_CPU_SECONDS, act.cpu() * SECONDS)
        .with(Signal.OWNER_IO_BYTES, act.io() * SECONDS)
        .with(Signal.OWNER_BLOCKED, act.blocked());
    if (isProfiled) {
      at.with(Signal.TENSOR_ACTIVE, act.tensor() * wobble)
          .with(Signal.DRAM_ACTIVE, act.dram() * wobble)
          .with(Signal.SM_ACTIVE, act.active() * (works ? wobble : 1));
    } else {
      at.with(Signal.MEMORY_UTILISATION, Math.floor(80 * act.dram()));
    }
    if (hasRanks) {
      at.rank(WORLD)
          .with(Signal.OPERATIONS, count + ahead - act.behind())
          .with(Signal.RANK_NUMBER, rank)
          .with(Signal.RANKS, size())
          .with(Signal.RANKS_MISSING, 0);
    }
  }
}
