package io.fleetgauge.cluster.member;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs and counts what others publish in Hazelcast and is ignored here. Safe for all threads. */
final class IgnoredEntries {
  private static final Logger LOG = LoggerFactory.getLogger(IgnoredEntries.class);

  /** Origins that are logged; more are only counted. */
  private static final int MAX_LOGGED = 1_000;

  private static final int MAX_TEXT = 100;

  private final Set<String> logged = new HashSet<>();
  private final LongAdder count = new LongAdder();

  /**
   * Something was read and is not used.
   *
   * @param origin where it lies or who published it; logged once
   * @param reason problem of the entry
   */
  void ignore(String origin, String reason) {
    count.increment();
    if (isFirst(origin)) {
      LOG.warn("{} is ignored: {}", origin, reason);
    }
  }

  private synchronized boolean isFirst(String origin) {
    return logged.size() < MAX_LOGGED && logged.add(origin);
  }

  /**
   * Number of times that an entry was ignored; one that stays is ignored again each time it is
   * read.
   */
  long count() {
    return count.sum();
  }

  /** A text from outside, so that it neither fills the log nor looks like a line of it. */
  static String quoted(Object text) {
    String plain = String.valueOf(text).replaceAll("[^\\x20-\\x7e]", "?");
    return plain.length() > MAX_TEXT ? plain.substring(0, MAX_TEXT) + "..." : plain;
  }
}
