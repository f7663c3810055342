package io.fleetgauge.gateway.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Digests of slots whose samples are all in blocks, so that they are computed once. */
final class RememberedDigests {
  private final Map<Long, Digests.Slot> slots = new ConcurrentHashMap<>();
  private volatile long generation;

  /** The digest of a slot; null if it has to be computed. Any thread. */
  Digests.Slot find(long from, long to) {
    Digests.Slot slot = slots.get(from);
    return slot == null || slot.to() != to ? null : slot;
  }

  /**
   * Any thread.
   *
   * @param atGeneration {@link #generation} before the samples were read
   */
  void remember(long from, Digests.Slot slot, long atGeneration) {
    if (atGeneration == generation) {
      slots.put(from, slot);
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
  }
}
