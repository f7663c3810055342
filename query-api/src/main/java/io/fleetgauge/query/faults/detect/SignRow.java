package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A row of {@link SignTable}: a fault whose sign is a state or a rate that lasts, or any increase
 * of a counter.
 *
 * @param after for how long the sign has to be there, ms
 * @param check null for an increase
 * @param shown readings that are its evidence; the first is the one that it is about
 * @param cause a word; empty for none
 * @param text what is seen, by the readings and the name of the part
 */
record SignRow(
    FaultKind kind,
    long after,
    Sign.Check check,
    List<Shown> shown,
    Function<Readings, String> cause,
    BiFunction<Readings, String, String> text) {
  /**
   * A reading.
   *
   * @param what it is, and its unit
   */
  record Shown(Signal signal, String what) {}

  /** What is known of the sign of one GPU or port. */
  static final class State {
    private final Spell spell = new Spell();

    /** Readings when it was not there last. */
    private final double[] before;

    private State(int shown) {
      before = new double[shown];
      Arrays.fill(before, Double.NaN);
    }
  }

  /** New states of one GPU or port. */
  static State[] begin(List<SignRow> rows) {
    return rows.stream().map(row -> new State(row.shown.size())).toArray(State[]::new);
  }

  /**
   * Goes on with a tick. Allocates nothing while the sign is not there.
   *
   * @param gpu null for a part of the host
   * @param part empty for the GPU as a whole
   */
  void look(
      HostTick tick,
      GpuTick gpu,
      String part,
      Readings readings,
      State state,
      Consumer<Finding> out) {
    Signal signal = shown.getFirst().signal;
    if (check == null) {
      double count = readings.get(signal);
      if (count > 0) {
        out.accept(finding(tick, gpu, part, readings, tick.time(), null).counted(count));
      }
      return;
    }
    Sign seen = check.at(readings, state.spell.isOn());
    if (seen == Sign.ABSENT) {
      for (int i = 0; i < state.before.length; i++) {
        double value = readings.read(shown.get(i).signal);
        state.before[i] = Double.isNaN(value) ? state.before[i] : value;
      }
    }
    boolean isRate = seen == Sign.PRESENT && signal.form() == Signal.Form.INCREASE;
    long from = isRate ? tick.time() - (long) readings.millis(signal) : tick.time();
    if (state.spell.on(seen, from, tick.time(), after, out)) {
      long since = state.spell.since();
      state.spell.tell(finding(tick, gpu, part, readings, since, state.before), out);
    }
  }

  /** Another has the GPU: the sign begins anew. */
  static void ownerChanged(State state) {
    state.spell.end();
  }

  /** The sign began before the first tick. */
  static void resume(State state, long since, long time) {
    state.spell.resume(since, time);
  }

  /**
   * @param before readings while there was no sign; null for an increase
   */
  private Finding finding(
      HostTick tick, GpuTick gpu, String part, Readings readings, long since, double[] before) {
    Evidence[] evidence = new Evidence[shown.size()];
    for (int i = 0; i < evidence.length; i++) {
      Shown each = shown.get(i);
      evidence[i] =
          before == null
              ? new Evidence(each.what, 0, readings.get(each.signal))
              : new Evidence(each.what, before[i], readings.read(each.signal));
    }
    Subject subject = gpu == null ? Subject.of(tick) : Subject.of(tick, gpu);
    return Finding.of(
        kind,
        part.isEmpty() ? subject : subject.part(part),
        since,
        cause.apply(readings),
        text.apply(readings, part),
        evidence);
  }
}
