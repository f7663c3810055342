package io.fleetgauge.runtime.files;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files and folders again and again, on a thread of its own: a disk that hangs holds up
 * nothing else. A look that takes long delays the next one, and one that fails is logged.
 */
public final class FilePoller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FilePoller.class);

  private final ScheduledExecutorService thread;

  private FilePoller(ScheduledExecutorService thread) {
    this.thread = thread;
  }

  /**
   * Looks once at once, and then again and again.
   *
   * @param name of the thread
   * @param every time between two looks
   * @param look may wait for the disk
   */
  public static FilePoller start(String name, Duration every, Runnable look) {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            look.run();
          } catch (RuntimeException e) {
            LOG.error("a look of {} failed", name, e);
          }
        },
        0,
        every.toMillis(),
        TimeUnit.MILLISECONDS);
    return new FilePoller(thread);
  }

  /** Interrupts a look that has begun, and does not wait for it. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
