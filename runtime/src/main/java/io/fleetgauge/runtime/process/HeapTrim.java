package io.fleetgauge.runtime.process;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps the heap near the size of what it holds. The serial collector, which takes the least CPU
 * and memory of all, lets the old generation grow to the heap's limit before it collects it, and
 * never gives back what a load has left there. This class asks for a collection when as much may be
 * garbage as is in use, and once more when the load is over. {@link #look} decides; one thread.
 */
public final class HeapTrim {
  /** Garbage that is not worth a collection under load, in addition to half of what is in use. */
  static final long GARBAGE_UNDER_LOAD = 32L << 20;

  /** Garbage that is worth a collection at rest. */
  static final long GARBAGE_AT_REST = 12L << 20;

  /** At rest, less than this becomes old within {@link #REST_MILLIS}. */
  static final long GROWTH_AT_REST = 4L << 20;

  static final long REST_MILLIS = 15_000;

  private static final long LOOK_MILLIS = 500;
  private static final String OLD_OF_SERIAL = "Tenured Gen";

  private final LongSupplier used;
  private final LongSupplier left;
  private final Runnable collect;
  private long restSince = Long.MIN_VALUE;
  private long usedAtRest;

  /**
   * @param used bytes of the old generation in use, garbage included
   * @param left bytes in use after its last collection, 0 before the first one
   * @param collect collects the whole heap
   */
  HeapTrim(LongSupplier used, LongSupplier left, Runnable collect) {
    this.used = used;
    this.left = left;
    this.collect = collect;
  }

  /** Watches the heap of this JVM from now on; does nothing with another collector. */
  public static void start() {
    old()
        .ifPresent(
            pool -> {
              HeapTrim trim =
                  new HeapTrim(() -> pool.getUsage().getUsed(), () -> left(pool), System::gc);
              ScheduledExecutorService timer =
                  Executors.newSingleThreadScheduledExecutor(
                      Thread.ofPlatform().daemon().name("heap").factory());
              timer.scheduleWithFixedDelay(
                  () -> trim.look(TimeUnit.NANOSECONDS.toMillis(System.nanoTime())),
                  LOOK_MILLIS,
                  LOOK_MILLIS,
                  TimeUnit.MILLISECONDS);
            });
  }

  private static Optional<MemoryPoolMXBean> old() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getName().equals(OLD_OF_SERIAL))
        .findFirst();
  }

  private static long left(MemoryPoolMXBean pool) {
    MemoryUsage usage = pool.getCollectionUsage();
    return usage == null ? 0 : usage.getUsed();
  }

  /**
   * Collects the heap if it is time to.
   *
   * @param now ms, of any clock that only advances
   */
  void look(long now) {
    long inUse = used.getAsLong();
    long garbage = inUse - left.getAsLong();
    if (restSince == Long.MIN_VALUE || inUse > usedAtRest + GROWTH_AT_REST || inUse < usedAtRest) {
      restSince = now;
      usedAtRest = inUse;
    }
    boolean rests = now - restSince >= REST_MILLIS;
    if (garbage > GARBAGE_UNDER_LOAD + left.getAsLong() / 2 || rests && garbage > GARBAGE_AT_REST) {
      collect.run();
      restSince = Long.MIN_VALUE;
    } else if (rests) {
      restSince = now;
      usedAtRest = inUse;
    }
  }
}
