package io.fleetgauge.query.fanout;

import java.util.ArrayList;
import java.util.List;

/**
 * An answer of the fleet.
 *
 * @param value what was answered
 * @param hosts how many hosts should have been in it
 * @param missing the hosts that are not in it, sorted
 * @param epoch of the table that said whom to ask
 * @param times of the gateways that were asked
 * @param hedged whether a second reader answered for any host
 * @param split what is seen of the cluster when the other side of a split may know more; else empty
 */
public record Gathered<T>(
    T value,
    int hosts,
    List<String> missing,
    long epoch,
    List<ShardTime> times,
    boolean hedged,
    String split) {
  private static final int NAMES = 10;

  /**
   * What to tell the asker about the holes; empty when there are none.
   *
   * @param named whether the asker may know the names of all hosts
   */
  public List<String> warnings(boolean named) {
    if (missing.isEmpty()) {
      return split.isEmpty() ? List.of() : List.of(split);
    }
    List<String> names = new ArrayList<>(missing.subList(0, Math.min(NAMES, missing.size())));
    if (missing.size() > NAMES) {
      names.add((missing.size() - NAMES) + " more");
    }
    String incomplete =
        "incomplete answer: "
            + missing.size()
            + " of "
            + hosts
            + " hosts are missing"
            + (named ? ": " + String.join(", ", names) : "");
    return split.isEmpty() ? List.of(incomplete) : List.of(incomplete, split);
  }
}
