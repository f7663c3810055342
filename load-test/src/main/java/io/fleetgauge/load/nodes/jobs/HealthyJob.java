package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.load.nodes.driver.Work;

/**
 * What a job without faults does, by its kind: a function of its seed and of the time.
 *
 * <p>Jobs whose ranks wait for each other first load, and then repeat a cycle of steps, a
 * checkpoint, and for some kinds an evaluation.
 */
final class HealthyJob {
  static final double MINUTE = 60_000;
  private static final double DAY = 86_400_000;
  private static final double MIB = 1 << 20;

  /** Power of a GPU that waits for others in a kernel, as a part of what it may draw. */
  private static final double LEAST_WAITING = 0.10;

  private enum Phase {
    LOADING,
    STEPS,
    CHECKPOINT,
    EVALUATION,
    PAUSE
  }

  final Job job;
  private final boolean together;
  private final int nodes;

  /** Length of parts of its life, ms. */
  private final double loading;

  private final double steps;
  private final double checkpoint;
  private final double evaluation;
  private final double pause;
  private final double step;

  /** One rank of it writes checkpoints for all. */
  private final boolean oneWrites;

  private final double waiting;
  private final double memory;
  private final double intensity;
  private final double cores;
  private final double reads;
  private final double links;
  private final UnevenWork uneven = new UnevenWork(this);

  HealthyJob(Job job) {
    this.job = job;
    together = job.kind().isTogether();
    nodes = (int) job.ranks().stream().map(Rank::place).distinct().count();
    JobKind kind = job.kind();
    boolean loadsLong = kind == JobKind.DATA_LOADING || kind == JobKind.COMPILED;
    loading = (loadsLong ? between(1, 6, 12) : between(1, 0.5, 3)) * MINUTE;
    steps = (kind == JobKind.OFFLOAD ? between(2, 1, 6) : between(2, 20, 60)) * MINUTE;
    checkpoint =
        kind == JobKind.CHECKPOINTS
            ? Math.exp(between(3, Math.log(10), Math.log(600))) * 1_000
            : kind == JobKind.OFFLOAD ? 0 : between(3, 10, 40) * 1_000;
    evaluation = kind == JobKind.EVALUATION ? between(4, 0.75, 5) * MINUTE : 0;
    pause =
        switch (kind) {
          case OFFLOAD -> between(17, 0.5, 4) * MINUTE;
          case COMPILED -> between(17, 2, 9) * MINUTE;
          case PREPARED -> between(17, 3, 15) * MINUTE;
          default -> 0;
        };
    step =
        switch (kind) {
          case LONG_STEPS -> between(5, 90, 420) * 1_000;
          case ROLES -> between(5, 3, 16) * MINUTE;
          default -> Math.exp(between(5, Math.log(0.4), Math.log(12))) * 1_000;
        };
    oneWrites = number(6) < 0.3;
    waiting = LEAST_WAITING + 0.1 * number(7);
    memory = between(8, 0.5, 0.92);
    intensity = between(9, 0.88, 1);
    cores = between(10, 1.2, 6);
    // Some read all their data once, others all the time.
    reads = number(11) < 0.3 ? 2_000 : between(12, 1, 60) * MIB;
    links = kind == JobKind.TENSOR_PARALLEL ? between(13, 0.55, 0.85) : between(13, 0.15, 0.45);
  }

  double number(int what) {
    return Noise.of(job.seed(), what, 0);
  }

  double between(int what, double least, double most) {
    return least + (most - least) * number(what);
  }

  double noise(int what, int rank, long time) {
    return Noise.of(job.seed(), 1_000L * what + rank + 100_000, time);
  }

  /** Noise around 1. */
  double around(double width, int what, int rank, long time) {
    return 1 + width * (2 * noise(what, rank, time) - 1);
  }

  private Phase phase(long time) {
    double since = time - job.began() - loading;
    if (since < 0) {
      return Phase.LOADING;
    }
    double inCycle = since % (steps + checkpoint + evaluation + pause);
    if (inCycle < steps) {
      return Phase.STEPS;
    }
    double after = inCycle - steps - checkpoint;
    return after < 0 ? Phase.CHECKPOINT : after < evaluation ? Phase.EVALUATION : Phase.PAUSE;
  }

  /** Tells whether its ranks have met: only then NCCL knows of them. */
  boolean hasMet(long time) {
    return (together || job.kind() == JobKind.DEBUGGED) && phase(time) != Phase.LOADING;
  }

  /** Tells whether its ranks go on step by step. */
  boolean isInSteps(long time) {
    return together && phase(time) == Phase.STEPS;
  }

  /** Collective operations a second. */
  double operations(long time) {
    boolean isStill = phase(time) != Phase.STEPS || uneven.isStill(time);
    return hasMet(time) && !isStill ? 40_000 / Math.max(1_000, step) : 0;
  }

  /** How much power a rank draws that waits for others. */
  double waitingPower() {
    return waiting;
  }

  double memory(int rank) {
    double stage = job.kind() == JobKind.PIPELINE ? 0.8 + 0.2 * stage(rank) : 1;
    return memory * stage;
  }

  Activity of(int rank, long time) {
    return switch (job.kind()) {
      case SERVING -> serving(rank, time);
      case IDLE_SERVING -> standby(rank, time);
      case NOTEBOOK -> notebook(rank, time);
      case BURN_IN -> burnIn(rank, time);
      case BATCH -> uneven.batch(rank, time);
      case SWEEP -> uneven.sweep(rank, time);
      default ->
          switch (phase(time)) {
            case LOADING ->
                job.kind() == JobKind.COMPILED ? uneven.compiles(rank, time) : loads(rank, time);
            case STEPS -> step(rank, time);
            case CHECKPOINT -> writes(rank, time);
            case EVALUATION -> evaluates(rank, time);
            case PAUSE -> uneven.pause(rank, time);
          };
    };
  }

  private Activity step(int rank, long time) {
    return switch (job.kind()) {
      case LONG_STEPS -> longStep(rank, time);
      case ROLES -> uneven.roles(rank, time, (time - job.began()) % step / step);
      case EXPERTS -> uneven.experts(rank, time);
      case CAPPED -> uneven.capped(rank, time);
      case DEBUGGED -> uneven.debugged(rank, time);
      default -> steps(rank, time);
    };
  }

  private Activity loads(int rank, long time) {
    double used = time - job.began() > loading * 0.7 ? 0.3 * memory(rank) : 0.006;
    double read = between(14, 40, 600) * MIB * around(0.3, 1, rank, time);
    return new Activity(Work.idle(used), cores * around(0.2, 2, rank, time) + 2, read, 0, 0);
  }

  /** 0 for the first stage of a pipeline, 1 for the last. */
  private double stage(int rank) {
    int stages = Math.min(4, job.ranks().size());
    return stages < 2 ? 0 : (double) (rank * stages / job.ranks().size()) / (stages - 1);
  }

  /** The rest of a step in which gradients are exchanged. */
  private boolean isExchange(long time) {
    return step > 2_000 && (time - job.began()) % step > 0.85 * step;
  }

  Activity steps(int rank, long time) {
    double load = intensity;
    if (job.kind() == JobKind.PIPELINE) {
      load *= 0.68 + 0.32 * stage(rank);
    }
    double boards = boardShare(rank);
    double power = load * boards * 0.88 * around(0.03, 3, rank, 0) * around(0.02, 4, rank, time);
    power *= isExchange(time) ? 0.9 : 1;
    Work work =
        new Work(
            true,
            noise(5, rank, time) < 0.5 ? 0.95 + 0.05 * noise(6, rank, time) : 1,
            0.92 * load * boards * around(0.01, 7, rank, time),
            0.48 * load * boards * around(0.015, 8, rank, time),
            0.50 * load * boards * around(0.02, 9, rank, time),
            Math.min(1, power),
            1,
            memory(rank),
            job.ranks().size() > 1 ? links * around(0.03, 10, rank, time) : 0,
            (nodes > 1 ? 8e9 : 2e9) * around(0.1, 11, rank, time));
    double network = nodes > 1 ? between(15, 0.8e9, 9e9) * around(0.05, 12, rank, time) : 0;
    double cpu = cores * around(0.15, 13, rank, time);
    return new Activity(work, cpu, reads * around(0.5, 14, rank, time), 3_000, network);
  }

  /** With boards of two models, the faster ones wait for the slower ones. */
  private double boardShare(int rank) {
    if (job.kind() != JobKind.MIXED_BOARDS) {
      return 1;
    }
    return job.ranks().get(rank).place().board() == job.ranks().getLast().place().board()
        ? 1
        : 0.55;
  }

  private Activity longStep(int rank, long time) {
    double part = (time - job.began()) % step / step;
    if (part < 0.65) {
      return generates(rank, time, part);
    }
    if (part < 0.72) { // answers are judged by CPUs
      return new Activity(
          Work.idle(memory(rank)), 7 * around(0.2, 23, rank, time), 60_000, 200_000, 0);
    }
    return steps(rank, time);
  }

  /** Answers are generated, each rank its own; some end before the others. */
  Activity generates(int rank, long time, double part) {
    double load = 0.85 + 0.15 * noise(20, rank, time);
    double tail = part > 0.5 ? 1 - (part - 0.5) * 4 * noise(21, rank, (long) (time / step)) : 1;
    Work work =
        new Work(
            true,
            Math.min(1, load + 0.1) * tail,
            0.6 * load * tail,
            0.09 * load * tail,
            0.62 * load * tail,
            0.45 * load * tail,
            1,
            memory(rank),
            0.04 * load * tail,
            4e8);
    return new Activity(work, 1.5 * around(0.2, 22, rank, time), 9_000, 9_000, 0);
  }

  private Activity writes(int rank, long time) {
    double bytes = between(16, 0.3, 1.6) * 1e9 * around(0.25, 30, rank, time);
    if (oneWrites && job.ranks().size() > 1) {
      return rank == 0
          ? new Activity(
              Work.idle(memory(rank)), 1.6 * around(0.2, 31, rank, time), 4_000, bytes, 0, 0, 1)
          : waits(rank, time);
    }
    return new Activity(
        Work.idle(memory(rank)), 1.2 * around(0.3, 32, rank, time), 4_000, bytes / 4, 0);
  }

  /** Waits in a kernel for the rank that is not there yet. */
  Activity waits(int rank, long time) {
    double flat = waiting * around(0.004, 33, rank, time);
    return new Activity(
        Work.waiting(flat, memory(rank)), 1.01 * around(0.01, 34, rank, time), 0, 0, 0);
  }

  private Activity evaluates(int rank, long time) {
    if (rank > 0) {
      return waits(rank, time);
    }
    double load = around(0.2, 35, rank, time);
    Work work =
        new Work(
            true, 0.94, 0.6 * load, 0.22 * load, 0.4 * load, 0.5 * load, 1, memory(rank), 0, 1e9);
    return new Activity(
        work, 2.2 * load, 20 * MIB * load, 5_000, 0, 0, job.ranks().size() > 1 ? 1 : 0);
  }

  private Activity serving(int rank, long time) {
    double hour = (time % DAY) / DAY;
    double daily = 0.55 - 0.35 * Math.cos(2 * Math.PI * (hour + number(40)));
    long minute = (long) (time / (2 * MINUTE));
    double ragged = 0.35 + 0.9 * noise(41, rank, minute) + 0.3 * noise(42, rank, time);
    double load = Math.clamp(daily * ragged, 0, 1);
    load = load < 0.06 ? 0 : load;
    Work work =
        load == 0
            ? Work.idle(memory(rank))
            : new Work(
                true,
                Math.min(1, 0.2 + load),
                0.7 * load,
                0.16 * load,
                0.55 * load,
                0.12 + 0.5 * load,
                1,
                memory(rank),
                0,
                4e8 * load);
    return new Activity(work, 0.5 + 2 * load, 40_000 * load + 500, 90_000 * load + 500, 0);
  }

  private Activity standby(int rank, long time) {
    boolean asked = noise(43, rank, (long) (time / (10 * MINUTE))) < 0.06 && isFirst(time, 10);
    Work work =
        asked
            ? new Work(true, 0.4, 0.3, 0.06, 0.3, 0.3, 1, memory(rank), 0, 1e8)
            : Work.idle(memory(rank));
    // Some poll with a core of their own.
    double cpu = number(44) < 0.3 ? 1 : 0.03;
    return new Activity(work, cpu * around(0.1, 45, rank, time), 300, asked ? 9_000 : 200, 0);
  }

  /** Tells whether a period has just begun. */
  private static boolean isFirst(long time, double minutes) {
    return time % (minutes * MINUTE) < 15_000;
  }

  private Activity notebook(int rank, long time) {
    long quarter = (long) (time / (15 * MINUTE));
    double into = time % (15 * MINUTE);
    boolean bursts = noise(46, 0, quarter) < 0.3 && into < (1 + 5 * noise(47, 0, quarter)) * MINUTE;
    if (!bursts) {
      return new Activity(Work.idle(0.2 * memory), 0.02 + 0.05 * noise(48, rank, time), 0, 120, 0);
    }
    double load = 0.3 + 0.7 * noise(49, rank, time);
    Work work =
        new Work(
            true,
            load,
            0.6 * load,
            0.2 * load,
            0.4 * load,
            0.6 * load,
            1,
            0.2 * memory + 0.3 * load * memory,
            0,
            2e9 * load);
    return new Activity(work, 1 + 2 * load, 4e6 * load, 2e5, 0);
  }

  private Activity burnIn(int rank, long time) {
    Work work =
        new Work(
            true, 1, 0.99, 0.93, 0.3, 0.985 * around(0.002, 50, rank, time), 1, 0.9, 0, 200_000);
    return new Activity(work, 1.0, 0, 40, 0);
  }
}
