package io.fleetgauge.gateway.store.read;

import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import java.util.List;

/**
 * Finds the next slot of time with a sample. A slot has a fixed length and begins at a multiple of
 * it. How long it takes depends on the logarithm of the time without samples, and not on that time:
 * one sample with a wrong clock may be decades before all others.
 */
public final class NextSlot {
  private final HostView host;
  private final long slotMillis;

  public NextSlot(HostView host, long slotMillis) {
    this.host = host;
    this.slotMillis = slotMillis;
  }

  /**
   * @param from start of a slot, ms
   * @param end the time after the last sample that counts, ms
   * @return start of the first slot from then on with a sample before the end; the end if there is
   *     none
   */
  public long from(long from, long end) {
    if (from >= end) {
      return end;
    }
    long empty = from;
    long slots = 1;
    long stop = after(empty, slots, end);
    while (!hasAny(empty, stop)) {
      if (stop == end) {
        return end;
      }
      empty = stop;
      slots *= 2;
      stop = after(empty, slots, end);
    }
    // There is a sample from `empty` on, and before `stop`.
    while (stop - empty > slotMillis) {
      long middle = empty + (stop - empty) / slotMillis / 2 * slotMillis;
      middle = middle == empty ? empty + slotMillis : middle;
      if (hasAny(empty, middle)) {
        stop = middle;
      } else {
        empty = middle;
      }
    }
    return empty;
  }

  /** The start of the slot so many slots later, at most the end. */
  private long after(long from, long slots, long end) {
    return (end - from) / slotMillis < slots ? end : from + slots * slotMillis;
  }

  private boolean hasAny(long from, long to) {
    SelectionReader reader = new SelectionReader(new Selection(List.of(), from - 1, to - 1));
    reader.add(host);
    try {
      reader.read(0, incomplete -> {}, none -> {});
      return false;
    } catch (TooManySamples e) {
      return true;
    } catch (QueryFailure e) {
      throw new IllegalStateException(e);
    }
  }
}
