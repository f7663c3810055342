package io.fleetgauge.query.derived;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Waits for the samples of slots: for the watermark, or for a deadline. However many slots wait,
 * the gateways are asked once at a time. For one event loop.
 */
public final class SlotData {
  private static final long ASK_EVERY_MILLIS = 200;

  private final Context context;
  private final Supplier<Future<Long>> watermark;
  private final LongSupplier clock;
  private final List<Waiting> waiting = new ArrayList<>();
  private long known = Long.MIN_VALUE;
  private boolean asking;

  private record Waiting(long time, long deadline, Promise<Boolean> arrived) {}

  /**
   * @param watermark time up to which all hosts that send have sent, ms since the epoch
   * @param clock ms since the epoch
   */
  public SlotData(Context context, Supplier<Future<Long>> watermark, LongSupplier clock) {
    this.context = context;
    this.watermark = watermark;
    this.clock = clock;
  }

  /**
   * Waits.
   *
   * @param time of the samples, ms since the epoch
   * @param deadline end of the wait for them, ms since the epoch
   * @return true if they are there; never fails
   */
  public Future<Boolean> arrived(long time, long deadline) {
    if (known >= time || clock.getAsLong() >= deadline) {
      return Future.succeededFuture(known >= time);
    }
    Waiting one = new Waiting(time, deadline, Promise.promise());
    waiting.add(one);
    if (!asking) {
      asking = true;
      ask();
    }
    return one.arrived.future();
  }

  private void ask() {
    watermark
        .get()
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      // It falls when a gateway dies whose hosts others have not taken over yet.
                      known = done.succeeded() ? done.result() : Long.MIN_VALUE;
                      finish();
                    }));
  }

  private void finish() {
    long now = clock.getAsLong();
    List<Waiting> done = new ArrayList<>();
    for (Waiting each : waiting) {
      if (known >= each.time || now >= each.deadline) {
        done.add(each);
      }
    }
    waiting.removeAll(done);
    asking = !waiting.isEmpty();
    if (asking) {
      context.owner().setTimer(ASK_EVERY_MILLIS, timer -> ask());
    }
    done.forEach(each -> each.arrived.complete(known >= each.time));
  }
}
