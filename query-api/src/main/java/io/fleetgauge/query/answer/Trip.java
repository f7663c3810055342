package io.fleetgauge.query.answer;

import io.fleetgauge.promql.plan.Planned;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.query.fanout.Cancellation;

/** A query on its way. */
record Trip(
    Ask ask,
    Planned planned,
    Running.Entry entry,
    long begin,
    long deadline,
    StopCheck stop,
    Cancellation cancellation) {
  long millisLeft() {
    return Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
  }
}
