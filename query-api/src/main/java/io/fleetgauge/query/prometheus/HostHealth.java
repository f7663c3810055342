package io.fleetgauge.query.prometheus;

import io.fleetgauge.promql.fragment.FragmentAnswer;

/** Whether a host sends. */
final class HostHealth {
  /** A host is down when it has missed this many ticks. */
  private static final int MISSED_TICKS = 4;

  private static final long MIN_SILENCE_MILLIS = 30_000;

  private HostHealth() {}

  static boolean isUp(FragmentAnswer.Host host, long now) {
    return now - host.newest() <= Math.max(MIN_SILENCE_MILLIS, MISSED_TICKS * host.tickMillis());
  }
}
