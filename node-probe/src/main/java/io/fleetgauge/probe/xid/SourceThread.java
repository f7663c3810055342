package io.fleetgauge.probe.xid;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A thread that follows a source, and begins again after a pause when that ends, until it is
 * closed.
 */
final class SourceThread {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(1);

  private final CountDownLatch closed = new CountDownLatch(1);
  private Thread thread;

  /**
   * @param follow returns when the source has ended, or soon after this is closed
   * @param again time after which it is followed anew
   */
  void start(String name, Runnable follow, Duration again) {
    thread =
        Thread.ofPlatform()
            .daemon()
            .name(name)
            .start(
                () -> {
                  while (!isClosed()) {
                    follow.run();
                    pause(again);
                  }
                });
  }

  boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Waits, but not longer than until this is closed. */
  void pause(Duration length) {
    try {
      closed.await(length.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed.countDown();
    }
  }

  /** Tells the thread to end. */
  void stop() {
    closed.countDown();
  }

  /**
   * Waits for the end of the thread.
   *
   * @return false if it has not ended within a second
   */
  boolean join() {
    try {
      return thread == null || thread.join(STOP_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
