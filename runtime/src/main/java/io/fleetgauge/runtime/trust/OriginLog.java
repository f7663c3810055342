package io.fleetgauge.runtime.trust;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Decides which lines about other processes are logged, so that whoever causes them cannot fill the
 * log: one line for each origin in ten minutes, and 20 lines a minute for all. Safe for all
 * threads.
 */
public final class OriginLog {
  public static final long AGAIN_MILLIS = TimeUnit.MINUTES.toMillis(10);
  static final int MAX_LINES = 20;
  private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);
  private static final int MAX_ORIGINS = 1_000;

  // The origin that was logged longest ago is first.
  private final Map<String, Long> logged = new LinkedHashMap<>();
  private long minute = Long.MIN_VALUE;
  private int lines;

  /**
   * Decides whether to log a line now.
   *
   * @param origin whom the line is about, and what it says, where that differs
   * @param now ms of any clock
   */
  public synchronized boolean isDue(String origin, long now) {
    Long before = logged.get(origin);
    if (before != null && now - before < AGAIN_MILLIS) {
      return false;
    }
    if (now / MINUTE != minute) {
      minute = now / MINUTE;
      lines = 0;
    }
    if (lines >= MAX_LINES) {
      return false;
    }
    lines++;
    logged.remove(origin);
    logged.put(origin, now);
    if (logged.size() > MAX_ORIGINS) {
      logged.remove(logged.keySet().iterator().next());
    }
    return true;
  }

  /** Tells that what was wrong is right: the next line about an origin is logged at once. */
  synchronized void isOver(String origin) {
    if (!logged.isEmpty()) {
      logged.remove(origin);
    }
  }
}
