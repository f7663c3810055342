package io.fleetgauge.sample.files;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Looks at folders again and again, on a thread of its own: a disk that hangs holds up nothing
 * else.
 */
public final class FolderLooks implements AutoCloseable {
  private static final long EVERY_MILLIS = 250;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("folders").factory());

  private FolderLooks() {}

  /**
   * Looks several times a second.
   *
   * @param look may wait for the disk
   */
  public static FolderLooks start(Runnable look) {
    return start(look, EVERY_MILLIS);
  }

  /** As {@link #start(Runnable)}, with so many ms in between. */
  public static FolderLooks start(Runnable look, long everyMillis) {
    FolderLooks looks = new FolderLooks();
    looks.thread.scheduleWithFixedDelay(look, everyMillis, everyMillis, TimeUnit.MILLISECONDS);
    return looks;
  }

  /** Does not wait for a look that has begun. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
