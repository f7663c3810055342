package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What earlier evaluations have stored.
 *
 * @param episodes the newest version of each
 * @param totals the counters of episodes
 * @param delivered what receivers have taken
 * @param evaluated the last step, ms since the epoch; empty if there was none
 */
record Stored(
    List<StoredEpisode> episodes,
    Map<Labels, Long> totals,
    Set<Delivery> delivered,
    OptionalLong evaluated) {
  /** A state of an episode that a receiver has taken. */
  record Delivery(String receiver, String episode, String state) {}
}
