package io.fleetgauge.gateway.sender;

import java.util.concurrent.atomic.LongAdder;

/** Outcomes of what is sent to one receiver. */
final class SenderCounts {
  final LongAdder samples = new LongAdder();

  /** Samples that the receiver refuses, whose time will not come again. */
  final LongAdder refused = new LongAdder();

  /** Samples that came after those of their time had left. */
  final LongAdder late = new LongAdder();

  final LongAdder requests = new LongAdder();

  /** Requests that are sent again. */
  final LongAdder retries = new LongAdder();

  /** Time of hosts whose samples expired before they could leave, ms. */
  final LongAdder lostMillis = new LongAdder();
}
