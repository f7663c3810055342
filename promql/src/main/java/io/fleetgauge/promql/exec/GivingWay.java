package io.fleetgauge.promql.exec;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A heavy query's stop sign that makes it pause while light ones are being answered: processors are
 * shared by all, and a light query takes so little that whoever asked it notices each slice that a
 * heavy one takes. With none about, and once it could be late, it does not pause. For one query.
 */
public final class GivingWay implements StopSign {
  /** Light queries count as going on for so long behind the last. */
  private static final long QUIET_NANOS = 50_000_000;

  /** Of its time beside light queries it works a tenth. */
  private static final long WORK_NANOS = 1_000_000;

  private static final long PAUSE_NANOS = 9_000_000;

  private final StopSign inner;
  private final LongSupplier lastLight;
  private final long paceUntil;
  private final LongSupplier nanoTime;
  private final LongConsumer pause;
  private long workedSince;

  /**
   * @param lastLight when a light query was last begun or under way, as {@link System#nanoTime}
   * @param paceUntil when it is to stop pausing, likewise
   */
  public GivingWay(StopSign inner, LongSupplier lastLight, long paceUntil) {
    this(inner, lastLight, paceUntil, System::nanoTime, LockSupport::parkNanos);
  }

  GivingWay(
      StopSign inner,
      LongSupplier lastLight,
      long paceUntil,
      LongSupplier nanoTime,
      LongConsumer pause) {
    this.inner = inner;
    this.lastLight = lastLight;
    this.paceUntil = paceUntil;
    this.nanoTime = nanoTime;
    this.pause = pause;
    this.workedSince = nanoTime.getAsLong();
  }

  @Override
  public Optional<QueryFailure> reason() {
    long now = nanoTime.getAsLong();
    if (now - workedSince >= WORK_NANOS && now - paceUntil < 0) {
      if (now - lastLight.getAsLong() < QUIET_NANOS) {
        pause.accept(PAUSE_NANOS);
      }
      workedSince = nanoTime.getAsLong();
    }
    return inner.reason();
  }
}
