package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Makes ticks of one node from readings: adds the node's labels, and the markers of series that
 * ended. Not for several threads.
 */
public final class NodeLabels {
  /** How many label sets are remembered with their labelled form before that starts anew. */
  private static final int MAX_REMEMBERED = 100_000;

  private final Labels labels;
  private final Map<Labels, Labels> labelled = new HashMap<>();
  private Set<Labels> present = Set.of();

  /**
   * @param hostname value of the {@code Hostname} label
   * @param more further labels of every series, such as the rack
   */
  public NodeLabels(String hostname, Labels more) {
    this.labels = more.with("Hostname", hostname);
  }

  /** The next tick; readings that came twice count once. */
  public Tick tick(long time, Tick readings) {
    Set<Labels> now = new LinkedHashSet<>();
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < readings.size(); i++) {
      Labels series = labelled(readings.series().get(i));
      if (now.add(series)) {
        tick.add(series, readings.values()[i]);
      }
    }
    for (Labels series : present) {
      if (!now.contains(series)) {
        tick.add(series, Staleness.MARKER);
      }
    }
    present = new HashSet<>(now);
    return tick.at(time);
  }

  private Labels labelled(Labels series) {
    if (labelled.size() > MAX_REMEMBERED) {
      labelled.clear();
    }
    return labelled.computeIfAbsent(series, key -> labels.with(key));
  }
}
