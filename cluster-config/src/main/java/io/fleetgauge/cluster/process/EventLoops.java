package io.fleetgauge.cluster.process;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.net.BindException;

/** The event loops of a process: by epoll where that is there, else by the JDK. */
public final class EventLoops {
  private EventLoops() {}

  /** Starts them; to be closed. */
  public static Vertx start() {
    return Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
  }

  /**
   * Whether binding failed because the port is in use; each kind of loop reports it differently.
   */
  static boolean isTaken(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException
          || String.valueOf(cause.getMessage()).contains("Address already in use")) {
        return true;
      }
    }
    return false;
  }
}
