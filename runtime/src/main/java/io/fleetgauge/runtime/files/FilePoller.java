package io.fleetgauge.runtime.files;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files and folders again and again. A look that takes long delays the next one, and one
 * that fails is logged.
 */
public final class FilePoller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FilePoller.class);

  private final Runnable stop;

  private FilePoller(Runnable stop) {
    this.stop = stop;
  }

  /**
   * Looks at once and then again and again, on a thread of its own: a disk that hangs holds up
   * nothing else.
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
        () -> look(name, look), 0, every.toMillis(), TimeUnit.MILLISECONDS);
    return new FilePoller(thread::shutdownNow);
  }

  /**
   * Looks on a worker thread, the first time after {@code every}, for as long as the event loops
   * run: for small files, of which there may be many.
   *
   * @param name for the log
   */
  public static FilePoller start(Vertx vertx, String name, Duration every, Runnable look) {
    AtomicBoolean isLooking = new AtomicBoolean();
    long timer =
        vertx.setPeriodic(
            every.toMillis(),
            id -> {
              if (isLooking.compareAndSet(false, true)) {
                lookOnWorker(vertx, name, look).onComplete(done -> isLooking.set(false));
              }
            });
    return new FilePoller(() -> vertx.cancelTimer(timer));
  }

  private static Future<Void> lookOnWorker(Vertx vertx, String name, Runnable look) {
    try {
      return vertx.executeBlocking(
          () -> {
            look(name, look);
            return null;
          },
          false);
    } catch (RejectedExecutionException e) {
      // The process is stopping: timers run for a moment longer than the workers.
      return Future.failedFuture(e);
    }
  }

  private static void look(String name, Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      LOG.error("a look of {} failed", name, e);
    }
  }

  /** Begins no look any more, and does not wait for one that has begun. */
  @Override
  public void close() {
    stop.run();
  }
}
