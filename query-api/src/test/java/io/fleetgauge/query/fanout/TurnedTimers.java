package io.fleetgauge.query.fanout;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A Vert.x whose timers fire when the test says so, on the contexts that set them; all else of it
 * is real. Thread-safe.
 */
final class TurnedTimers {
  private final Vertx real;
  private final Map<Long, Timer> waiting = new TreeMap<>();
  private long lastId;

  private record Timer(long millis, Context context, Handler<Long> handler) {}

  TurnedTimers(Vertx real) {
    this.real = real;
  }

  Vertx vertx() {
    return (Vertx)
        Proxy.newProxyInstance(
            Vertx.class.getClassLoader(),
            new Class<?>[] {Vertx.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "setTimer" -> {
                  @SuppressWarnings("unchecked") // as it is declared
                  Handler<Long> handler = (Handler<Long>) arguments[1];
                  return set((long) arguments[0], handler);
                }
                case "cancelTimer" -> {
                  return cancel((long) arguments[0]);
                }
                default -> {
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }
              }
            });
  }

  private synchronized long set(long millis, Handler<Long> handler) {
    waiting.put(++lastId, new Timer(millis, real.getOrCreateContext(), handler));
    return lastId;
  }

  private synchronized boolean cancel(long id) {
    return waiting.remove(id) != null;
  }

  /** The times of the timers that are set, in the order in which they were, ms. */
  synchronized List<Long> waiting() {
    return waiting.values().stream().map(Timer::millis).toList();
  }

  /** The timer that was set first fires. */
  void turn() {
    Map.Entry<Long, Timer> first;
    synchronized (this) {
      first = waiting.entrySet().iterator().next();
      waiting.remove(first.getKey());
    }
    first.getValue().context.runOnContext(none -> first.getValue().handler.handle(first.getKey()));
  }
}
