package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import java.util.List;

/** Takes alerts that are to be sent. */
public interface Notifier {
  /**
   * Never blocks.
   *
   * @param tenant whose rules these are alerts of; empty for the operator's own
   */
  void send(String tenant, List<Notice> alerts);
}
