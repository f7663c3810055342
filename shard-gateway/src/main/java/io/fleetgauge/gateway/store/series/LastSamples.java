package io.fleetgauge.gateway.store.series;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.StampedLock;

/**
 * The newest sample of each series of a host, in arrays, so that all of them are read in one pass.
 * One thread at a time writes, tick by tick; any thread copies the state between two ticks.
 */
public final class LastSamples {
  private static final int INITIAL_CAPACITY = 16;

  private final StampedLock lock = new StampedLock();
  private final Deque<Integer> free = new ArrayDeque<>();
  private long[] times = new long[INITIAL_CAPACITY];
  private double[] values = new double[INITIAL_CAPACITY];
  private int size;
  private long newest = Long.MIN_VALUE;

  // Written within ticks, read at any time.
  private volatile int version;

  /**
   * The state between two ticks.
   *
   * @param times ms, by place
   * @param values by place; a staleness marker also represents a histogram
   * @param newest time of the newest tick, ms
   * @param version changes when a place may belong to another series or owner
   */
  public record Copy(long[] times, double[] values, long newest, int version) {}

  /** Begins a tick, which readers see when it ends. Writer only, as are the methods below. */
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

  /** A place for a new series. Within a tick. */
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

  /** The series of a place has been removed. */
  public void remove(int place) {
    free.add(place);
  }

  /** Within a tick. */
  public void set(int place, long time, double value, Histogram histogram) {
    times[place] = time;
    values[place] = histogram == null ? value : Staleness.MARKER;
  }

  /** The owner of a series has changed. Within a tick. */
  public void ownerChanged() {
    changed();
  }

  private void changed() {
    version = version + 1;
  }

  /** The current {@link Copy#version}. */
  public int version() {
    return version;
  }

  /** Any thread; waits at most until the tick that is being written has ended. */
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
    // The arrays may be inconsistent until the stamp has been validated.
    return new Copy(Arrays.copyOf(times, size), Arrays.copyOf(values, size), newest, version);
  }
}
