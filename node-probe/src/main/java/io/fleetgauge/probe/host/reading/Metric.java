package io.fleetgauge.probe.host.reading;

import io.fleetgauge.sample.Labels;
import java.util.Arrays;

/**
 * One metric and its series, whose label sets are made once. Type and help of all metrics are in
 * {@code sample.prometheus.KnownMetrics}. Not for several threads.
 */
public final class Metric {
  /** Most series of which the label set is remembered. */
  private static final int MAX_SERIES = 1 << 14;

  private static final class Entry {
    final String[] values;
    final int hash;
    final Labels labels;
    final Entry next;
    long reading;

    Entry(String[] values, int hash, Labels labels, Entry next) {
      this.values = values;
      this.hash = hash;
      this.labels = labels;
      this.next = next;
    }
  }

  private final String name;
  private final String[] labelNames;
  private Entry[] slots = new Entry[4];
  private int size;

  /**
   * @param labels names of its labels
   */
  public Metric(String name, String... labels) {
    this.name = name;
    this.labelNames = labels;
  }

  /**
   * The series of a reading; null if the reading had it before.
   *
   * @param reading its number
   * @param values in the order of the names
   */
  Labels series(long reading, String... values) {
    int hash = 0;
    for (String value : values) {
      hash = 31 * hash + value.hashCode();
    }
    hash ^= hash >>> 16;
    Entry entry = slots[hash & slots.length - 1];
    while (entry != null && (entry.hash != hash || !Arrays.equals(entry.values, values))) {
      entry = entry.next;
    }
    if (entry == null) {
      entry = add(hash, values);
    }
    if (entry.reading == reading) {
      return null;
    }
    entry.reading = reading;
    return entry.labels;
  }

  private Entry add(int hash, String[] values) {
    if (size == MAX_SERIES) {
      slots = new Entry[4];
      size = 0;
    } else if (size > slots.length) {
      grow();
    }
    String[] pairs = new String[2 * labelNames.length + 2];
    pairs[0] = Labels.NAME;
    pairs[1] = name;
    for (int i = 0; i < labelNames.length; i++) {
      pairs[2 * i + 2] = labelNames[i];
      pairs[2 * i + 3] = values[i];
    }
    int slot = hash & slots.length - 1;
    slots[slot] = new Entry(values.clone(), hash, Labels.of(pairs), slots[slot]);
    size++;
    return slots[slot];
  }

  private void grow() {
    Entry[] old = slots;
    slots = new Entry[2 * old.length];
    for (Entry first : old) {
      for (Entry each = first; each != null; each = each.next) {
        int slot = each.hash & slots.length - 1;
        Entry moved = new Entry(each.values, each.hash, each.labels, slots[slot]);
        moved.reading = each.reading;
        slots[slot] = moved;
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
