package io.fleetgauge.probe.faults;

import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The window of a fault as ticks: series of their own, which end with the window. */
final class WindowTicks {
  private WindowTicks() {}

  /**
   * A tick for each row that has a value, and one with markers behind the last.
   *
   * @param node gives the series the labels of the node, or leaves them out
   */
  static List<Tick> of(FaultWindow window, NodeLabels node) {
    Window readings = window.readings();
    Labels[] sent = new Labels[readings.series().size()];
    Set<Labels> taken = new HashSet<>();
    for (int i = 0; i < sent.length; i++) {
      Labels series = readings.series().get(i);
      if (window.isSent(series)) {
        Labels labels = node.of(series.with("fault", window.id()));
        sent[i] = !labels.isEmpty() && taken.add(labels) ? labels : null;
      }
    }
    List<Tick> ticks = new ArrayList<>();
    long last = 0;
    for (int row = 0; row < readings.rows(); row++) {
      Tick.Builder tick = new Tick.Builder();
      boolean hasValue = false;
      for (int i = 0; i < sent.length; i++) {
        float value = readings.values()[i][row];
        if (sent[i] != null && !Float.isNaN(value)) {
          hasValue = true;
          tick.add(sent[i], decimal(value));
        }
      }
      if (hasValue) {
        last = readings.time(row);
        ticks.add(tick.at(last));
      }
    }
    if (!ticks.isEmpty()) {
      Set<Labels> begun = new HashSet<>();
      ticks.forEach(tick -> begun.addAll(tick.series()));
      Tick.Builder end = new Tick.Builder();
      begun.forEach(series -> end.add(series, Staleness.MARKER));
      ticks.add(end.at(last + readings.step()));
    }
    return ticks;
  }

  /** The double with the digits of the float: 0.324, not 0.32400000095367431640625. */
  private static double decimal(float value) {
    return Double.parseDouble(Float.toString(value));
  }
}
