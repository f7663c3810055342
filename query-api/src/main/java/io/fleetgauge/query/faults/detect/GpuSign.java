package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import java.util.function.Function;

/**
 * A fault of a GPU whose sign is a state, or a rate of a counter, that lasts.
 *
 * @param shown readings that are its evidence; the first is the one that it is about
 * @param ofOwner true if it begins anew when another has the GPU
 * @param text what is seen
 * @param cause a word; empty for none
 */
record GpuSign(
    FaultKind kind,
    long after,
    List<Shown> shown,
    boolean ofOwner,
    Sign.Check check,
    Function<GpuTick, String> text,
    Function<GpuTick, String> cause) {
  /**
   * A reading.
   *
   * @param what it is, and its unit
   */
  record Shown(Signal signal, String what) {
    double read(GpuTick gpu) {
      return Sign.read(gpu, signal);
    }
  }

  GpuSign(
      Thresholds.OfKind of,
      FaultKind kind,
      List<Shown> shown,
      Sign.Check check,
      Function<GpuTick, String> text) {
    this(kind, of.has("after") ? of.millis("after") : 0, shown, false, check, text, gpu -> "");
  }

  GpuSign ofOwners() {
    return new GpuSign(kind, after, shown, true, check, text, cause);
  }

  GpuSign causedBy(Function<GpuTick, String> word) {
    return new GpuSign(kind, after, shown, ofOwner, check, text, word);
  }

  /** When a sign that is first read at a tick has begun, ms since the epoch. */
  long from(GpuTick gpu, long time) {
    Signal signal = shown.getFirst().signal();
    return signal.form() == Signal.Form.INCREASE
        ? time - (long) gpu.readings().millis(signal)
        : time;
  }
}
