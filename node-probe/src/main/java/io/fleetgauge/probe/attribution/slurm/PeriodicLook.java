package io.fleetgauge.probe.attribution.slurm;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that looks at something now and then; a look that takes long delays the next one. */
public final class PeriodicLook implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeriodicLook.class);

  private final ScheduledExecutorService thread;

  private PeriodicLook(ScheduledExecutorService thread) {
    this.thread = thread;
  }

  /**
   * @param name of the thread
   */
  public static PeriodicLook start(String name, Duration every, Runnable look) {
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
    return new PeriodicLook(thread);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
