package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.CALL_STATE;
import static io.fleetgauge.query.faults.reading.Signal.COUNTED;
import static io.fleetgauge.query.faults.reading.Signal.DRIVER_RESPONSIVE;
import static io.fleetgauge.query.faults.reading.Signal.EXPECTED;
import static io.fleetgauge.query.faults.reading.Signal.LOST;
import static io.fleetgauge.query.faults.reading.Signal.POWER;
import static io.fleetgauge.query.faults.reading.Signal.SLOW_CALLS;
import static io.fleetgauge.query.faults.reading.Signal.TEMPERATURE;
import static io.fleetgauge.query.faults.reading.Signal.THREAD_BLOCKED;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Finds a driver that hangs or is slow, and GPUs that it does not count. */
final class DriverDetector implements HostDetector {
  private static final int LATE = 2;
  private static final int HUNG = 3;

  private final long hangAfter;
  private final long missingAfter;
  private final long slowWindow;
  private final Spell hang = new Spell();
  private final Spell missing = new Spell();

  /** Times of the last ticks with slow calls, ms since the epoch, around. */
  private final long[] slowTicks;

  private int slowest;
  private long slowSince = Long.MIN_VALUE;

  /** Indexes of the GPUs that were there while none was missing, by UUID. */
  private Map<String, String> known = Map.of();

  DriverDetector(Thresholds thresholds) {
    hangAfter = thresholds.of(FaultKind.DRIVER_HANG).millis("after");
    missingAfter = thresholds.of(FaultKind.GPU_MISSING).millis("after");
    Thresholds.OfKind slow = thresholds.of(FaultKind.DRIVER_SLOW);
    slowTicks = new long[(int) slow.number("slowTicks")];
    slowWindow = slow.millis("window");
    Arrays.fill(slowTicks, Long.MIN_VALUE);
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    hang(tick, out);
    slow(tick, out);
    missing(tick, out);
  }

  private void hang(HostTick tick, Consumer<Finding> out) {
    double state = tick.get(CALL_STATE);
    double responsive = tick.get(DRIVER_RESPONSIVE);
    // A thread is blocked for moments in calls that are in time, too.
    boolean isBlocked = tick.get(THREAD_BLOCKED) > 0 && !(state == 0);
    boolean isSign = state >= LATE || responsive == 0 || isBlocked;
    boolean isRead = isSign || tick.has(CALL_STATE) || tick.has(DRIVER_RESPONSIVE);
    Sign sign = isSign ? Sign.PRESENT : isRead ? Sign.ABSENT : Sign.UNREAD;
    if (hang.on(sign, tick.time(), tick.time(), hangAfter, out)) {
      String cause = state >= HUNG ? "hung" : isBlocked ? "blocked" : "late";
      hang.tell(
          Finding.of(
              FaultKind.DRIVER_HANG,
              Subject.of(tick),
              hang.since(),
              cause,
              isBlocked
                  ? "A driver call does not return, and its thread is blocked in the kernel."
                  : "A driver call does not return.",
              new Evidence("state of the driver call, 3 is hung", 0, state),
              new Evidence("thread is blocked", 0, tick.get(THREAD_BLOCKED)),
              new Evidence("driver responds", 1, responsive)),
          out);
    }
  }

  private void slow(HostTick tick, Consumer<Finding> out) {
    double calls = tick.get(SLOW_CALLS);
    if (calls > 0) {
      slowTicks[slowest] = tick.time();
      slowest = (slowest + 1) % slowTicks.length;
    }
    long oldest = slowTicks[slowest];
    if (oldest == Long.MIN_VALUE || tick.time() - oldest > slowWindow) {
      slowSince = Long.MIN_VALUE;
      return;
    }
    slowSince = slowSince == Long.MIN_VALUE ? oldest : slowSince;
    if (calls > 0) {
      out.accept(
          Finding.of(
              FaultKind.DRIVER_SLOW,
              Subject.of(tick),
              slowSince,
              "",
              "Driver calls took longer than a second in "
                  + slowTicks.length
                  + " of the ticks of the last "
                  + Amount.time(slowWindow)
                  + ".",
              new Evidence("slow driver calls, 1/s", 0, tick.rate(SLOW_CALLS))));
    }
  }

  private void missing(HostTick tick, Consumer<Finding> out) {
    double expected = tick.get(EXPECTED);
    double counted = tick.get(COUNTED);
    double lost = 0; // those are told as lost
    for (GpuTick gpu : tick.gpus()) {
      lost += gpu.get(LOST) > 0 ? 1 : 0;
    }
    Sign sign = Sign.of(expected - counted, counted + lost < expected);
    if (sign == Sign.ABSENT && lost == 0 && known.size() != tick.gpus().size()) {
      known = new TreeMap<>();
      tick.gpus().forEach(gpu -> known.put(gpu.uuid(), gpu.labels().value("gpu")));
    }
    if (missing.on(sign, tick.time(), tick.time(), missingAfter, out)) {
      missing.tell(
          Finding.of(
              FaultKind.GPU_MISSING,
              Subject.of(tick),
              missing.since(),
              "",
              "The driver counts "
                  + Amount.of(counted, "GPU")
                  + " of "
                  + Amount.of(expected)
                  + "."
                  + names(tick),
              new Evidence("GPUs", expected, counted)),
          out);
    }
  }

  /** A sentence that names GPUs that are not read any more; empty for none. */
  private String names(HostTick tick) {
    Map<String, String> gone = new TreeMap<>(known);
    for (GpuTick gpu : tick.gpus()) {
      if (gpu.has(POWER) || gpu.has(TEMPERATURE) || gpu.has(LOST)) {
        gone.remove(gpu.uuid());
      }
    }
    StringBuilder names = new StringBuilder();
    gone.forEach(
        (uuid, index) ->
            names.append(names.isEmpty() ? " Missing: GPU " : ", GPU ").append(index + " " + uuid));
    return names.isEmpty() ? "" : names + ".";
  }
}
