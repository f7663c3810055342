package io.fleetgauge.runtime.log;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which log lines are written: of each kind so many in a minute. Lines are of one kind when
 * they have the same logger, and the same text before values are put into it. Safe for all threads.
 */
final class LogLimits {
  static final long MINUTE_NANOS = 60_000_000_000L;

  /** Further kinds within a minute count as one: libraries put values into their texts. */
  static final int MOST_KINDS = 256;

  private static final int LONGEST_TEXT = 200;
  private static final Kind ALL_OTHERS = new Kind("other loggers", "lines of many kinds");

  private record Kind(String logger, String text) {}

  private static final class Minute {
    final long since;
    long lines;

    Minute(long since) {
      this.since = since;
    }
  }

  /**
   * Lines of one kind that were not written.
   *
   * @param text of the line, before values are put into it
   */
  record LeftOut(String logger, String text, long lines) {}

  private final int linesPerMinute;

  /** In order of their beginnings. */
  private final Map<Kind, Minute> minutes = new LinkedHashMap<>();

  private List<LeftOut> over = List.of();

  /**
   * @param linesPerMinute most lines of a kind in a minute
   */
  LogLimits(int linesPerMinute) {
    this.linesPerMinute = linesPerMinute;
  }

  /**
   * Tells whether a line is written.
   *
   * @param text of the line, before values are put into it
   * @param now of a clock that only moves forward, ns
   */
  synchronized boolean take(String logger, String text, long now) {
    end(now);
    Kind kind = new Kind(logger, text);
    Minute minute = minutes.get(kind);
    if (minute == null) {
      if (minutes.size() >= MOST_KINDS) {
        kind = ALL_OTHERS;
      }
      minute = minutes.computeIfAbsent(kind, none -> new Minute(now));
    }
    return ++minute.lines <= linesPerMinute;
  }

  private void end(long now) {
    for (Iterator<Map.Entry<Kind, Minute>> all = minutes.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Kind, Minute> each = all.next();
      if (now - each.getValue().since < MINUTE_NANOS) {
        return;
      }
      all.remove();
      long left = each.getValue().lines - linesPerMinute;
      if (left > 0) {
        Kind kind = each.getKey();
        String text = kind.text.substring(0, Math.min(LONGEST_TEXT, kind.text.length()));
        over = new ArrayList<>(over);
        over.add(new LeftOut(kind.logger, text, left));
      }
    }
  }

  /** Tells what was left out in minutes that have ended, once. */
  synchronized List<LeftOut> over() {
    List<LeftOut> told = over;
    over = List.of();
    return told;
  }
}
