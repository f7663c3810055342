package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.read.NextSlot;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Computes the digests of one host. Those of times that are in blocks are remembered. */
public final class Digests {
  private static final long FINE_MILLIS = 60_000;

  /**
   * The samples in a slot of time.
   *
   * @param to the time after the slot, ms
   * @param count number of samples
   * @param hash of series and times, independent of their order
   */
  public record Slot(long to, long count, long hash) {}

  /** Digests of slots whose samples are all in blocks, so that they are computed once. */
  static final class DigestCache {
    private final Map<Long, Slot> slots = new ConcurrentHashMap<>();
    private final Map<Long, Long> afterEmpty = new ConcurrentHashMap<>();
    private volatile long generation;

    /** The digest of a slot; null if it has to be computed. Any thread. */
    Slot find(long from, long to) {
      Slot slot = slots.get(from);
      return slot == null || slot.to() != to ? null : slot;
    }

    /**
     * Any thread.
     *
     * @param atGeneration {@link #generation} before the samples were read
     */
    void remember(long from, Slot slot, long atGeneration) {
      if (atGeneration == generation) {
        slots.put(from, slot);
      }
    }

    /** The slot with a sample that follows an empty one; null if it is not known. Any thread. */
    Long afterEmpty(long from) {
      return afterEmpty.get(from);
    }

    /** As {@link #remember}, what follows an empty slot. */
    void rememberEmpty(long from, long next, long atGeneration) {
      if (atGeneration == generation) {
        afterEmpty.put(from, next);
      }
    }

    /** Counts how often blocks have been added or removed. */
    long generation() {
      return generation;
    }

    /** Blocks have been added or removed. Writer only. */
    void forget() {
      generation++;
      slots.clear();
      afterEmpty.clear();
    }
  }

  private final Lane lane;
  private final long coarseMillis;

  Digests(Lane lane, long coarseMillis) {
    this.lane = lane;
    this.coarseMillis = coarseMillis;
  }

  SortedMap<Long, Slot> of(long fineFrom, long until) {
    TreeMap<Long, Slot> slots = new TreeMap<>();
    long end = Math.min(until, lane.view().newest());
    // Older samples have expired, whatever clock they came from.
    long oldest = Math.max(0, lane.view().oldest());
    if (end == Long.MIN_VALUE || oldest > end) {
      return slots;
    }
    NextSlot next = new NextSlot(lane.view(), coarseMillis);
    long from = Math.floorDiv(oldest, coarseMillis) * coarseMillis;
    while (from < fineFrom && from <= end) {
      long to = from + coarseMillis;
      Slot slot = lane.digests().find(from, to);
      if (slot == null) {
        long sealedBefore = lane.sealedBefore();
        long generation = lane.digests().generation();
        TreeMap<Long, Slot> one = new TreeMap<>();
        add(from, Math.min(to, end + 1), from, to, one);
        slot = one.getOrDefault(from, new Slot(to, 0, 0));
        if (to <= sealedBefore && to <= end) {
          lane.digests().remember(from, slot, generation);
        }
      }
      if (slot.count > 0) {
        slots.put(from, slot);
        from = to;
      } else {
        from = afterEmpty(from, to, end, next);
      }
    }
    if (from <= end) {
      add(from, end + 1, from, Long.MAX_VALUE, slots);
    }
    return slots;
  }

  /** The next slot after an empty one that may have a sample. */
  private long afterEmpty(long from, long to, long end, NextSlot next) {
    Long known = lane.digests().afterEmpty(from);
    if (known != null) {
      return known;
    }
    long sealedBefore = lane.sealedBefore();
    long generation = lane.digests().generation();
    long found = next.from(to, end + 1);
    if (found <= sealedBefore && found <= end) {
      lane.digests().rememberEmpty(from, found, generation);
    }
    return found;
  }

  /**
   * @param slotFrom start of the first slot
   * @param slotTo end of the only slot; the maximum if each minute is a slot
   */
  private void add(long from, long to, long slotFrom, long slotTo, TreeMap<Long, Slot> into) {
    boolean fine = slotTo == Long.MAX_VALUE;
    int count = fine ? (int) ((to - slotFrom) / FINE_MILLIS) + 1 : 1;
    long[] counts = new long[count];
    long[] hashes = new long[count];
    for (Series series : lane.all(from, to)) {
      long hash = hash(series.labels());
      for (long time : series.times()) {
        int slot = fine ? (int) ((time - slotFrom) / FINE_MILLIS) : 0;
        counts[slot]++;
        hashes[slot] += mixed(hash ^ mixed(time));
      }
    }
    for (int i = 0; i < count; i++) {
      if (counts[i] > 0) {
        long start = slotFrom + i * FINE_MILLIS;
        into.put(start, new Slot(fine ? start + FINE_MILLIS : slotTo, counts[i], hashes[i]));
      }
    }
  }

  /** FNV-1a over names and values. */
  private static long hash(Labels labels) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < labels.size(); i++) {
      hash = hash(labels.value(i), hash(labels.name(i), hash));
    }
    return hash;
  }

  private static long hash(String text, long before) {
    long hash = before;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return (hash ^ 0x1_0000) * 0x100000001b3L;
  }

  /** The finalizer of MurmurHash3. */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }
}
