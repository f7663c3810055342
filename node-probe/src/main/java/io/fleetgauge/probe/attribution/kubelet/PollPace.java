package io.fleetgauge.probe.attribution.kubelet;

import java.time.Duration;

/** When the kubelet is asked. Not for several threads. */
final class PollPace {
  private static final long LONGEST_MILLIS = 60_000;
  private static final int MOST_DOUBLINGS = 10;

  private final long everyMillis;
  private boolean isFirst = true;
  private long next;
  private int failures;
  private Object socket = "";

  PollPace(Duration every) {
    everyMillis = every.toMillis();
  }

  /**
   * @param socketNow changes when the kubelet has made a new socket, which ends any back-off
   */
  boolean isDue(long now, Object socketNow) {
    // A timer may fire a little early.
    return isFirst || !socket.equals(socketNow) || now >= next - everyMillis / 10;
  }

  void succeeded(long now, Object socketNow) {
    failures = 0;
    wait(now, everyMillis, socketNow);
  }

  /** Nobody listens: asking costs nothing, and the kubelet may be back at any time. */
  void foundNobody(long now, Object socketNow) {
    wait(now, everyMillis, socketNow);
  }

  /** Twice as long after each failure, up to a minute. */
  void failed(long now, Object socketNow) {
    failures = Math.min(failures + 1, MOST_DOUBLINGS);
    long longest = Math.max(everyMillis, LONGEST_MILLIS);
    wait(now, Math.min(longest, everyMillis << failures), socketNow);
  }

  private void wait(long now, long millis, Object socketNow) {
    isFirst = false;
    next = now + millis;
    socket = socketNow;
  }
}
