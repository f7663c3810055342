package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Takes alerts that are to be sent. */
public interface Notifier {
  /**
   * Never blocks.
   *
   * @param tenant whose rules these are alerts of; empty for the operator's own
   * @param current asked, on any thread, before they are sent: false once another query API has
   *     gone on with their group, so that what waited here is old
   */
  void send(String tenant, List<Notice> alerts, BooleanSupplier current);
}
