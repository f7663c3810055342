package io.fleetgauge.probe.nccl;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What is known of the jobs of this node at a time. Immutable.
 *
 * @param at when it was read, by {@link System#nanoTime}
 * @param series by GPU and communicator; with those of jobs that the last readings have missed
 * @param up 1 when a job has answered, 0 when one listens and none has; empty when none listens
 * @param unseen jobs whose processes listen and were in no answer, at least one of each owner
 */
record RasReadings(long at, List<RasSeries> series, OptionalInt up, int unseen) {
  RasReadings {
    series = List.copyOf(series);
  }

  /**
   * Counts since the start. Immutable.
   *
   * @param errors connections without an answer, by reason
   * @param events what jobs told by themselves, by name
   */
  record Counts(Map<String, Long> errors, Map<String, Long> events) {
    static final Counts NONE = new Counts(Map.of(), Map.of());

    Counts {
      errors = Map.copyOf(errors);
      events = Map.copyOf(events);
    }
  }
}
