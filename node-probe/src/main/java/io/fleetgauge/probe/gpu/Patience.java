package io.fleetgauge.probe.gpu;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The way in which a reading is waited for. */
public interface Patience {
  /** Waits by the clock of the machine. */
  Patience REAL = (reading, limit) -> reading.get(limit.toMillis(), TimeUnit.MILLISECONDS);

  /**
   * Waits until the reading has ended.
   *
   * @throws TimeoutException if it has not ended within the limit
   * @throws ExecutionException if it failed
   */
  void await(Future<?> reading, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException;
}
