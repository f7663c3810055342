package io.fleetgauge.runtime.process;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.net.BindException;

/** The event loops of a process: with epoll where it is available, otherwise with the JDK's NIO. */
public final class EventLoops {
  private static final int FEW = 2;

  private EventLoops() {}

  /** Starts the event loops; the caller closes them. */
  public static Vertx start() {
    return Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
  }

  /**
   * As {@link #start}, for a process that has little to do and must stay small, on a machine with
   * any number of cores.
   */
  public static Vertx startFew() {
    return Vertx.vertx(
        new VertxOptions()
            .setPreferNativeTransport(true)
            .setEventLoopPoolSize(FEW)
            .setWorkerPoolSize(FEW)
            .setInternalBlockingPoolSize(FEW));
  }

  /**
   * Tells whether binding failed because the port is in use; each transport reports it differently.
   */
  public static boolean isTaken(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException
          || String.valueOf(cause.getMessage()).contains("Address already in use")) {
        return true;
      }
    }
    return false;
  }
}
