package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Work;

/**
 * What healthy jobs do that pause by themselves for minutes, or whose ranks have unequal work. A
 * detector of hangs or of stragglers must take none of it for a fault.
 */
final class UnevenWork {
  private static final double MINUTE = HealthyJob.MINUTE;

  /** Parts of a step: generation, the judging of answers, training. */
  private static final double GENERATED = 0.55;

  private static final double JUDGED = 0.65;

  /** Somebody with a debugger changes what a job does so often. */
  private static final double LOOK = 5 * MINUTE;

  private static final double SHIFT = 20 * MINUTE;

  private final HealthyJob of;

  UnevenWork(HealthyJob of) {
    this.of = of;
  }

  /** Tells whether its ranks begin no operation together, though the job goes on. */
  boolean isStill(long time) {
    return of.job.kind() == JobKind.DEBUGGED && !runs(time);
  }

  // --- pauses ---

  Activity pause(int rank, long time) {
    double around = of.around(0.2, 70, rank, time);
    Work idle = Work.idle(of.memory(rank));
    return switch (of.job.kind()) {
      // Each rank computes its part of the optimizer.
      case OFFLOAD -> new Activity(idle, 10 * around, 0, 3_000, 0);
      // Shapes have changed: the first rank compiles again, and the others wait for it.
      case COMPILED -> rank == 0 ? compiles(rank, time).withBehind(1) : of.waits(rank, time);
      // Processes of their own prepare data, and the ranks wait for them.
      default -> new Activity(idle, 0.02 * around, 0, 200, 0).withOthers(4 * around);
    };
  }

  /** Half of the jobs compile in processes of their own. */
  Activity compiles(int rank, long time) {
    double cores = 1 + 5 * of.noise(71, rank, time);
    boolean isOwn = of.number(72) < 0.5;
    Work idle = Work.idle(Math.min(0.05, of.memory(rank)));
    Activity activity = new Activity(idle, isOwn ? cores : 0.03, 3_000, 20_000, 0);
    return isOwn ? activity : activity.withOthers(cores + 3);
  }

  private boolean runs(long time) {
    return of.noise(73, 0, (long) (time / LOOK)) < 0.45;
  }

  /**
   * The first process stands at a breakpoint for minutes, and then runs again for some. Half of the
   * debuggers ask within the process, whose other threads look around now and then; the others stop
   * all of it.
   */
  Activity debugged(int rank, long time) {
    if (runs(time)) {
      return of.steps(rank, time);
    }
    boolean isStopped = of.number(89) < 0.5;
    return rank == 0
        ? new Activity(Work.idle(of.memory(rank)), isStopped ? 0 : 0.01, 0, isStopped ? 0 : 100, 0)
            .withBehind(1)
        : of.waits(rank, time);
  }

  // --- unequal work ---

  /** The first half of the ranks trains on what the other half generates, in turns. */
  Activity roles(int rank, long time, double part) {
    boolean trains = rank < of.job.ranks().size() / 2;
    Activity idles =
        new Activity(
            Work.idle(of.memory(rank)),
            (of.number(74) < 0.4 ? 1 : 0.02) * of.around(0.1, 75, rank, time),
            0,
            300,
            0);
    if (part >= JUDGED) {
      return trains ? of.steps(rank, time) : idles;
    }
    if (trains) {
      return of.number(76) < 0.5 ? of.waits(rank, time) : idles;
    }
    return part < GENERATED ? of.generates(rank, time, part) : idles.withOthers(4);
  }

  /** How much each rank has to do changes slowly, with what the experts are asked. */
  Activity experts(int rank, long time) {
    long period = (long) (time / SHIFT);
    double into = time / SHIFT - period;
    double share =
        0.7
            + 0.3
                * ((1 - into) * of.noise(77, rank, period) + into * of.noise(77, rank, period + 1));
    Activity usual = of.steps(rank, time);
    // Who has most to do draws most, and lowers its clock for it; the others wait in a kernel.
    double clock = 1 - 0.08 * Math.max(0, share - 0.9) * 10;
    return usual.with(usual.work().slowed(share, 0.3 + 0.7 * share, clock).withBusy(1));
  }

  /** At the power limit a chip has the clock that it reaches there. */
  Activity capped(int rank, long time) {
    Activity usual = of.steps(rank, time);
    double clock = 0.79 + 0.12 * of.noise(78, rank, 0);
    Work work = usual.work().slowed(0.8 / clock, 1, clock).withBusy(1);
    return usual.with(work.slowed(1, 1.2 / Math.max(0.3, work.power()), 1));
  }

  /** Each rank has its own part, and waits at the end until all are done. */
  Activity batch(int rank, long time) {
    double drain = of.between(79, 10, 55) * MINUTE * of.noise(80, rank, 0);
    if (time > of.job.ends() - drain) {
      return new Activity(Work.idle(of.memory(rank)), 0.02, 0, 100, 0);
    }
    double load = 0.85 + 0.15 * of.noise(81, rank, time);
    Work work =
        new Work(
            true,
            load,
            0.75 * load,
            0.2 * load,
            0.6 * load,
            0.7 * load,
            1,
            of.memory(rank),
            0,
            6e8 * load);
    return new Activity(work, 1.5 * load, 9e5 * load, 4e5 * load, 0);
  }

  /** Models of all sizes, one after the other, each on one GPU. */
  Activity sweep(int rank, long time) {
    double length = of.between(82, 15, 60) * MINUTE;
    double at = time + length * of.noise(83, rank, 0);
    long trial = (long) (at / length);
    if (at % length < (1 + 2 * of.noise(84, rank, trial)) * MINUTE) {
      return new Activity(Work.idle(0.02), 2 * of.around(0.2, 85, rank, time), 3e7, 5_000, 0);
    }
    double size = 0.4 + 0.6 * of.noise(86, rank, trial);
    double load = size * of.around(0.02, 87, rank, time);
    Work work =
        new Work(
            true,
            Math.min(1, 0.5 + 0.6 * size),
            0.9 * load,
            0.45 * load,
            0.5 * load,
            Math.min(1, load),
            1 - 0.5 * Math.max(0, size - 0.8),
            0.2 + 0.7 * size,
            0,
            1e9 * load);
    return new Activity(work, 2 * of.around(0.2, 88, rank, time), 1e6, 3_000, 0);
  }
}
