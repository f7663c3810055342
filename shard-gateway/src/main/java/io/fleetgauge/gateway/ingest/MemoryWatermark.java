package io.fleetgauge.gateway.ingest;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.function.LongSupplier;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;

/**
 * Sheds load when the heap is nearly full: above the first watermark queries are rejected, above
 * the second one samples too. {@link #look} takes a reading. Safe for all threads.
 */
public final class MemoryWatermark {
  private static final double QUERIES_UP_TO = 0.75;
  private static final double SAMPLES_UP_TO = 0.85;

  private final LongSupplier used;
  private final long max;
  private volatile long lastUsed;

  /**
   * @param used bytes in use
   * @param max the heap's limit in bytes
   */
  public MemoryWatermark(LongSupplier used, long max) {
    this.used = used;
    this.max = max;
  }

  /** The watermark of this process's heap, as it was after the last collections. */
  public static MemoryWatermark ofHeap() {
    List<MemoryPoolMXBean> pools =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    return new MemoryWatermark(() -> inUse(pools), Runtime.getRuntime().maxMemory());
  }

  private static long inUse(List<MemoryPoolMXBean> pools) {
    long bytes = 0;
    for (MemoryPoolMXBean pool : pools) {
      MemoryUsage left = pool.getCollectionUsage();
      bytes += left == null ? 0 : left.getUsed();
    }
    return bytes;
  }

  /**
   * Takes a reading after each collection of the heap: between collections none would differ.
   *
   * @return ends it
   */
  public AutoCloseable watchCollections() {
    NotificationListener reading = (collection, handback) -> look();
    List<NotificationEmitter> collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .filter(NotificationEmitter.class::isInstance)
            .map(NotificationEmitter.class::cast)
            .toList();
    collectors.forEach(collector -> collector.addNotificationListener(reading, null, null));
    look();
    return () -> {
      for (NotificationEmitter collector : collectors) {
        collector.removeNotificationListener(reading);
      }
    };
  }

  /** Takes a new reading. */
  public void look() {
    lastUsed = used.getAsLong();
  }

  public boolean queriesAreShed() {
    return lastUsed > QUERIES_UP_TO * max;
  }

  public boolean samplesAreShed() {
    return lastUsed > SAMPLES_UP_TO * max;
  }

  /** The used part of the heap at the last reading, 0 to 1. */
  public double ratio() {
    return (double) lastUsed / max;
  }
}
