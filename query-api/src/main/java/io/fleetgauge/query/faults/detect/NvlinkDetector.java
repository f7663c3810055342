package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.LINKS_ACTIVE;
import static io.fleetgauge.query.faults.reading.Signal.LINKS_INACTIVE;
import static io.fleetgauge.query.faults.reading.Signal.LINK_CRC_ERRORS;
import static io.fleetgauge.query.faults.reading.Signal.LINK_ERRORS;
import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERIES;
import static io.fleetgauge.query.faults.reading.Signal.LINK_RECOVERIES_5;
import static io.fleetgauge.query.faults.reading.Signal.LINK_REPLAYS;
import static io.fleetgauge.query.faults.reading.Signal.LINK_STATE;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Finds NVLinks that are down, and NVLinks that count errors: link by link where links have series
 * of their own, else by the numbers of a GPU.
 */
final class NvlinkDetector implements HostDetector {
  private static final int PARTS = 5;
  private static final double MINUTE = 60_000;

  private static final List<Signal> ERRORS =
      List.of(LINK_CRC_ERRORS, LINK_REPLAYS, LINK_RECOVERIES, LINK_RECOVERIES_5);

  private final long downAfter;
  private final long window;
  private final double mostErrors;
  private final PerGpu<State> states = new PerGpu<>(State::new);

  private static final class State {
    final Map<String, Link> links = new HashMap<>();
    final Spell down = new Spell();
    final Link all = new Link();
    double mostActive;
    double leastInactive = Double.POSITIVE_INFINITY;

    /** True once a link has counted an error in a series of its own. */
    boolean linksCount;
  }

  private static final class Link {
    final Spell down = new Spell();
    final Spell errors = new Spell();
    SlidingSum sum;
    boolean wasActive;
  }

  NvlinkDetector(Thresholds thresholds) {
    downAfter = thresholds.of(FaultKind.NVLINK_DOWN).millis("after");
    Thresholds.OfKind errors = thresholds.of(FaultKind.NVLINK_ERRORS);
    window = errors.millis("window");
    mostErrors = errors.number("errorsPerMinute") * window / MINUTE;
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      State state = states.of(tick, gpu);
      boolean haveStates = false;
      for (Map.Entry<String, Readings> each : gpu.links().entrySet()) {
        Link link = state.links.computeIfAbsent(each.getKey(), none -> new Link());
        Readings readings = each.getValue();
        haveStates |= readings.has(LINK_STATE);
        down(tick, gpu, each.getKey(), link, readings.get(LINK_STATE), out);
        double errors = readings.get(LINK_ERRORS);
        state.linksCount |= errors > 0;
        errors(tick, gpu, each.getKey(), link, errors, out);
      }
      if (!haveStates) {
        fewer(tick, gpu, state, out);
      }
      if (!state.linksCount) {
        double errors = Double.NaN;
        for (Signal signal : ERRORS) {
          errors = Measure.sum(errors, gpu.get(signal));
        }
        errors(tick, gpu, "", state.all, errors, out);
      }
    }
  }

  private void down(
      HostTick tick, GpuTick gpu, String name, Link link, double state, Consumer<Finding> out) {
    link.wasActive |= state > 0;
    Sign sign = link.wasActive ? Sign.of(state, state == 0) : Sign.ABSENT;
    if (link.down.on(sign, tick.time(), tick.time(), downAfter, out)) {
      link.down.tell(
          Finding.of(
              FaultKind.NVLINK_DOWN,
              Subject.of(tick, gpu).part(name),
              link.down.since(),
              "",
              "NVLink " + name + " is inactive; it was active before.",
              new Evidence("state of the link, 1 is active", 1, state),
              new Evidence("active links", Double.NaN, gpu.get(LINKS_ACTIVE))),
          out);
    }
  }

  /** Fewer links are active than were: those that sleep are no fault. */
  private void fewer(HostTick tick, GpuTick gpu, State state, Consumer<Finding> out) {
    double active = gpu.get(LINKS_ACTIVE);
    double inactive = gpu.get(LINKS_INACTIVE);
    state.mostActive = active > state.mostActive ? active : state.mostActive;
    state.leastInactive = inactive < state.leastInactive ? inactive : state.leastInactive;
    boolean isFewer = active < state.mostActive && !(inactive <= state.leastInactive);
    Sign sign = Sign.of(active, isFewer);
    if (state.down.on(sign, tick.time(), tick.time(), downAfter, out)) {
      state.down.tell(
          Finding.of(
              FaultKind.NVLINK_DOWN,
              Subject.of(tick, gpu),
              state.down.since(),
              "",
              Amount.of(active) + " of " + Amount.of(state.mostActive, "NVLink") + " are active.",
              new Evidence("active links", state.mostActive, active)),
          out);
    }
  }

  private void errors(
      HostTick tick, GpuTick gpu, String name, Link link, double count, Consumer<Finding> out) {
    if (count > 0) {
      link.sum = link.sum == null ? new SlidingSum(window, PARTS) : link.sum;
      link.sum.add(tick.time(), count);
    } else if (link.sum == null) {
      return;
    }
    double sum = link.sum.at(tick.time());
    Sign sign = Sign.of(count, sum > mostErrors);
    long from = sign == Sign.PRESENT ? link.sum.since(tick.time()) : tick.time();
    if (link.errors.on(sign, from, tick.time(), 0, out)) {
      link.errors.tell(
          Finding.of(
              FaultKind.NVLINK_ERRORS,
              Subject.of(tick, gpu).part(name),
              link.errors.since(),
              "",
              (name.isEmpty() ? "The NVLinks of the GPU count " : "NVLink " + name + " counts ")
                  + Amount.of(sum, "error")
                  + " in "
                  + Amount.time(window)
                  + ".",
              new Evidence("errors in " + Amount.time(window), 0, sum)),
          out);
    }
  }
}
