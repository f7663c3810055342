package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.detect.GpuWork.State;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * GPUs of a job that hangs, those first that may be the cause. All ranks wait for the one that is
 * missing, so that the cause is what differs from the majority: a sign that most of them have says
 * nothing.
 */
final class HangSuspects {
  private static final int MOST = 8;

  /** Weights of signs, from what ends work to what may be by chance. */
  private static final int FATAL = 100;

  private static final int BLIND = 90;
  private static final int BEHIND = 80;
  private static final int GONE = 80;
  private static final int OTHER_STATE = 60;
  private static final int BLOCKED = 60;
  private static final int FAULT = 50;
  private static final int ALSO_AHEAD = 30;
  private static final int OTHER_LEVEL = 30;
  private static final int EARLIER = 25;
  private static final int OTHER_CPU = 20;
  private static final double WATTS = 10;
  private static final double PART = 0.1;
  private static final double PARTS = 0.03;
  private static final double CORES = 0.5;

  private final JobProgress progress;
  private final RankCounts counts;
  private final List<One> all = new ArrayList<>();

  private static final class One {
    final JobGpu at;
    final GpuWork work;
    final StringJoiner why = new StringJoiner(", ");
    int score;

    One(JobGpu at, GpuWork work) {
      this.at = at;
      this.work = work;
    }

    void add(int weight, String reason) {
      score += weight;
      why.add(reason);
    }
  }

  HangSuspects(JobStep step, JobProgress progress, RankCounts counts) {
    this.progress = progress;
    this.counts = counts;
    step.gpus().forEach(at -> all.add(new One(at, progress.gpus.get(at.gpu().uuid()))));
  }

  /**
   * @param since when the work stopped, ms
   */
  List<Suspect> of(long since, List<RankCounts.Standing> standing) {
    ranks(standing);
    long recent = since - GpuWork.RECENT_MILLIS;
    minority(one -> one.work.fatalAt >= recent, FATAL, one -> one.work.fault);
    minority(
        one -> one.work.faultAt >= recent && one.work.fatalAt < recent,
        FAULT,
        one -> one.work.fault);
    minority(one -> one.work.state == State.BLIND, BLIND, one -> "nothing is known of it now");
    minority(one -> one.work.hadProcesses && !one.work.hasProcesses, GONE, one -> "no process");
    minority(one -> one.work.isBlocked, BLOCKED, one -> "its process is blocked in the kernel");
    minority(
        one -> one.work.state == State.IDLE,
        OTHER_STATE,
        one -> "its GPU is idle while the others wait in a kernel");
    few(
        one -> one.work.state == State.SPINS,
        OTHER_STATE,
        one -> "a kernel runs on it while the others are idle");
    few(one -> one.work.state == State.WORKS, OTHER_STATE, one -> "it works");
    levels(one -> one.work.power, WATTS, OTHER_LEVEL, "power differs");
    levels(one -> one.work.active, PARTS, OTHER_LEVEL, "activity of its multiprocessors differs");
    levels(one -> one.work.cpu, CORES, OTHER_CPU, "CPU time differs");
    double stopped = median(one -> one.work.workedAt);
    minority(
        one -> one.work.workedAt > GpuWork.NEVER && one.work.workedAt < stopped,
        EARLIER,
        one -> "it stopped earlier than the others");
    if (all.stream().allMatch(one -> one.score == 0)) {
      // All are alike: what all of them wait for is at their hosts.
      all.stream()
          .filter(one -> one.work.isBlocked)
          .forEach(one -> one.add(BLOCKED, "its process is blocked in the kernel"));
    }
    return all.stream()
        .filter(one -> one.score > 0)
        .sorted(
            Comparator.comparingInt((One one) -> -one.score)
                .thenComparingLong(one -> one.work.workedAt))
        .limit(MOST)
        .map(
            one ->
                new Suspect(
                    one.at.host().host(),
                    one.at.gpu().uuid(),
                    counts.number(one.at.gpu().uuid()),
                    one.why.toString()))
        .toList();
  }

  /**
   * Ranks that are behind. One that is behind in a communicator and waits in another is delayed by
   * somebody else there.
   */
  private void ranks(List<RankCounts.Standing> standing) {
    Map<String, Double> behind = new HashMap<>();
    Set<String> ahead = new HashSet<>();
    for (RankCounts.Standing each : standing) {
      // Where most are behind, those differ that have begun an operation too many.
      boolean isMost = each.behind().size() > each.ahead().size();
      double most = each.ahead().isEmpty() ? 0 : each.ahead().getFirst().count();
      for (RankCounts.Rank rank : isMost ? each.ahead() : each.behind()) {
        behind.merge(rank.uuid(), Math.max(1, most - rank.count()), Math::max);
      }
      (isMost ? each.behind() : each.ahead()).forEach(rank -> ahead.add(rank.uuid()));
    }
    double largest = behind.values().stream().mapToDouble(by -> by).max().orElse(1);
    for (One one : all) {
      Double by = behind.get(one.at.gpu().uuid());
      if (by != null) {
        boolean waits = ahead.contains(one.at.gpu().uuid());
        int lag = (int) Math.round(9 * by / largest);
        one.add(
            (waits ? ALSO_AHEAD : BEHIND) + lag,
            String.format(Locale.ROOT, "behind by %.0f operations of NCCL", by));
      }
    }
  }

  private void few(Predicate<One> has, int weight, Function<One, String> why) {
    if (2 * all.stream().filter(has).count() < all.size()) {
      minority(has, weight, why);
    }
  }

  private void minority(Predicate<One> has, int weight, Function<One, String> why) {
    List<One> with = all.stream().filter(has).toList();
    if (2 * with.size() <= all.size() && all.size() > 1) {
      with.forEach(one -> one.add(weight, why.apply(one)));
    }
  }

  /** Those whose reading is far from the median. */
  private void levels(ToDoubleFunction<One> reading, double least, int weight, String why) {
    double usual = median(reading);
    minority(
        one -> {
          double off = Math.abs(reading.applyAsDouble(one) - usual);
          return one.work.state != State.BLIND && off > Math.max(least, PART * Math.abs(usual));
        },
        weight,
        one -> why);
  }

  private double median(ToDoubleFunction<One> reading) {
    double[] values =
        all.stream()
            .filter(one -> one.work.state != State.BLIND)
            .mapToDouble(reading)
            .filter(value -> !Double.isNaN(value))
            .sorted()
            .toArray();
    return values.length == 0 ? Double.NaN : values[values.length / 2];
  }

  /** Returns true if a few GPUs have a kernel that is unlike that in which the others wait. */
  boolean isKernel() {
    double power = median(one -> one.work.power);
    double active = median(one -> one.work.active);
    long others =
        all.stream()
            .filter(one -> one.work.state == State.SPINS)
            .filter(
                one ->
                    2 * progress.idle > all.size()
                        || Math.abs(one.work.power - power) > Math.max(WATTS, PART * power)
                        || Math.abs(one.work.active - active) > PARTS)
            .count();
    boolean someAreOut = all.stream().anyMatch(one -> one.work.state == State.BLIND);
    return others > 0
        && others <= 2
        && !someAreOut
        && (progress.idle == 0 || 2 * progress.idle > all.size());
  }
}
