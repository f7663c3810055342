package io.fleetgauge.promql.fair;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.StopCheck;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The stop check of a heavy query that also makes it pause while light queries run. Queries share
 * the processors, and a light query is so short that each time slice of a heavy one delays it
 * noticeably. The heavy query does not pause when no light query has run since it began, or when
 * pausing could make it miss its deadline. For one query.
 */
public final class YieldToLightQueries implements StopCheck {
  /** Beside light queries a heavy one works a tenth of the time. */
  private static final long WORK_NANOS = 1_000_000;

  private static final long PAUSE_NANOS = 9_000_000;

  private final StopCheck inner;
  private final LightWork light;
  private final long paceUntil;
  private final LongSupplier nanoTime;
  private final LongConsumer pause;
  private boolean begun;
  private long begunAt;
  private long workedSince;

  /**
   * @param paceUntil when it stops pausing, as {@link System#nanoTime}
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
      begunAt = now;
      workedSince = now;
    }
    if (now - workedSince >= WORK_NANOS && now - paceUntil < 0) {
      if (light.isGoingOn(begunAt)) {
        pause.accept(PAUSE_NANOS);
      }
      workedSince = nanoTime.getAsLong();
    }
    return inner.reason();
  }
}
