package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERIES;
import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERIES_5;
import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERY;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Finds NVLinks whose recoveries grow from day to day: link by link where links have series of
 * their own that count, else all links of a GPU together.
 */
final class NvlinkTrend implements HostDetector {
  private final int days;
  private final double earlyDays;
  private final double earlyQuiet;
  private final Growth.Limits usual;
  private final Growth.Limits early;
  private final PerGpu<State> states = new PerGpu<>(State::new);

  private static final class State {
    long watchedSince = Long.MIN_VALUE;
    Watch ofGpu;
    final Map<String, Watch> ofLinks = new HashMap<>();
  }

  /** What is known of the recoveries of a link, or of all of a GPU. */
  private static final class Watch {
    final Growth counts;
    long part = Long.MIN_VALUE;
    Finding last;

    Watch(Growth counts) {
      this.counts = counts;
    }
  }

  NvlinkTrend(Thresholds thresholds) {
    Thresholds.OfKind of = thresholds.of(FaultKind.NVLINK_TREND);
    days = (int) Math.max(2, of.number("windowDays"));
    usual =
        new Growth.Limits(
            of.number("days"),
            of.number("leastPerDay"),
            of.number("growth"),
            of.number("deviations"));
    earlyDays = of.number("earlyDays");
    earlyQuiet = of.number("earlyQuiet");
    early =
        new Growth.Limits(
            1, of.number("earlyPerDay"), of.number("earlyGrowth"), of.number("earlyDeviations"));
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      State state = states.of(tick, gpu);
      if (state.watchedSince == Long.MIN_VALUE) {
        state.watchedSince = tick.time();
      }
      for (Map.Entry<String, Readings> each : gpu.links().entrySet()) {
        Readings readings = each.getValue();
        Watch watch = state.ofLinks.get(each.getKey());
        double count = readings.get(LINK_RECOVERY);
        if (count > 0) {
          if (watch == null) {
            watch = new Watch(new Growth(days, state.watchedSince));
            state.ofLinks.put(each.getKey(), watch);
          }
          add(watch, tick, readings, LINK_RECOVERY);
        }
        look(tick, gpu, each.getKey(), watch, out);
      }
      ofGpu(tick, gpu, state, out);
    }
  }

  private void ofGpu(HostTick tick, GpuTick gpu, State state, Consumer<Finding> out) {
    boolean isCounted = gpu.get(LINK_RECOVERIES) > 0 || gpu.get(LINK_RECOVERIES_5) > 0;
    if (isCounted && state.ofGpu == null) {
      state.ofGpu = new Watch(new Growth(days, state.watchedSince));
    }
    if (isCounted) {
      add(state.ofGpu, tick, gpu.readings(), LINK_RECOVERIES);
      add(state.ofGpu, tick, gpu.readings(), LINK_RECOVERIES_5);
    }
    if (state.ofLinks.isEmpty()) {
      look(tick, gpu, "", state.ofGpu, out);
    }
  }

  private static void add(Watch watch, HostTick tick, Readings readings, Signal signal) {
    if (readings.get(signal) > 0) {
      long took = Math.max(1, (long) readings.millis(signal));
      watch.counts.add(tick.time() - took, tick.time(), readings.get(signal));
    }
  }

  private void look(HostTick tick, GpuTick gpu, String link, Watch watch, Consumer<Finding> out) {
    if (watch == null) {
      return;
    }
    long part = Growth.part(tick.time());
    if (part != watch.part) {
      watch.part = part;
      watch.counts.forward(part);
      watch.last = isTrend(watch.counts) ? finding(tick, gpu, link, watch) : null;
    }
    if (watch.last != null) {
      out.accept(watch.last);
    }
  }

  private boolean isTrend(Growth counts) {
    boolean isEarly = counts.days() < earlyDays || counts.before() <= earlyQuiet;
    return counts.isGrowing(usual) || isEarly && counts.isBeginning(early);
  }

  private static Finding finding(HostTick tick, GpuTick gpu, String link, Watch watch) {
    double before = watch.counts.dayBefore();
    double last = watch.counts.lastDay();
    return Finding.of(
        FaultKind.NVLINK_TREND,
        Subject.of(tick, gpu).part(link),
        watch.last == null ? watch.counts.since() : watch.last.since(),
        "",
        (link.isEmpty() ? "The NVLinks of the GPU" : "NVLink " + link)
            + " recovered "
            + Amount.of(last, "time")
            + " in a day, after "
            + Amount.of(before)
            + " the day before.",
        new Evidence("recoveries a day", before, last));
  }
}
