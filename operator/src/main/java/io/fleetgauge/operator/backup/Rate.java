package io.fleetgauge.operator.backup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Bounds how many bytes are moved in a second. Safe for all threads. */
final class Rate {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long bytesPerSecond;
  private long freeAt = System.nanoTime();

  /**
   * @param bytesPerSecond 0 for no bound
   */
  Rate(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Waits until so many bytes may be moved. */
  void take(long bytes) {
    if (bytesPerSecond <= 0) {
      return;
    }
    long until;
    synchronized (this) {
      until = Math.max(freeAt, System.nanoTime());
      freeAt = until + (long) (bytes * NANOS / bytesPerSecond);
    }
    for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
