package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.detect.StragglerSigns.Sign;
import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds GPUs and hosts for which all others of their job wait.
 *
 * <p>Windows follow each other and begin at multiples of their length, so that whoever looks sees
 * the same. A sign in several of them in a row, without a gap, is a straggler. {@link #verdict}
 * says what is known of the job as a whole.
 */
public final class StragglerDetector extends Copied implements JobDetector {
  /** Samples of so long make its state what it would be if it had seen all, ms. */
  public static final long HISTORY_MILLIS = 3_600_000;

  private static final int PACES = 27;

  /** A share of the GPUs of a host from which on the host as a whole is slow. */
  private static final double MOST_OF_HOST = 0.75;

  private final StragglerLimits limits;
  private JobWindow window;
  private long began = Long.MIN_VALUE;
  private long closed = Long.MIN_VALUE;
  private int paused;

  // These are replaced and never changed, so that copies share them.
  private Set<Subject> restored = Set.of();
  private Map<String, Slow> slow = Map.of();
  private float[] paces = {};

  /** The measure that paces are of: those of different ones cannot be compared. */
  private Measure paceOf;

  private Verdict verdict = unknown("the job has just begun");

  /** A GPU that had a sign in the last window. */
  private record Slow(JobGpu gpu, int windows, long since, Sign sign) {}

  public StragglerDetector(Thresholds thresholds) {
    limits = StragglerLimits.of(thresholds);
  }

  @Override
  public StragglerDetector copy() {
    StragglerDetector copy = (StragglerDetector) shallow();
    copy.window = window == null ? null : window.copy();
    return copy;
  }

  /** The verdict of its last window. */
  @Override
  public Optional<Verdict> verdict() {
    return Optional.of(verdict);
  }

  private static Verdict unknown(String reason) {
    return Verdict.unknown(FaultKind.STRAGGLER, reason);
  }

  @Override
  public void restore(FaultKind kind, Subject subject, String cause, long since) {
    if (kind == FaultKind.STRAGGLER) {
      Set<Subject> all = new HashSet<>(restored);
      all.add(subject);
      restored = Set.copyOf(all);
    }
  }

  @Override
  public void on(JobStep step, Consumer<Finding> out) {
    long start = Math.floorDiv(step.time(), limits.windowSeconds()) * limits.windowSeconds();
    if (began == Long.MIN_VALUE) {
      began = step.time();
    }
    if (window != null && window.start() != start) {
      close();
      window = null;
    }
    if (window == null) {
      window = new JobWindow(start);
    }
    window.add(step, limits.leastPower());
    tell(out);
  }

  private void close() {
    if (window.start() < began + limits.young()) {
      verdict = unknown("the job has just begun");
      return;
    }
    if (!window.isWorking()) {
      verdict = unknown("the job draws too little power to be at work");
      paused++;
      slow = paused > 2 * limits.windows() ? Map.of() : slow;
      return;
    }
    boolean isNext =
        closed == Long.MIN_VALUE
            || window.start() - closed <= (1L + paused) * limits.windowSeconds();
    paused = 0;
    closed = window.start();
    Map<String, Slow> before = isNext ? slow : Map.of();
    StragglerSigns signs =
        new StragglerSigns(window, limits, gpu -> windowsBefore(before, gpu), paceOf, best());
    Map<String, Slow> now = new LinkedHashMap<>();
    for (int row = 0; row < window.rows(); row++) {
      JobGpu gpu = window.gpu(row);
      Sign sign = signs.signs()[row];
      Slow last = before.get(gpu.gpu().uuid());
      if (sign != null) {
        int windows = signs.windowsBefore(row) + 1;
        long since = last == null ? window.start() : last.since;
        now.put(gpu.gpu().uuid(), new Slow(gpu, windows, since, sign));
      } else if (last != null && !window.isSeen(row)) {
        now.put(gpu.gpu().uuid(), last);
      }
    }
    slow = now;
    restored = Set.of();
    keep(signs.paceOf(), signs.pace());
    verdict = verdict(signs);
  }

  /** Keeps the pace of a window, if it is of the measure that says most of those so far. */
  private void keep(Measure of, double pace) {
    if (Double.isNaN(pace) || StragglerSigns.saysLess(of, paceOf)) {
      return;
    }
    int kept = of == paceOf ? Math.min(paces.length, PACES - 1) : 0;
    float[] longer = Arrays.copyOfRange(paces, paces.length - kept, paces.length + 1);
    longer[kept] = (float) pace;
    paces = longer;
    paceOf = of;
  }

  /** Windows in a row in which a GPU has had a sign. */
  private int windowsBefore(Map<String, Slow> before, JobGpu gpu) {
    Slow last = before.get(gpu.gpu().uuid());
    if (last != null) {
      return last.windows;
    }
    boolean isRestored =
        restored.stream()
            .anyMatch(
                each ->
                    each.host().equals(gpu.host().host())
                        && (each.uuid().isEmpty() || each.uuid().equals(gpu.gpu().uuid())));
    return isRestored ? limits.windows() : 0;
  }

  /**
   * A pace that the job reached several times in the last hour; {@code NaN} if it changes anyway,
   * as with steps of many minutes.
   */
  private double best() {
    if (paces.length < limits.windows()) {
      return Double.NaN;
    }
    float[] sorted = paces.clone();
    Arrays.sort(sorted);
    double best = sorted[sorted.length - limits.windows()];
    int near = 0;
    for (float each : sorted) {
      near += each >= (1 - limits.slowed()) * best ? 1 : 0;
    }
    return near >= limits.steady() * sorted.length ? best : recent();
  }

  /**
   * The best pace that the job had some windows in a row lately: what changes with steps of many
   * minutes is rarely so even, and after another straggler it is the pace of before. {@code NaN}
   * for none.
   */
  private double recent() {
    int row = limits.windows();
    double best = Double.NaN;
    for (int to = paces.length; to >= row && to > paces.length - row - 1; to--) {
      float[] some = Arrays.copyOfRange(paces, to - row, to);
      Arrays.sort(some);
      if (some[0] >= (1 - limits.slowed() / 2) * some[row - 1] && !(some[row / 2] <= best)) {
        best = some[row / 2];
      }
    }
    return best;
  }

  private Verdict verdict(StragglerSigns signs) {
    Map<Subject, List<Slow>> found = found();
    if (!found.isEmpty()) {
      String who =
          found.values().stream().map(StragglerDetector::name).sorted().toList().toString();
      return new Verdict(
          FaultKind.STRAGGLER, Verdict.State.FOUND, who.substring(1, who.length() - 1));
    }
    if (signs.judged() == 0 || !signs.unknown().isEmpty()) {
      String reason =
          signs.unknown().isEmpty() ? "nothing is read of its GPUs" : signs.unknown().getFirst();
      return unknown(reason);
    }
    return new Verdict(
        FaultKind.STRAGGLER,
        Verdict.State.NONE,
        signs.judged() + " GPUs are as fast as their equals");
  }

  private void tell(Consumer<Finding> out) {
    if (slow.isEmpty()) {
      return;
    }
    found()
        .forEach(
            (subject, gpus) -> {
              Slow first = gpus.getFirst();
              out.accept(
                  new Finding(
                      FaultKind.STRAGGLER,
                      subject,
                      gpus.stream().mapToLong(Slow::since).min().orElseThrow(),
                      Optional.empty(),
                      first.sign.cause(),
                      gpus.stream().anyMatch(each -> each.sign.proven()),
                      0,
                      name(gpus) + " is slower than its equals in the job: " + first.sign.why(),
                      first.sign.evidence(),
                      gpus.stream().map(StragglerDetector::suspect).toList()));
            });
  }

  /** Stragglers: GPUs, and hosts of which most GPUs are slow. */
  private Map<Subject, List<Slow>> found() {
    Map<Subject, List<Slow>> found = new LinkedHashMap<>();
    Map<String, List<Slow>> byHost = new LinkedHashMap<>();
    slow.values()
        .forEach(
            each ->
                byHost
                    .computeIfAbsent(each.gpu.host().host(), none -> new ArrayList<>())
                    .add(each));
    byHost.forEach(
        (host, gpus) -> {
          if (gpus.stream().noneMatch(each -> each.windows >= limits.windows())) {
            return;
          }
          JobGpu any = gpus.getFirst().gpu;
          String job = any.gpu().job();
          long ofJob = any.host().gpus().stream().filter(e -> e.job().equals(job)).count();
          boolean isHost =
              gpus.getFirst().sign.ofHost()
                  || gpus.size() > 1 && gpus.size() >= MOST_OF_HOST * ofJob;
          if (isHost) {
            Labels labels = any.host().place().with(any.gpu().owner());
            found.put(new Subject(host, "", "", job, labels), gpus);
            return;
          }
          for (Slow each : gpus) {
            if (each.windows >= limits.windows()) {
              Subject of = Subject.of(each.gpu.host(), each.gpu.gpu());
              found.put(new Subject(host, of.uuid(), "", job, of.labels()), List.of(each));
            }
          }
        });
    return found;
  }

  private static String name(List<Slow> gpus) {
    JobGpu gpu = gpus.getFirst().gpu;
    return gpus.size() > 1 || gpus.getFirst().sign.ofHost()
        ? gpu.host().host()
        : "GPU " + gpu.gpu().labels().value("gpu") + " of " + gpu.host().host();
  }

  private static Suspect suspect(Slow slow) {
    int rank = -1;
    for (Readings each : slow.gpu.gpu().ranks().values()) {
      rank = (int) Math.max(rank, each.get(Signal.RANK_NUMBER, -1));
    }
    return new Suspect(
        slow.gpu.host().host(), slow.gpu.gpu().uuid(), rank, slow.sign.cause() + ": slower");
  }
}
