package io.fleetgauge.query.fanout;

import java.util.ArrayList;
import java.util.List;

/**
 * An answer of the fleet.
 *
 * @param value what was answered
 * @param hosts how many hosts should have been in it
 * @param missing the hosts that are not in it, sorted
 */
public record Gathered<T>(T value, int hosts, List<String> missing) {
  private static final int NAMES = 10;

  /** What to tell the asker about the holes; empty when there are none. */
  public List<String> warnings() {
    if (missing.isEmpty()) {
      return List.of();
    }
    List<String> names = new ArrayList<>(missing.subList(0, Math.min(NAMES, missing.size())));
    if (missing.size() > NAMES) {
      names.add((missing.size() - NAMES) + " more");
    }
    return List.of(
        "incomplete answer: "
            + missing.size()
            + " of "
            + hosts
            + " hosts are missing: "
            + String.join(", ", names));
  }
}
