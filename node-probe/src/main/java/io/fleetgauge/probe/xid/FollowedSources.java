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
  public Status status() {
    return new Status(
        log.lines(), log.unreadable(), log.lost(), log.isOpen(), events.isRegistered());
  }

  @Override
  public void close() {
    log.close();
    events.close();
  }
}
