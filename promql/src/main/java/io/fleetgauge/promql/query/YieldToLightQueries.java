package io.fleetgauge.promql.query;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A heavy query's stop sign that makes it pause while light ones are being answered: processors are
 * shared by all, and a light query takes so little that whoever asked it notices each slice that a
 * heavy one takes. With none about, and once it could be late, it does not pause. For one query.
 */
public final class YieldToLightQueries implements StopCheck {
  /** Of its time beside light queries it works a tenth. */
  private static final long WORK_NANOS = 1_000_000;

  private static final long PAUSE_NANOS = 9_000_000;

  private final StopCheck inner;
  private final LightWork light;
  private final long paceUntil;
  private final LongSupplier nanoTime;
  private final LongConsumer pause;
  private boolean begun;
  private long workedSince;

  /**
   * @param paceUntil when it is to stop pausing, as {@link System#nanoTime}
   */
  public YieldToLightQueries(StopCheck inner, LightWork light, long paceUntil) {
    this(inner, light, paceUntil, System::nanoTime, LockSupport::parkNanos);
  }

  YieldToLightQueries(
      StopCheck inner, LightWork light, long paceUntil, LongSupplier nanoTime, LongConsumer pause) {
    this.inner = inner;
    this.light = light;
    this.paceUntil = paceUntil;
    this.nanoTime = nanoTime;
    this.pause = pause;
  }

  @Override
  public Optional<QueryFailure> reason() {
    long now = nanoTime.getAsLong();
    if (!begun) {
      begun = true;
      workedSince = now;
    }
    if (now - workedSince >= WORK_NANOS && now - paceUntil < 0) {
      if (light.isGoingOn()) {
        pause.accept(PAUSE_NANOS);
      }
      workedSince = nanoTime.getAsLong();
    }
    return inner.reason();
  }
}
