package io.fleetgauge.runtime.process;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import java.net.BindException;
import java.util.concurrent.TimeUnit;

/** The event loops of a process: with epoll where it is available, otherwise with the JDK's NIO. */
public final class EventLoops {
  private static final int FEW = 2;

  /**
   * Longest time for which an address of a name is used without another lookup, s: a server that is
   * replaced has another address by then.
   */
  private static final int ADDRESS_SECONDS = 10;

  private EventLoops() {}

  /** Starts the event loops; the caller closes them. */
  public static Vertx start() {
    return Vertx.vertx(options());
  }

  /**
   * As {@link #start}, for a process that has little to do and must stay small, on a machine with
   * any number of cores.
   */
  public static Vertx startFew() {
    return Vertx.vertx(
        options()
            .setEventLoopPoolSize(FEW)
            .setWorkerPoolSize(FEW)
            .setInternalBlockingPoolSize(FEW));
  }

  /** Options of all: by default, Vert.x reads the file of hosts once, and keeps what DNS allows. */
  private static VertxOptions options() {
    return new VertxOptions()
        .setPreferNativeTransport(true)
        .setAddressResolverOptions(
            new AddressResolverOptions()
                .setHostsRefreshPeriod(ADDRESS_SECONDS)
                .setHostsRefreshPeriodUnit(TimeUnit.SECONDS)
                .setCacheMaxTimeToLive(ADDRESS_SECONDS));
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
