package io.fleetgauge.gateway.stream;

import io.vertx.core.Context;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Brings things from any thread to the thread of an event loop, in their order; all that came until
 * then together, so that they are written together.
 */
final class Handover<T> {
  private final Context loop;
  private final Consumer<Queue<T>> taker;
  private final Queue<T> things = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isDue = new AtomicBoolean();

  /**
   * @param taker takes what there is out of the queue
   */
  Handover(Context loop, Consumer<Queue<T>> taker) {
    this.loop = loop;
    this.taker = taker;
  }

  void add(T thing) {
    things.add(thing);
    if (isDue.compareAndSet(false, true)) {
      loop.runOnContext(
          none -> {
            isDue.set(false);
            taker.accept(things);
          });
    }
  }
}
