package io.fleetgauge.gateway.store.series;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.StampedLock;

/**
 * The newest sample of each series of a lane, side by side, so that all of them are read as fast as
 * memory gives them. One thread at a time writes, a tick at a time; any thread copies what there is
 * between two ticks.
 */
public final class LastSamples {
  private static final int FEW = 16;

  private final StampedLock lock = new StampedLock();
  private final Deque<Integer> free = new ArrayDeque<>();
  private long[] times = new long[FEW];
  private double[] values = new double[FEW];
  private int size;
  private long newest = Long.MIN_VALUE;

  // Written within ticks, but looked at at any time.
  private volatile int version;

  /**
   * What there was between two ticks.
   *
   * @param times ms, by place
   * @param values by place; a stale marker also stands for a histogram
   * @param newest time of the newest tick, ms
   * @param version another one says that places may be other series' or owners'
   */
  public record Copy(long[] times, double[] values, long newest, int version) {}

  /** Begins a tick; what is written until it ends is seen then. Writer only, as what follows. */
  public long begin() {
    return lock.writeLock();
  }

  /**
   * @param stamp what {@link #begin} returned
   * @param newestTick time of the newest tick, ms
   */
  public void end(long stamp, long newestTick) {
    newest = newestTick;
    lock.unlockWrite(stamp);
  }

  /** A place for one more series. Within a tick. */
  public int add() {
    Integer place = free.poll();
    if (place != null) {
      changed();
    } else {
      if (size == times.length) {
        times = Arrays.copyOf(times, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
      }
      place = size++;
    }
    times[place] = Long.MIN_VALUE;
    return place;
  }

  /** The series of a place has gone for good. */
  public void remove(int place) {
    free.add(place);
  }

  /** Within a tick. */
  public void set(int place, long time, double value, Histogram histogram) {
    times[place] = time;
    values[place] = histogram == null ? value : Staleness.MARKER;
  }

  /** The owner of a series is not the same any more. Within a tick. */
  public void ownerChanged() {
    changed();
  }

  private void changed() {
    version = version + 1;
  }

  /** As {@link Copy} has it, now. */
  public int version() {
    return version;
  }

  /** For any thread; waits at most for the tick that is being written. */
  public Copy copy() {
    long stamp = lock.tryOptimisticRead();
    if (stamp != 0) {
      Copy copy = copied();
      if (lock.validate(stamp)) {
        return copy;
      }
    }
    stamp = lock.readLock();
    try {
      return copied();
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private Copy copied() {
    // Nothing of what is read may belong together, until the stamp has been validated.
    return new Copy(Arrays.copyOf(times, size), Arrays.copyOf(values, size), newest, version);
  }
}
