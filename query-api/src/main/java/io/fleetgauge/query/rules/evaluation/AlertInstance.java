package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.sample.Labels;
import java.util.SortedMap;

/**
 * One alert of a rule. All times in ms since the epoch, 0 for never.
 *
 * @param labels with {@code alertname}; without the external labels
 * @param value of the series when it was last there
 * @param activeAt when its series was first there
 * @param firedAt when it began to fire
 * @param resolvedAt when it ended
 * @param keepFiringSince when its series was gone while it goes on firing
 * @param lastSentAt when it was last handed to the notifier
 */
public record AlertInstance(
    Labels labels,
    SortedMap<String, String> annotations,
    State state,
    double value,
    long activeAt,
    long firedAt,
    long resolvedAt,
    long keepFiringSince,
    long lastSentAt) {

  /** The states of an alert. */
  public enum State {
    INACTIVE,
    PENDING,
    FIRING
  }
}
