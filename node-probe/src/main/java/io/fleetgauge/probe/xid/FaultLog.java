package io.fleetgauge.probe.xid;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the words of errors in the log, a few a minute. One thread writes. */
final class FaultLog {
  private static final Logger LOG = LoggerFactory.getLogger(FaultLog.class);
  private static final int LINES = 10;
  private static final long MINUTE = 60_000;
  private static final int LONGEST = 300;

  private long minute = Long.MIN_VALUE;
  private int said;

  /**
   * @param now ms since the epoch
   */
  void say(long now, String text) {
    if (Math.floorDiv(now, MINUTE) != minute) {
      minute = Math.floorDiv(now, MINUTE);
      said = 0;
    }
    if (said++ < LINES) {
      String printable = text.replaceAll("[^ -~]", "?");
      LOG.warn("{}", printable.substring(0, Math.min(LONGEST, printable.length())));
    }
  }
}
