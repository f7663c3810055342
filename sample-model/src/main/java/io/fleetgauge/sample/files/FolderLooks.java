package io.fleetgauge.sample.files;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Looks at folders several times a second, on a thread of its own: a disk that hangs holds up
 * nothing else.
 */
public final class FolderLooks implements AutoCloseable {
  private static final long EVERY_MILLIS = 250;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("folders").factory());

  private FolderLooks() {}

  /**
   * @param look may wait for the disk
   */
  public static FolderLooks start(Runnable look) {
    FolderLooks looks = new FolderLooks();
    looks.thread.scheduleWithFixedDelay(look, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    return looks;
  }

  /** Does not wait for a look that has begun. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
