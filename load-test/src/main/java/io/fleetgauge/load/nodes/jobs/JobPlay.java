package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.load.nodes.driver.Work;
import java.util.ArrayList;
import java.util.List;

/**
 * A job over time, with the faults of its GPUs and hosts: those who wait for a rank that is slow or
 * hangs change too. Every node plays each of its jobs by itself, and comes to the same. Not for
 * several threads.
 */
public final class JobPlay {
  /** Operations by which a rank is behind that has a kernel that does not end. */
  private static final int ONE = 1;

  private final Job job;
  private final HealthyJob healthy;
  private final List<Incident> incidents = new ArrayList<>();
  private final List<Incident> now = new ArrayList<>();
  private double operations;

  /** Operations that the others have begun without the last rank. */
  private int behindMost;

  private long time;
  private long before = Long.MIN_VALUE;

  public JobPlay(Job job, Incidents all) {
    this.job = job;
    this.healthy = new HealthyJob(job);
    this.operations = 1_000 + Noise.below(100_000, job.seed(), 60, 0);
    for (Incident incident : all.all()) {
      boolean isOfJob =
          incident.gpu() == Incident.ALL
              ? job.isOn(incident.host())
              : job.rank(incident.host(), incident.gpu()) >= 0;
      if (isOfJob && incident.to() > job.began() && incident.from() < job.ends()) {
        incidents.add(incident);
      }
    }
  }

  public Job job() {
    return job;
  }

  /** Goes on to a time; times must ascend. */
  public void turnTo(long millis) {
    double seconds = before == Long.MIN_VALUE ? 0 : (millis - before) / 1_000.0;
    before = millis;
    time = millis;
    now.clear();
    for (Incident incident : incidents) {
      if (incident.isAt(time)) {
        now.add(incident);
      }
    }
    operations += hangs() ? 0 : healthy.operations(time) * pace() * seconds;
    int most = 0;
    if (healthy.hasMet(time) && (hangs() || !healthy.isInSteps(time))) {
      for (int rank = 0; rank < job.ranks().size(); rank++) {
        most = Math.max(most, of(rank).behind());
      }
    }
    // What the others have begun is behind them all when they go on.
    operations += Math.max(0, behindMost - most);
    behindMost = most;
  }

  /** Tells whether NCCL shows its ranks to others. */
  public boolean isSeenByNccl() {
    boolean alone = job.ranks().size() < 2;
    boolean isFixed = job.kind() != JobKind.ELASTIC;
    return !alone
        && isFixed
        && Noise.of(job.seed(), 61, 0) < 0.6
        && healthy.hasMet(time)
        && !hasEnded();
  }

  /** Ranks whose processes are gone. */
  public int missing() {
    return now.stream().anyMatch(this::isGone) ? 1 : 0;
  }

  /** Tells whether NCCL does not reach a rank any more. */
  public boolean isMissing(int rank) {
    return now.stream().anyMatch(incident -> isGone(incident) && isOf(incident, rank));
  }

  private boolean isGone(Incident incident) {
    return incident.fault() == Fault.COLLECTIVE_HANG
        && Noise.of(job.seed(), 66, incident.from()) < 0.25;
  }

  /** Collective operations that a rank has begun. */
  public long operations(int rank) {
    return (long) operations + behindMost - of(rank).behind();
  }

  /** What a rank does now. */
  public Activity of(int rank) {
    Activity activity = healthy.of(rank, time);
    for (Incident incident : now) {
      activity = changed(activity, incident, rank);
    }
    return activity;
  }

  /** Tells whether another fault has ended it. */
  public boolean hasEnded() {
    return now.stream().anyMatch(incident -> incident.fault() == Fault.ENDED);
  }

  private boolean hangs() {
    return now.stream().anyMatch(JobPlay::isHang);
  }

  private static boolean isHang(Incident incident) {
    return switch (incident.fault()) {
      case HANG, KERNEL_HANG, COLLECTIVE_HANG, LOADER_STALL, STORAGE_STALL, ENDED -> true;
      default -> false;
    };
  }

  /** Part of its usual pace that a job has, because its slowest rank has no more. */
  private double pace() {
    double pace = 1;
    for (Incident incident : now) {
      pace = Math.min(pace, pace(incident));
    }
    return pace;
  }

  private static double pace(Incident incident) {
    return switch (incident.fault()) {
      case STRAGGLER_CLOCK, STRAGGLER_LINK, STRAGGLER_HOST, STRAGGLER_NETWORK ->
          1 - incident.amount();
      case THERMAL_SLOWDOWN, POWER_BRAKE -> 0.7;
      case STUCK_STATE -> 0.3;
      default -> 1;
    };
  }

  private boolean isOf(Incident incident, int rank) {
    Rank of = job.ranks().get(rank);
    return of.place().number() == incident.host()
        && (incident.gpu() == Incident.ALL || incident.gpu() == of.gpu());
  }

  private Activity changed(Activity usual, Incident incident, int rank) {
    boolean isFirst = isOf(incident, rank);
    boolean isTogether = job.kind().isTogether();
    double memory = usual.work().memory();
    return switch (incident.fault()) {
      case LOST, LOST_SILENTLY, MEMORY_HELD -> isFirst ? Activity.NONE : usual;
      case ENDED -> Activity.NONE;
      case IDLE -> isFirst ? new Activity(Work.idle(memory), 0.02, 0, 0, 0) : usual;
      case UNEVEN_MEMORY -> isFirst ? usual.with(usual.work().withMemory(0.3 * memory)) : usual;
      case DROP -> isFirst ? drops(usual, incident) : usual;
      case HANG -> waits(memory, rank, 0.02);
      case KERNEL_HANG -> isFirst ? spins(memory, incident, rank) : waits(memory, rank, 1);
      case COLLECTIVE_HANG -> isFirst ? missing(memory, incident, rank) : waits(memory, rank, 1);
      case LOADER_STALL ->
          isFirst
              ? new Activity(Work.idle(memory), 0.01, 0, 0, 0).withBehind(ONE)
              : waits(memory, rank, 1);
      case STORAGE_STALL ->
          isFirst ? new Activity(Work.idle(memory), 0, 0, 0, 2, 0, ONE) : waits(memory, rank, 1);
      case STRAGGLER_CLOCK, THERMAL_SLOWDOWN, POWER_BRAKE, STUCK_STATE ->
          isTogether && healthy.isInSteps(time) ? slowClock(usual, incident, isFirst) : usual;
      case STRAGGLER_LINK, STRAGGLER_NETWORK ->
          isTogether && healthy.isInSteps(time) ? waitsOften(usual, pace(incident)) : usual;
      case STRAGGLER_HOST ->
          isTogether && healthy.isInSteps(time) ? slowHost(usual, incident, isFirst) : usual;
      default -> usual;
    };
  }

  private Activity drops(Activity usual, Incident incident) {
    double rest = 1 - incident.amount();
    Work work = usual.work().slowed(rest, rest, 1).withBusy(usual.work().busy() * rest);
    return new Activity(work, usual.cores() * rest, usual.read() * rest, usual.written(), 0);
  }

  /** Waits in a kernel, and keeps a core busy or sleeps. */
  private Activity waits(double memory, int rank, double chanceOfSpinning) {
    double flat = 1 + 0.004 * Noise.of(job.seed(), 5_000 + rank, time);
    boolean spins = chanceOfSpinning == 1 || Noise.of(job.seed(), 62, 0) < 0.5;
    double cores = spins ? 1 + 0.01 * Noise.of(job.seed(), 6_000 + rank, time) : 0.01;
    return new Activity(Work.waiting(healthy.waitingPower() * flat, memory), cores, 0, 0, 0);
  }

  private Activity spins(double memory, Incident incident, int rank) {
    boolean isFull = Noise.of(job.seed(), 63, incident.from()) < 0.5;
    double flat = 1 + 0.004 * Noise.of(job.seed(), 7_000 + rank, time);
    Work work =
        new Work(
            true,
            1,
            isFull ? 0.95 : 0.008,
            0,
            0.001,
            (isFull ? 0.38 : 0.22) * flat,
            1,
            memory,
            0,
            0);
    return new Activity(work, 1, 0, 0, 0).withBehind(ONE);
  }

  /** Has not come to the operation: its process is busy elsewhere, or stands still. */
  private Activity missing(double memory, Incident incident, int rank) {
    if (isGone(incident)) {
      return Activity.NONE.withBehind(1);
    }
    int behind = 1 + Noise.below(40, job.seed(), 64, incident.from());
    boolean computes = Noise.of(job.seed(), 65, incident.from()) < 0.4;
    Activity is =
        computes ? waits(memory, rank, 1) : new Activity(Work.idle(memory), 0.02, 0, 0, 0);
    return is.withBehind(behind);
  }

  private static Activity waitsOften(Activity usual, double pace) {
    Work work = usual.work().slowed(pace, 1 - 0.7 * (1 - pace), 1).withBusy(1);
    return usual.with(work).withNetwork(usual.network() * pace);
  }

  private static Activity slowClock(Activity usual, Incident incident, boolean isFirst) {
    double pace = pace(incident);
    if (!isFirst) {
      return waitsOften(usual, pace);
    }
    boolean byClock = incident.fault() == Fault.STRAGGLER_CLOCK;
    // The same work at a lower clock: its units are as busy as before, its links are not.
    Work work = usual.work();
    Work slow =
        new Work(
            true,
            1,
            work.active(),
            work.tensor(),
            work.dram() * pace,
            work.power() * pace * pace,
            byClock ? pace : 1,
            work.memory(),
            work.links() * pace,
            work.pcie() * pace);
    return usual.with(slow).withNetwork(usual.network() * pace);
  }

  private static Activity slowHost(Activity usual, Incident incident, boolean isFirst) {
    double pace = pace(incident);
    Activity waits = waitsOften(usual, pace);
    return isFirst ? waits.with(waits.work().withBusy(0.95 * pace)) : waits;
  }
}
