package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.detect.GpuWork.State;
import io.fleetgauge.query.faults.detect.RankCounts.Standing;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Finds jobs that make no progress, by three signs that do not depend on each other: counts of
 * operations that differ and stand still; kernels that wait on all GPUs and move nothing; idle GPUs
 * whose processes do nothing either. {@code docs/faults.md} says how each decides. A job hangs only
 * if nothing of it moves: neither a GPU, nor a link, nor files, nor a rank's count.
 */
public final class HangDetector extends Copied implements JobDetector {
  /** How much of a job has to be seen so that anything is said of it. */
  private static final double SEEN = 0.5;

  private static final double MOST = 0.9;

  /** A job whose power changes more than that while it works does not work in even steps. */
  private static final double UNEVEN = 0.12;

  private final HangLimits limits;
  private JobProgress progress = new JobProgress();
  private RankCounts counts = new RankCounts();

  /** Since when counts stand still that have been told, by communicator. */
  private Map<String, Long> toldCounts = new HashMap<>();

  private boolean hasRanks;

  /** What has been told of a stall of the GPUs; null for nothing. */
  private Stall told;

  private int resuming;

  /** A stall that had been found before the first step; null for none. */
  private Stall restored;

  private Verdict verdict = unknown("the job has just begun");

  /**
   * A stall of all GPUs.
   *
   * @param spins true if kernels wait, false if all GPUs are idle
   * @param since the last move, ms
   */
  private record Stall(boolean spins, String cause, long since) {}

  public HangDetector(Thresholds thresholds) {
    limits = HangLimits.of(thresholds);
  }

  @Override
  public JobDetector copy() {
    HangDetector copy = (HangDetector) shallow();
    copy.progress = progress.copy();
    copy.counts = counts.copy();
    copy.toldCounts = new HashMap<>(toldCounts);
    return copy;
  }

  /** It goes on until the job works: how it worked before is not known any more. */
  @Override
  public void restore(FaultKind kind, Subject subject, String cause, long since) {
    if (kind == FaultKind.HANG) {
      restored = new Stall(true, cause, since);
    }
  }

  @Override
  public void on(JobStep step, Consumer<Finding> out) {
    boolean countsMoved = counts.on(step);
    hasRanks |= !counts.isEmpty();
    progress.on(step, countsMoved, limits);
    int seen = step.gpus().size() - progress.blind;
    if (progress.withProcesses < (1 - MOST) * step.gpus().size() || progress.withProcesses == 0) {
      progress.restarted();
      told = null;
    }
    if (seen < SEEN * step.gpus().size() || seen == 0) {
      if (told != null) {
        out.accept(byStall(step, told)); // nothing tells that it is over
      }
      verdict =
          told == null
              ? unknown("most of its GPUs are not read")
              : found(told.cause(), "the last samples showed it");
      return;
    }
    if (progress.works == 0 && onlyFirstIdles(step)) {
      progress.firstIdles();
    }
    if (restored != null) {
      told = new Stall(progress.spins > 0, restored.cause(), restored.since());
      restored = null;
      progress.isFault();
    }
    boolean isStopped = progress.isStopped() || isInDebugger(step);
    List<Standing> standing = isStopped ? List.of() : standing(step);
    toldCounts.keySet().removeIf(key -> standing.stream().noneMatch(each -> is(each, key)));
    standing.forEach(each -> toldCounts.put(each.communicator(), each.since()));
    Finding byCounts = null;
    if (!standing.isEmpty()) {
      progress.isFault();
      byCounts = byCounts(step, standing);
      out.accept(byCounts);
    }
    stall(step, countsMoved, isStopped);
    if (told != null) {
      out.accept(byStall(step, told));
    }
    verdict =
        byCounts == null
            ? verdict(countsMoved, isStopped)
            : found(byCounts.cause(), "ranks are missing or behind, and no count of NCCL rises");
  }

  @Override
  public Optional<Verdict> verdict() {
    return Optional.of(verdict);
  }

  private static Verdict unknown(String reason) {
    return Verdict.unknown(FaultKind.HANG, reason);
  }

  private static Verdict found(String cause, String reason) {
    return new Verdict(FaultKind.HANG, Verdict.State.FOUND, cause + ": " + reason);
  }

  private Verdict verdict(boolean countsMoved, boolean isStopped) {
    if (told != null) {
      return found(told.cause(), "no GPU works, though processes hold them");
    }
    if (progress.works > 0) {
      return new Verdict(FaultKind.HANG, Verdict.State.NONE, "its GPUs work");
    }
    if (countsMoved) {
      return new Verdict(FaultKind.HANG, Verdict.State.NONE, "its counts of NCCL operations rise");
    }
    if (progress.withProcesses == 0) {
      return unknown("no process holds its GPUs");
    }
    if (isStopped) {
      return unknown("its processes use no CPU time: they are suspended, or in a debugger");
    }
    if (progress.worked < limits.worked()) {
      return unknown("it has not worked for long enough to know its level of work");
    }
    return unknown(
        progress.spins > 0
            ? "no GPU works now, and kernels wait: it may be a pause"
            : "all its GPUs are idle: it may be a pause, or a server that nobody asks");
  }

  private static boolean is(Standing standing, String communicator) {
    return standing.communicator().equals(communicator);
  }

  /** Returns true if the others wait for processes that a debugger has stopped. */
  private boolean isInDebugger(JobStep step) {
    boolean isAny = false;
    for (JobGpu at : step.gpus()) {
      GpuWork gpu = progress.gpus.get(at.gpu().uuid());
      if (gpu.state == State.IDLE) {
        if (!gpu.isStopped(step.time())) {
          return false;
        }
        isAny = true;
      }
    }
    return isAny && !isFatal();
  }

  // --- counts ---

  private List<Standing> standing(JobStep step) {
    Map<String, HostTick> hosts = new HashMap<>();
    step.gpus().forEach(at -> hosts.put(at.gpu().uuid(), at.host()));
    List<Standing> all = new ArrayList<>();
    for (Standing each : counts.standing(step.time(), limits.rasAfter())) {
      if (hangs(each, hosts, step)) {
        all.add(each);
      }
    }
    return all;
  }

  private boolean hangs(Standing standing, Map<String, HostTick> hosts, JobStep at) {
    int waiting = 0;
    int known = 0;
    for (RankCounts.Rank rank : standing.ahead()) {
      State state = progress.gpus.get(rank.uuid()).state;
      waiting += state == State.SPINS ? 1 : 0;
      known += state == State.BLIND ? 0 : 1;
      if (state == State.WORKS) {
        return false;
      }
    }
    if (2 * waiting < known || known == 0 || isIdleServer(at)) {
      return false;
    }
    Long before = toldCounts.get(standing.communicator());
    boolean isTold = before != null && before == standing.since();
    boolean isYoung = progress.worked < limits.rasWorked();
    boolean isBusy = isYoung;
    for (RankCounts.Rank rank : standing.behind()) {
      GpuWork gpu = progress.gpus.get(rank.uuid());
      if (gpu.state == State.WORKS) {
        return false; // the others wait for its work, and not in vain
      }
      if (gpu.io >= limits.ioBytes() && !isTold) {
        return false; // nor for its checkpoint
      }
      boolean computes =
          gpu.state == State.IDLE
              && (gpu.computesOnCpu(limits)
                  || progress.computes()
                  || progress.isBusy(at.job(), hosts.get(rank.uuid())));
      isBusy |= computes && !isTold;
    }
    if (standing.behind().isEmpty() && !isTold) {
      for (RankCounts.Rank rank : standing.ahead()) {
        if (progress.gpus.get(rank.uuid()).io >= limits.ioBytes()) {
          return false;
        }
      }
    }
    return !isBusy || at.time() - standing.since() >= limits.busyAfter();
  }

  private Finding byCounts(JobStep step, List<Standing> standing) {
    Standing first = standing.getFirst();
    for (Standing each : standing) {
      first = each.behind().size() > first.behind().size() ? each : first;
    }
    long since = standing.stream().mapToLong(Standing::since).max().orElseThrow();
    HangSuspects suspects = new HangSuspects(step, progress, counts);
    List<Suspect> all = suspects.of(since, standing);
    boolean isBlocked = isBlocked(standing);
    String cause = isBlocked ? "storage" : suspects.isKernel() ? "kernel" : "collective";
    StringBuilder text = new StringBuilder("NCCL: ");
    if (first.behind().isEmpty()) {
      text.append(first.missing())
          .append(" of ")
          .append(first.ranks())
          .append(" ranks are missing, and no other goes on");
    } else {
      text.append(first.behind().size())
          .append(" of ")
          .append(first.ranks())
          .append(" ranks have begun fewer operations than the others, and none goes on");
      if (first.missing() > 0) {
        text.append("; ").append(first.missing()).append(" are missing");
      }
    }
    text.append(". ").append(side(cause, first));
    return finding(step, since, cause, true, text.toString(), all);
  }

  private boolean isBlocked(List<Standing> standing) {
    return standing.stream()
        .flatMap(each -> each.behind().stream())
        .anyMatch(rank -> progress.gpus.get(rank.uuid()).isBlocked);
  }

  private String side(String cause, Standing standing) {
    if (cause.equals("storage")) {
      return "It waits on the CPU side: a process that is behind is blocked in the kernel.";
    }
    if (cause.equals("kernel")) {
      return "It waits on the GPU side: a kernel of the rank that is behind does not end.";
    }
    boolean isIdle =
        !standing.behind().isEmpty()
            && standing.behind().stream()
                .allMatch(rank -> progress.gpus.get(rank.uuid()).state == State.IDLE);
    return isIdle
        ? "It waits on the CPU side: the GPU of a rank that is behind is idle, so that its process"
            + " has not come to the operation."
        : "It waits on the GPU side, in an operation of NCCL.";
  }

  // --- stalls ---

  private void stall(JobStep step, boolean countsMoved, boolean isStopped) {
    long now = step.time();
    if (told != null) {
      boolean works = 2 * progress.works >= step.gpus().size() - progress.blind;
      boolean moves =
          told.spins() ? progress.works > 0 || progress.spins == 0 : progress.movedAt == now;
      resuming = moves ? resuming + 1 : 0;
      if (works || countsMoved || resuming >= 2) {
        told = null;
      }
      return;
    }
    resuming = 0;
    if (isStopped || progress.works > 0 || progress.worked < limits.worked()) {
      return;
    }
    told = progress.spins > 0 ? spinning(step) : idling(step);
    if (told != null) {
      progress.isTold();
      if (told.cause().equals("storage") || isFatal()) {
        progress.isFault();
      }
    }
  }

  /** All GPUs wait, and some of them in a kernel. */
  private Stall spinning(JobStep step) {
    long now = step.time();
    long after =
        isFatal()
            ? limits.fatalAfter()
            : longer(limits.signatureAfter(), progress.longestSpinning());
    boolean isStill =
        progress.stillMillis() >= after || now - progress.movedAt >= limits.busyAfter();
    if (!isStill || isIdleServer(step) || !isBelowWork(step)) {
      return null;
    }
    boolean isBlocked = 2 * progress.blockedSteps > progress.stillSteps;
    HangSuspects suspects = new HangSuspects(step, progress, counts);
    String cause =
        isBlocked
            ? "storage"
            : suspects.isKernel() ? "kernel" : progress.idle > 0 ? "collective" : "symmetric";
    return new Stall(true, cause, progress.movedAt);
  }

  /** No GPU has a kernel. */
  private Stall idling(JobStep step) {
    boolean areHeld = progress.withProcesses >= MOST * step.gpus().size();
    long after = longer(limits.silenceAfter(), progress.longestIdle());
    if (!areHeld || progress.stillMillis() < after) {
      return null;
    }
    if (2 * progress.blockedSteps > progress.stillSteps) {
      return new Stall(false, "storage", progress.movedAt);
    }
    // An idle server or notebook is as silent as a job that waits for data in vain. Only of a job
    // that worked all the time, over ranks or hosts, and read data, it is known that it should.
    boolean isTraining =
        progress.worked >= limits.silenceWorked()
            && progress.duty() >= limits.duty()
            && progress.ioDuty() >= limits.ioDuty()
            && (hasRanks || hosts(step) > 1)
            && progress.swing <= UNEVEN;
    return isTraining ? new Stall(false, "cpu", progress.movedAt) : null;
  }

  private static long hosts(JobStep step) {
    return step.gpus().stream().map(at -> at.host().host()).distinct().count();
  }

  /** A job that has paused before for longer may do so again. */
  private long longer(long usual, long pause) {
    return Math.max(usual, (long) (limits.pauses() * pause));
  }

  /** Returns true if a GPU has a fault that ends work, about when the work stopped. */
  private boolean isFatal() {
    return progress.gpus.values().stream()
        .anyMatch(gpu -> gpu.fatalAt >= progress.movedAt - GpuWork.RECENT_MILLIS);
  }

  /**
   * Returns true if only the first rank is idle, in a job that does not work evenly: servers of
   * models do so while nobody asks them, their other ranks wait in a broadcast of the first. So
   * does a job that somebody tries out step by step, when its first process stands at a breakpoint.
   */
  private boolean isIdleServer(JobStep step) {
    if (!onlyFirstIdles(step)) {
      return false;
    }
    boolean isUneven = progress.duty() < limits.duty() || progress.swing > UNEVEN;
    boolean isYoung =
        progress.worked < (hosts(step) == 1 ? limits.triedOutOnHost() : limits.triedOut());
    boolean isTriedOut = isYoung || progress.longestFirst() > 0;
    long patience = longer(limits.busyAfter(), progress.longestFirst());
    return isUneven || isTriedOut && step.time() - progress.movedAt < patience;
  }

  /** Returns true if the first rank alone is idle, and its process does nothing. */
  private boolean onlyFirstIdles(JobStep step) {
    if (progress.idle != 1 || progress.spins == 0 || progress.blind > 0) {
      return false;
    }
    String first = step.gpus().getFirst().gpu().uuid();
    for (JobGpu at : step.gpus()) {
      int number = counts.number(at.gpu().uuid());
      if (number == 0 || number < 0 && at.gpu().uuid().equals(first)) {
        GpuWork gpu = progress.gpus.get(at.gpu().uuid());
        return gpu.state == State.IDLE
            && gpu.hasProcesses
            && !gpu.isBlocked
            && !(gpu.io >= limits.ioBytes())
            && !gpu.computesOnCpu(limits);
      }
    }
    return false;
  }

  /**
   * Returns true if the power of nearly all GPUs with a waiting kernel is far below their work's.
   */
  private boolean isBelowWork(JobStep step) {
    int known = 0;
    int below = 0;
    for (JobGpu at : step.gpus()) {
      GpuWork gpu = progress.gpus.get(at.gpu().uuid());
      if (gpu.state != State.SPINS || Double.isNaN(gpu.workingPower)) {
        continue;
      }
      known++;
      double limit = at.gpu().readings().get(Signal.POWER_LIMIT, Double.POSITIVE_INFINITY);
      below +=
          gpu.power <= limits.ofLevel() * gpu.workingPower && gpu.power <= limits.ofLimit() * limit
              ? 1
              : 0;
    }
    return known > 0 && below >= MOST * known;
  }

  private Finding byStall(JobStep step, Stall stall) {
    List<Suspect> suspects = new HangSuspects(step, progress, counts).of(stall.since(), List.of());
    long seconds = (step.time() - stall.since()) / 1_000;
    String text =
        switch (stall.cause()) {
          case "storage" ->
              "Processes are blocked in the kernel, mostly by storage, and no GPU has worked for "
                  + seconds
                  + " s. It waits on the CPU side.";
          case "cpu" ->
              "All GPUs are idle, and neither CPU time nor files nor links have moved for "
                  + seconds
                  + " s, though the job worked steadily before. It waits on the CPU side, such as"
                  + " for data.";
          case "kernel" ->
              "A kernel on one or two GPUs does not end, and the others wait: no GPU has worked for"
                  + " "
                  + seconds
                  + " s. It waits on the GPU side.";
          default ->
              "Kernels run on "
                  + progress.spins
                  + " of "
                  + step.gpus().size()
                  + " GPUs, and nothing is computed or moved, at a power far below that of the"
                  + " job's work, for "
                  + seconds
                  + " s. "
                  + (progress.idle > 0
                      ? "The others wait for a process whose GPU is idle: it waits on the CPU side."
                      : "It waits on the GPU side, in an operation between GPUs.");
        };
    return finding(step, stall.since(), stall.cause(), false, text, suspects);
  }

  private Finding finding(
      JobStep step, long since, String cause, boolean proven, String text, List<Suspect> suspects) {
    List<Evidence> evidence = new ArrayList<>();
    add(evidence, step, "power, watts", gpu -> gpu.workingPower, gpu -> gpu.power);
    add(evidence, step, "tensor activity", gpu -> gpu.workingTensor, gpu -> gpu.tensor);
    add(evidence, step, "utilization, percent", gpu -> Double.NaN, gpu -> gpu.utilisation);
    add(evidence, step, "NVLink and PCIe, bytes/s", gpu -> gpu.workingLinks, gpu -> gpu.links);
    add(evidence, step, "CPU, cores", gpu -> gpu.workingCpu, gpu -> gpu.cpu);
    add(evidence, step, "files, bytes/s", gpu -> Double.NaN, gpu -> gpu.io);
    return new Finding(
        FaultKind.HANG,
        new Subject("", "", "", step.job(), step.labels()),
        since,
        Optional.empty(),
        cause,
        proven,
        0,
        text,
        evidence,
        suspects);
  }

  /** Means over the job's GPUs. */
  private void add(
      List<Evidence> evidence,
      JobStep step,
      String what,
      ToDoubleFunction<GpuWork> before,
      ToDoubleFunction<GpuWork> now) {
    double is = mean(step, now);
    if (!Double.isNaN(is)) {
      evidence.add(new Evidence(what, mean(step, before), is));
    }
  }

  private double mean(JobStep step, ToDoubleFunction<GpuWork> reading) {
    return step.gpus().stream()
        .map(at -> progress.gpus.get(at.gpu().uuid()))
        .filter(gpu -> gpu.state != State.BLIND)
        .mapToDouble(reading)
        .filter(value -> !Double.isNaN(value))
        .average()
        .orElse(Double.NaN);
  }
}
