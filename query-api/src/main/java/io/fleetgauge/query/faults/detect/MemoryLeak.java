package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.MEMORY_TOTAL;
import static io.fleetgauge.query.faults.reading.Signal.MEMORY_USED;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Finds memory that grows for hours while one job has the GPU: the lowest reading of each half hour
 * is above that of the one before, and the growth becomes no smaller. Memory that is taken at once
 * is a jump, and a cache that nears its limit grows less and less: neither is a leak.
 */
final class MemoryLeak implements HostDetector {
  private static final long PART = 1_800_000;
  private static final long PARTS_AN_HOUR = 2;

  /** Of the mean growth: what each part, and the later half, grow at least. */
  private static final double LEAST = 0.4;

  private static final double LATER = 0.8;

  /** Of the mean growth: more is a jump. */
  private static final double MOST = 3;

  private final int parts;
  private final double growth;
  private final PerGpu<State> states;

  private static final class State {
    /** Lowest readings of the parts that are complete, the newest last; NaN for none. */
    final double[] lows;

    Labels owner = Labels.EMPTY;
    long part = Long.MIN_VALUE;
    double low = Double.NaN;
    boolean isWhole;
    Finding last;

    State(int parts) {
      lows = new double[parts + 1];
      Arrays.fill(lows, Double.NaN);
    }

    void begin(Labels of) {
      owner = of;
      part = Long.MIN_VALUE;
      isWhole = false;
      last = null;
      Arrays.fill(lows, Double.NaN);
    }
  }

  MemoryLeak(Thresholds thresholds) {
    Thresholds.OfKind of = thresholds.of(FaultKind.MEMORY_LEAK);
    parts = (int) Math.max(2, Math.round(of.number("hours") * PARTS_AN_HOUR));
    growth = of.number("mibPerHour") / PARTS_AN_HOUR;
    states = new PerGpu<>(() -> new State(parts));
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      State state = states.of(tick, gpu);
      double used = gpu.get(MEMORY_USED);
      if (Double.isNaN(used)) {
        continue;
      }
      if (!gpu.owner().equals(state.owner)) {
        state.begin(gpu.owner());
      }
      long part = Math.floorDiv(tick.time(), PART);
      if (part != state.part) {
        next(tick, gpu, state, part);
        state.low = used;
      }
      state.low = Math.min(state.low, used);
      if (state.last != null) {
        out.accept(state.last);
      }
    }
  }

  private void next(HostTick tick, GpuTick gpu, State state, long part) {
    if (part != state.part + 1) {
      state.begin(state.owner);
    } else if (state.isWhole) {
      System.arraycopy(state.lows, 1, state.lows, 0, parts);
      state.lows[parts] = state.low;
      state.last = isGrowing(state.lows) ? finding(tick, gpu, state, part) : null;
    }
    // The part in which the job began is warm-up.
    state.isWhole = part == state.part + 1;
    state.part = part;
  }

  private boolean isGrowing(double[] lows) {
    double mean = (lows[parts] - lows[0]) / parts;
    if (!(mean >= growth)) { // as it is for NaN
      return false;
    }
    for (int i = 0; i < parts; i++) {
      double grown = lows[i + 1] - lows[i];
      if (grown < LEAST * mean || grown > MOST * mean) {
        return false;
      }
    }
    int half = parts / 2;
    return (lows[parts] - lows[parts - half]) / half >= LATER * mean;
  }

  private Finding finding(HostTick tick, GpuTick gpu, State state, long part) {
    double first = state.lows[0];
    double grown = state.lows[parts] - first;
    long since = state.last == null ? (part - parts - 1) * PART : state.last.since();
    return Finding.of(
        FaultKind.MEMORY_LEAK,
        Subject.of(tick, gpu),
        since,
        "",
        "The memory in use has grown by "
            + Amount.of(grown)
            + " MiB in "
            + Amount.time(parts * PART)
            + ", steadily.",
        new Evidence("memory, MiB", first, state.lows[parts]),
        new Evidence("memory of the GPU, MiB", Double.NaN, gpu.get(MEMORY_TOTAL)));
  }
}
