package io.fleetgauge.probe.attribution.process;

import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers for those that share a GPU. Each keeps its number while it is there, and a number that is
 * free is used again: the series of a GPU stay the same, however many processes come and go. Not
 * for several threads.
 */
final class ProcessSlots {
  private final int limit;
  private Map<String, Integer> taken = Map.of();

  /**
   * @param limit how many there are
   */
  ProcessSlots(int limit) {
    this.limit = limit;
  }

  /** The numbers of these, in this order; those that find none free have no number. */
  Map<String, Integer> of(Collection<String> there) {
    Map<String, Integer> now = HashMap.newHashMap(there.size());
    BitSet used = new BitSet();
    for (String each : there) {
      Integer slot = taken.get(each);
      if (slot != null) {
        now.put(each, slot);
        used.set(slot);
      }
    }
    for (String each : there) {
      int free = used.nextClearBit(0);
      if (!now.containsKey(each) && free < limit) {
        now.put(each, free);
        used.set(free);
      }
    }
    taken = now;
    return now;
  }
}
