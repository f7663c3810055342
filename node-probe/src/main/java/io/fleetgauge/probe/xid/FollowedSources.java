package io.fleetgauge.probe.xid;

/** The sources of this machine. */
record FollowedSources(KernelLog log, DriverEvents events) implements XidSources {
  /** Begins to follow both. */
  static FollowedSources start(KernelLog log, DriverEvents events) {
    log.start();
    events.start();
    return new FollowedSources(log, events);
  }

  @Override
  public long lines() {
    return log.lines();
  }

  @Override
  public long unreadable() {
    return log.unreadable();
  }

  @Override
  public long lost() {
    return log.lost();
  }

  @Override
  public boolean isLogOpen() {
    return log.isOpen();
  }

  @Override
  public boolean isRegistered() {
    return events.isRegistered();
  }

  @Override
  public void close() {
    log.close();
    events.close();
  }
}
