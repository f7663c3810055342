package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Signs, in one window of a job, that a GPU or host is slower than its equals.
 *
 * <p>Equals are of one model and one power limit. All members of a synchronous job wait for the
 * slowest, so each does the same work in the same time: activity times clock is equal, whoever is
 * slow. A GPU with a low clock is busy for a larger part of that time; one that has less activity
 * and a low clock has less to do and is no straggler, and one at its power cap with more power than
 * the others has more to do. A slow host or link delays all alike, so that it shows only in its own
 * counters; the job must be slower than before, or the member different from the others, as well.
 */
final class StragglerSigns {
  /** Activity below this share says nothing about equal work. */
  private static final double LEAST_ACTIVITY = 0.01;

  /** NVLink bytes/s below this say nothing about the pace. */
  private static final double LEAST_BYTES = 1e6;

  /** Utilization of GPUs whose host is too slow, as a share of that of the others. */
  private static final double STARVED = 0.4;

  /** Rounds limits, watts: those that differ by less are one. */
  private static final double LIMIT_STEP = 20;

  private static final double AT_CAP = 0.95;

  /** Measures of the pace; the first says most. */
  private static final List<Measure> PACE =
      List.of(Measure.TENSOR, Measure.NVLINK, Measure.SM, Measure.POWER);

  private final JobWindow window;
  private final StragglerLimits limits;
  private final ToIntFunction<JobGpu> windowsBefore;
  private final boolean isSlowed;
  private final Sign[] signs;
  private final double[] shares;
  private final List<String> unknown = new ArrayList<>();
  private int judged;
  private double pace = Double.NaN;
  private Measure paceOf;

  /**
   * A sign.
   *
   * @param ofHost true if it is of the host as a whole
   * @param why what is seen, and how it is among its equals
   */
  record Sign(String cause, boolean ofHost, boolean proven, String why, List<Evidence> evidence) {}

  /** GPUs that can be compared. */
  private record Group(String name, int[] rows, Measure activity) {}

  /**
   * @param windowsBefore of a GPU: in so many windows in a row it has had a sign
   * @param bestOf the measure that the best pace is of; null for none
   * @param best of the job's pace in the windows before; {@code NaN} if it is not known
   */
  StragglerSigns(
      JobWindow window,
      StragglerLimits limits,
      ToIntFunction<JobGpu> windowsBefore,
      Measure bestOf,
      double best) {
    this.window = window;
    this.limits = limits;
    this.windowsBefore = windowsBefore;
    this.signs = new Sign[window.rows()];
    this.shares = new double[window.rows()];
    Arrays.fill(shares, Double.NaN);
    List<Group> groups = groups();
    groups.stream()
        .max((a, b) -> Integer.compare(a.rows.length, b.rows.length))
        .ifPresent(
            largest -> {
              paceOf = paceOf(largest);
              pace = pace(largest);
            });
    isSlowed = paceOf == bestOf && pace < (1 - limits.slowed()) * best;
    groups.forEach(this::judge);
  }

  /** The sign of each row; null for none. */
  Sign[] signs() {
    return signs;
  }

  /** Number of GPUs that have equals. */
  int judged() {
    return judged;
  }

  /** Reasons for which GPUs cannot be judged. */
  List<String> unknown() {
    return unknown;
  }

  /** Returns true if the pace of one measure says less than that of another; null says nothing. */
  static boolean saysLess(Measure one, Measure other) {
    return other != null && PACE.indexOf(one) > PACE.indexOf(other);
  }

  /** The measure that the pace is of; null for none. */
  Measure paceOf() {
    return paceOf;
  }

  /** Work or traffic of the median GPU in a second. */
  double pace() {
    return pace;
  }

  private List<Group> groups() {
    Map<String, List<Integer>> byName = new LinkedHashMap<>();
    for (int i = 0; i < window.rows(); i++) {
      if (window.isSeen(i)) {
        double limit = window.mean(i, Measure.LIMIT);
        String name =
            window.gpu(i).gpu().model()
                + (Double.isNaN(limit)
                    ? ""
                    : " of " + Math.round(Math.rint(limit / LIMIT_STEP) * LIMIT_STEP) + " W");
        byName.computeIfAbsent(name, none -> new ArrayList<>()).add(i);
      }
    }
    List<Group> groups = new ArrayList<>();
    byName.forEach(
        (name, rows) -> {
          int[] all = rows.stream().mapToInt(Integer::intValue).toArray();
          groups.add(new Group(name, all, activity(all)));
        });
    return groups;
  }

  /** The measure that says most about the work that is done, of those that are read. */
  private Measure activity(int[] rows) {
    if (spread(rows, Measure.TENSOR).median() >= LEAST_ACTIVITY) {
      return Measure.TENSOR;
    }
    return spread(rows, Measure.SM).median() >= LEAST_ACTIVITY ? Measure.SM : Measure.UTIL;
  }

  /** The measure that says most about how fast the job goes on, of those that are read. */
  private Measure paceOf(Group group) {
    if (group.activity == Measure.TENSOR) {
      return Measure.TENSOR;
    }
    // Who waits in a kernel is as utilized as who works: bytes or, without links, power tell it.
    if (spread(group.rows, Measure.NVLINK).median() >= LEAST_BYTES) {
      return Measure.NVLINK;
    }
    return group.activity == Measure.UTIL ? Measure.POWER : group.activity;
  }

  private double pace(Group group) {
    double[] work = new double[group.rows.length];
    for (int i = 0; i < work.length; i++) {
      int row = group.rows[i];
      double clock = paceOf == group.activity ? window.mean(row, Measure.CLOCK) : 1;
      work[i] = window.mean(row, paceOf) * clock;
    }
    return Spread.of(work).median();
  }

  private void judge(Group group) {
    int[] rows = group.rows;
    if (rows.length < limits.leastGpus()) {
      unknown.add(
          group.name + ": fewer than " + limits.leastGpus() + " GPUs, so that none has equals");
      return;
    }
    double fast = fast(rows);
    Spread activity = spread(rows, group.activity);
    if (Double.isNaN(fast) || Double.isNaN(activity.median())) {
      unknown.add(group.name + ": clocks or activity are not read");
      return;
    }
    int equal = 0;
    for (int row : rows) {
      shares[row] = window.mean(row, group.activity) / activity.median();
      equal += Math.abs(shares[row] - 1) <= limits.equalWork() ? 1 : 0;
    }
    if (equal < limits.equalShare() * rows.length) {
      unknown.add(group.name + ": its GPUs do different work");
      return;
    }
    judged += rows.length;
    for (int row : rows) {
      if (signs[row] == null) {
        signs[row] = ofClock(group, row, fast);
      }
    }
    hosts(group);
    for (int row : rows) {
      if (signs[row] == null) {
        signs[row] = ofLink(group, row);
      }
    }
    prove(rows);
  }

  // --- clock ---

  /** A clock that a quarter of the GPUs reach: half of them may be slow, as one host of two. */
  private double fast(int[] rows) {
    double[] clocks =
        Arrays.stream(rows)
            .mapToDouble(row -> window.mean(row, Measure.CLOCK))
            .filter(each -> !Double.isNaN(each))
            .sorted()
            .toArray();
    return clocks.length == 0 ? Double.NaN : clocks[clocks.length * 3 / 4];
  }

  private Sign ofClock(Group group, int row, double fast) {
    double mine = window.mean(row, Measure.CLOCK);
    double share = limits.share() * eased(row);
    if (!(mine < fast * (1 - share))) {
      return null;
    }
    int[] equals = equals(group, row, mine);
    if (equals.length < limits.leastGpus() - 1) {
      unknown.add(name(row) + " has a low clock, but none does the same work");
      return null;
    }
    Spread clock = spread(equals, Measure.CLOCK);
    Spread power = spread(equals, Measure.POWER);
    double watts = window.mean(row, Measure.POWER);
    if (watts > power.median() * limits.samePower()) {
      unknown.add(name(row) + " has a low clock and draws more power: it has more to do");
      return null;
    }
    boolean isCapped = watts >= AT_CAP * window.mean(row, Measure.LIMIT);
    double least =
        Math.max(
            limits.deviations() * eased(row) * clock.deviation(),
            (isCapped ? limits.cappedShare() * eased(row) : share) * clock.median());
    if (!(clock.median() - mine > least)) {
      return null;
    }
    double heat = window.mean(row, Measure.HEAT);
    double brake = window.mean(row, Measure.BRAKE);
    String reason =
        brake > limits.throttled()
            ? ", because the power supply asks for less"
            : heat > limits.throttled() ? ", because of heat" : "";
    return new Sign(
        isCapped ? "power" : "clock",
        false,
        false,
        String.format(
            Locale.ROOT,
            "its SM clock is %.0f MHz, that of its equals %.0f MHz, for the same work%s: the others"
                + " wait for the GPU",
            mine,
            clock.median(),
            reason),
        evidence(
            equals,
            row,
            Measure.CLOCK,
            Measure.POWER,
            group.activity,
            Measure.HEAT,
            Measure.BRAKE));
  }

  /**
   * GPUs that do the same work as one with a low clock: in a synchronous job their activity is as
   * much lower as their clock is higher; it is equal where all wait for something else.
   */
  private int[] equals(Group group, int row, double clock) {
    double mine = window.mean(row, group.activity);
    return Arrays.stream(group.rows)
        .filter(
            other -> {
              double theirs = window.mean(other, group.activity);
              double ratio = clock / window.mean(other, Measure.CLOCK);
              return other != row
                  && theirs * (1 + limits.sameWork()) >= mine * ratio
                  && theirs * (1 - limits.sameWork()) <= mine;
            })
        .toArray();
  }

  // --- hosts ---

  private void hosts(Group group) {
    Map<String, int[]> hosts = new LinkedHashMap<>();
    for (int row : group.rows) {
      hosts.merge(window.gpu(row).host().host(), new int[] {row}, StragglerSigns::joined);
    }
    if (hosts.size() < 2) {
      return;
    }
    for (Map.Entry<String, int[]> host : hosts.entrySet()) {
      int[] mine = host.getValue();
      int[] others =
          hosts.values().stream().filter(rows -> rows != mine).mapToInt(rows -> rows[0]).toArray();
      int[] otherGpus =
          Arrays.stream(group.rows)
              .filter(row -> Arrays.stream(mine).noneMatch(each -> each == row))
              .toArray();
      Sign sign = ofHost(group, mine, others, otherGpus);
      for (int row : mine) {
        if (signs[row] == null) {
          signs[row] = sign;
        }
      }
    }
  }

  private static int[] joined(int[] a, int[] b) {
    int[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  private Sign ofHost(Group group, int[] mine, int[] others, int[] otherGpus) {
    double share =
        spread(mine, group.activity).median() / spread(otherGpus, group.activity).median();
    // GPUs that wait for their CPU are less utilized than those that wait for them in a kernel.
    double least = group.activity == Measure.UTIL ? STARVED : 1 - limits.equalWork();
    if (!(share >= least && share <= 1 + limits.equalWork()) || !isFelt(mine, otherGpus)) {
      return null;
    }
    int row = mine[0];
    double eased = eased(row);
    double pressure = window.mean(row, Measure.CPU_PRESSURE);
    double otherPressure = spread(others, Measure.CPU_PRESSURE).median();
    double idle = window.mean(row, Measure.CPU_IDLE);
    double otherIdle = spread(others, Measure.CPU_IDLE).median();
    double iowait = window.mean(row, Measure.IO_WAIT);
    double otherIowait = spread(others, Measure.IO_WAIT).median();
    Measure[] shown = {
      Measure.CPU_PRESSURE, Measure.CPU_IDLE, Measure.IO_WAIT, Measure.SM, Measure.POWER
    };
    if (pressure - otherPressure > limits.cpuPressure() * eased) {
      return cpu(
          "processes of the host wait for a CPU %.0f %% of the time, those of the other hosts"
              + " %.0f %%",
          pressure, otherPressure, evidence(others, row, shown));
    }
    if (otherIdle - idle > limits.cpuIdle() * eased && idle < limits.leastIdle() / eased) {
      return cpu(
          "the CPUs of the host are idle %.0f %% of the time, those of the other hosts %.0f %%",
          idle, otherIdle, evidence(others, row, shown));
    }
    if (iowait - otherIowait > limits.ioWait() * eased) {
      return cpu(
          "the CPUs of the host wait for I/O %.0f %% of the time, those of the other hosts %.0f %%",
          iowait, otherIowait, evidence(others, row, shown));
    }
    double restarts = window.mean(row, Measure.SLOW_RESTARTS);
    double errors = window.mean(row, Measure.PORT_ERRORS);
    if (isAbove(row, others, Measure.SLOW_RESTARTS, limits.restartsPerSecond() * eased)
        || isAbove(row, others, Measure.PORT_ERRORS, limits.portErrorsPerSecond() * eased)) {
      return new Sign(
          "nic",
          true,
          false,
          String.format(
              Locale.ROOT,
              "network ports of the host count %.1f slow restarts and %.1f errors for each second,"
                  + " those of the other hosts hardly any: all wait for its network",
              Double.isNaN(restarts) ? 0 : restarts,
              Double.isNaN(errors) ? 0 : errors),
          evidence(others, row, Measure.SLOW_RESTARTS, Measure.PORT_ERRORS, Measure.RDMA));
    }
    return null;
  }

  private static Sign cpu(String why, double mine, double others, List<Evidence> evidence) {
    return new Sign(
        "cpu",
        true,
        false,
        String.format(Locale.ROOT, why, 100 * mine, 100 * others)
            + ": its GPUs wait for the CPU, and the others for them",
        evidence);
  }

  private boolean isAbove(int row, int[] others, Measure measure, double least) {
    double mine = window.mean(row, measure);
    double theirs = spread(others, measure).median();
    return mine > least && !(theirs > limits.hardlyAny() * mine);
  }

  /**
   * Returns true if the job is slower than before, or these GPUs are unlike the others: in which
   * direction depends on who waits. Power differs by board, and bytes by place in a ring, so that
   * neither tells it.
   */
  private boolean isFelt(int[] mine, int[] others) {
    if (isSlowed || windowsBefore(mine[0]) >= limits.windows()) {
      return true; // what is slow for an hour stays so, though that is its usual pace then
    }
    for (Measure measure : List.of(Measure.SM, Measure.UTIL, Measure.TENSOR)) {
      Spread theirs = spread(others, measure);
      double distance = Math.abs(spread(mine, measure).median() - theirs.median());
      if (distance
          > eased(mine[0])
              * Math.max(
                  limits.deviations() * theirs.deviation(), limits.felt() * theirs.median())) {
        return true;
      }
    }
    return false;
  }

  // --- links ---

  private Sign ofLink(Group group, int row) {
    int[] others = Arrays.stream(group.rows).filter(each -> each != row).toArray();
    double eased = eased(row);
    boolean isNarrow =
        window.mean(row, Measure.WIDTH) < 1 && spread(others, Measure.WIDTH).median() >= 1;
    boolean hasErrors =
        isAbove(row, others, Measure.LINK_EVENTS, limits.linkEventsPerSecond() * eased);
    boolean hasReplays = isAbove(row, others, Measure.REPLAYS, limits.replaysPerSecond() * eased);
    if (!isNarrow && !hasErrors && !hasReplays || !isFelt(new int[] {row}, others)) {
      return null;
    }
    String why =
        hasErrors
            ? String.format(
                Locale.ROOT,
                "its NVLinks count %.2f errors and recoveries for each second",
                window.mean(row, Measure.LINK_EVENTS))
            : isNarrow
                ? "its PCIe link uses fewer lanes than it has"
                : String.format(
                    Locale.ROOT,
                    "its PCIe link sends %.1f packets again for each second",
                    window.mean(row, Measure.REPLAYS));
    return new Sign(
        "link",
        false,
        false,
        why + ", and those of its equals do not: the others wait for its data",
        evidence(
            others,
            row,
            Measure.LINK_EVENTS,
            Measure.REPLAYS,
            Measure.WIDTH,
            Measure.NVLINK,
            Measure.PCIE));
  }

  // --- proof ---

  /**
   * Who comes last to a collective operation waits least in it, so that NCCL measures a higher
   * bandwidth there, and a lower one at a slow link. Either proves a suspicion.
   */
  private void prove(int[] rows) {
    Spread all = spread(rows, Measure.BANDWIDTH);
    for (int row : rows) {
      double distance = Math.abs(window.mean(row, Measure.BANDWIDTH) - all.median());
      Sign sign = signs[row];
      if (sign != null
          && distance
              > Math.max(
                  limits.deviations() * all.deviation(), limits.bandwidth() * all.median())) {
        List<Evidence> more = new ArrayList<>(sign.evidence);
        more.addAll(evidence(rows, row, Measure.BANDWIDTH));
        signs[row] = new Sign(sign.cause, sign.ofHost, true, sign.why, more);
      }
    }
  }

  // --- of all ---

  /** What has had a sign already needs less to keep it, so that a sign near the edge stays. */
  private double eased(int row) {
    return windowsBefore(row) > 0 ? limits.ease() : 1;
  }

  /** Windows in a row before this one in which the GPU of a row has had a sign. */
  int windowsBefore(int row) {
    return windowsBefore.applyAsInt(window.gpu(row));
  }

  private String name(int row) {
    return "GPU "
        + window.gpu(row).gpu().labels().value("gpu")
        + " of "
        + window.gpu(row).host().host();
  }

  private Spread spread(int[] rows, Measure measure) {
    double[] values = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      values[i] = window.mean(rows[i], measure);
    }
    return Spread.of(values);
  }

  /** Readings of a GPU beside those of its equals. */
  private List<Evidence> evidence(int[] equals, int row, Measure... measures) {
    List<Evidence> evidence = new ArrayList<>();
    for (Measure each : measures) {
      double now = window.mean(row, each);
      if (!Double.isNaN(now)) {
        evidence.add(new Evidence(each.text(), spread(equals, each).median(), now));
      }
    }
    return evidence;
  }
}
