package io.fleetgauge.probe.host.reading;

import java.io.IOException;

/** The node does not have what a collector reads. Without a stack trace: it may come every tick. */
public final class MissingSource extends IOException {
  private static final long serialVersionUID = 1L;

  public MissingSource(String what) {
    super(what);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
