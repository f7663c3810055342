package io.fleetgauge.probe.scrape;

import io.fleetgauge.sample.Labels;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The series of a target by the bytes that name them on its page, so that most samples of a page
 * are found without reading their labels. Bounded: what the last usable page did not have is
 * forgotten. Not for several threads.
 */
final class SeriesCache {
  /** The number of entries above those of usable pages at which all old ones are forgotten. */
  private static final int SPARE = 1_000;

  /** A series of a page. */
  static final class Entry {
    /** Empty if it is dropped. */
    final Labels labels;

    private long page;
    private long lastTime = Long.MIN_VALUE;
    private double lastValue;

    private Entry(Labels labels) {
      this.labels = labels;
    }

    boolean isDropped() {
      return labels.isEmpty();
    }

    /** The time of its newest sample, ms. */
    long lastTime() {
      return lastTime;
    }

    boolean isLast(double value) {
      return Double.doubleToLongBits(value) == Double.doubleToLongBits(lastValue);
    }

    void has(long time, double value) {
      lastTime = time;
      lastValue = value;
    }
  }

  private final Map<ByteBuffer, Entry> entries = new HashMap<>();
  private long page = 1;
  private int usual;

  /** Each text once, for as long as a page is read. */
  private Map<String, String> texts = new HashMap<>();

  /** A series of an earlier page, or of this one; null if it is new. */
  Entry get(byte[] bytes, int from, int to) {
    return entries.get(ByteBuffer.wrap(bytes, from, to - from));
  }

  /** Tells whether this page has had it. */
  boolean isOfThisPage(Entry entry) {
    return entry.page == page;
  }

  void seen(Entry entry) {
    entry.page = page;
  }

  /** An entry that is not kept yet. */
  Entry entry(Labels labels) {
    return new Entry(labels);
  }

  void keep(byte[] bytes, int from, int to, Entry entry) {
    entry.page = page;
    entries.put(ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, to)), entry);
  }

  /** The same text for equal texts. */
  void share(String[] all) {
    for (int i = 0; i < all.length; i++) {
      String known = texts.putIfAbsent(all[i], all[i]);
      all[i] = known == null ? all[i] : known;
    }
  }

  /**
   * The page is over.
   *
   * @param usable whether its samples count
   */
  void end(boolean usable) {
    boolean tooMany = entries.size() > 2 * usual + SPARE;
    if (usable || tooMany) {
      entries.values().removeIf(entry -> entry.page != page);
    }
    if (usable) {
      usual = entries.size();
    }
    texts = new HashMap<>();
    page++;
  }
}
